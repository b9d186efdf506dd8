-- Postgres reads and plans each CHECK of a table anew for every statement that writes to it. What a domain says of its values, and the body of a function,
-- it keeps for a session (decision 161). So in the tables that every event writes to, a column's rule is its domain's, and rules over
-- several columns are one function of each table.
--
-- Columns get their domain before it says anything: so no table is written anew.

CREATE DOMAIN owner_kind AS text;
CREATE DOMAIN owner_id AS text;
CREATE DOMAIN positive_amount AS bigint;

CREATE DOMAIN checkout_kind AS text;
CREATE DOMAIN checkout_state AS text;
CREATE DOMAIN currency AS text;
CREATE DOMAIN paid_plan AS text;
CREATE DOMAIN billing_frequency AS text;
CREATE DOMAIN seat_count AS integer;
CREATE DOMAIN trial_days AS integer;

ALTER TABLE checkout_intents
  DROP CONSTRAINT checkout_intents_kind_check, ALTER kind TYPE checkout_kind,
  DROP CONSTRAINT checkout_intents_owner_kind_check, ALTER owner_kind TYPE owner_kind,
  DROP CONSTRAINT checkout_intents_credits_check, ALTER credits TYPE positive_amount,
  DROP CONSTRAINT checkout_intents_amount_minor_check, ALTER amount_minor TYPE positive_amount,
  DROP CONSTRAINT checkout_intents_currency_check, ALTER currency TYPE currency,
  DROP CONSTRAINT checkout_intents_plan_type_check, ALTER plan_type TYPE paid_plan,
  DROP CONSTRAINT checkout_intents_billing_frequency_check, ALTER billing_frequency TYPE billing_frequency,
  DROP CONSTRAINT checkout_intents_seats_check, ALTER seats TYPE seat_count,
  DROP CONSTRAINT checkout_intents_credits_per_seat_check, ALTER credits_per_seat TYPE positive_amount,
  DROP CONSTRAINT checkout_intents_trial_days_check, ALTER trial_days TYPE trial_days,
  DROP CONSTRAINT checkout_intents_state_check, ALTER state TYPE checkout_state;

CREATE DOMAIN event_source AS text;
CREATE DOMAIN event_state AS text;
CREATE DOMAIN received_via AS text;
-- Of an object of Stripe's or Clerk's, or what we gave it.
CREATE DOMAIN outside_id AS text;

DROP POLICY inbox_events_receive ON inbox_events;
ALTER TABLE inbox_events
  DROP CONSTRAINT inbox_events_source_check, ALTER source TYPE event_source,
  DROP CONSTRAINT inbox_events_id_check, ALTER id TYPE outside_id,
  DROP CONSTRAINT inbox_events_state_check, ALTER state TYPE event_state,
  DROP CONSTRAINT inbox_events_received_via_check, ALTER received_via TYPE received_via,
  DROP CONSTRAINT inbox_events_subject_check, ALTER subject TYPE outside_id,
  DROP CONSTRAINT inbox_events_client_reference_id_check, ALTER client_reference_id TYPE outside_id;
CREATE POLICY inbox_events_receive ON inbox_events FOR INSERT TO tidemark_server
  WITH CHECK (state IN ('received', 'failed') AND received_via = 'webhook');

CREATE DOMAIN owner_account AS text;
CREATE DOMAIN grant_id AS text;
CREATE DOMAIN grant_kind AS text;
CREATE DOMAIN transfer_kind AS text;
CREATE DOMAIN entry_amount AS bigint;

DROP VIEW ledger_balances, ledger_grant_sums;
DROP TRIGGER ledger_owners_identity ON ledger_owners;
ALTER TABLE ledger_owners
  DROP CONSTRAINT ledger_owners_owner_kind_check, ALTER owner_kind TYPE owner_kind;
ALTER TABLE ledger_grants
  DROP CONSTRAINT ledger_grants_id_check, ALTER id TYPE grant_id,
  DROP CONSTRAINT ledger_grants_owner_kind_check, ALTER owner_kind TYPE owner_kind,
  DROP CONSTRAINT ledger_grants_owner_id_check, ALTER owner_id TYPE owner_id,
  DROP CONSTRAINT ledger_grants_account_check, ALTER account TYPE owner_account,
  DROP CONSTRAINT ledger_grants_kind_check, ALTER kind TYPE grant_kind;
ALTER TABLE ledger_transfers
  DROP CONSTRAINT ledger_transfers_kind_check, ALTER kind TYPE transfer_kind;
ALTER TABLE ledger_entries
  DROP CONSTRAINT ledger_entries_amount_check, ALTER amount TYPE entry_amount;
CREATE TRIGGER ledger_owners_identity BEFORE UPDATE OF owner_id, owner_kind, plan_account_id, purchased_account_id ON ledger_owners
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();

-- As they were.
CREATE VIEW ledger_balances AS
SELECT o.owner_kind, o.owner_id, head.account, head.account_id, head.version, head.balance
FROM ledger_owners o
CROSS JOIN LATERAL (SELECT ledger_unposted_plan(o.plan_balance, o.unposted_credits) AS plan) unposted
CROSS JOIN LATERAL (VALUES
  ('plan', o.plan_account_id, o.plan_version, o.plan_balance - unposted.plan),
  ('purchased', o.purchased_account_id, o.purchased_version, o.purchased_balance - (o.unposted_credits - unposted.plan)))
  AS head (account, account_id, version, balance);

CREATE VIEW ledger_grant_sums AS
SELECT g.id, g.owner_kind, g.owner_id, g.account, g.kind, g.intent_id, g.stripe_subscription_id, g.stripe_invoice_id, g.month_starts_at,
  g.starts_at, g.ends_at, g.created_at,
  sums.gross + kept.gross AS gross, sums.refunded + kept.refunded AS refunded, sums.disputed + kept.disputed AS disputed,
  sums.expired + kept.expired AS expired, sums.written_off + kept.written_off AS written_off, sums.adjusted + kept.adjusted AS adjusted,
  sums.transfers + kept.transfers AS transfers
FROM ledger_grants g
LEFT JOIN ledger_accounts a ON a.owner_id = g.owner_id AND a.name = g.account
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('adjustment', 'settlement')), 0)::bigint AS adjusted,
    count(t.id) AS transfers
  FROM ledger_transfers t
  -- Found one by one by their keys (OFFSET 0), in the month of each: otherwise Postgres may read all entries of the account.
  LEFT JOIN LATERAL (
    SELECT amount FROM ledger_entries WHERE owner_id = t.owner_id AND account_id = a.id AND transfer_id = t.id OFFSET 0) e ON true
  WHERE t.owner_id = g.owner_id AND t.grant_id = g.id
    -- Months before these hold nothing of it that is not in `kept`.
    AND t.id >= greatest(g.first_transfer_id, (SELECT coalesce(max(end_transfer_id), 0) FROM ledger_archives))
) sums
CROSS JOIN LATERAL (
  SELECT coalesce(sum(s.gross), 0)::bigint AS gross, coalesce(sum(s.refunded), 0)::bigint AS refunded,
    coalesce(sum(s.disputed), 0)::bigint AS disputed, coalesce(sum(s.expired), 0)::bigint AS expired,
    coalesce(sum(s.written_off), 0)::bigint AS written_off, coalesce(sum(s.adjusted), 0)::bigint AS adjusted,
    coalesce(sum(s.transfers), 0)::bigint AS transfers
  FROM ledger_archived_sums s
  WHERE s.owner_id = g.owner_id AND s.grant_id = g.id
    AND g.first_transfer_id < (SELECT coalesce(max(end_transfer_id), 0) FROM ledger_archives)
) kept;
GRANT SELECT ON ledger_balances, ledger_grant_sums TO tidemark_server, tidemark_worker;

ALTER DOMAIN owner_kind ADD CHECK (VALUE IN ('user', 'organization'));
ALTER DOMAIN owner_id ADD CHECK (length(VALUE) BETWEEN 1 AND 64);
ALTER DOMAIN positive_amount ADD CHECK (VALUE > 0);

ALTER DOMAIN checkout_kind ADD CHECK (VALUE IN ('credit_purchase', 'subscription'));
ALTER DOMAIN checkout_state ADD CHECK (VALUE IN ('created', 'open', 'awaiting_payment', 'settled', 'failed', 'expired'));
ALTER DOMAIN currency ADD CHECK (VALUE IN ('EUR', 'USD', 'GBP'));
ALTER DOMAIN paid_plan ADD CHECK (VALUE IN ('pro', 'teams'));
ALTER DOMAIN billing_frequency ADD CHECK (VALUE IN ('monthly', 'yearly'));
ALTER DOMAIN seat_count ADD CHECK (VALUE BETWEEN 1 AND 100);
ALTER DOMAIN trial_days ADD CHECK (VALUE >= 0);

ALTER DOMAIN event_source ADD CHECK (VALUE IN ('stripe', 'clerk'));
ALTER DOMAIN event_state ADD CHECK (VALUE IN ('received', 'applied', 'ignored', 'failed', 'forged'));
ALTER DOMAIN received_via ADD CHECK (VALUE IN ('webhook', 'reader'));
ALTER DOMAIN outside_id ADD CHECK (length(VALUE) BETWEEN 1 AND 255);

ALTER DOMAIN owner_account ADD CHECK (VALUE IN ('plan', 'purchased'));
ALTER DOMAIN grant_id ADD CHECK (length(VALUE) BETWEEN 1 AND 200);
ALTER DOMAIN grant_kind ADD CHECK (VALUE IN ('purchase', 'month', 'seats', 'late_month', 'adjustment', 'legacy'));
ALTER DOMAIN transfer_kind ADD CHECK (VALUE IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant', 'usage', 'expiry', 'write_off',
  'refund', 'dispute', 'dispute_won', 'settlement', 'adjustment'));
ALTER DOMAIN entry_amount ADD CHECK (VALUE <> 0);

CREATE FUNCTION checkout_intent_is_consistent(
  kind text, state text, owner_kind text, owner_id text, plan_type text, billing_frequency text, seats integer, credits bigint,
  credits_per_seat bigint, stripe_session_id text, settled_at timestamptz
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE kind
      WHEN 'subscription' THEN num_nulls(plan_type, billing_frequency, seats, credits_per_seat) = 0 AND credits = credits_per_seat * seats
      ELSE num_nonnulls(plan_type, billing_frequency, seats, credits_per_seat) = 0
    END
    -- An organization is created with its first plan.
    AND (owner_id IS NOT NULL OR kind = 'subscription' AND owner_kind = 'organization')
    AND (state = 'settled') = (settled_at IS NOT NULL)
    AND (state NOT IN ('open', 'settled') OR stripe_session_id IS NOT NULL);
END
$$;

CREATE FUNCTION inbox_event_is_consistent(
  state text, reason text, settled_at timestamptz, confirm_at timestamptz, confirmed_at timestamptz, payload_filed_at timestamptz,
  payload_removed_at timestamptz
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (state = 'received') = (settled_at IS NULL)
    AND (state NOT IN ('ignored', 'failed', 'forged') OR reason IS NOT NULL)
    AND (state <> 'received' OR payload_filed_at IS NOT NULL)
    AND (payload_filed_at IS NULL) = (payload_removed_at IS NOT NULL)
    AND (confirmed_at IS NULL OR confirm_at IS NULL);
END
$$;

CREATE FUNCTION ledger_grant_is_consistent(
  id text, kind text, account text, intent_id uuid, stripe_subscription_id text, stripe_invoice_id text, month_starts_at timestamptz,
  starts_at timestamptz, ends_at timestamptz
) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (starts_at < ends_at) IS NOT FALSE
    AND (kind IN ('month', 'seats', 'late_month')) = (stripe_subscription_id IS NOT NULL)
    AND (stripe_subscription_id IS NULL) = (stripe_invoice_id IS NULL)
    AND (kind IN ('month', 'seats')) = (month_starts_at IS NOT NULL)
    AND CASE
      WHEN kind IN ('purchase', 'late_month') THEN account = 'purchased'
      WHEN kind IN ('month', 'seats') THEN account = 'plan'
      ELSE true
    END
    AND coalesce(CASE
      WHEN kind = 'purchase' THEN id = 'purchase/' || intent_id
      WHEN kind IN ('month', 'seats') THEN id = kind || '/' || stripe_invoice_id || '/' || extract(epoch FROM month_starts_at)::bigint
      WHEN kind = 'late_month' THEN starts_with(id, 'late_month/' || stripe_invoice_id || '/')
      ELSE starts_with(id, kind || '/')
    END, false);
END
$$;

ALTER TABLE checkout_intents
  DROP CONSTRAINT checkout_intents_check, DROP CONSTRAINT checkout_intents_check1, DROP CONSTRAINT checkout_intents_check2,
  DROP CONSTRAINT checkout_intents_check3, DROP CONSTRAINT checkout_intents_check4, DROP CONSTRAINT checkout_intents_check5,
  DROP CONSTRAINT checkout_intents_check6, DROP CONSTRAINT checkout_intents_check7, DROP CONSTRAINT checkout_intents_check8,
  ADD CONSTRAINT checkout_intents_consistent CHECK (checkout_intent_is_consistent(kind, state, owner_kind, owner_id, plan_type,
    billing_frequency, seats, credits, credits_per_seat, stripe_session_id, settled_at));
ALTER TABLE inbox_events
  DROP CONSTRAINT inbox_events_check, DROP CONSTRAINT inbox_events_has_reason, DROP CONSTRAINT inbox_events_can_be_applied,
  DROP CONSTRAINT inbox_events_payload, DROP CONSTRAINT inbox_events_confirmed,
  ADD CONSTRAINT inbox_events_consistent CHECK (inbox_event_is_consistent(state, reason, settled_at, confirm_at, confirmed_at, payload_filed_at,
    payload_removed_at));
ALTER TABLE ledger_grants
  DROP CONSTRAINT ledger_grants_check, DROP CONSTRAINT ledger_grants_check1, DROP CONSTRAINT ledger_grants_check2,
  DROP CONSTRAINT ledger_grants_check3, DROP CONSTRAINT ledger_grants_check4, DROP CONSTRAINT ledger_grants_natural_id,
  ADD CONSTRAINT ledger_grants_consistent CHECK (ledger_grant_is_consistent(id, kind, account, intent_id, stripe_subscription_id,
    stripe_invoice_id, month_starts_at, starts_at, ends_at));

-- As before, but the input is hashed as a text that is put together, as for a batch, and not by way of JSON.
CREATE OR REPLACE FUNCTION ledger_post_one(
  idempotency_key text, kind text, occurred_at timestamptz, intent_id text, event_id text, actor text, reason text,
  credits bigint, house text, grant_id text, owner_kind text, owner_id text, account text, given jsonb,
  OUT transfer_id bigint, OUT posted boolean
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner ledger_owners;
  new_grant ledger_grants;
  transfer ledger_transfers;
  is_new_grant boolean;
  is_same_grant boolean;
  house_account bigint;
  owner_account bigint;
  new_version bigint;
  new_balance bigint;
  digest bytea;
  chain bytea;
BEGIN
  SELECT * INTO owner FROM ledger_owners o WHERE o.owner_id = ledger_post_one.owner_id FOR NO KEY UPDATE;
  -- What is summed is posted before anything else.
  IF NOT FOUND OR owner.unposted_transfer_id IS NOT NULL THEN
    owner := (ledger_lock_rows(ARRAY[ledger_post_one.owner_kind], ARRAY[ledger_post_one.owner_id]))[1];
  END IF;
  transfer := ROW(nextval('ledger_transfers_id_seq'), ledger_post_one.occurred_at, clock_timestamp(), ledger_post_one.intent_id::uuid, NULL,
    2, ledger_post_one.owner_id, ledger_post_one.idempotency_key, ledger_post_one.kind,
    ledger_two_legs_hash(ledger_post_one.kind, ledger_post_one.intent_id, ledger_post_one.grant_id, ledger_post_one.owner_kind,
      ledger_post_one.owner_id, ledger_post_one.account, house, credits),
    ledger_post_one.event_id, ledger_post_one.actor, ledger_post_one.reason, ledger_post_one.grant_id)::ledger_transfers;
  IF transfer.id >> 40 < ledger_month_of(transfer.posted_at) THEN
    transfer.id := ledger_begin_month(ledger_month_of(transfer.posted_at), transfer.id);
  END IF;
  INSERT INTO ledger_keys VALUES (transfer.owner_id, transfer.idempotency_key, transfer.id, 2, transfer.input_hash)
  ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    -- Posted before, if with the same input: `ledger_post` knows how inputs of earlier formats were hashed. It is asked by the caller.
    RETURN;
  END IF;

  SELECT a.id, (g.owner_kind, g.owner_id, g.account, g.kind)
      IS NOT DISTINCT FROM (ledger_post_one.owner_kind, ledger_post_one.owner_id, ledger_post_one.account, given ->> 'kind'), g.id IS NULL
  INTO house_account, is_same_grant, is_new_grant
  FROM (VALUES (house)) AS named (house)
  LEFT JOIN ledger_accounts a ON a.owner_id = 'house' AND a.name = named.house
  LEFT JOIN ledger_grants g ON g.id = ledger_post_one.grant_id;
  IF is_new_grant THEN
    new_grant := jsonb_populate_record(NULL::ledger_grants, given);
    new_grant.created_at := clock_timestamp();
    new_grant.first_transfer_id := transfer.id;
    INSERT INTO ledger_grants SELECT new_grant.*;
  ELSIF NOT is_same_grant THEN
    RAISE EXCEPTION 'Grant % was written down before for another owner, account or kind', ledger_post_one.grant_id USING ERRCODE = 'LG001';
  END IF;
  IF house_account IS NULL OR owner.owner_kind <> ledger_post_one.owner_kind OR starts_with(transfer.idempotency_key, 'usage/') THEN
    RAISE EXCEPTION 'Transfer % names an account that does not exist, or has the key of a usage', transfer.idempotency_key
      USING ERRCODE = 'LG002';
  END IF;

  digest := ledger_transfer_digest(transfer);
  IF ledger_post_one.account = 'plan' THEN
    owner_account := owner.plan_account_id;
    new_version := owner.plan_version + 1;
    new_balance := owner.plan_balance + credits;
    chain := ledger_entry_hash(owner.plan_hash, digest, owner_account, credits, new_version, new_balance);
    UPDATE ledger_owners o SET last_transfer_id = transfer.id, plan_version = new_version, plan_balance = new_balance, plan_hash = chain
    WHERE o.owner_id = transfer.owner_id;
  ELSE
    owner_account := owner.purchased_account_id;
    new_version := owner.purchased_version + 1;
    new_balance := owner.purchased_balance + credits;
    chain := ledger_entry_hash(owner.purchased_hash, digest, owner_account, credits, new_version, new_balance);
    UPDATE ledger_owners o SET last_transfer_id = transfer.id, purchased_version = new_version, purchased_balance = new_balance,
      purchased_hash = chain
    WHERE o.owner_id = transfer.owner_id;
  END IF;
  IF credits < 0 AND new_balance < 0 AND transfer.kind IN ('usage', 'credit_purchase') THEN
    RAISE EXCEPTION 'The % account of % has % credits, transfer % takes %', ledger_post_one.account, transfer.owner_id,
      new_balance - credits, transfer.idempotency_key, -credits USING ERRCODE = 'LG003';
  END IF;
  -- The act has its default.
  INSERT INTO ledger_transfers (id, occurred_at, posted_at, intent_id, format, owner_id, idempotency_key, kind, input_hash, event_id, actor,
    reason, grant_id)
  VALUES (transfer.id, transfer.occurred_at, transfer.posted_at, transfer.intent_id, 2, transfer.owner_id, transfer.idempotency_key,
    transfer.kind, transfer.input_hash, transfer.event_id, transfer.actor, transfer.reason, transfer.grant_id);
  INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, owner_id, hash)
  VALUES (transfer.id, owner_account, credits, new_version, new_balance, transfer.owner_id, chain),
    (transfer.id, house_account, -credits, NULL, NULL, transfer.owner_id,
      ledger_entry_hash(chain, digest, house_account, -credits, NULL, NULL));
  transfer_id := transfer.id; posted := true;
END
$$;

-- As before, but that entries are appended one by one: Postgres appends one element where the array is, and copies it to append several.
CREATE OR REPLACE FUNCTION ledger_post_many(
  owner_kinds text[], owner_ids text[],
  idempotency_keys text[], kinds text[], occurred_at timestamptz[], intent_ids text[], event_ids text[], actors text[], reasons text[],
  credits bigint[], houses text[], grant_ids text[], grant_owner_ids text[], accounts text[], grant_kinds text[], grants text
) RETURNS bigint[] LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  items ledger_item[];
  item ledger_item;
  is_usual boolean;
  owners ledger_owners[];
  owner ledger_owners;
  nth integer := 0;
  drawn bigint[];
  transfer ledger_transfers;
  digest bytea;
  chain bytea;
  moment timestamptz;
  moment_text text;
  account_id bigint;
  version bigint;
  balance bigint;
  new_grant ledger_grants;
  new_grant_ids text[];
  changed ledger_owners[] := '{}';
  new_keys ledger_keys[] := '{}';
  new_grants ledger_grants[] := '{}';
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
BEGIN
  -- By owners, and the transfers of each in their order. A grant that is there stays as it is; one that is new is looked for again below.
  SELECT array_agg(ROW(i.ordinal, i.owner_id, i.owner_kind, i.idempotency_key, i.kind, i.occurred_at, i.intent_id, i.event_id, i.actor, i.reason,
      i.credits, i.account, i.house_account, i.grant_id, i.input_hash,
      '[2, ' || to_json(i.idempotency_key) || ', ' || to_json(i.kind) || ', ' || to_json(i.grant_id) || ', "' || encode(i.input_hash, 'hex') || '", '
        || (extract(epoch FROM i.occurred_at) * 1000000)::bigint || ', ',
      ', ' || coalesce(to_json(i.intent_id)::text, 'null') || ', ' || coalesce(to_json(i.event_id)::text, 'null') || ', '
        || to_json(i.actor) || ', ' || to_json(i.reason) || ']')::ledger_item ORDER BY i.owner_id, i.ordinal),
    array_agg(i.grant_id) FILTER (WHERE i.is_new_grant), bool_and(i.is_usual)
  INTO items, new_grant_ids, is_usual
  FROM (
    SELECT given.ordinal, given.owner_id, named.owner_kind, given.idempotency_key, given.kind, given.occurred_at, given.intent_id::uuid AS intent_id, given.event_id,
      given.actor, given.reason, given.credits, given.account, house.id AS house_account, given.grant_id, g.id IS NULL AS is_new_grant,
      ledger_two_legs_hash(given.kind, given.intent_id, given.grant_id, named.owner_kind, given.owner_id, given.account, given.house,
        given.credits) AS input_hash,
      house.id IS NOT NULL AND NOT starts_with(given.idempotency_key, 'usage/')
        AND (g.id IS NULL OR (g.owner_kind, g.owner_id, g.account, g.kind) = (named.owner_kind, given.owner_id, given.account, given.grant_kind))
        AS is_usual
    FROM unnest(idempotency_keys, kinds, occurred_at, intent_ids, event_ids, actors, reasons, credits, houses, grant_ids, grant_owner_ids,
        accounts, grant_kinds) WITH ORDINALITY
      AS given (idempotency_key, kind, occurred_at, intent_id, event_id, actor, reason, credits, house, grant_id, owner_id, account, grant_kind,
        ordinal)
    JOIN unnest(owner_ids, owner_kinds) AS named (owner_id, owner_kind) ON named.owner_id = given.owner_id
    LEFT JOIN (SELECT name, id FROM ledger_accounts WHERE owner_id = 'house' OFFSET 0) house ON house.name = given.house
    LEFT JOIN LATERAL (SELECT * FROM ledger_grants WHERE id = given.grant_id OFFSET 0) g ON true
    -- So that hashes are made once.
    OFFSET 0
  ) i;
  IF is_usual IS NOT TRUE OR cardinality(items) < cardinality(idempotency_keys) THEN
    RETURN NULL;
  END IF;

  owners := ledger_lock_rows(owner_kinds, owner_ids);
  drawn := ARRAY(SELECT nextval('ledger_transfers_id_seq') FROM generate_series(1, cardinality(items)));
  moment := clock_timestamp();
  moment_text := (extract(epoch FROM moment) * 1000000)::bigint::text;
  -- Whoever is the first in a month begins it one by one. Keys and new grants are looked for in statements of their own, after the locks:
  -- whoever posted for these owners before is seen.
  IF drawn[1] >> 40 < ledger_month_of(moment)
    OR EXISTS (SELECT FROM ledger_keys k WHERE k.idempotency_key = ANY (idempotency_keys) AND NOT starts_with(k.idempotency_key, 'usage/'))
    OR new_grant_ids IS NOT NULL AND EXISTS (SELECT FROM ledger_grants g WHERE g.id = ANY (new_grant_ids)) THEN
    RETURN NULL;
  END IF;

  FOREACH item IN ARRAY items LOOP
    IF owner.owner_id IS DISTINCT FROM item.owner_id THEN
      IF owner.owner_id IS NOT NULL THEN
        changed := changed || owner;
      END IF;
      -- Both are in the order of the owners.
      nth := nth + 1;
      owner := owners[nth];
      IF owner.owner_id IS DISTINCT FROM item.owner_id OR owner.owner_kind <> item.owner_kind THEN
        RETURN NULL;
      END IF;
    END IF;
    transfer := ROW(drawn[item.ordinal], item.occurred_at, moment, item.intent_id, NULL, 2, item.owner_id, item.idempotency_key, item.kind,
      item.input_hash, item.event_id, item.actor, item.reason, item.grant_id)::ledger_transfers;
    digest := sha256(convert_to(item.digest_before || moment_text || item.digest_after, 'UTF8'));
    IF item.account = 'plan' THEN
      account_id := owner.plan_account_id;
      owner.plan_version := owner.plan_version + 1;
      owner.plan_balance := owner.plan_balance + item.credits;
      version := owner.plan_version;
      balance := owner.plan_balance;
      chain := ledger_entry_hash(owner.plan_hash, digest, account_id, item.credits, version, balance);
      owner.plan_hash := chain;
    ELSE
      account_id := owner.purchased_account_id;
      owner.purchased_version := owner.purchased_version + 1;
      owner.purchased_balance := owner.purchased_balance + item.credits;
      version := owner.purchased_version;
      balance := owner.purchased_balance;
      chain := ledger_entry_hash(owner.purchased_hash, digest, account_id, item.credits, version, balance);
      owner.purchased_hash := chain;
    END IF;
    IF item.credits < 0 AND balance < 0 AND item.kind IN ('usage', 'credit_purchase') THEN
      RETURN NULL;
    END IF;
    owner.last_transfer_id := transfer.id;
    new_keys := new_keys || ROW(item.owner_id, item.idempotency_key, transfer.id, 2, item.input_hash)::ledger_keys;
    new_transfers := new_transfers || transfer;
    new_entries := new_entries
      || ROW(transfer.id, account_id, item.credits, version, balance, item.owner_id, chain)::ledger_entries;
    new_entries := new_entries
      || ROW(transfer.id, item.house_account, -item.credits, NULL, NULL, item.owner_id,
        ledger_entry_hash(chain, digest, item.house_account, -item.credits, NULL, NULL))::ledger_entries;
  END LOOP;

  IF new_grant_ids IS NOT NULL THEN
    new_grant.created_at := moment;
    new_grants := ARRAY(
      SELECT g FROM json_populate_recordset(new_grant, grants::json) g WHERE g.id = ANY (new_grant_ids) ORDER BY g.id COLLATE "C");
  END IF;
  PERFORM ledger_append(changed || owner, new_keys, new_grants, new_transfers, new_entries);
  RETURN drawn;
END
$$;
