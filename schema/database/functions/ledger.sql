-- The ledger's functions, in the order in which they use each other:
--
--   ledger_post          posts transfers of grants: purchases, billing months, refunds, disputes, expiries, adjustments. The worker's.
--   ledger_spend         spends credits, plan credits first, or refuses. The server's.
--   ledger_lock_owners   both begin with it: the rows of the owners, locked in the order of their ids
--   ledger_enter         both call it for each transfer: the entries in the owner's accounts and in one of the house
--   ledger_write         both end with it: inserts the transfers, their keys and entries, and updates the owners' rows
--   ledger_books, ledger_close_month, ledger_grant_sums: what the worker reads and writes to close a billing month
--   ledger_erase_texts   erases the free text of transfers that is about a person. The worker's.
--
-- For example (amounts of the entries, house account in parentheses):
--   purchase of 1,000     credit_purchase   purchased +1000   (sold -1000)
--   use of 30             usage             plan -30          (used +30); what plan credits do not cover comes from `purchased`
--   clawback of 400       refund            purchased -400    (refunded +400); the account may fall below zero
--   a month's end         expiry            plan -120         (expired +120), after ledger_close_month
--   a month heard late    usage_moved       plan -50, purchased +50: it pays for usage that bought credits stood in for

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

-- Writes down what a call posts: the transfers with their keys and entries, and the owners' latest balances.
CREATE OR REPLACE FUNCTION ledger_write(owners ledger_owners[], transfers ledger_transfers[], entries ledger_entries[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, input_hash)
  SELECT t.owner_id, t.idempotency_key, t.id, t.input_hash FROM unnest(transfers) t;
  INSERT INTO ledger_transfers SELECT * FROM unnest(transfers);
  INSERT INTO ledger_entries SELECT * FROM unnest(entries);
  UPDATE ledger_owners o
  SET last_transfer_id = n.last_transfer_id, plan_version = n.plan_version, plan_balance = n.plan_balance, plan_hash = n.plan_hash,
    purchased_version = n.purchased_version, purchased_balance = n.purchased_balance, purchased_hash = n.purchased_hash
  FROM unnest(owners) n
  WHERE o.owner_id = n.owner_id AND o.last_transfer_id < n.last_transfer_id;
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
  month bigint := ledger_month_of(moment);
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
          g.event_id, g.actor, g.named ->> 'id', g.reason, g.salt, ledger_reason_hash(g.salt, g.reason))::ledger_transfers AS transfer
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
    ELSIF NOT item.is_same_owner OR starts_with(transfer.idempotency_key, 'usage/') OR item.plan = 0 AND item.purchased = 0
      OR (item.plan + item.purchased = 0) <> (item.house_id IS NULL) THEN
      RAISE EXCEPTION 'Transfer % moves nothing, names no account of the house, has the key of a usage, or an owner of another kind',
        transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;

    transfer.id := ledger_draw_id(month);
    entered := ledger_enter(owner, transfer.id, item.digest, item.plan, item.purchased, item.house_id);
    owner := entered.owner;
    -- Appended one by one: concatenation would copy the whole array each time.
    FOREACH entry IN ARRAY entered.entries LOOP new_entries := new_entries || entry; END LOOP;
    new_transfers := new_transfers || transfer;
    new_keys := new_keys || transfer.idempotency_key;
    IF item.is_same_grant IS NULL THEN
      new_grant := jsonb_populate_record(NULL::ledger_grants, item.named);
      new_grant.created_at := moment;
      new_grant.first_transfer_id := transfer.id;
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

-- Decides usages in the given order, each with what those before it left: `posted`, `replayed` (the key was
-- used for the same), `refused` (both accounts together do not cover it) or `conflict` (the key was used for
-- something else). Plan credits go first; `plan` and `purchased` are the balances afterwards. A usage without
-- a row in the result was not decided, because its owner was left out (`skip_locked`; see
-- ledger_lock_owners). LG002: a usage of less than one credit, or an owner of another kind.
CREATE OR REPLACE FUNCTION ledger_spend(
  owner_kinds text[], owner_ids text[], credits bigint[], idempotency_keys text[], occurred_at timestamptz[], actors text[],
  reasons text[], skip_locked boolean
) RETURNS TABLE (ordinal bigint, outcome text, transfer_id bigint, plan bigint, purchased bigint) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  owners ledger_owners[] := ledger_lock_owners(owner_kinds, owner_ids, skip_locked);
  owner ledger_owners;
  nth bigint := 0;
  moment timestamptz := clock_timestamp();
  month bigint := ledger_month_of(moment);
  item record;
  entered record;
  entry ledger_entries;
  transfer ledger_transfers;
  from_plan bigint;
  n integer;
  -- What this call posts. Keys are those of a payer.
  new_keys text[] := '{}';
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
BEGIN
  FOR item IN
    SELECT o.ordinality AS nth, o.owner_kind = given.owner_kind AS is_same_owner, given.ordinal, given.transfer,
      ledger_transfer_digest(given.transfer) AS digest, given.credits, used.id AS used_id, known.transfer_id AS known_id,
      known.input_hash AS known_hash, count(*) OVER (PARTITION BY (given.transfer).idempotency_key) > 1 AS is_repeated
    FROM unnest(owners) WITH ORDINALITY o
    JOIN (
      SELECT g.ordinal, g.owner_kind, g.credits,
        ROW(NULL, g.occurred_at, moment, NULL, NULL, g.owner_id, g.idempotency_key, 'usage',
          ledger_input_hash('usage', g.owner_id, g.credits::text), NULL, g.actor, NULL, g.reason, g.salt,
          ledger_reason_hash(g.salt, g.reason))::ledger_transfers AS transfer
      FROM (
        SELECT *, uuid_send(gen_random_uuid()) AS salt
        FROM unnest(owner_kinds, owner_ids, credits, idempotency_keys, occurred_at, actors, reasons) WITH ORDINALITY
          AS given (owner_kind, owner_id, credits, idempotency_key, occurred_at, actor, reason, ordinal)
      ) g
      OFFSET 0
    ) given ON (given.transfer).owner_id = o.owner_id
    JOIN ledger_accounts used ON used.owner_id = 'house' AND used.name = 'used'
    LEFT JOIN LATERAL (
      SELECT * FROM ledger_keys k
      WHERE k.owner_id = o.owner_id AND k.idempotency_key = (given.transfer).idempotency_key OFFSET 0
    ) known ON true
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
    n := CASE WHEN item.is_repeated THEN array_position(new_keys, transfer.owner_id || '/' || transfer.idempotency_key) END;
    IF n IS NOT NULL THEN
      transfer_id := new_transfers[n].id;
      item.known_hash := new_transfers[n].input_hash;
    END IF;
    from_plan := least(greatest(owner.plan_balance, 0), item.credits);
    IF item.credits < 1 OR NOT item.is_same_owner THEN
      RAISE EXCEPTION 'A usage of % is below one credit, or its owner is of another kind', transfer.owner_id USING ERRCODE = 'LG002';
    ELSIF transfer_id IS NOT NULL THEN
      outcome := CASE WHEN item.known_hash = transfer.input_hash THEN 'replayed' ELSE 'conflict' END;
    ELSIF owner.plan_balance + owner.purchased_balance < item.credits THEN
      outcome := 'refused';
    ELSE
      transfer.id := ledger_draw_id(month);
      entered := ledger_enter(owner, transfer.id, item.digest, -from_plan, from_plan - item.credits, item.used_id);
      owner := entered.owner;
      FOREACH entry IN ARRAY entered.entries LOOP new_entries := new_entries || entry; END LOOP;
      new_transfers := new_transfers || transfer;
      new_keys := new_keys || (transfer.owner_id || '/' || transfer.idempotency_key);
      outcome := 'posted';
      transfer_id := transfer.id;
    END IF;
    plan := owner.plan_balance;
    purchased := owner.purchased_balance;
    RETURN NEXT;
  END LOOP;
  IF cardinality(new_transfers) > 0 THEN
    owners[nth] := owner;
    PERFORM ledger_write(owners, new_transfers, new_entries);
  END IF;
END
$$;

-- What each grant brought, lost and has transfers of, in its own account. Archived months contribute their
-- sums.
CREATE OR REPLACE VIEW ledger_grant_sums AS
WITH archived AS (SELECT coalesce(max(end_transfer_id), 0) AS end_transfer_id FROM ledger_archives)
SELECT g.id, g.owner_kind, g.owner_id, g.account, g.kind, g.intent_id, g.stripe_subscription_id, g.stripe_invoice_id,
  g.month_starts_at, g.starts_at, g.ends_at, g.created_at,
  posted.gross + kept.gross AS gross, posted.refunded + kept.refunded AS refunded, posted.disputed + kept.disputed AS disputed,
  posted.expired + kept.expired AS expired, posted.written_off + kept.written_off AS written_off,
  posted.adjusted + kept.adjusted AS adjusted, posted.transfers + kept.transfers AS transfers
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
    AND t.id >= greatest(g.first_transfer_id, (SELECT end_transfer_id FROM archived))
) posted
CROSS JOIN LATERAL (
  SELECT coalesce(sum(s.gross), 0)::bigint AS gross, coalesce(sum(s.refunded), 0)::bigint AS refunded,
    coalesce(sum(s.disputed), 0)::bigint AS disputed, coalesce(sum(s.expired), 0)::bigint AS expired,
    coalesce(sum(s.written_off), 0)::bigint AS written_off, coalesce(sum(s.adjusted), 0)::bigint AS adjusted,
    coalesce(sum(s.transfers), 0)::bigint AS transfers
  FROM ledger_archived_sums s
  WHERE s.owner_id = g.owner_id AND s.grant_id = g.id AND g.first_transfer_id < (SELECT end_transfer_id FROM archived)
) kept;

-- Everything that the ledger has of one owner, as JSON. `used_open` are the plan credits that were used, or
-- taken by `usage_moved`, and are in no closed month.
CREATE OR REPLACE FUNCTION ledger_books(owner_kind text, owner_id text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH grants AS (
    SELECT g.* FROM ledger_grant_sums g WHERE g.owner_kind = ledger_books.owner_kind AND g.owner_id = ledger_books.owner_id
  ), closed AS (
    SELECT m.stripe_subscription_id, m.month_starts_at AS starts_at, m.used FROM ledger_months_used m
    WHERE m.owner_kind = ledger_books.owner_kind AND m.owner_id = ledger_books.owner_id
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
      - balances.plan - (SELECT coalesce(sum(c.used), 0) FROM closed c),
    'grants', (SELECT coalesce(jsonb_agg(to_jsonb(g) ORDER BY g.month_starts_at NULLS FIRST, g.id), '[]') FROM grants g),
    'closed_months', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY c.starts_at, c.stripe_subscription_id), '[]') FROM closed c))
  FROM balances
$$;

-- Closes a billing month: writes down, once, how many of the plan credits were used in it, which the caller
-- says, who posts what expires or is written off in the same transaction. LG001: it was closed before with
-- another number. LG002: more than `used_open`.
CREATE OR REPLACE FUNCTION ledger_close_month(
  owner_kind text, owner_id text, stripe_subscription_id text, month_starts_at timestamptz, used bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_variable
DECLARE
  known ledger_months_used;
BEGIN
  PERFORM ledger_lock_owners(ARRAY[owner_kind], ARRAY[owner_id]);
  SELECT * INTO known FROM ledger_months_used m
  WHERE m.stripe_subscription_id = stripe_subscription_id AND m.month_starts_at = month_starts_at;
  IF known.used IS NULL THEN
    IF used > (ledger_books(owner_kind, owner_id) ->> 'used_open')::bigint THEN
      RAISE EXCEPTION 'Month % of % cannot have used % credits', month_starts_at, stripe_subscription_id, used USING ERRCODE = 'LG002';
    END IF;
    INSERT INTO ledger_months_used (stripe_subscription_id, month_starts_at, owner_kind, owner_id, used)
    VALUES (stripe_subscription_id, month_starts_at, owner_kind, owner_id, used);
  ELSIF (known.used, known.owner_kind, known.owner_id) <> (used, owner_kind, owner_id) THEN
    RAISE EXCEPTION 'Month % of % was closed before with % credits used', month_starts_at, stripe_subscription_id, known.used
      USING ERRCODE = 'LG001';
  END IF;
END
$$;

-- Rows of the ledger are never changed or deleted. The one exception: the text of a transfer and its salt may
-- become NULL.
CREATE OR REPLACE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_TABLE_NAME LIKE 'ledger\_transfers%' AND TG_OP = 'UPDATE' THEN
    IF NEW.reason IS NULL AND NEW.reason_salt IS NULL
      AND to_jsonb(NEW) - '{reason,reason_salt}'::text[] = to_jsonb(OLD) - '{reason,reason_salt}'::text[] THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'The ledger is append-only: % on % is refused; a correction is one more transfer', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;

-- Erases, with its salt, what editors wrote of a person's usage, also of an organization's pool, and the notes on
-- adjustments that are about the person: theirs, and those of `organization_ids` that name them, by one of `names`, which are
-- in lower case. Months that were detached and kept have no entries to look them up by. Returns how many.
CREATE OR REPLACE FUNCTION ledger_erase_texts(person text, organization_ids text[], names text[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  payers text[] := person || organization_ids;
  condition text := 't.owner_id = ANY ($1) AND t.reason IS NOT NULL AND CASE t.kind WHEN ''usage'' THEN t.actor = $2
    WHEN ''adjustment'' THEN t.owner_id = $2
      OR EXISTS (SELECT FROM unnest($3) AS name WHERE position(name IN lower(t.reason)) > 0) END';
  kept text;
  erased bigint;
  total bigint;
BEGIN
  EXECUTE 'UPDATE ledger_transfers t SET reason = NULL, reason_salt = NULL
    FROM (SELECT DISTINCT owner_id, transfer_id FROM ledger_entries WHERE owner_id = ANY ($1)) e
    WHERE t.id = e.transfer_id AND t.owner_id = e.owner_id AND ' || condition USING payers, person, names;
  GET DIAGNOSTICS total = ROW_COUNT;
  FOR kept IN
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relname ~ '^ledger_transfers_\d{4}_\d\d$' AND NOT relispartition
  LOOP
    EXECUTE format('UPDATE %I t SET reason = NULL, reason_salt = NULL WHERE ', kept) || condition USING payers, person, names;
    GET DIAGNOSTICS erased = ROW_COUNT;
    total := total + erased;
  END LOOP;
  RETURN total;
END
$$;

REVOKE ALL ON FUNCTION ledger_input_hash, ledger_reason_hash, ledger_transfer_digest, ledger_entry_hash, ledger_lock_owners, ledger_enter,
  ledger_write, ledger_post, ledger_spend, ledger_books, ledger_close_month, ledger_erase_texts, ledger_refuse_change
  FROM PUBLIC, tidemark_server, tidemark_worker;
REVOKE ALL ON ledger_grant_sums FROM tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_lock_owners, ledger_post, ledger_close_month, ledger_erase_texts TO tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_spend TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_books TO tidemark_server, tidemark_worker;
GRANT SELECT ON ledger_grant_sums TO tidemark_server, tidemark_worker;
