-- The ledger's functions, in the order in which they use each other:
--
--   ledger_post          posts transfers of grants: purchases, billing months, refunds, disputes, expiries, adjustments. The worker's.
--   ledger_spend         spends credits, plan credits first, reserves and settles them, or refuses. The server's.
--   ledger_lock_owners   both begin with it: the rows of the owners, locked in the order of their ids
--   ledger_enter         both call it for each transfer: the entries in the owner's accounts and in one of the house
--   ledger_write         both end with it: inserts the transfers, their keys and entries, and updates the owners' rows
--   ledger_count_usage   adds what ledger_spend posts to the sums of usage
--   ledger_settle        decides what the settlement of a hold takes
--   ledger_write_holds   writes down the holds that ledger_spend opens or changes
--   ledger_free_hold, ledger_end_holds: how holds end, for ledger_spend and the worker's ledger_end_holds_of
--   ledger_books, ledger_keep_month, ledger_close_month, ledger_grant_sums: what the worker reads and writes to close a
--                        billing month
--   ledger_erase_texts   erases the free text of transfers that is about a person. The worker's.
--
-- For example (amounts of the entries, house account in parentheses):
--   purchase of 1,000     credit_purchase   purchased +1000   (sold -1000)
--   use of 30             usage             plan -30          (used +30); what plan credits do not cover comes from `purchased`
--   clawback of 400       refund            purchased -400    (refunded +400); the account may fall below zero
--   a month's end         expiry            plan -120         (expired +120), after ledger_close_month
--   a month heard late    usage_moved       plan -50, purchased +50: it pays for usage that bought credits stood in for
-- A hold moves nothing: it lowers what is available until it is settled by a usage, released or expired.

-- SHA-256 of what a caller asked for, as a JSON array of texts.
CREATE OR REPLACE FUNCTION ledger_input_hash(VARIADIC parts text[]) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to(array_to_json(parts)::text, 'UTF8'))
$$;

-- What the digest of a transfer covers in place of its free text, which may be erased.
CREATE OR REPLACE FUNCTION ledger_reason_hash(reason_salt bytea, reason text) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(reason_salt || convert_to(reason, 'UTF8'))
$$;

-- What the hashes of a transfer's entries say of the transfer. Times are in microseconds; 3 is the version of
-- this format.
CREATE OR REPLACE FUNCTION ledger_transfer_digest(transfer ledger_transfers) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to('[3, ' || to_json(transfer.idempotency_key) || ', ' || to_json(transfer.kind::text)
    || ', ' || coalesce(to_json(transfer.grant_id)::text, 'null') || ', "' || encode(transfer.input_hash, 'hex')
    || '", ' || (extract(epoch FROM transfer.occurred_at) * 1000000)::bigint
    || ', ' || (extract(epoch FROM transfer.posted_at) * 1000000)::bigint
    || ', ' || coalesce(to_json(transfer.intent_id)::text, 'null') || ', ' || coalesce(to_json(transfer.event_id)::text, 'null')
    || ', ' || to_json(transfer.actor) || ', "' || encode(transfer.reason_hash, 'hex') || '"]', 'UTF8'))
$$;

-- Chains an entry to the previous one of its account (NULL for the first). An entry of the house, which has
-- no version and no balance, is chained to the last entry that its transfer has in the owner's accounts.
CREATE OR REPLACE FUNCTION ledger_entry_hash(
  previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(coalesce(previous, ''::bytea) || digest || int8send(account_id) || int8send(amount)
    || coalesce(int8send(version), ''::bytea) || coalesce(int8send(balance_after), ''::bytea))
$$;

-- The rows of some owners, each once, in the order of their ids, locked until the transaction ends. An owner
-- who is new to the ledger gets accounts first, before any row is locked, so that transactions which meet
-- here cannot deadlock. With `skip_locked` the rows that another transaction holds, and new owners, are left
-- out.
CREATE OR REPLACE FUNCTION ledger_lock_owners(owner_kinds text[], owner_ids text[], skip_locked boolean DEFAULT false)
RETURNS ledger_owners[] LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  IF skip_locked THEN
    RETURN ARRAY(
      SELECT o FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) ORDER BY o.owner_id FOR NO KEY UPDATE SKIP LOCKED);
  END IF;
  IF (SELECT count(*) FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids)) < (SELECT count(DISTINCT id) FROM unnest(owner_ids) id) THEN
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT DISTINCT given.owner_kind, given.owner_id, account.name
    FROM unnest(owner_kinds, owner_ids) AS given (owner_kind, owner_id), unnest(ARRAY['plan', 'purchased']) AS account (name)
    WHERE NOT EXISTS (SELECT FROM ledger_owners o WHERE o.owner_id = given.owner_id)
    ORDER BY 2, 3
    ON CONFLICT DO NOTHING;
    INSERT INTO ledger_owners (owner_id, owner_kind, plan_account_id, purchased_account_id)
    SELECT a.owner_id, min(a.owner_kind), min(a.id) FILTER (WHERE a.name = 'plan'), min(a.id) FILTER (WHERE a.name = 'purchased')
    FROM ledger_accounts a WHERE a.owner_id = ANY (owner_ids)
    GROUP BY a.owner_id ORDER BY 1
    ON CONFLICT DO NOTHING;
  END IF;
  RETURN ARRAY(SELECT o FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) ORDER BY o.owner_id FOR NO KEY UPDATE);
END
$$;

-- Appends the entries of one transfer, in memory: `plan` and `purchased` are what it adds to the owner's
-- accounts, below zero what it takes, and the account of the house takes the other side. Returns the owner's
-- row as it is afterwards, and the entries.
CREATE OR REPLACE FUNCTION ledger_enter(
  INOUT owner ledger_owners, transfer_id bigint, digest bytea, plan bigint, purchased bigint, house_account_id bigint,
  OUT entries ledger_entries[]
) LANGUAGE plpgsql AS $$
DECLARE
  last_hash bytea;
BEGIN
  IF plan <> 0 THEN
    owner.plan_version := owner.plan_version + 1;
    owner.plan_balance := owner.plan_balance + plan;
    last_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, plan, owner.plan_version, owner.plan_balance);
    owner.plan_hash := last_hash;
    entries := entries || ROW(transfer_id, owner.plan_account_id, plan, owner.plan_version, owner.plan_balance, owner.owner_id,
      last_hash)::ledger_entries;
  END IF;
  IF purchased <> 0 THEN
    owner.purchased_version := owner.purchased_version + 1;
    owner.purchased_balance := owner.purchased_balance + purchased;
    last_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, purchased, owner.purchased_version,
      owner.purchased_balance);
    owner.purchased_hash := last_hash;
    entries := entries || ROW(transfer_id, owner.purchased_account_id, purchased, owner.purchased_version, owner.purchased_balance,
      owner.owner_id, last_hash)::ledger_entries;
  END IF;
  IF plan + purchased <> 0 THEN
    entries := entries || ROW(transfer_id, house_account_id, -plan - purchased, NULL, NULL, owner.owner_id,
      ledger_entry_hash(last_hash, digest, house_account_id, -plan - purchased, NULL, NULL))::ledger_entries;
  END IF;
  owner.last_transfer_id := transfer_id;
END
$$;

-- Writes down what a call posts: the transfers with their keys and entries, and the owners' rows.
CREATE OR REPLACE FUNCTION ledger_write(owners ledger_owners[], transfers ledger_transfers[], entries ledger_entries[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, input_hash)
  SELECT t.owner_id, t.idempotency_key, t.id, t.input_hash FROM unnest(transfers) t;
  INSERT INTO ledger_transfers SELECT * FROM unnest(transfers);
  INSERT INTO ledger_entries SELECT * FROM unnest(entries);
  UPDATE ledger_owners o
  SET last_transfer_id = n.last_transfer_id, plan_version = n.plan_version, plan_balance = n.plan_balance, plan_hash = n.plan_hash,
    purchased_version = n.purchased_version, purchased_balance = n.purchased_balance, purchased_hash = n.purchased_hash,
    held = n.held, kept = n.kept, expiring = n.expiring
  FROM unnest(owners) n
  WHERE o.owner_id = n.owner_id
    AND (o.last_transfer_id, o.held, o.kept, o.expiring) <> (n.last_transfer_id, n.held, n.kept, n.expiring);
END
$$;

-- Posts transfers in the given order, all or none. `plan_credits` and `purchased_credits` say what each adds
-- to the accounts of its grant's owner (zero: nothing); `houses` names the account of the house, and is NULL
-- where both cancel out. `grants` holds the grant of each, as a row of ledger_grants: it is inserted with its
-- first transfer. A key that was posted before with the same input returns the first result. LG001: the key
-- was posted with another input, or the grant exists for another owner, account or kind. LG002: a transfer
-- moves nothing, names no account of the house, has the key of a usage, or an owner of another kind.
CREATE OR REPLACE FUNCTION ledger_post(
  owner_kinds text[], owner_ids text[], idempotency_keys text[], kinds text[], occurred_at timestamptz[], intent_ids uuid[],
  event_ids text[], actors text[], reasons text[], plan_credits bigint[], purchased_credits bigint[], houses text[], grants jsonb[]
) RETURNS TABLE (ordinal bigint, transfer_id bigint, posted boolean) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  owners ledger_owners[] := ledger_lock_owners(owner_kinds, owner_ids);
  owner ledger_owners;
  nth bigint := 0;
  moment timestamptz := clock_timestamp();
  item record;
  entered record;
  entry ledger_entries;
  transfer ledger_transfers;
  new_grant ledger_grants;
  n integer;
  -- What this call posts.
  new_keys text[] := '{}';
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
  new_grants ledger_grants[] := '{}';
  new_grant_ids text[] := '{}';
BEGIN
  -- A statement after the locks, so that it sees what was posted for these owners before. OFFSET 0 keeps
  -- Postgres from hashing twice, and makes it look up each row by its key, whatever plan was made when the
  -- table was small.
  FOR item IN
    SELECT o.ordinality AS nth, o.owner_kind = given.owner_kind AS is_same_owner, given.ordinal, given.transfer,
      ledger_transfer_digest(given.transfer) AS digest, given.plan, given.purchased, given.named, house.id AS house_id,
      known.transfer_id AS known_id, known.input_hash AS known_hash,
      count(*) OVER (PARTITION BY (given.transfer).idempotency_key) > 1 AS is_repeated,
      (g.owner_id, g.account, g.kind) = (o.owner_id, given.named ->> 'account', given.named ->> 'kind') AS is_same_grant
    FROM unnest(owners) WITH ORDINALITY o
    JOIN (
      SELECT g.ordinal, g.owner_kind, g.plan, g.purchased, g.house, g.named,
        ROW(NULL, g.occurred_at, moment, g.intent_id, nullif(current_setting('tidemark.act_id', true), ''), g.owner_id,
          g.idempotency_key, g.kind, ledger_input_hash(g.kind, g.owner_id, g.intent_id::text, g.named ->> 'id', g.house, g.plan::text,
            g.purchased::text),
          g.event_id, g.actor, g.named ->> 'id', g.reason, g.salt, ledger_reason_hash(g.salt, g.reason), NULL, NULL, NULL,
          NULL)::ledger_transfers AS transfer
      FROM (
        SELECT *, uuid_send(gen_random_uuid()) AS salt
        FROM unnest(owner_kinds, owner_ids, idempotency_keys, kinds, occurred_at, intent_ids, event_ids, actors, reasons, plan_credits,
          purchased_credits, houses, grants) WITH ORDINALITY
          AS given (owner_kind, owner_id, idempotency_key, kind, occurred_at, intent_id, event_id, actor, reason, plan, purchased, house,
            named, ordinal)
      ) g
      OFFSET 0
    ) given ON (given.transfer).owner_id = o.owner_id
    LEFT JOIN ledger_accounts house ON house.owner_id = 'house' AND house.name = given.house
    LEFT JOIN LATERAL (
      SELECT * FROM ledger_keys k
      WHERE k.idempotency_key = (given.transfer).idempotency_key AND NOT starts_with(k.idempotency_key, 'usage/') OFFSET 0
    ) known ON true
    LEFT JOIN LATERAL (
      SELECT * FROM ledger_grants k WHERE k.id = (given.transfer).grant_id OFFSET 0
    ) g ON true
    ORDER BY given.ordinal
  LOOP
    IF item.nth <> nth THEN
      IF nth > 0 THEN owners[nth] := owner; END IF;
      nth := item.nth;
      owner := owners[nth];
    END IF;
    transfer := item.transfer;
    ordinal := item.ordinal;
    transfer_id := item.known_id;
    n := CASE WHEN item.is_repeated THEN array_position(new_keys, transfer.idempotency_key) END;
    IF n IS NOT NULL THEN
      transfer_id := new_transfers[n].id;
      item.known_hash := new_transfers[n].input_hash;
    END IF;
    posted := transfer_id IS NULL;
    IF NOT posted THEN
      IF item.known_hash <> transfer.input_hash THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', transfer.idempotency_key USING ERRCODE = 'LG001';
      END IF;
      RETURN NEXT;
      CONTINUE;
    END IF;
    n := array_position(new_grant_ids, transfer.grant_id);
    IF n IS NOT NULL THEN
      new_grant := new_grants[n];
      item.is_same_grant := (new_grant.owner_id, new_grant.account, new_grant.kind)
        = (transfer.owner_id, item.named ->> 'account', item.named ->> 'kind');
    END IF;
    IF NOT item.is_same_grant THEN
      RAISE EXCEPTION 'Grant % exists for another owner, account or kind', transfer.grant_id USING ERRCODE = 'LG001';
    ELSIF NOT item.is_same_owner OR transfer.idempotency_key ~ '^(usage|hold)/' OR item.plan = 0 AND item.purchased = 0
      OR (item.plan + item.purchased = 0) <> (item.house_id IS NULL) THEN
      RAISE EXCEPTION 'Transfer % moves nothing, names no account of the house, has the key of a usage, or an owner of another kind',
        transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;

    transfer.id := nextval('ledger_transfers_id_seq');
    entered := ledger_enter(owner, transfer.id, item.digest, item.plan, item.purchased, item.house_id);
    owner := entered.owner;
    -- Appended one by one: concatenation would copy the whole array each time.
    FOREACH entry IN ARRAY entered.entries LOOP new_entries := new_entries || entry; END LOOP;
    new_transfers := new_transfers || transfer;
    new_keys := new_keys || transfer.idempotency_key;
    IF item.is_same_grant IS NULL THEN
      new_grant := jsonb_populate_record(NULL::ledger_grants, item.named);
      new_grant.created_at := moment;
      new_grants := new_grants || new_grant;
      new_grant_ids := new_grant_ids || transfer.grant_id;
    END IF;
    transfer_id := transfer.id;
    RETURN NEXT;
  END LOOP;

  IF cardinality(new_transfers) > 0 THEN
    owners[nth] := owner;
    INSERT INTO ledger_grants SELECT * FROM unnest(new_grants);
    PERFORM ledger_write(owners, new_transfers, new_entries);
  END IF;
END
$$;

-- What can be spent: neither what is held nor what is about to expire.
CREATE OR REPLACE FUNCTION ledger_available(owner ledger_owners) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT owner.plan_balance + owner.purchased_balance - owner.held - owner.expiring
$$;

-- Frees what a hold held. `of_month` is what its settlement takes of a month that is kept for it. Returns the owner's
-- row as it is afterwards.
CREATE OR REPLACE FUNCTION ledger_free_hold(INOUT owner ledger_owners, hold ledger_holds, of_month bigint) LANGUAGE plpgsql AS $$
DECLARE
  month ledger_months_kept;
BEGIN
  owner.held := owner.held - hold.credits;
  IF hold.month_starts_at IS NOT NULL THEN
    UPDATE ledger_months_kept m
    SET used = m.used + of_month, kept = m.kept - of_month, held = m.held - hold.credits
    WHERE m.owner_id = hold.owner_id AND m.stripe_subscription_id = hold.stripe_subscription_id
      AND m.month_starts_at = hold.month_starts_at
    RETURNING * INTO month;
    owner.kept := owner.kept - of_month;
    owner.expiring := owner.expiring + greatest(month.kept - month.held, 0)
      - greatest(month.kept + of_month - month.held - hold.credits, 0);
  END IF;
END
$$;

-- Ends the owner's open holds that are named, or those that have expired by a moment of the product's clock.
CREATE OR REPLACE FUNCTION ledger_end_holds(INOUT owner ledger_owners, moment timestamptz, released uuid[] DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
  hold ledger_holds;
BEGIN
  FOR hold IN
    UPDATE ledger_holds h
    SET state = CASE WHEN released IS NULL THEN 'expired' ELSE 'released' END,
      resolved_at = CASE WHEN released IS NULL THEN h.expires_at ELSE moment END
    WHERE h.owner_id = owner.owner_id AND h.state = 'open'
      AND CASE WHEN released IS NULL THEN h.expires_at <= moment ELSE h.id = ANY (released) END
    RETURNING *
  LOOP
    owner := ledger_free_hold(owner, hold, 0);
  END LOOP;
END
$$;

-- Writes down holds that were opened or changed.
CREATE OR REPLACE FUNCTION ledger_write_holds(holds ledger_holds[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ledger_holds SELECT * FROM unnest(holds)
  ON CONFLICT (id, owner_id) DO UPDATE
  SET state = EXCLUDED.state, expires_at = EXCLUDED.expires_at, extended_at = EXCLUDED.extended_at, resolved_at = EXCLUDED.resolved_at,
    settled_credits = EXCLUDED.settled_credits, failure = EXCLUDED.failure, charged = EXCLUDED.charged
$$;

-- Settles a hold that is open, or has expired, with what its request cost. Returns the owner's row without what was
-- held, the hold, and what is to be taken of the plan account and of both: first what was reserved, then the rest.
CREATE OR REPLACE FUNCTION ledger_settle(
  INOUT owner ledger_owners, INOUT hold ledger_holds, cost bigint, failure text, moment timestamptz, OUT of_plan bigint[],
  OUT of_both bigint[]
) LANGUAGE plpgsql AS $$
DECLARE
  reserved bigint := CASE hold.state WHEN 'open' THEN least(cost, hold.credits) ELSE 0 END;
  above bigint;
  of_month bigint := 0;
  plan bigint := greatest(owner.plan_balance - owner.kept, 0);
BEGIN
  of_plan := '{}';
  of_both := '{}';
  IF hold.state = 'open' THEN
    -- What was reserved is never refused: it occurred when it was reserved. Of a month that is over it takes what is
    -- kept, then bought credits, then those of the new month.
    IF hold.month_starts_at IS NULL THEN
      plan := least(plan, reserved);
    ELSE
      SELECT least(reserved, m.kept, greatest(owner.plan_balance, 0)) INTO of_month FROM ledger_months_kept m
      WHERE m.owner_id = hold.owner_id AND m.stripe_subscription_id = hold.stripe_subscription_id
        AND m.month_starts_at = hold.month_starts_at;
      IF hold.opened_at >= (SELECT max(g.month_starts_at) FROM ledger_grants g WHERE g.owner_id = hold.owner_id) THEN
        -- The new month, in which it was opened, covers it in part.
        plan := of_month + least(plan, reserved - of_month);
      ELSE
        plan := of_month + least(plan, greatest(reserved - of_month - greatest(owner.purchased_balance, 0), 0));
      END IF;
    END IF;
    of_plan := ARRAY[plan];
    of_both := ARRAY[reserved];
    owner := ledger_free_hold(owner, hold, of_month);
    hold.state := 'settled';
  ELSE
    plan := 0;
    hold.state := 'settled_late';
  END IF;
  -- What is above it, and all of a hold that has expired, occurs now, as far as it is available.
  above := least(cost - reserved, ledger_available(owner) - reserved);
  IF above > 0 THEN
    of_plan := of_plan || least(above, greatest(owner.plan_balance - plan - owner.kept, 0));
    of_both := of_both || above;
  ELSIF cost = 0 THEN
    of_both := CASE WHEN failure IS NULL THEN '{}' ELSE '{0}' END;
  END IF;
  hold.resolved_at := moment;
  hold.settled_credits := cost;
  hold.failure := failure;
  hold.charged := reserved + greatest(above, 0);
END
$$;

-- Adds usage to the sums of its day. What belongs together is summed first, so that each row is written once. An
-- owner has at most 1,000 combinations a day; new ones above that are counted as `other` of their person and editor.
CREATE OR REPLACE FUNCTION ledger_count_usage(usages ledger_usage_days[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  combinations_max CONSTANT integer := 1000;
  counted record;
  has_new boolean := false;
  others ledger_usage_days[];
BEGIN
  FOR counted IN
    INSERT INTO ledger_usage_days AS d
    SELECT owner_id, day, actor, token_id, model, project, sum(requests), sum(failed), sum(credits), min(first_id)
    FROM unnest(usages) GROUP BY owner_id, day, actor, token_id, model, project
    ON CONFLICT (owner_id, day, actor, token_id, model, project) DO UPDATE
    SET requests = d.requests + EXCLUDED.requests, failed = d.failed + EXCLUDED.failed, credits = d.credits + EXCLUDED.credits
    -- Postgres sets xmax of a row that it updates, and not of one that it inserts.
    RETURNING d.xmax = 0 AS is_new
  LOOP
    has_new := has_new OR counted.is_new;
  END LOOP;
  IF has_new THEN
    WITH gone AS (
      DELETE FROM ledger_usage_days d USING unnest(usages) u
      WHERE (d.owner_id, d.day, d.actor, d.first_id) = (u.owner_id, u.day, u.actor, u.first_id)
        AND (d.model, d.project) IS DISTINCT FROM ('other', 'other')
        AND (SELECT count(*) FROM ledger_usage_days k WHERE k.owner_id = d.owner_id AND k.day = d.day) > combinations_max
      RETURNING d.*
    )
    SELECT array_agg(ROW(owner_id, day, actor, token_id, 'other', 'other', requests, failed, credits, first_id)::ledger_usage_days)
    INTO others FROM gone;
    IF others IS NOT NULL THEN PERFORM ledger_count_usage(others); END IF;
  END IF;
END
$$;

-- Decides what editors ask for in the given order, each with what those before it left. `actions`:
--   use       spends `credits`; none with a `failure`, which is only counted and takes the idempotency key
--   reserve   holds `credits`, or with `at_least` what is available, for so many seconds (`lasting`)
--   settle    ends the hold `hold_ids` with what it cost: up to what was reserved always, above that what is available
--   release   ends it with nothing
--   extend    lets it last longer, until a day after it was opened
-- Plan credits go first. An outcome is `posted` (also for what posts no transfer), `replayed` (the same was asked
-- for before), `refused` (not enough is available), `conflict` (the key was used for something else), `not_found`
-- (of this person and payer), `too_many` (open holds of the person), or `settled`, `released` or `expired`: the
-- state of the hold, which does not allow it. `owner` and `hold` are the rows as they are afterwards. What has no row
-- in the result was not decided, because its owner was left out (`skip_locked`; see ledger_lock_owners).
-- LG002: credits that are not allowed, or an owner of another kind.
CREATE OR REPLACE FUNCTION ledger_spend(
  owner_kinds text[], owner_ids text[], actions text[], credits bigint[], idempotency_keys text[], occurred_at timestamptz[],
  actors text[], reasons text[], token_ids uuid[], models text[], projects text[], runs text[], failures text[], hold_ids uuid[],
  at_least bigint[], lasting integer[], skip_locked boolean
) RETURNS TABLE (
  ordinal bigint, outcome text, transfer_id bigint, charged bigint, owner ledger_owners, hold ledger_holds
) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  holds_of_person_max CONSTANT integer := 50;
  hold_lasts_max CONSTANT interval := '24 hours';
  owners ledger_owners[] := ledger_lock_owners(owner_kinds, owner_ids, skip_locked);
  nth bigint := 0;
  moment timestamptz := clock_timestamp();
  item record;
  entered record;
  settled record;
  entry ledger_entries;
  transfer ledger_transfers;
  -- Holds have ended since they were read.
  are_stale boolean := false;
  n integer;
  -- What the item takes: of a hold, then beside or above it. Credits of the plan account, and of both accounts.
  of_plan bigint[];
  of_both bigint[];
  -- What this call posts. Keys are those of a payer.
  new_keys text[] := '{}';
  new_hashes bytea[] := '{}';
  new_ids bigint[] := '{}';
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
  new_usages ledger_usage_days[] := '{}';
  new_holds ledger_holds[] := '{}';
  -- Who opened them, and the keys that holds were asked about with.
  new_holders text[] := '{}';
  asked_keys text[] := '{}';
BEGIN
  FOR item IN
    SELECT o.ordinality AS nth, o.owner_kind = given.owner_kind AS is_same_owner, given.*,
      CASE given.action WHEN 'use' THEN ledger_transfer_digest(given.transfer) END AS digest, used.id AS used_id,
      known.transfer_id AS known_id, known.input_hash AS known_hash, held.hold,
      CASE given.action WHEN 'reserve' THEN (
        SELECT count(*) FROM ledger_holds h WHERE h.owner_id = o.owner_id AND h.actor = (given.transfer).actor AND h.state = 'open'
      ) END AS open_holds
    FROM unnest(owners) WITH ORDINALITY o
    JOIN (
      SELECT g.ordinal, g.owner_kind, g.action, g.credits, g.failure, g.hold_id, g.at_least, make_interval(secs => g.lasting) AS lasting,
        ROW(NULL, g.occurred_at, moment, NULL, NULL, g.owner_id, g.idempotency_key, 'usage',
          ledger_input_hash('usage', g.owner_id, g.credits::text), NULL, g.actor, NULL, g.reason, g.salt,
          ledger_reason_hash(g.salt, g.reason), g.token_id, g.model, g.project, g.run)::ledger_transfers AS transfer
      FROM (
        SELECT *, uuid_send(gen_random_uuid()) AS salt
        FROM unnest(owner_kinds, owner_ids, actions, credits, idempotency_keys, occurred_at, actors, reasons, token_ids, models, projects,
          runs, failures, hold_ids, at_least, lasting) WITH ORDINALITY
          AS given (owner_kind, owner_id, action, credits, idempotency_key, occurred_at, actor, reason, token_id, model, project, run,
            failure, hold_id, at_least, lasting, ordinal)
      ) g
      OFFSET 0
    ) given ON (given.transfer).owner_id = o.owner_id
    JOIN ledger_accounts used ON used.owner_id = 'house' AND used.name = 'used'
    LEFT JOIN LATERAL (
      SELECT * FROM ledger_keys k
      WHERE given.action = 'use' AND k.owner_id = o.owner_id AND k.idempotency_key = (given.transfer).idempotency_key OFFSET 0
    ) known ON true
    -- The hold that it is about: the one that has its key, or that it names. OFFSET 0 keeps Postgres from looking for
    -- that among all of the owner's.
    LEFT JOIN LATERAL (
      (SELECT h AS hold FROM ledger_holds h
        WHERE given.action = 'reserve' AND h.owner_id = o.owner_id AND h.idempotency_key = (given.transfer).idempotency_key OFFSET 0)
      UNION ALL
      (SELECT named.hold FROM (SELECT h AS hold FROM ledger_holds h WHERE h.id = given.hold_id OFFSET 0) named
        WHERE ((named.hold).owner_id, (named.hold).actor, (named.hold).kind) = (o.owner_id, (given.transfer).actor, 'usage'))
    ) held ON true
    ORDER BY given.ordinal
  LOOP
    IF item.nth <> nth THEN
      IF nth > 0 THEN owners[nth] := owner; END IF;
      nth := item.nth;
      owner := owners[nth];
    END IF;
    transfer := item.transfer;
    ordinal := item.ordinal;
    outcome := 'posted';
    transfer_id := item.known_id;
    charged := 0;
    of_plan := '{}';
    of_both := '{}';
    IF NOT item.is_same_owner OR item.failure IS NOT NULL AND item.credits <> 0
      OR item.credits < (CASE WHEN item.action = 'reserve' OR item.action = 'use' AND item.failure IS NULL THEN 1 ELSE 0 END) THEN
      RAISE EXCEPTION '% credits of % are not allowed, or the owner is of another kind', item.credits, transfer.owner_id
        USING ERRCODE = 'LG002';
    END IF;

    hold := item.hold;
    IF item.action <> 'use' THEN
      -- What this call did before may have changed it.
      IF are_stale OR transfer.owner_id || '/' || transfer.idempotency_key = ANY (asked_keys) THEN
        PERFORM ledger_write_holds(new_holds);
        new_holds := '{}';
        IF item.action = 'reserve' THEN
          SELECT * INTO hold FROM ledger_holds h WHERE h.owner_id = transfer.owner_id AND h.idempotency_key = transfer.idempotency_key;
        ELSE
          SELECT * INTO hold FROM ledger_holds h WHERE h.id = hold.id AND h.owner_id = transfer.owner_id;
        END IF;
      END IF;
      asked_keys := asked_keys || (transfer.owner_id || '/' || transfer.idempotency_key);
    END IF;
    n := CASE WHEN item.action = 'reserve' AND owner.held > 0
      THEN item.open_holds + cardinality(array_positions(new_holders, transfer.owner_id || '/' || transfer.actor)) ELSE 0 END;
    -- A hold whose time is over has expired, also where that is not written down yet. The owner's end before one of
    -- them decides what happens.
    IF owner.held > 0 AND (hold.state = 'open' AND hold.expires_at <= transfer.occurred_at OR n >= holds_of_person_max
      OR ledger_available(owner) < item.credits - (CASE hold.state WHEN 'open' THEN hold.credits ELSE 0 END)) THEN
      PERFORM ledger_write_holds(new_holds);
      new_holds := '{}';
      owner := ledger_end_holds(owner, transfer.occurred_at);
      are_stale := true;
      IF hold.expires_at <= transfer.occurred_at AND hold.state = 'open' THEN hold.state := 'expired'; END IF;
      IF n >= holds_of_person_max THEN
        n := (SELECT count(*) FROM ledger_holds h WHERE h.owner_id = transfer.owner_id AND h.actor = transfer.actor AND h.state = 'open');
      END IF;
    END IF;

    CASE
    WHEN item.action = 'use' THEN
      n := array_position(new_keys, transfer.owner_id || '/' || transfer.idempotency_key);
      IF n IS NOT NULL THEN
        transfer_id := new_ids[n];
        item.known_hash := new_hashes[n];
      END IF;
      IF item.known_hash IS NOT NULL THEN
        outcome := CASE WHEN item.known_hash = transfer.input_hash THEN 'replayed' ELSE 'conflict' END;
        charged := item.credits;
      ELSIF ledger_available(owner) < item.credits AND item.failure IS NULL THEN
        outcome := 'refused';
      ELSE
        charged := item.credits;
        of_both := ARRAY[item.credits];
        of_plan := ARRAY[least(greatest(owner.plan_balance - owner.kept, 0), item.credits)];
      END IF;

    WHEN item.action = 'reserve' AND hold.id IS NOT NULL THEN
      IF (hold.asked, coalesce(hold.at_least, 0)) = (item.credits, coalesce(item.at_least, 0)) THEN
        outcome := 'replayed';
      ELSE
        outcome := 'conflict';
      END IF;

    WHEN item.action = 'reserve' AND n >= holds_of_person_max THEN
      outcome := 'too_many';

    WHEN item.action = 'reserve' AND ledger_available(owner) < coalesce(item.at_least, item.credits) THEN
      outcome := 'refused';

    WHEN item.action = 'reserve' THEN
      hold := ROW(transfer.owner_id, gen_random_uuid(), 'usage', transfer.idempotency_key, transfer.actor, transfer.token_id, item.credits,
        item.at_least, least(item.credits, ledger_available(owner)), 'open', transfer.occurred_at, transfer.occurred_at + item.lasting, NULL,
        NULL, NULL, NULL, NULL, NULL, transfer.reason, transfer.model, transfer.project, transfer.run, NULL);
      owner.held := owner.held + hold.credits;
      new_holds := new_holds || hold;
      new_holders := new_holders || (transfer.owner_id || '/' || transfer.actor);

    WHEN hold.id IS NULL THEN
      outcome := 'not_found';

    WHEN item.action = 'settle' AND hold.settled_credits IS NOT NULL THEN
      outcome := CASE WHEN (hold.settled_credits, coalesce(hold.failure, '')) = (item.credits, coalesce(item.failure, ''))
        THEN 'replayed' ELSE 'settled' END;
      charged := hold.charged;

    WHEN item.action = 'settle' AND (hold.state = 'open'
      OR hold.state = 'expired' AND transfer.occurred_at <= hold.expires_at + hold_lasts_max) THEN
      settled := ledger_settle(owner, hold, item.credits, item.failure, transfer.occurred_at);
      owner := settled.owner;
      hold := settled.hold;
      of_plan := settled.of_plan;
      of_both := settled.of_both;
      charged := hold.charged;
      new_holds := new_holds || hold;

    WHEN item.action = 'release' AND hold.state = 'released' THEN
      outcome := 'replayed';

    WHEN hold.state <> 'open' THEN
      outcome := CASE hold.state WHEN 'settled_late' THEN 'settled' ELSE hold.state END;
      charged := coalesce(hold.charged, 0);

    WHEN item.action = 'release' THEN
      owner := ledger_free_hold(owner, hold, 0);
      hold.state := 'released';
      hold.resolved_at := transfer.occurred_at;
      new_holds := new_holds || hold;

    WHEN item.action = 'extend' THEN
      hold.extended_at := transfer.occurred_at;
      hold.expires_at := greatest(hold.expires_at, least(transfer.occurred_at + item.lasting, hold.opened_at + hold_lasts_max));
      new_holds := new_holds || hold;
    END CASE;

    FOR n IN 1 .. cardinality(of_both) LOOP
      IF item.action = 'settle' THEN
        transfer.idempotency_key := 'hold/' || hold.id || CASE n WHEN 2 THEN '/above' ELSE '' END;
        transfer.occurred_at := CASE WHEN n = 1 AND hold.state = 'settled' THEN hold.opened_at ELSE hold.resolved_at END;
        transfer.input_hash := ledger_input_hash('usage', transfer.owner_id, of_both[n]::text);
        -- It may have been erased with its salt.
        transfer.reason := hold.reason;
        transfer.reason_salt := CASE WHEN hold.reason IS NOT NULL THEN (item.transfer).reason_salt END;
        transfer.reason_hash := ledger_reason_hash((item.transfer).reason_salt, coalesce(hold.reason, ''));
        transfer.token_id := hold.token_id;
        transfer.model := hold.model;
        transfer.project := hold.project;
        transfer.run := hold.run;
        item.digest := ledger_transfer_digest(transfer);
      END IF;
      transfer.id := nextval('ledger_transfers_id_seq');
      IF of_both[n] = 0 THEN
        INSERT INTO ledger_keys VALUES (transfer.owner_id, transfer.idempotency_key, NULL, transfer.input_hash);
        INSERT INTO ledger_failures
        VALUES (transfer.owner_id, transfer.id, transfer.idempotency_key, transfer.occurred_at, item.failure, transfer.actor,
          transfer.token_id, transfer.reason, transfer.model, transfer.project, transfer.run);
      ELSE
        entered := ledger_enter(owner, transfer.id, item.digest, -of_plan[n], of_plan[n] - of_both[n], item.used_id);
        owner := entered.owner;
        FOREACH entry IN ARRAY entered.entries LOOP new_entries := new_entries || entry; END LOOP;
        new_transfers := new_transfers || transfer;
        transfer_id := coalesce(transfer_id, transfer.id);
      END IF;
      new_keys := new_keys || (transfer.owner_id || '/' || transfer.idempotency_key);
      new_hashes := new_hashes || transfer.input_hash;
      new_ids := new_ids || transfer_id;
      new_usages := new_usages || ROW(transfer.owner_id, (transfer.occurred_at AT TIME ZONE 'UTC')::date, transfer.actor, transfer.token_id,
        transfer.model, transfer.project, CASE n WHEN 1 THEN 1 ELSE 0 END, CASE of_both[n] WHEN 0 THEN 1 ELSE 0 END, of_both[n],
        transfer.id)::ledger_usage_days;
    END LOOP;
    RETURN NEXT;
  END LOOP;
  IF nth > 0 THEN
    owners[nth] := owner;
    PERFORM ledger_write(owners, new_transfers, new_entries);
    IF cardinality(new_holds) > 0 THEN PERFORM ledger_write_holds(new_holds); END IF;
    IF cardinality(new_usages) > 0 THEN PERFORM ledger_count_usage(new_usages); END IF;
  END IF;
END
$$;

-- Ends holds of some owners, for the worker: those that are named are released, or those that have expired by a
-- moment of the product's clock end. Returns how many ended.
CREATE OR REPLACE FUNCTION ledger_end_holds_of(owner_kinds text[], owner_ids text[], moment timestamptz, released uuid[])
RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  owners ledger_owners[] := ledger_lock_owners(owner_kinds, owner_ids);
  before bigint := (SELECT count(*) FROM ledger_holds h WHERE h.owner_id = ANY (owner_ids) AND h.state = 'open');
BEGIN
  FOR n IN 1 .. cardinality(owners) LOOP
    owners[n] := ledger_end_holds(owners[n], moment, released);
  END LOOP;
  PERFORM ledger_write(owners, '{}', '{}');
  RETURN before - (SELECT count(*) FROM ledger_holds h WHERE h.owner_id = ANY (owner_ids) AND h.state = 'open');
END
$$;

-- What each grant brought, lost and has transfers of, in its own account.
CREATE OR REPLACE VIEW ledger_grant_sums AS
SELECT g.id, g.owner_kind, g.owner_id, g.account, g.kind, g.intent_id, g.stripe_subscription_id, g.stripe_invoice_id,
  g.month_starts_at, g.starts_at, g.ends_at, g.created_at,
  posted.gross, posted.refunded, posted.disputed, posted.expired, posted.written_off, posted.adjusted, posted.transfers
FROM ledger_grants g
LEFT JOIN ledger_accounts a ON a.owner_id = g.owner_id AND a.name = g.account
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'adjustment'), 0)::bigint AS adjusted,
    count(t.id) AS transfers
  FROM ledger_transfers t
  LEFT JOIN LATERAL (
    SELECT amount FROM ledger_entries
    WHERE owner_id = t.owner_id AND account_id = a.id AND transfer_id = t.id OFFSET 0
  ) e ON true
  WHERE t.owner_id = g.owner_id AND t.grant_id = g.id
) posted;

-- Everything that the ledger has of one owner, as JSON. `used_open` are the plan credits that were used, or
-- taken by `usage_moved`, and are in no month that was closed or kept. `open_holds` are those of no kept month.
CREATE OR REPLACE FUNCTION ledger_books(owner_kind text, owner_id text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH grants AS (
    SELECT g.* FROM ledger_grant_sums g WHERE g.owner_kind = ledger_books.owner_kind AND g.owner_id = ledger_books.owner_id
  ), closed AS (
    SELECT m.stripe_subscription_id, m.month_starts_at AS starts_at, m.used FROM ledger_months_used m
    WHERE m.owner_kind = ledger_books.owner_kind AND m.owner_id = ledger_books.owner_id
  ), kept AS (
    SELECT m.stripe_subscription_id, m.month_starts_at AS starts_at, m.used, m.kept, m.held FROM ledger_months_kept m
    WHERE m.owner_id = ledger_books.owner_id
  ), holds AS (
    SELECT h.id, h.opened_at, h.credits FROM ledger_holds h
    WHERE h.owner_id = ledger_books.owner_id AND h.state = 'open' AND h.month_starts_at IS NULL
  ), balances AS (
    SELECT coalesce(max(o.plan_balance), 0) AS plan, coalesce(max(o.plan_version), 0) AS plan_version,
      coalesce(max(o.purchased_balance), 0) AS purchased, coalesce(max(o.purchased_version), 0) AS purchased_version
    FROM ledger_owners o WHERE o.owner_kind = ledger_books.owner_kind AND o.owner_id = ledger_books.owner_id
  )
  SELECT jsonb_build_object(
    'plan', jsonb_build_object('balance', balances.plan, 'version', balances.plan_version),
    'purchased', jsonb_build_object('balance', balances.purchased, 'version', balances.purchased_version),
    'used_open',
      (SELECT coalesce(sum(g.gross - g.refunded - g.disputed + g.expired + g.written_off + g.adjusted), 0)
        FROM grants g WHERE g.account = 'plan')
      - balances.plan - (SELECT coalesce(sum(c.used), 0) FROM closed c) - (SELECT coalesce(sum(k.used), 0) FROM kept k),
    'grants', (SELECT coalesce(jsonb_agg(to_jsonb(g) ORDER BY g.month_starts_at NULLS FIRST, g.id), '[]') FROM grants g),
    'closed_months', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY c.starts_at, c.stripe_subscription_id), '[]') FROM closed c),
    'kept_months', (SELECT coalesce(jsonb_agg(to_jsonb(k) ORDER BY k.starts_at, k.stripe_subscription_id), '[]') FROM kept k),
    'open_holds', (SELECT coalesce(jsonb_agg(to_jsonb(h) ORDER BY h.opened_at, h.id), '[]') FROM holds h))
  FROM balances
$$;

-- Keeps a billing month that is over open for the holds that were opened in it: writes down how many of its plan
-- credits were used until now, and how many of the rest are kept for them, which the caller says, who lets what is
-- above that expire in the same transaction.
CREATE OR REPLACE FUNCTION ledger_keep_month(
  owner_kind text, owner_id text, stripe_subscription_id text, month_starts_at timestamptz, used bigint, kept bigint, hold_ids uuid[]
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  held bigint;
BEGIN
  PERFORM ledger_lock_owners(ARRAY[owner_kind], ARRAY[owner_id]);
  WITH assigned AS (
    UPDATE ledger_holds h SET stripe_subscription_id = ledger_keep_month.stripe_subscription_id, month_starts_at = ledger_keep_month.month_starts_at
    WHERE h.owner_id = owner_id AND h.id = ANY (hold_ids) AND h.state = 'open' AND h.month_starts_at IS NULL
    RETURNING h.credits
  )
  SELECT coalesce(sum(credits), 0) INTO held FROM assigned;
  IF kept > held OR used > (ledger_books(owner_kind, owner_id) ->> 'used_open')::bigint THEN
    RAISE EXCEPTION 'Month % of % cannot keep % credits', month_starts_at, stripe_subscription_id, kept USING ERRCODE = 'LG002';
  END IF;
  INSERT INTO ledger_months_kept (owner_id, stripe_subscription_id, month_starts_at, used, kept, held)
  VALUES (owner_id, stripe_subscription_id, month_starts_at, used, kept, held);
  UPDATE ledger_owners o SET kept = o.kept + ledger_keep_month.kept WHERE o.owner_id = owner_id;
END
$$;

-- Closes a billing month: writes down, once, how many of the plan credits were used in it, which the caller
-- says, who posts what expires or is written off in the same transaction. LG001: it was closed before with
-- another number, or is kept with another one. LG002: more than `used_open`, or it is kept for open holds.
CREATE OR REPLACE FUNCTION ledger_close_month(
  owner_kind text, owner_id text, stripe_subscription_id text, month_starts_at timestamptz, used bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  known ledger_months_used;
  was_kept ledger_months_kept;
BEGIN
  PERFORM ledger_lock_owners(ARRAY[owner_kind], ARRAY[owner_id]);
  SELECT * INTO known FROM ledger_months_used m
  WHERE m.stripe_subscription_id = stripe_subscription_id AND m.month_starts_at = month_starts_at;
  IF known.used IS NULL THEN
    DELETE FROM ledger_months_kept m
    WHERE m.owner_id = owner_id AND m.stripe_subscription_id = stripe_subscription_id AND m.month_starts_at = month_starts_at
    RETURNING * INTO was_kept;
    IF was_kept.used <> used THEN
      RAISE EXCEPTION 'Month % of % has used % credits', month_starts_at, stripe_subscription_id, was_kept.used USING ERRCODE = 'LG001';
    ELSIF was_kept.held > 0 OR used > (ledger_books(owner_kind, owner_id) ->> 'used_open')::bigint THEN
      RAISE EXCEPTION 'Month % of % cannot have used % credits', month_starts_at, stripe_subscription_id, used USING ERRCODE = 'LG002';
    END IF;
    -- Nothing holds what was left of it any more, so all of that was about to expire.
    UPDATE ledger_owners o SET kept = o.kept - was_kept.kept, expiring = o.expiring - was_kept.kept
    WHERE o.owner_id = owner_id AND was_kept.kept > 0;
    INSERT INTO ledger_months_used (stripe_subscription_id, month_starts_at, owner_kind, owner_id, used)
    VALUES (stripe_subscription_id, month_starts_at, owner_kind, owner_id, used);
  ELSIF (known.used, known.owner_kind, known.owner_id) <> (used, owner_kind, owner_id) THEN
    RAISE EXCEPTION 'Month % of % was closed before with % credits used', month_starts_at, stripe_subscription_id, known.used
      USING ERRCODE = 'LG001';
  END IF;
END
$$;

-- Rows of the ledger are never changed or deleted. The one exception: the texts of a transfer and their salt may
-- become NULL.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  texts CONSTANT text[] := '{reason,reason_salt,model,project,run}';
BEGIN
  IF TG_TABLE_NAME = 'ledger_transfers' AND TG_OP = 'UPDATE' THEN
    IF num_nonnulls(NEW.reason, NEW.reason_salt, NEW.model, NEW.project, NEW.run) = 0 AND to_jsonb(NEW) - texts = to_jsonb(OLD) - texts THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'The ledger is append-only: % on % is refused; a correction is one more transfer', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;

-- Erases, with its salt, what editors wrote of a person's usage, also of an organization's pool, and the notes on
-- adjustments that are about the person: theirs, and those of `organization_ids` that name them, by one of `names`, which are
-- in lower case. Returns how many.
CREATE OR REPLACE FUNCTION ledger_erase_texts(person text, organization_ids text[], names text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  payers text[] := person || organization_ids;
  total bigint;
BEGIN
  UPDATE ledger_transfers t SET reason = NULL, reason_salt = NULL, model = NULL, project = NULL, run = NULL
  FROM (SELECT DISTINCT owner_id, transfer_id FROM ledger_entries WHERE owner_id = ANY (payers)) e
  WHERE t.id = e.transfer_id AND t.owner_id = e.owner_id AND t.reason IS NOT NULL AND CASE t.kind
    WHEN 'usage' THEN t.actor = person
    WHEN 'adjustment' THEN t.owner_id = person OR EXISTS (SELECT FROM unnest(names) AS name WHERE position(name IN lower(t.reason)) > 0)
  END;
  GET DIAGNOSTICS total = ROW_COUNT;
  UPDATE ledger_failures SET reason = NULL, model = NULL, project = NULL, run = NULL WHERE owner_id = ANY (payers) AND actor = person;
  UPDATE ledger_holds SET reason = NULL, model = NULL, project = NULL, run = NULL WHERE owner_id = ANY (payers) AND actor = person;
  -- The sums stay with the person's id at Clerk, which is the pseudonym.
  WITH gone AS (
    DELETE FROM ledger_usage_days WHERE owner_id = ANY (payers) AND actor = person RETURNING *
  )
  INSERT INTO ledger_usage_days
  SELECT owner_id, day, actor, token_id, NULL, NULL, sum(requests), sum(failed), sum(credits), min(first_id)
  FROM gone GROUP BY owner_id, day, actor, token_id;
  RETURN total;
END
$$;

REVOKE ALL ON FUNCTION ledger_input_hash, ledger_reason_hash, ledger_transfer_digest, ledger_entry_hash, ledger_lock_owners, ledger_enter,
  ledger_write, ledger_post, ledger_available, ledger_free_hold, ledger_end_holds, ledger_settle, ledger_write_holds, ledger_count_usage, ledger_spend, ledger_end_holds_of,
  ledger_books, ledger_keep_month, ledger_close_month, ledger_erase_texts, ledger_refuse_change
  FROM PUBLIC, tidemark_server, tidemark_worker;
REVOKE ALL ON ledger_grant_sums FROM tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_lock_owners, ledger_post, ledger_end_holds_of, ledger_keep_month, ledger_close_month, ledger_erase_texts
  TO tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_spend TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_books TO tidemark_server, tidemark_worker;
GRANT SELECT ON ledger_grant_sums TO tidemark_server, tidemark_worker;
