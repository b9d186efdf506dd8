-- Usage of an owner whose plan allows it is summed: one transfer a minute, and each report kept beside it (decision 142).

ALTER TABLE ledger_owners
  -- Whether usage is summed. The worker says so, by the owner's plan.
  ADD COLUMN sums_usage boolean NOT NULL DEFAULT false,
  -- Counts the reports of all sums, for good, so that each changes the version of the balance.
  ADD COLUMN reports_version bigint NOT NULL DEFAULT 0,
  -- The sum that is open: under which id it will be posted, what it has so far, since when (by this clock), and until when usage may have
  -- occurred that it takes (by the product's). Without one all of it is null or zero.
  ADD COLUMN unposted_credits bigint NOT NULL DEFAULT 0,
  ADD COLUMN unposted_reports integer NOT NULL DEFAULT 0,
  ADD COLUMN unposted_transfer_id bigint,
  ADD COLUMN unposted_since timestamptz,
  ADD COLUMN unposted_until timestamptz;
-- Changes when a sum is begun and when it is posted, and with no report between.
CREATE INDEX ledger_owners_unposted ON ledger_owners (unposted_since) WHERE unposted_since IS NOT NULL;

-- A report of usage that is part of a sum. Its transfer has this id; until that is posted, its owner's row. Its key is in `ledger_keys`, as that
-- of any usage, with the same id.
CREATE TABLE ledger_reports (
  transfer_id bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  reported_at timestamptz NOT NULL,
  credits bigint NOT NULL,
  -- Within the sum, from 1.
  ordinal integer NOT NULL,
  owner_id text NOT NULL,
  idempotency_key text NOT NULL,
  actor text NOT NULL,
  reason text NOT NULL,
  PRIMARY KEY (owner_id, transfer_id, ordinal)
) PARTITION BY RANGE (transfer_id);

CREATE TRIGGER ledger_reports_append_only BEFORE UPDATE OR DELETE ON ledger_reports
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_reports_no_truncate BEFORE TRUNCATE ON ledger_reports
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- A report lies in the month of its transfer, wherever transfers lie.
SELECT ledger_make_partition('ledger_reports', 'ledger_reports_early', 0, ledger_first_id(1));
SELECT ledger_make_partition('ledger_reports', ledger_partition_of('ledger_reports', month), ledger_first_id(month), ledger_first_id(month + 1))
FROM generate_series(1, ledger_month_of(now()) + 1200) month
WHERE to_regclass(ledger_partition_of('public.ledger_entries', month)) IS NOT NULL;

CREATE OR REPLACE FUNCTION ledger_make_months(ahead integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  parent text;
  month bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('ledger_make_months', 0));
  -- Entries last: a month has begun to be there when they are.
  FOREACH parent IN ARRAY ARRAY['ledger_transfers', 'ledger_reports', 'ledger_entries'] LOOP
    FOR month IN SELECT generate_series(ledger_month_of(now()), ledger_month_of(now()) + ahead) LOOP
      IF to_regclass(ledger_partition_of('public.' || parent, month)) IS NULL THEN
        PERFORM ledger_make_partition(parent, ledger_partition_of(parent, month), ledger_first_id(month), ledger_first_id(month + 1));
      END IF;
    END LOOP;
  END LOOP;
END
$$;

-- A sum with more reports would keep its owner's row locked for too long when it is posted.
CREATE FUNCTION ledger_reports_max() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 2000
$$;

-- How much of what is not posted yet the plan account will pay: as far as it is above zero.
CREATE FUNCTION ledger_unposted_plan(plan bigint, unposted bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT least(greatest(plan, 0), unposted)
$$;

CREATE FUNCTION ledger_draw_id(posted_at timestamptz) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  id bigint := nextval('ledger_transfers_id_seq');
BEGIN
  IF id >> 40 < ledger_month_of(posted_at) THEN
    RETURN ledger_begin_month(ledger_month_of(posted_at), id);
  END IF;
  RETURN id;
END
$$;

-- Begins a sum in the owner's row, which is locked and is written by the caller. It takes what occurs in this minute: no sum is of two days,
-- in whatever time zone, and none of two billing months by more than that.
CREATE FUNCTION ledger_open_sum(owner ledger_owners, occurred_at timestamptz) RETURNS ledger_owners LANGUAGE plpgsql AS $$
BEGIN
  owner.unposted_since := clock_timestamp();
  owner.unposted_until := date_trunc('minute', occurred_at) + interval '1 minute';
  owner.unposted_transfer_id := ledger_draw_id(owner.unposted_since);
  RETURN owner;
END
$$;

-- What the hash of a sum's input is made of, for each of its reports.
CREATE FUNCTION ledger_report_text(report ledger_reports) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT jsonb_build_array(report.ordinal, report.idempotency_key, report.credits,
    (extract(epoch FROM report.occurred_at) * 1000000)::bigint, (extract(epoch FROM report.reported_at) * 1000000)::bigint,
    report.actor, report.reason)::text || E'\n'
$$;

-- Posts the open sum of an owner, whose row is locked, as one usage, and returns the row as it is then. The reports are part of its input: none can
-- be changed without the hashes that follow. Whose act it was that posted it says nothing about who used the credits.
CREATE FUNCTION ledger_post_sum(owner ledger_owners) RETURNS ledger_owners LANGUAGE plpgsql SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  transfer ledger_transfers;
  credits bigint := owner.unposted_credits;
  from_plan bigint := ledger_unposted_plan(owner.plan_balance, owner.unposted_credits);
  reports bigint;
  reported bigint;
  digest bytea;
  chain bytea;
BEGIN
  transfer.id := owner.unposted_transfer_id;
  transfer.owner_id := owner.owner_id;
  transfer.idempotency_key := 'usage_sums/' || owner.owner_id || '/' || transfer.id;
  transfer.kind := 'usage';
  transfer.format := 2;
  transfer.posted_at := clock_timestamp();
  SELECT count(*), sum(r.credits), max(r.occurred_at), sha256(convert_to(string_agg(ledger_report_text(r), '' ORDER BY r.ordinal), 'UTF8')),
    CASE WHEN min(r.actor) = max(r.actor) THEN min(r.actor) ELSE 'several' END,
    CASE WHEN count(*) = 1 THEN min(r.reason) ELSE count(*) || ' reports of usage' END
  INTO reports, reported, transfer.occurred_at, transfer.input_hash, transfer.actor, transfer.reason
  FROM ledger_reports r WHERE r.owner_id = transfer.owner_id AND r.transfer_id = transfer.id;
  IF (reports, reported) IS DISTINCT FROM (owner.unposted_reports::bigint, credits) THEN
    RAISE EXCEPTION 'The reports of transfer % are not those of its owner''s row', transfer.id USING ERRCODE = 'data_corrupted';
  END IF;

  INSERT INTO ledger_keys VALUES (transfer.owner_id, transfer.idempotency_key, transfer.id, 2, transfer.input_hash);
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
  INSERT INTO ledger_transfers (id, occurred_at, posted_at, act_id, format, owner_id, idempotency_key, kind, input_hash, actor, reason)
  VALUES (transfer.id, transfer.occurred_at, transfer.posted_at, NULL, 2, transfer.owner_id, transfer.idempotency_key, 'usage',
    transfer.input_hash, transfer.actor, transfer.reason);
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

  owner.last_transfer_id := transfer.id;
  owner.unposted_credits := 0;
  owner.unposted_reports := 0;
  owner.unposted_transfer_id := NULL;
  owner.unposted_since := NULL;
  owner.unposted_until := NULL;
  UPDATE ledger_owners o SET last_transfer_id = transfer.id, plan_version = owner.plan_version, plan_balance = owner.plan_balance,
    plan_hash = owner.plan_hash, purchased_version = owner.purchased_version, purchased_balance = owner.purchased_balance,
    purchased_hash = owner.purchased_hash,
    unposted_credits = 0, unposted_reports = 0, unposted_transfer_id = NULL, unposted_since = NULL, unposted_until = NULL
  WHERE o.owner_id = transfer.owner_id;
  RETURN owner;
END
$$;

-- Locks the rows of these owners, who are distinct, in the order of their ids, and returns them in that order. Makes those that are missing.
ALTER FUNCTION ledger_lock_rows(text[], text[]) RENAME TO ledger_take_rows;

-- The same for whoever posts or decides anything but usage: what is summed is posted before.
CREATE FUNCTION ledger_lock_rows(owner_kinds text[], owner_ids text[]) RETURNS ledger_owners[] LANGUAGE plpgsql AS $$
DECLARE
  owners ledger_owners[] := ledger_take_rows(owner_kinds, owner_ids);
BEGIN
  FOR i IN 1..cardinality(owners) LOOP
    IF owners[i].unposted_transfer_id IS NOT NULL THEN
      owners[i] := ledger_post_sum(owners[i]);
    END IF;
  END LOOP;
  RETURN owners;
END
$$;

-- Says whether an owner's usage is summed from now on. What was summed until now is posted.
CREATE FUNCTION ledger_sum_usage(owner_kind text, owner_id text, sums_usage boolean) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock_rows(ARRAY[ledger_sum_usage.owner_kind], ARRAY[ledger_sum_usage.owner_id]);
  UPDATE ledger_owners o SET sums_usage = ledger_sum_usage.sums_usage WHERE o.owner_id = ledger_sum_usage.owner_id;
END
$$;

-- Posts sums that were begun at least so long ago, the oldest first and at most so many, and says how many. An owner that somebody has locked is left
-- to them: whoever posts, posts the sum. So is one whose reports somebody has tampered with: it keeps nobody else's from being posted.
CREATE FUNCTION ledger_post_sums(older_than interval, sums_max integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  owners ledger_owners[] := ARRAY(
    SELECT o FROM ledger_owners o WHERE o.unposted_since <= clock_timestamp() - older_than
    ORDER BY o.unposted_since LIMIT sums_max FOR NO KEY UPDATE SKIP LOCKED);
  posted integer := 0;
BEGIN
  FOR i IN 1..cardinality(owners) LOOP
    BEGIN
      PERFORM ledger_post_sum(owners[i]);
      posted := posted + 1;
    EXCEPTION WHEN data_corrupted THEN
      RAISE WARNING '%', SQLERRM;
    END;
  END LOOP;
  RETURN posted;
END
$$;

-- Balances without what is not posted yet.
CREATE OR REPLACE VIEW ledger_balances AS
SELECT o.owner_kind, o.owner_id, head.account, head.account_id, head.version, head.balance
FROM ledger_owners o
CROSS JOIN LATERAL (SELECT ledger_unposted_plan(o.plan_balance, o.unposted_credits) AS plan) unposted
CROSS JOIN LATERAL (VALUES
  ('plan', o.plan_account_id, o.plan_version, o.plan_balance - unposted.plan),
  ('purchased', o.purchased_account_id, o.purchased_version, o.purchased_balance - (o.unposted_credits - unposted.plan)))
  AS head (account, account_id, version, balance);

-- What is not posted yet counts as used.
CREATE OR REPLACE FUNCTION ledger_books(owner_kind text, owner_id text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH grants AS (
    SELECT g.* FROM ledger_grant_sums g
    WHERE g.owner_kind = ledger_books.owner_kind AND g.owner_id = ledger_books.owner_id
  ), closed AS (
    SELECT m.stripe_subscription_id, m.month_starts_at AS starts_at, m.used FROM ledger_months_used m
    WHERE m.owner_kind = ledger_books.owner_kind AND m.owner_id = ledger_books.owner_id
  ), balances AS (
    SELECT coalesce(max(o.plan_balance - ledger_unposted_plan(o.plan_balance, o.unposted_credits)), 0) AS plan,
      coalesce(max(o.plan_version), 0) AS plan_version,
      coalesce(max(o.purchased_balance - o.unposted_credits + ledger_unposted_plan(o.plan_balance, o.unposted_credits)), 0) AS purchased,
      coalesce(max(o.purchased_version), 0) AS purchased_version, coalesce(bool_or(o.sums_usage), false) AS sums_usage
    FROM ledger_owners o WHERE o.owner_kind = ledger_books.owner_kind AND o.owner_id = ledger_books.owner_id
  )
  SELECT jsonb_build_object(
    'sums_usage', balances.sums_usage,
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

-- As before; usage of an owner that sums is a report of the owner's open sum.
CREATE OR REPLACE FUNCTION ledger_use_many(usages jsonb)
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
  -- When each owner's first usage occurred.
  begins timestamptz[] := '{}';
  -- The owners' rows in the order of their ids, with the latest entries so far.
  owners ledger_owners[];
  used_account bigint;
  -- What was there first, then what is new.
  key_names text[] := '{}';
  keys ledger_keys[];
  known_keys integer;
  new_reports ledger_reports[] := '{}';
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
      begins := begins || (item ->> 'occurred_at')::timestamptz;
    END IF;
  END LOOP;

  owners := ledger_take_rows(owner_kinds, owner_ids);
  FOR i IN 1..cardinality(owners) LOOP
    owner := owners[i];
    CONTINUE WHEN owner.unposted_transfer_id IS NULL;
    -- What comes together is of one sum.
    IF owner.unposted_until <= begins[array_position(owner_ids, owner.owner_id)]
      OR owner.unposted_reports + jsonb_array_length(usages) > ledger_reports_max() THEN
      owners[i] := ledger_post_sum(owner);
    END IF;
  END LOOP;
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
    from_plan := ledger_unposted_plan(owner.plan_balance, owner.unposted_credits);
    plan := owner.plan_balance - from_plan;
    purchased := owner.purchased_balance - (owner.unposted_credits - from_plan);
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
    IF owner.sums_usage THEN
      IF owner.unposted_transfer_id IS NULL THEN
        owner := ledger_open_sum(owner, transfer.occurred_at);
      END IF;
      owner.unposted_credits := owner.unposted_credits + credits;
      owner.unposted_reports := owner.unposted_reports + 1;
      owner.reports_version := owner.reports_version + 1;
      owners[n] := owner;
      new_reports := new_reports || ROW(owner.unposted_transfer_id, transfer.occurred_at, transfer.posted_at, credits,
        owner.unposted_reports, owner.owner_id, transfer.idempotency_key, transfer.actor, transfer.reason)::ledger_reports;
      key_names := key_names || transfer.idempotency_key;
      keys := keys || ROW(owner.owner_id, transfer.idempotency_key, owner.unposted_transfer_id, 2, hash_of_input)::ledger_keys;
      outcome := 'posted'; transfer_id := owner.unposted_transfer_id;
      plan := plan - from_plan; purchased := purchased - (credits - from_plan);
      RETURN NEXT;
      CONTINUE;
    END IF;
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
  ELSIF cardinality(new_reports) > 0 THEN
    INSERT INTO ledger_keys SELECT * FROM unnest(keys[known_keys + 1:]);
  END IF;
  IF cardinality(new_reports) > 0 THEN
    INSERT INTO ledger_reports SELECT * FROM unnest(new_reports);
    UPDATE ledger_owners o
    SET unposted_transfer_id = n.unposted_transfer_id, unposted_credits = n.unposted_credits, unposted_reports = n.unposted_reports,
      unposted_since = n.unposted_since, unposted_until = n.unposted_until, reports_version = n.reports_version
    FROM unnest(owners) n
    WHERE o.owner_id = n.owner_id AND o.reports_version < n.reports_version;
  END IF;
END
$$;

-- The same for one usage, in as few statements as there are tables: while the sum of an owner is open that is its row, the key and the report. Whether
-- its key is new is known when it is inserted: only then, and when it is refused, does anybody look for what was posted before.
CREATE OR REPLACE FUNCTION ledger_use(
  owner_kind text, owner_id text, credits bigint, idempotency_key text, occurred_at timestamptz, actor text, reason text,
  OUT outcome text, OUT transfer_id bigint, OUT plan bigint, OUT purchased bigint
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  owner ledger_owners;
  transfer ledger_transfers;
  report integer;
  unposted bigint;
  from_plan bigint;
  digest bytea;
  chain bytea;
BEGIN
  IF credits <= 0 THEN
    RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
  END IF;
  -- Plans that are summed are those of organizations. It would be right to try this for anybody, and one statement more for those whose usage is not.
  IF ledger_use.owner_kind = 'organization' THEN
    UPDATE ledger_owners o SET unposted_credits = o.unposted_credits + credits, unposted_reports = o.unposted_reports + 1,
      reports_version = o.reports_version + 1
    WHERE o.owner_id = ledger_use.owner_id AND o.owner_kind = 'organization'
      AND o.unposted_until > ledger_use.occurred_at AND o.unposted_reports < ledger_reports_max()
      AND o.plan_balance + o.purchased_balance - o.unposted_credits >= credits
    RETURNING o.unposted_transfer_id, o.unposted_reports, o.unposted_credits, o.plan_balance, o.purchased_balance
    INTO transfer_id, report, unposted, plan, purchased;
    IF FOUND THEN
      INSERT INTO ledger_keys VALUES (ledger_use.owner_id, ledger_use.idempotency_key, transfer_id, 2,
        ledger_usage_hash('organization', ledger_use.owner_id, credits)) ON CONFLICT DO NOTHING;
      IF FOUND THEN
        INSERT INTO ledger_reports VALUES (transfer_id, ledger_use.occurred_at, clock_timestamp(), credits, report, ledger_use.owner_id,
          ledger_use.idempotency_key, ledger_use.actor, ledger_use.reason);
        from_plan := ledger_unposted_plan(plan, unposted);
        outcome := 'posted'; plan := plan - from_plan; purchased := purchased - (unposted - from_plan);
        RETURN;
      END IF;
      -- Reported before. Nobody has seen the row as it was meanwhile.
      UPDATE ledger_owners o SET unposted_credits = o.unposted_credits - credits, unposted_reports = o.unposted_reports - 1,
        reports_version = o.reports_version - 1
      WHERE o.owner_id = ledger_use.owner_id;
    END IF;
  END IF;

  SELECT * INTO owner FROM ledger_owners o WHERE o.owner_id = ledger_use.owner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    owner := (ledger_take_rows(ARRAY[ledger_use.owner_kind], ARRAY[ledger_use.owner_id]))[1];
  END IF;
  IF owner.owner_kind <> ledger_use.owner_kind THEN
    RAISE EXCEPTION '% is an owner of another kind', owner.owner_id USING ERRCODE = 'LG002';
  END IF;
  IF owner.unposted_until <= ledger_use.occurred_at OR owner.unposted_reports >= ledger_reports_max() THEN
    owner := ledger_post_sum(owner);
  END IF;
  from_plan := ledger_unposted_plan(owner.plan_balance, owner.unposted_credits);
  plan := owner.plan_balance - from_plan;
  purchased := owner.purchased_balance - (owner.unposted_credits - from_plan);
  from_plan := ledger_from_plan(plan, purchased, credits);

  IF from_plan IS NOT NULL THEN
    IF owner.sums_usage THEN
      IF owner.unposted_transfer_id IS NULL THEN
        owner := ledger_open_sum(owner, ledger_use.occurred_at);
      END IF;
      transfer.id := owner.unposted_transfer_id;
      transfer.input_hash := ledger_usage_hash(owner.owner_kind, owner.owner_id, credits);
    ELSE
      transfer := ROW(nextval('ledger_transfers_id_seq'), ledger_use.occurred_at, clock_timestamp(), NULL, NULL, 2, owner.owner_id,
        ledger_use.idempotency_key, 'usage', ledger_usage_hash(owner.owner_kind, owner.owner_id, credits), NULL, ledger_use.actor,
        ledger_use.reason, NULL)::ledger_transfers;
      IF transfer.id >> 40 < ledger_month_of(transfer.posted_at) THEN
        transfer.id := ledger_begin_month(ledger_month_of(transfer.posted_at), transfer.id);
      END IF;
    END IF;
    INSERT INTO ledger_keys VALUES (owner.owner_id, ledger_use.idempotency_key, transfer.id, 2, transfer.input_hash)
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
    RETURN;
  END IF;
  IF owner.sums_usage THEN
    INSERT INTO ledger_reports VALUES (transfer.id, ledger_use.occurred_at, clock_timestamp(), credits, owner.unposted_reports + 1,
      owner.owner_id, ledger_use.idempotency_key, ledger_use.actor, ledger_use.reason);
    UPDATE ledger_owners o SET unposted_credits = owner.unposted_credits + credits, unposted_reports = owner.unposted_reports + 1,
      reports_version = owner.reports_version + 1, unposted_transfer_id = transfer.id,
      unposted_since = owner.unposted_since, unposted_until = owner.unposted_until
    WHERE o.owner_id = ledger_use.owner_id;
    outcome := 'posted'; transfer_id := transfer.id; plan := plan - from_plan; purchased := purchased - (credits - from_plan);
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
-- As before; a sum that is open is posted first.
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

REVOKE ALL ON FUNCTION ledger_reports_max(), ledger_unposted_plan(bigint, bigint), ledger_draw_id(timestamptz),
  ledger_open_sum(ledger_owners, timestamptz), ledger_report_text(ledger_reports), ledger_post_sum(ledger_owners),
  ledger_lock_rows(text[], text[]), ledger_sum_usage(text, text, boolean), ledger_post_sums(interval, integer) FROM PUBLIC;
GRANT SELECT ON ledger_reports TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_unposted_plan(bigint, bigint) TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_sum_usage(text, text, boolean), ledger_post_sums(interval, integer) TO tidemark_worker;
