-- The ledger by owner and by month (decisions 130 and 131). Transfers and entries lie in partitions, one a month, which can be detached. What
-- posting has to know is in one row of each owner, so that it reads none of them. The hashes are made as before.

DROP VIEW ledger_balances, ledger_grant_sums;
DROP FUNCTION ledger_append(ledger_transfers[], ledger_entries[]), ledger_next_entry(ledger_entries, bigint, bytea, bigint),
  ledger_house_entry(bigint, bytea, bigint, bytea, bigint), ledger_transfer_digest(ledger_transfers),
  ledger_lock_accounts(text[], text[]), ledger_post(jsonb), ledger_use_many(jsonb),
  ledger_use(text, text, bigint, text, timestamptz, text, text);

-- The rows that are there are copied from here to the new tables.
CREATE SCHEMA ledger_before_0027;
ALTER TABLE ledger_transfers SET SCHEMA ledger_before_0027;
ALTER TABLE ledger_entries SET SCHEMA ledger_before_0027;

-- An owner's id alone names an owner.
ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_pkey, DROP CONSTRAINT ledger_accounts_owner_kind_owner_id_name_key,
  ADD PRIMARY KEY (owner_id, name), ADD UNIQUE (id, owner_id);

-- The unique keys without the owner hold over all owners of this database: nothing is granted or closed for two of them.
ALTER TABLE ledger_grants DROP CONSTRAINT ledger_grants_pkey, ADD PRIMARY KEY (owner_id, id), ADD CONSTRAINT ledger_grants_id_key UNIQUE (id);
DROP INDEX ledger_grants_owner;
ALTER TABLE ledger_months_used DROP CONSTRAINT ledger_months_used_pkey,
  ADD PRIMARY KEY (owner_id, stripe_subscription_id, month_starts_at), ADD UNIQUE (stripe_subscription_id, month_starts_at);
DROP INDEX ledger_months_used_owner;

-- One row for each owner: it is what posting locks, and has the latest entry of both accounts (version 0: none yet). The ledger's functions alone
-- update it, and `ledger:verify` compares it with the entries.
CREATE TABLE ledger_owners (
  owner_id text PRIMARY KEY,
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  last_transfer_id bigint NOT NULL DEFAULT 0,
  plan_account_id bigint NOT NULL,
  plan_version bigint NOT NULL DEFAULT 0,
  plan_balance bigint NOT NULL DEFAULT 0,
  purchased_account_id bigint NOT NULL,
  purchased_version bigint NOT NULL DEFAULT 0,
  purchased_balance bigint NOT NULL DEFAULT 0,
  plan_hash bytea,
  purchased_hash bytea
  -- Room for new versions of a row beside the old ones, so that no index changes.
) WITH (fillfactor = 50);

-- In which all owners are compared with Stripe, some at a time.
CREATE INDEX ledger_owners_order ON ledger_owners (owner_kind, owner_id);

CREATE TRIGGER ledger_owners_identity BEFORE UPDATE OF owner_id, owner_kind, plan_account_id, purchased_account_id ON ledger_owners
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_owners_no_delete BEFORE DELETE ON ledger_owners
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_owners_no_truncate BEFORE TRUNCATE ON ledger_owners
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- What was posted under which key, for good: a report may come again when its month is detached.
CREATE TABLE ledger_keys (
  owner_id text NOT NULL,
  idempotency_key text NOT NULL,
  transfer_id bigint NOT NULL,
  format smallint NOT NULL,
  input_hash bytea NOT NULL,
  PRIMARY KEY (owner_id, idempotency_key)
);
-- A key of usage has its owner in its text. Every other one is posted for one owner only, a checkout session above all.
CREATE UNIQUE INDEX ledger_keys_over_owners ON ledger_keys (idempotency_key) WHERE NOT starts_with(idempotency_key, 'usage/');

CREATE TRIGGER ledger_keys_append_only BEFORE UPDATE OR DELETE ON ledger_keys
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_keys_no_truncate BEFORE TRUNCATE ON ledger_keys
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- The upper bits of an id are the month of posting, counted from January 2000 (UTC), the lower 40 a number within it.
CREATE TABLE ledger_transfers (
  id bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  posted_at timestamptz NOT NULL,
  intent_id uuid,
  act_id uuid DEFAULT nullif(current_setting('tidemark.act_id', true), '')::uuid,
  format smallint NOT NULL,
  owner_id text NOT NULL,
  idempotency_key text NOT NULL,
  kind text NOT NULL,
  input_hash bytea NOT NULL,
  event_id text,
  actor text NOT NULL,
  reason text NOT NULL,
  grant_id text,
  PRIMARY KEY (id, owner_id),
  -- Few, and this one as one constant: Postgres reads the text of each check anew for each statement (decision 132).
  CONSTRAINT ledger_transfers_kind_check CHECK (kind = ANY ('{credit_purchase,withdrawal,plan_grant,seat_grant,usage,expiry,write_off,refund,dispute,dispute_won,settlement,adjustment}'::text[])),
  CONSTRAINT ledger_transfers_grant_check CHECK ((kind = 'usage') = (grant_id IS NULL))
) PARTITION BY RANGE (id);
CREATE INDEX ledger_transfers_grant ON ledger_transfers (owner_id, grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX ledger_transfers_intent ON ledger_transfers (intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX ledger_transfers_act ON ledger_transfers (act_id) WHERE act_id IS NOT NULL;
CREATE INDEX ledger_transfers_occurred ON ledger_transfers USING brin (occurred_at) WITH (pages_per_range = 16, autosummarize = on);

-- An entry of the house has its transfer's owner, and so lies beside it. Within an account entries are in the order of transfers.
CREATE TABLE ledger_entries (
  transfer_id bigint NOT NULL,
  account_id bigint NOT NULL,
  amount bigint NOT NULL,
  version bigint,
  balance_after bigint,
  owner_id text NOT NULL,
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, account_id, transfer_id),
  CONSTRAINT ledger_entries_amount_check CHECK (amount <> 0)
) PARTITION BY RANGE (transfer_id);

CREATE TRIGGER ledger_transfers_append_only BEFORE UPDATE OR DELETE ON ledger_transfers
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_transfers_no_truncate BEFORE TRUNCATE ON ledger_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

CREATE FUNCTION ledger_month_of(moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 12 * (date_part('year', moment AT TIME ZONE 'UTC')::bigint - 2000) + date_part('month', moment AT TIME ZONE 'UTC')::bigint - 1
$$;

-- Where the transfers of a month begin.
CREATE FUNCTION ledger_first_id(month bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT month << 40
$$;

CREATE FUNCTION ledger_partition_of(parent text, month bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT parent || '_' || (2000 + month / 12)::text || '_' || lpad((month % 12 + 1)::text, 2, '0')
$$;

-- It is attached when it is complete, so that nobody who posts or reads waits.
CREATE FUNCTION ledger_make_partition(parent text, name text, first_id bigint, end_id bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name, parent);
  EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()',
    parent || '_no_truncate', name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent, name, first_id, end_id);
END
$$;

-- Makes the partitions of this month and of so many after it, unless they are there.
CREATE FUNCTION ledger_make_months(ahead integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  parent text;
  month bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('ledger_make_months', 0));
  -- Entries last: a month has begun to be there when they are.
  FOREACH parent IN ARRAY ARRAY['ledger_transfers', 'ledger_entries'] LOOP
    FOR month IN SELECT generate_series(ledger_month_of(now()), ledger_month_of(now()) + ahead) LOOP
      IF to_regclass(ledger_partition_of('public.' || parent, month)) IS NULL THEN
        PERFORM ledger_make_partition(parent, ledger_partition_of(parent, month), ledger_first_id(month), ledger_first_id(month + 1));
      END IF;
    END LOOP;
  END LOOP;
END
$$;

-- What was posted before has ids without a month.
SELECT ledger_make_partition(parent, parent || '_early', 0, ledger_first_id(1))
FROM unnest(ARRAY['ledger_transfers', 'ledger_entries']) parent;

INSERT INTO ledger_transfers (id, occurred_at, posted_at, intent_id, act_id, format, owner_id, idempotency_key, kind, input_hash, event_id, actor,
  reason, grant_id)
SELECT t.id, t.occurred_at, t.posted_at, t.intent_id, t.act_id, t.format, coalesce(g.owner_id, owner.id), t.idempotency_key, t.kind, t.input_hash,
  t.event_id, t.actor, t.reason, t.grant_id
FROM ledger_before_0027.ledger_transfers t
LEFT JOIN ledger_grants g ON g.id = t.grant_id
LEFT JOIN (
  SELECT e.transfer_id, min(a.owner_id) AS id FROM ledger_before_0027.ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
  WHERE e.version IS NOT NULL GROUP BY e.transfer_id) owner ON owner.transfer_id = t.id
ORDER BY t.id;

INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, owner_id, hash)
SELECT e.transfer_id, e.account_id, e.amount, e.version, e.balance_after, t.owner_id, e.hash
FROM ledger_before_0027.ledger_entries e JOIN ledger_transfers t ON t.id = e.transfer_id
ORDER BY e.transfer_id, e.account_id;

INSERT INTO ledger_keys (owner_id, idempotency_key, transfer_id, format, input_hash)
SELECT owner_id, idempotency_key, id, format, input_hash FROM ledger_transfers ORDER BY id;

INSERT INTO ledger_accounts (owner_kind, owner_id, name)
SELECT DISTINCT a.owner_kind, a.owner_id, account.name FROM ledger_accounts a, unnest(ARRAY['plan', 'purchased']) AS account (name) WHERE a.owner_kind <> 'house'
ON CONFLICT DO NOTHING;

INSERT INTO ledger_owners (owner_id, owner_kind, last_transfer_id, plan_account_id, plan_version, plan_balance, plan_hash,
  purchased_account_id, purchased_version, purchased_balance, purchased_hash)
SELECT plan.owner_id, plan.owner_kind, greatest(of_plan.transfer_id, of_purchased.transfer_id, 0),
  plan.id, coalesce(of_plan.version, 0), coalesce(of_plan.balance_after, 0), of_plan.hash,
  purchased.id, coalesce(of_purchased.version, 0), coalesce(of_purchased.balance_after, 0), of_purchased.hash
FROM ledger_accounts plan
JOIN ledger_accounts purchased ON purchased.owner_id = plan.owner_id AND purchased.name = 'purchased'
LEFT JOIN LATERAL (SELECT * FROM ledger_entries e WHERE e.owner_id = plan.owner_id AND e.account_id = plan.id
  ORDER BY e.transfer_id DESC LIMIT 1) of_plan ON true
LEFT JOIN LATERAL (SELECT * FROM ledger_entries e WHERE e.owner_id = plan.owner_id AND e.account_id = purchased.id
  ORDER BY e.transfer_id DESC LIMIT 1) of_purchased ON true
WHERE plan.name = 'plan';

CREATE SEQUENCE ledger_transfers_id_seq OWNED BY ledger_transfers.id;
SELECT setval('ledger_transfers_id_seq', max(id)) FROM ledger_transfers HAVING count(*) > 0;
DROP TABLE ledger_before_0027.ledger_transfers, ledger_before_0027.ledger_entries;
DROP SCHEMA ledger_before_0027;

CREATE VIEW ledger_balances AS
SELECT o.owner_kind, o.owner_id, head.account, head.account_id, head.version, head.balance
FROM ledger_owners o
CROSS JOIN LATERAL (VALUES
  ('plan', o.plan_account_id, o.plan_version, o.plan_balance),
  ('purchased', o.purchased_account_id, o.purchased_version, o.purchased_balance)) AS head (account, account_id, version, balance);

CREATE VIEW ledger_grant_sums AS
SELECT g.*, sums.gross, sums.refunded, sums.disputed, sums.expired, sums.written_off, sums.adjusted, sums.transfers
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
  LEFT JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.account_id = a.id AND e.transfer_id = t.id
  WHERE t.owner_id = g.owner_id AND t.grant_id = g.id
) sums;

CREATE OR REPLACE FUNCTION ledger_books(owner_kind text, owner_id text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH grants AS (
    SELECT g.* FROM ledger_grant_sums g
    WHERE g.owner_kind = ledger_books.owner_kind AND g.owner_id = ledger_books.owner_id
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

CREATE FUNCTION ledger_transfer_digest(transfer ledger_transfers) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to((CASE transfer.format
    WHEN 1 THEN jsonb_build_array(
      transfer.idempotency_key, transfer.kind, encode(transfer.input_hash, 'hex'),
      (extract(epoch FROM transfer.occurred_at) * 1000000)::bigint, (extract(epoch FROM transfer.posted_at) * 1000000)::bigint,
      transfer.intent_id, transfer.event_id, transfer.actor, transfer.reason)
    ELSE jsonb_build_array(
      transfer.format, transfer.idempotency_key, transfer.kind, transfer.grant_id, encode(transfer.input_hash, 'hex'),
      (extract(epoch FROM transfer.occurred_at) * 1000000)::bigint, (extract(epoch FROM transfer.posted_at) * 1000000)::bigint,
      transfer.intent_id, transfer.event_id, transfer.actor, transfer.reason)
    END)::text, 'UTF8'))
$$;

-- Ids are drawn from one sequence, under the owner's lock, and so grow for all owners and never go back, whatever the clock does. Whoever
-- draws the first one in a month moves the sequence there. A month without partitions has to wait for them: the last one goes on.
CREATE FUNCTION ledger_begin_month(month bigint, drawn bigint) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  IF to_regclass(ledger_partition_of('public.ledger_entries', month)) IS NULL THEN
    RETURN drawn;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('ledger_begin_month', 0));
  IF (SELECT last_value FROM ledger_transfers_id_seq) < ledger_first_id(month) THEN
    PERFORM setval('ledger_transfers_id_seq', ledger_first_id(month));
  END IF;
  RETURN nextval('ledger_transfers_id_seq');
END
$$;

-- Locks the rows of these owners, who are distinct, in the order of their ids, and returns them in that order. Makes those that are missing.
CREATE FUNCTION ledger_lock_rows(owner_kinds text[], owner_ids text[]) RETURNS ledger_owners[] LANGUAGE plpgsql AS $$
BEGIN
  -- Before anything is locked, so that nobody who waits here is waited for by who locks there.
  IF (SELECT count(*) FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids)) < cardinality(owner_ids) THEN
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT named.owner_kind, named.owner_id, account.name
    FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id), unnest(ARRAY['plan', 'purchased']) AS account (name)
    WHERE NOT EXISTS (SELECT FROM ledger_owners o WHERE o.owner_id = named.owner_id)
    ORDER BY 2, 3
    ON CONFLICT DO NOTHING;
    INSERT INTO ledger_owners (owner_id, owner_kind, plan_account_id, purchased_account_id)
    SELECT plan.owner_id, plan.owner_kind, plan.id, purchased.id
    FROM ledger_accounts plan JOIN ledger_accounts purchased ON purchased.owner_id = plan.owner_id AND purchased.name = 'purchased'
    WHERE plan.owner_id = ANY (owner_ids) AND plan.name = 'plan'
      AND NOT EXISTS (SELECT FROM ledger_owners o WHERE o.owner_id = plan.owner_id)
    ORDER BY 1
    ON CONFLICT DO NOTHING;
  END IF;
  -- Rows are locked after they were sorted, and an id never changes.
  RETURN ARRAY(SELECT o FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) ORDER BY o.owner_id FOR NO KEY UPDATE);
END
$$;

-- Writes what was worked out under the locks. Only another owner can have posted one of the keys meanwhile: that is a violation of a
-- unique key, which callers understand as LG001. `owners` are the locked rows as they are now; those without a new transfer stay.
CREATE FUNCTION ledger_append(
  owners ledger_owners[], keys ledger_keys[], grants ledger_grants[], transfers ledger_transfers[], entries ledger_entries[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_keys SELECT * FROM unnest(keys);
  IF cardinality(grants) > 0 THEN
    INSERT INTO ledger_grants SELECT * FROM unnest(grants);
  END IF;
  -- The act has its default.
  INSERT INTO ledger_transfers (id, occurred_at, posted_at, intent_id, format, owner_id, idempotency_key, kind, input_hash, event_id, actor,
    reason, grant_id)
  SELECT t.id, t.occurred_at, t.posted_at, t.intent_id, t.format, t.owner_id, t.idempotency_key, t.kind, t.input_hash, t.event_id, t.actor,
    t.reason, t.grant_id
  FROM unnest(transfers) t;
  INSERT INTO ledger_entries SELECT * FROM unnest(entries);
  UPDATE ledger_owners o
  SET last_transfer_id = n.last_transfer_id, plan_version = n.plan_version, plan_balance = n.plan_balance, plan_hash = n.plan_hash,
    purchased_version = n.purchased_version, purchased_balance = n.purchased_balance, purchased_hash = n.purchased_hash
  FROM unnest(owners) n
  WHERE o.owner_id = n.owner_id AND o.last_transfer_id < n.last_transfer_id;
END
$$;

-- Posts a batch of transfers, one or many, in one round trip. Each is {idempotency_key, kind, occurred_at, intent_id, event_id,
-- actor, reason, grant, legs: [{owner_kind, owner_id, account, amount}]}. A key that was posted with the same input returns the first
-- result with posted = false. Errors: LG001 same key or grant with another input, LG002 legs that do not balance, name no account, or
-- one that is not the grant's, LG003 not enough credits: that of the first transfer that is wrong, and then nothing is posted.
CREATE FUNCTION ledger_post(transfers jsonb)
RETURNS TABLE (ordinal bigint, transfer_id bigint, posted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  item jsonb;
  leg jsonb;
  legs jsonb;
  given ledger_grants;
  known_grant ledger_grants;
  key ledger_keys;
  transfer ledger_transfers;
  owner ledger_owners;
  owner_kinds text[] := '{}';
  owner_ids text[] := '{}';
  -- The owners' rows in the order of their ids, with the latest entries so far.
  owners ledger_owners[];
  house_names text[];
  house_ids bigint[];
  -- What was there first, then what is new.
  grant_ids text[] := '{}';
  grants ledger_grants[];
  key_names text[] := '{}';
  keys ledger_keys[];
  known_grants integer;
  known_keys integer;
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
  plan_amount bigint;
  purchased_amount bigint;
  houses bigint[];
  house_amounts bigint[];
  total bigint;
  amount bigint;
  digest bytea;
  chain bytea;
  name text;
  n integer;
BEGIN
  FOR i IN 0..jsonb_array_length(transfers) - 1 LOOP
    item := transfers -> i;
    key_names := key_names || (item ->> 'idempotency_key');
    item := item -> 'grant';
    -- Whoever names a grant holds its owner's lock, so that nobody else can post it meanwhile; no other owner's credits move with it.
    IF item ->> 'id' IS NOT NULL THEN
      grant_ids := grant_ids || (item ->> 'id');
      IF item ->> 'owner_id' <> ALL (owner_ids) THEN
        owner_kinds := owner_kinds || (item ->> 'owner_kind');
        owner_ids := owner_ids || (item ->> 'owner_id');
      END IF;
    END IF;
  END LOOP;

  owners := ledger_lock_rows(owner_kinds, owner_ids);
  SELECT ARRAY(SELECT g FROM ledger_grants g WHERE g.id = ANY (grant_ids)),
    ARRAY(SELECT k FROM ledger_keys k WHERE k.idempotency_key = ANY (key_names) AND NOT starts_with(k.idempotency_key, 'usage/')),
    array_agg(house.name), array_agg(house.id)
  INTO grants, keys, house_names, house_ids
  FROM ledger_accounts house WHERE house.owner_id = 'house';
  known_grants := cardinality(grants);
  known_keys := cardinality(keys);
  owner_ids := '{}';
  FOR i IN 1..cardinality(owners) LOOP
    owner_ids := owner_ids || owners[i].owner_id;
  END LOOP;
  grant_ids := '{}';
  FOR i IN 1..known_grants LOOP
    grant_ids := grant_ids || grants[i].id;
  END LOOP;
  key_names := '{}';
  FOR i IN 1..known_keys LOOP
    key_names := key_names || keys[i].idempotency_key;
  END LOOP;

  FOR i IN 0..jsonb_array_length(transfers) - 1 LOOP
    item := transfers -> i;
    given := jsonb_populate_record(NULL::ledger_grants, nullif(item -> 'grant', 'null'));
    IF given.id IS NULL THEN
      RAISE EXCEPTION 'Transfer % belongs to no grant', item ->> 'idempotency_key' USING ERRCODE = 'LG002';
    END IF;
    legs := ledger_sorted_legs(item -> 'legs');

    ordinal := i + 1;
    n := array_position(key_names, item ->> 'idempotency_key');
    IF n IS NOT NULL THEN
      key := keys[n];
      IF key.input_hash <> ledger_input_hash(item, legs, key.format) THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', key.idempotency_key USING ERRCODE = 'LG001';
      END IF;
      transfer_id := key.transfer_id; posted := false;
      RETURN NEXT;
      CONTINUE;
    END IF;

    n := array_position(grant_ids, given.id);
    IF n IS NULL THEN
      given.created_at := clock_timestamp();
      grant_ids := grant_ids || given.id;
      grants := grants || given;
    ELSE
      known_grant := grants[n];
      IF (known_grant.owner_kind, known_grant.owner_id, known_grant.account, known_grant.kind)
        IS DISTINCT FROM (given.owner_kind, given.owner_id, given.account, given.kind) THEN
        RAISE EXCEPTION 'Grant % was written down before for another owner, account or kind', given.id USING ERRCODE = 'LG001';
      END IF;
    END IF;

    n := array_position(owner_ids, given.owner_id);
    owner := owners[n];
    transfer := jsonb_populate_record(NULL::ledger_transfers, item);
    -- Where the key of a usage would be looked up, and nobody's else.
    IF owner.owner_kind <> given.owner_kind OR starts_with(transfer.idempotency_key, 'usage/') THEN
      RAISE EXCEPTION 'Transfer % names an owner of another kind, or has the key of a usage', transfer.idempotency_key
        USING ERRCODE = 'LG002';
    END IF;
    transfer.owner_id := given.owner_id;
    transfer.posted_at := clock_timestamp();
    transfer.id := nextval('ledger_transfers_id_seq');
    IF transfer.id >> 40 < ledger_month_of(transfer.posted_at) THEN
      transfer.id := ledger_begin_month(ledger_month_of(transfer.posted_at), transfer.id);
    END IF;
    transfer.input_hash := ledger_input_hash(item, legs, 2::smallint);
    transfer.format := 2;
    transfer.grant_id := given.id;
    digest := ledger_transfer_digest(transfer);

    plan_amount := NULL;
    purchased_amount := NULL;
    houses := '{}';
    house_amounts := '{}';
    total := 0;
    FOR j IN 0..coalesce(jsonb_array_length(legs), 0) - 1 LOOP
      leg := legs -> j;
      name := leg ->> 'account';
      amount := (leg ->> 'amount')::bigint;
      total := total + amount;
      IF leg ->> 'owner_kind' = 'house' AND name = ANY (house_names) THEN
        houses := houses || house_ids[array_position(house_names, name)];
        house_amounts := house_amounts || amount;
      ELSIF leg ->> 'owner_id' <> given.owner_id OR leg ->> 'owner_kind' <> given.owner_kind THEN
        RAISE EXCEPTION 'Transfer % moves credits of an account that is not its grant''s', transfer.idempotency_key
          USING ERRCODE = 'LG002';
      ELSIF name = 'plan' AND plan_amount IS NULL THEN
        plan_amount := amount;
      ELSIF name = 'purchased' AND purchased_amount IS NULL THEN
        purchased_amount := amount;
      ELSE
        RAISE EXCEPTION 'Transfer % names an account that does not exist, or twice', transfer.idempotency_key USING ERRCODE = 'LG002';
      END IF;
    END LOOP;
    -- Entries are in the order of the accounts, those of the house last: they hang on the owner's last one.
    chain := NULL;
    FOREACH name IN ARRAY CASE WHEN owner.plan_account_id < owner.purchased_account_id THEN ARRAY['plan', 'purchased']
      ELSE ARRAY['purchased', 'plan'] END
    LOOP
      amount := CASE name WHEN 'plan' THEN plan_amount ELSE purchased_amount END;
      CONTINUE WHEN amount IS NULL;
      IF name <> given.account AND transfer.kind <> 'settlement' THEN
        RAISE EXCEPTION 'Transfer % moves credits of an account that is not its grant''s', transfer.idempotency_key
          USING ERRCODE = 'LG002';
      END IF;
      IF name = 'plan' THEN
        owner.plan_version := owner.plan_version + 1;
        owner.plan_balance := owner.plan_balance + amount;
        owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, amount, owner.plan_version,
          owner.plan_balance);
        chain := owner.plan_hash;
        new_entries := new_entries || ROW(transfer.id, owner.plan_account_id, amount, owner.plan_version, owner.plan_balance,
          owner.owner_id, chain)::ledger_entries;
      ELSE
        owner.purchased_version := owner.purchased_version + 1;
        owner.purchased_balance := owner.purchased_balance + amount;
        owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, amount,
          owner.purchased_version, owner.purchased_balance);
        chain := owner.purchased_hash;
        new_entries := new_entries || ROW(transfer.id, owner.purchased_account_id, amount, owner.purchased_version,
          owner.purchased_balance, owner.owner_id, chain)::ledger_entries;
      END IF;
      IF amount < 0 AND transfer.kind IN ('usage', 'credit_purchase')
        AND (CASE name WHEN 'plan' THEN owner.plan_balance ELSE owner.purchased_balance END) < 0 THEN
        RAISE EXCEPTION 'The % account of % has % credits, transfer % takes %', name, owner.owner_id,
          CASE name WHEN 'plan' THEN owner.plan_balance ELSE owner.purchased_balance END - amount, transfer.idempotency_key, -amount
          USING ERRCODE = 'LG003';
      END IF;
    END LOOP;
    FOR j IN 1..cardinality(houses) LOOP
      new_entries := new_entries || ROW(transfer.id, houses[j], house_amounts[j], NULL, NULL, owner.owner_id,
        ledger_entry_hash(chain, digest, houses[j], house_amounts[j], NULL, NULL))::ledger_entries;
    END LOOP;
    IF coalesce(jsonb_array_length(legs), 0) = 0 OR total <> 0 THEN
      RAISE EXCEPTION 'Transfer % does not balance', transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;
    owner.last_transfer_id := transfer.id;
    owners[n] := owner;
    key_names := key_names || transfer.idempotency_key;
    keys := keys || ROW(owner.owner_id, transfer.idempotency_key, transfer.id, 2, transfer.input_hash)::ledger_keys;
    new_transfers := new_transfers || transfer;
    transfer_id := transfer.id; posted := true;
    RETURN NEXT;
  END LOOP;

  IF cardinality(new_transfers) > 0 THEN
    PERFORM ledger_append(owners, keys[known_keys + 1:], grants[known_grants + 1:], new_transfers, new_entries);
  END IF;
END
$$;

-- How much of a usage the plan account pays: as far as it is above zero. NULL when both accounts together do not cover it, so that a debt of one
-- blocks as many credits of the other.
CREATE FUNCTION ledger_from_plan(plan bigint, purchased bigint, credits bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN plan + purchased < credits THEN NULL ELSE least(greatest(plan, 0), credits) END
$$;

-- What must agree when the key of a usage comes again.
CREATE FUNCTION ledger_usage_hash(owner_kind text, owner_id text, credits bigint) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to(jsonb_build_object('kind', 'usage', 'owner_kind', owner_kind, 'owner_id', owner_id, 'credits', credits)::text,
    'UTF8'))
$$;

-- Spends credits of one owner or several, plan credits first. `usages` is an array of {owner_kind, owner_id, credits, idempotency_key,
-- occurred_at, actor, reason}; each is decided in its order, with what those before it left, and none fails the others. outcome:
-- 'posted', 'replayed' (the key was posted before), 'refused' (nothing posted: not enough was there), 'conflict' (nothing posted: the
-- key was posted before with another input). `plan` and `purchased` are the balances after the decision.
CREATE FUNCTION ledger_use_many(usages jsonb)
RETURNS TABLE (ordinal bigint, outcome text, transfer_id bigint, plan bigint, purchased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  item jsonb;
  key ledger_keys;
  transfer ledger_transfers;
  owner ledger_owners;
  owner_kinds text[] := '{}';
  owner_ids text[] := '{}';
  -- The owners' rows in the order of their ids, with the latest entries so far.
  owners ledger_owners[];
  used_account bigint;
  -- What was there first, then what is new.
  key_names text[] := '{}';
  keys ledger_keys[];
  known_keys integer;
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
  hash_of_input bytea;
  digest bytea;
  chain bytea;
  credits bigint;
  from_plan bigint;
  name text;
  n integer;
  k integer;
BEGIN
  FOR i IN 0..jsonb_array_length(usages) - 1 LOOP
    item := usages -> i;
    key_names := key_names || (item ->> 'idempotency_key');
    IF item ->> 'owner_id' <> ALL (owner_ids) THEN
      owner_kinds := owner_kinds || (item ->> 'owner_kind');
      owner_ids := owner_ids || (item ->> 'owner_id');
    END IF;
  END LOOP;

  owners := ledger_lock_rows(owner_kinds, owner_ids);
  SELECT ARRAY(SELECT k FROM ledger_keys k WHERE k.owner_id = ANY (owner_ids) AND k.idempotency_key = ANY (key_names)), house.id
  INTO keys, used_account
  FROM ledger_accounts house WHERE house.owner_id = 'house' AND house.name = 'used';
  known_keys := cardinality(keys);
  owner_ids := '{}';
  FOR i IN 1..cardinality(owners) LOOP
    owner_ids := owner_ids || owners[i].owner_id;
  END LOOP;
  key_names := '{}';
  FOR i IN 1..known_keys LOOP
    key_names := key_names || keys[i].idempotency_key;
  END LOOP;

  FOR i IN 0..jsonb_array_length(usages) - 1 LOOP
    item := usages -> i;
    credits := (item ->> 'credits')::bigint;
    IF credits <= 0 THEN
      RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
    END IF;
    n := array_position(owner_ids, item ->> 'owner_id');
    owner := owners[n];
    IF owner.owner_kind <> item ->> 'owner_kind' THEN
      RAISE EXCEPTION '% is an owner of another kind', owner.owner_id USING ERRCODE = 'LG002';
    END IF;
    plan := owner.plan_balance;
    purchased := owner.purchased_balance;
    hash_of_input := ledger_usage_hash(owner.owner_kind, owner.owner_id, credits);
    from_plan := ledger_from_plan(plan, purchased, credits);

    ordinal := i + 1;
    k := array_position(key_names, item ->> 'idempotency_key');
    IF k IS NOT NULL THEN
      key := keys[k];
      outcome := CASE WHEN key.input_hash = hash_of_input THEN 'replayed' ELSE 'conflict' END;
      transfer_id := key.transfer_id;
      RETURN NEXT;
      CONTINUE;
    END IF;
    IF from_plan IS NULL THEN
      outcome := 'refused'; transfer_id := NULL;
      RETURN NEXT;
      CONTINUE;
    END IF;

    transfer := jsonb_populate_record(NULL::ledger_transfers, item);
    transfer.posted_at := clock_timestamp();
    transfer.id := nextval('ledger_transfers_id_seq');
    IF transfer.id >> 40 < ledger_month_of(transfer.posted_at) THEN
      transfer.id := ledger_begin_month(ledger_month_of(transfer.posted_at), transfer.id);
    END IF;
    transfer.kind := 'usage';
    transfer.input_hash := hash_of_input;
    transfer.format := 2;
    digest := ledger_transfer_digest(transfer);
    -- In the order of the accounts' ids, as everywhere: the entry of the house hangs on the owner's last one.
    FOREACH name IN ARRAY CASE WHEN owner.plan_account_id < owner.purchased_account_id THEN ARRAY['plan', 'purchased']
      ELSE ARRAY['purchased', 'plan'] END
    LOOP
      IF name = 'plan' AND from_plan > 0 THEN
        owner.plan_version := owner.plan_version + 1;
        owner.plan_balance := plan - from_plan;
        owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, -from_plan, owner.plan_version,
          owner.plan_balance);
        chain := owner.plan_hash;
        new_entries := new_entries || ROW(transfer.id, owner.plan_account_id, -from_plan, owner.plan_version, owner.plan_balance,
          owner.owner_id, chain)::ledger_entries;
      ELSIF name = 'purchased' AND from_plan < credits THEN
        owner.purchased_version := owner.purchased_version + 1;
        owner.purchased_balance := purchased - (credits - from_plan);
        owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, from_plan - credits,
          owner.purchased_version, owner.purchased_balance);
        chain := owner.purchased_hash;
        new_entries := new_entries || ROW(transfer.id, owner.purchased_account_id, from_plan - credits, owner.purchased_version,
          owner.purchased_balance, owner.owner_id, chain)::ledger_entries;
      END IF;
    END LOOP;
    new_entries := new_entries || ROW(transfer.id, used_account, credits, NULL, NULL, owner.owner_id,
      ledger_entry_hash(chain, digest, used_account, credits, NULL, NULL))::ledger_entries;
    owner.last_transfer_id := transfer.id;
    owners[n] := owner;
    key_names := key_names || transfer.idempotency_key;
    keys := keys || ROW(owner.owner_id, transfer.idempotency_key, transfer.id, 2, hash_of_input)::ledger_keys;
    new_transfers := new_transfers || transfer;
    outcome := 'posted'; transfer_id := transfer.id;
    plan := owner.plan_balance; purchased := owner.purchased_balance;
    RETURN NEXT;
  END LOOP;

  IF cardinality(new_transfers) > 0 THEN
    PERFORM ledger_append(owners, keys[known_keys + 1:], '{}', new_transfers, new_entries);
  END IF;
END
$$;

-- The same for one usage, in as few statements as there are tables. Whether its key is new is known when it is inserted: only then, and when it is
-- refused, does anybody look for what was posted before.
CREATE FUNCTION ledger_use(
  owner_kind text, owner_id text, credits bigint, idempotency_key text, occurred_at timestamptz, actor text, reason text,
  OUT outcome text, OUT transfer_id bigint, OUT plan bigint, OUT purchased bigint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner ledger_owners;
  transfer ledger_transfers;
  from_plan bigint;
  digest bytea;
  chain bytea;
BEGIN
  IF credits <= 0 THEN
    RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
  END IF;
  SELECT * INTO owner FROM ledger_owners o WHERE o.owner_id = ledger_use.owner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    owner := (ledger_lock_rows(ARRAY[ledger_use.owner_kind], ARRAY[ledger_use.owner_id]))[1];
  END IF;
  IF owner.owner_kind <> ledger_use.owner_kind THEN
    RAISE EXCEPTION '% is an owner of another kind', owner.owner_id USING ERRCODE = 'LG002';
  END IF;
  from_plan := ledger_from_plan(owner.plan_balance, owner.purchased_balance, credits);

  IF from_plan IS NOT NULL THEN
    transfer := ROW(nextval('ledger_transfers_id_seq'), ledger_use.occurred_at, clock_timestamp(), NULL, NULL, 2, owner.owner_id,
      ledger_use.idempotency_key, 'usage', ledger_usage_hash(owner.owner_kind, owner.owner_id, credits), NULL, ledger_use.actor,
      ledger_use.reason, NULL)::ledger_transfers;
    IF transfer.id >> 40 < ledger_month_of(transfer.posted_at) THEN
      transfer.id := ledger_begin_month(ledger_month_of(transfer.posted_at), transfer.id);
    END IF;
    INSERT INTO ledger_keys VALUES (transfer.owner_id, transfer.idempotency_key, transfer.id, 2, transfer.input_hash)
    ON CONFLICT DO NOTHING;
  END IF;
  IF from_plan IS NULL OR NOT FOUND THEN
    SELECT k.transfer_id,
      CASE WHEN k.input_hash = ledger_usage_hash(owner.owner_kind, owner.owner_id, credits) THEN 'replayed' ELSE 'conflict' END
    INTO transfer_id, outcome
    FROM ledger_keys k WHERE k.owner_id = ledger_use.owner_id AND k.idempotency_key = ledger_use.idempotency_key;
    IF NOT FOUND THEN
      outcome := CASE WHEN from_plan IS NULL THEN 'refused' ELSE 'conflict' END;
    END IF;
    plan := owner.plan_balance; purchased := owner.purchased_balance;
    RETURN;
  END IF;

  digest := ledger_transfer_digest(transfer);
  IF from_plan > 0 THEN
    owner.plan_version := owner.plan_version + 1;
    owner.plan_balance := owner.plan_balance - from_plan;
    owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, -from_plan, owner.plan_version, owner.plan_balance);
    chain := owner.plan_hash;
  END IF;
  IF from_plan < credits THEN
    owner.purchased_version := owner.purchased_version + 1;
    owner.purchased_balance := owner.purchased_balance - (credits - from_plan);
    owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, from_plan - credits,
      owner.purchased_version, owner.purchased_balance);
    -- The entry of the house hangs on the owner's last one, in the order of the accounts' ids.
    IF from_plan = 0 OR owner.plan_account_id < owner.purchased_account_id THEN
      chain := owner.purchased_hash;
    END IF;
  END IF;
  INSERT INTO ledger_transfers (id, occurred_at, posted_at, format, owner_id, idempotency_key, kind, input_hash, actor, reason)
  VALUES (transfer.id, transfer.occurred_at, transfer.posted_at, 2, transfer.owner_id, transfer.idempotency_key, 'usage', transfer.input_hash,
    transfer.actor, transfer.reason);
  INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, owner_id, hash)
  SELECT transfer.id, entry.account_id, entry.amount, entry.version, entry.balance_after, transfer.owner_id, entry.hash
  FROM (VALUES
    (owner.plan_account_id, -from_plan, owner.plan_version, owner.plan_balance, owner.plan_hash),
    (owner.purchased_account_id, from_plan - credits, owner.purchased_version, owner.purchased_balance, owner.purchased_hash))
    AS entry (account_id, amount, version, balance_after, hash)
  WHERE entry.amount <> 0
  UNION ALL
  SELECT transfer.id, house.id, credits, NULL, NULL, transfer.owner_id, ledger_entry_hash(chain, digest, house.id, credits, NULL, NULL)
  FROM ledger_accounts house WHERE house.owner_id = 'house' AND house.name = 'used';
  UPDATE ledger_owners o SET last_transfer_id = transfer.id, plan_version = owner.plan_version, plan_balance = owner.plan_balance,
    plan_hash = owner.plan_hash, purchased_version = owner.purchased_version, purchased_balance = owner.purchased_balance,
    purchased_hash = owner.purchased_hash
  WHERE o.owner_id = transfer.owner_id;
  outcome := 'posted'; transfer_id := transfer.id; plan := owner.plan_balance; purchased := owner.purchased_balance;
END
$$;

-- `ledger_post` for the commonest transfer: `credits` come to its grant's account, or leave it, and one account of the house has the other side. The
-- grant is given whole for the case that it is not written down yet. Same results and errors.
CREATE FUNCTION ledger_post_one(
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
  IF NOT FOUND THEN
    owner := (ledger_lock_rows(ARRAY[ledger_post_one.owner_kind], ARRAY[ledger_post_one.owner_id]))[1];
  END IF;
  transfer := ROW(nextval('ledger_transfers_id_seq'), ledger_post_one.occurred_at, clock_timestamp(), ledger_post_one.intent_id::uuid, NULL,
    2, ledger_post_one.owner_id, ledger_post_one.idempotency_key, ledger_post_one.kind,
    ledger_input_hash(jsonb_build_object('kind', ledger_post_one.kind, 'intent_id', ledger_post_one.intent_id,
      'grant', jsonb_build_object('id', ledger_post_one.grant_id)),
      jsonb_build_array(
        jsonb_build_object('owner_kind', 'house', 'owner_id', 'house', 'account', house, 'amount', -credits),
        jsonb_build_object('owner_kind', ledger_post_one.owner_kind, 'owner_id', ledger_post_one.owner_id,
          'account', ledger_post_one.account, 'amount', credits)), 2::smallint),
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

-- For whoever decides about several owners in one transaction: the locks of all of them at once, in the fixed order.
CREATE OR REPLACE FUNCTION ledger_lock_owners(owners jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET enable_seqscan = off AS $$
BEGIN
  PERFORM ledger_lock_rows(coalesce(array_agg(named.owner_kind), '{}'), coalesce(array_agg(named.owner_id), '{}'))
  FROM (SELECT DISTINCT o.owner_kind, o.owner_id FROM jsonb_to_recordset(owners) AS o (owner_kind text, owner_id text)
    WHERE o.owner_kind <> 'house') named;
END
$$;

CREATE OR REPLACE FUNCTION ledger_lock_owner(owner_kind text, owner_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock_rows(ARRAY[ledger_lock_owner.owner_kind], ARRAY[ledger_lock_owner.owner_id]);
END
$$;

SELECT ledger_make_months(3);

REVOKE ALL ON FUNCTION ledger_month_of(timestamptz), ledger_first_id(bigint), ledger_partition_of(text, bigint),
  ledger_make_partition(text, text, bigint, bigint),
  ledger_make_months(integer), ledger_transfer_digest(ledger_transfers), ledger_begin_month(bigint, bigint),
  ledger_lock_rows(text[], text[]),
  ledger_append(ledger_owners[], ledger_keys[], ledger_grants[], ledger_transfers[], ledger_entries[]),
  ledger_post(jsonb), ledger_use_many(jsonb), ledger_from_plan(bigint, bigint, bigint), ledger_usage_hash(text, text, bigint),
  ledger_use(text, text, bigint, text, timestamptz, text, text),
  ledger_post_one(text, text, timestamptz, text, text, text, text, bigint, text, text, text, text, text, jsonb) FROM PUBLIC;
GRANT SELECT ON ledger_owners, ledger_keys, ledger_transfers, ledger_entries, ledger_balances, ledger_grant_sums
  TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_use_many(jsonb), ledger_use(text, text, bigint, text, timestamptz, text, text) TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_post(jsonb), ledger_make_months(integer),
  ledger_post_one(text, text, timestamptz, text, text, text, text, bigint, text, text, text, text, text, jsonb) TO tidemark_worker;
