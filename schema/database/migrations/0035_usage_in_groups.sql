-- Usage that is reported together is decided in one loop over arrays and written by one statement for each table (decision 149).

-- The same hash, put together as text instead of jsonb that is printed: jsonb orders its keys by their length.
CREATE OR REPLACE FUNCTION ledger_usage_hash(owner_kind text, owner_id text, credits bigint) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to('{"kind": "usage", "credits": ' || credits || ', "owner_id": ' || to_json(owner_id)
    || ', "owner_kind": ' || to_json(owner_kind) || '}', 'UTF8'))
$$;

-- What `ledger_transfer_digest` makes of a usage, in the same way.
CREATE FUNCTION ledger_usage_digest(
  idempotency_key text, input_hash bytea, occurred_at timestamptz, posted_at timestamptz, actor text, reason text
) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to('[2, ' || to_json(idempotency_key) || ', "usage", null, "' || encode(input_hash, 'hex') || '", '
    || (extract(epoch FROM occurred_at) * 1000000)::bigint || ', ' || (extract(epoch FROM posted_at) * 1000000)::bigint
    || ', null, null, ' || to_json(actor) || ', ' || to_json(reason) || ']', 'UTF8'))
$$;

-- As before, with one statement where nobody is missing: that is asked once, before the first row is locked.
CREATE OR REPLACE FUNCTION ledger_take_rows(owner_kinds text[], owner_ids text[]) RETURNS ledger_owners[] LANGUAGE plpgsql AS $$
DECLARE
  -- Rows are locked after they were sorted, and an id never changes.
  owners ledger_owners[] := ARRAY(
    SELECT o FROM ledger_owners o
    WHERE o.owner_id = ANY (owner_ids)
      AND (SELECT count(*) FROM ledger_owners known WHERE known.owner_id = ANY (owner_ids)) = cardinality(owner_ids)
    ORDER BY o.owner_id FOR NO KEY UPDATE);
BEGIN
  IF cardinality(owners) < cardinality(owner_ids) THEN
    -- Before anything is locked, so that nobody who waits here is waited for by who locks there.
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
    owners := ARRAY(SELECT o FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) ORDER BY o.owner_id FOR NO KEY UPDATE);
  END IF;
  RETURN owners;
END
$$;

DROP FUNCTION ledger_use_many(jsonb);

-- Decides usages of several owners: each owner's in the given order, with what those before left, as `ledger_use` would one by one. Usages come
-- as arrays of one length, those of an owner side by side; `owner_ids` are distinct, and `firsts` says where each owner's begin. Unless it `waits`,
-- there is nothing in the result for owners whose row somebody has locked, nor for those that are new: nothing was decided for them.
CREATE FUNCTION ledger_use_many(
  owner_kinds text[], owner_ids text[], firsts integer[],
  payer_ids text[], credits bigint[], idempotency_keys text[], occurred_at timestamptz[], actors text[], reasons text[], waits boolean
) RETURNS TABLE (ordinal integer, outcome text, transfer_id bigint, plan bigint, purchased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  owners ledger_owners[] := CASE WHEN waits THEN ledger_take_rows(owner_kinds, owner_ids)
    ELSE ARRAY(SELECT o FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) FOR NO KEY UPDATE SKIP LOCKED) END;
  owner ledger_owners;
  count integer := cardinality(idempotency_keys);
  used_account bigint;
  is_known boolean;
  -- Of each usage: what its key stands for, if it was posted before or is by now, and when it is posted now, as a transfer or as which report of a sum.
  ids bigint[] := array_fill(NULL::bigint, ARRAY[count]);
  hashes bytea[] := array_fill(NULL::bytea, ARRAY[count]);
  posted_at timestamptz[] := array_fill(NULL::timestamptz, ARRAY[count]);
  reports integer[] := array_fill(NULL::integer, ARRAY[count]);
  new_entries ledger_entries[] := '{}';
  has_reports boolean := false;
  -- The owners' rows as they are then.
  changed ledger_owners[] := '{}';
  is_changed boolean;
  moment timestamptz;
  used bigint;
  from_plan bigint;
  hash_of_input bytea;
  digest bytea;
  chain bytea;
  n integer;
  k integer;
BEGIN
  -- In a statement of its own, after the locks: whoever posted for these owners before is seen. Each key is looked up by itself, whatever plan a
  -- connection made when the table was small.
  SELECT house.id, EXISTS (
    SELECT FROM unnest(payer_ids, idempotency_keys) AS given (owner_id, idempotency_key),
      LATERAL (SELECT FROM ledger_keys WHERE owner_id = given.owner_id AND idempotency_key = given.idempotency_key OFFSET 0) k)
  INTO used_account, is_known
  FROM ledger_accounts house WHERE house.owner_id = 'house' AND house.name = 'used';
  IF is_known THEN
    SELECT array_agg(k.transfer_id ORDER BY given.ordinal), array_agg(k.input_hash ORDER BY given.ordinal) INTO ids, hashes
    FROM unnest(payer_ids, idempotency_keys) WITH ORDINALITY AS given (owner_id, idempotency_key, ordinal)
    LEFT JOIN LATERAL (SELECT * FROM ledger_keys WHERE owner_id = given.owner_id AND idempotency_key = given.idempotency_key OFFSET 0) k ON true;
  END IF;

  FOR i IN 1..cardinality(owners) LOOP
    owner := owners[i];
    n := array_position(owner_ids, owner.owner_id);
    IF owner.owner_kind <> owner_kinds[n] THEN
      RAISE EXCEPTION '% is an owner of another kind', owner.owner_id USING ERRCODE = 'LG002';
    END IF;
    -- What comes together is of one sum.
    IF owner.unposted_until <= occurred_at[firsts[n]]
      OR owner.unposted_transfer_id IS NOT NULL AND owner.unposted_reports + count > ledger_reports_max() THEN
      owner := ledger_post_sum(owner);
    END IF;
    from_plan := ledger_unposted_plan(owner.plan_balance, owner.unposted_credits);
    plan := owner.plan_balance - from_plan;
    purchased := owner.purchased_balance - (owner.unposted_credits - from_plan);
    moment := clock_timestamp();
    is_changed := false;
    FOR j IN firsts[n]..coalesce(firsts[n + 1] - 1, count) LOOP
      ordinal := j;
      used := credits[j];
      IF used <= 0 THEN
        RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
      END IF;
      hash_of_input := ledger_usage_hash(owner.owner_kind, owner.owner_id, used);
      k := array_position(idempotency_keys, idempotency_keys[j], firsts[n]);
      WHILE k < j AND ids[k] IS NULL LOOP
        k := array_position(idempotency_keys, idempotency_keys[j], k + 1);
      END LOOP;
      IF ids[k] IS NOT NULL THEN
        outcome := CASE WHEN hashes[k] = hash_of_input THEN 'replayed' ELSE 'conflict' END;
        transfer_id := ids[k];
        RETURN NEXT;
        CONTINUE;
      END IF;
      from_plan := ledger_from_plan(plan, purchased, used);
      IF from_plan IS NULL THEN
        outcome := 'refused';
        transfer_id := NULL;
        RETURN NEXT;
        CONTINUE;
      END IF;

      plan := plan - from_plan;
      purchased := purchased - (used - from_plan);
      IF owner.sums_usage THEN
        IF owner.unposted_transfer_id IS NULL THEN
          owner := ledger_open_sum(owner, occurred_at[j]);
        END IF;
        transfer_id := owner.unposted_transfer_id;
        owner.unposted_credits := owner.unposted_credits + used;
        owner.unposted_reports := owner.unposted_reports + 1;
        owner.reports_version := owner.reports_version + 1;
        reports[j] := owner.unposted_reports;
        has_reports := true;
      ELSE
        transfer_id := nextval('ledger_transfers_id_seq');
        IF transfer_id >> 40 < ledger_month_of(moment) THEN
          transfer_id := ledger_begin_month(ledger_month_of(moment), transfer_id);
        END IF;
        digest := ledger_usage_digest(idempotency_keys[j], hash_of_input, occurred_at[j], moment, actors[j], reasons[j]);
        IF from_plan > 0 THEN
          owner.plan_version := owner.plan_version + 1;
          owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, -from_plan, owner.plan_version, plan);
          chain := owner.plan_hash;
          new_entries := new_entries || ROW(transfer_id, owner.plan_account_id, -from_plan, owner.plan_version, plan, owner.owner_id,
            chain)::ledger_entries;
        END IF;
        IF from_plan < used THEN
          owner.purchased_version := owner.purchased_version + 1;
          owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, from_plan - used,
            owner.purchased_version, purchased);
          -- The entry of the house hangs on the owner's last one, in the order of the accounts' ids.
          IF from_plan = 0 OR owner.plan_account_id < owner.purchased_account_id THEN
            chain := owner.purchased_hash;
          END IF;
          new_entries := new_entries || ROW(transfer_id, owner.purchased_account_id, from_plan - used, owner.purchased_version, purchased,
            owner.owner_id, owner.purchased_hash)::ledger_entries;
        END IF;
        new_entries := new_entries || ROW(transfer_id, used_account, used, NULL, NULL, owner.owner_id,
          ledger_entry_hash(chain, digest, used_account, used, NULL, NULL))::ledger_entries;
        owner.last_transfer_id := transfer_id;
      END IF;
      ids[j] := transfer_id;
      hashes[j] := hash_of_input;
      posted_at[j] := moment;
      is_changed := true;
      outcome := 'posted';
      RETURN NEXT;
    END LOOP;
    IF is_changed THEN
      IF NOT owner.sums_usage THEN
        owner.plan_balance := plan;
        owner.purchased_balance := purchased;
      END IF;
      changed := changed || owner;
    END IF;
  END LOOP;

  IF cardinality(changed) = 0 THEN
    RETURN;
  END IF;
  INSERT INTO ledger_keys
  SELECT t.owner_id, t.idempotency_key, t.id, 2, t.input_hash
  FROM unnest(payer_ids, idempotency_keys, ids, hashes, posted_at) AS t (owner_id, idempotency_key, id, input_hash, posted_at)
  WHERE t.posted_at IS NOT NULL;
  IF has_reports THEN
    INSERT INTO ledger_reports (transfer_id, occurred_at, reported_at, credits, ordinal, owner_id, idempotency_key, actor, reason)
    SELECT t.id, t.occurred_at, t.posted_at, t.credits, t.report, t.owner_id, t.idempotency_key, t.actor, t.reason
    FROM unnest(payer_ids, idempotency_keys, ids, posted_at, reports, occurred_at, credits, actors, reasons)
      AS t (owner_id, idempotency_key, id, posted_at, report, occurred_at, credits, actor, reason)
    WHERE t.report IS NOT NULL;
  END IF;
  IF cardinality(new_entries) > 0 THEN
    -- The act has its default.
    INSERT INTO ledger_transfers (id, occurred_at, posted_at, format, owner_id, idempotency_key, kind, input_hash, actor, reason)
    SELECT t.id, t.occurred_at, t.posted_at, 2, t.owner_id, t.idempotency_key, 'usage', t.input_hash, t.actor, t.reason
    FROM unnest(payer_ids, idempotency_keys, ids, hashes, posted_at, reports, occurred_at, actors, reasons)
      AS t (owner_id, idempotency_key, id, input_hash, posted_at, report, occurred_at, actor, reason)
    WHERE t.posted_at IS NOT NULL AND t.report IS NULL;
    INSERT INTO ledger_entries SELECT * FROM unnest(new_entries);
  END IF;
  UPDATE ledger_owners o
  SET last_transfer_id = n.last_transfer_id, plan_version = n.plan_version, plan_balance = n.plan_balance, plan_hash = n.plan_hash,
    purchased_version = n.purchased_version, purchased_balance = n.purchased_balance, purchased_hash = n.purchased_hash,
    reports_version = n.reports_version, unposted_transfer_id = n.unposted_transfer_id, unposted_credits = n.unposted_credits,
    unposted_reports = n.unposted_reports, unposted_since = n.unposted_since, unposted_until = n.unposted_until
  FROM unnest(changed) n
  WHERE o.owner_id = n.owner_id;
END
$$;

REVOKE ALL ON FUNCTION ledger_use_many(text[], text[], integer[], text[], bigint[], text[], timestamptz[], text[], text[], boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_use_many(text[], text[], integer[], text[], bigint[], text[], timestamptz[], text[], text[], boolean) TO tidemark_server;
