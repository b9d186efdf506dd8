-- Posting and usage by sets (decision 121): one statement locks, a few read what is there for the whole batch, what follows is worked
-- out in memory, and one statement each inserts all grants, transfers and entries. The hashes are made as before.

-- Locks both accounts of each owner, always in the order of their ids, and returns the ids in that order. Makes those that are
-- missing. The owners are distinct.
CREATE FUNCTION ledger_lock_accounts(owner_kinds text[], owner_ids text[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  account_ids bigint[];
BEGIN
  FOR attempt IN 1..2 LOOP
    SELECT coalesce(array_agg(a.id ORDER BY a.id), '{}') INTO account_ids
    FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id)
    CROSS JOIN LATERAL (SELECT id FROM ledger_accounts
      WHERE ledger_accounts.owner_kind = named.owner_kind AND ledger_accounts.owner_id = named.owner_id OFFSET 0) a;
    EXIT WHEN cardinality(account_ids) = 2 * cardinality(owner_ids);
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT named.owner_kind, named.owner_id, account.name
    FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id), unnest(ARRAY['plan', 'purchased']) AS account (name)
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
  END LOOP;
  -- Rows are locked after they were sorted, and an id never changes.
  PERFORM FROM ledger_accounts a WHERE a.id = ANY (account_ids) ORDER BY a.id FOR NO KEY UPDATE;
  RETURN account_ids;
END
$$;

-- The latest entry of each account, in the order of the ids; version and balance are 0 and the hash is NULL where there is none.
CREATE FUNCTION ledger_heads(account_ids bigint[]) RETURNS ledger_entries[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (
    SELECT array_agg(
      ROW(head.transfer_id, account.id, head.amount, coalesce(head.version, 0), coalesce(head.balance_after, 0), head.hash)::ledger_entries
      ORDER BY account.position)
    FROM unnest(account_ids) WITH ORDINALITY AS account (id, position)
    LEFT JOIN LATERAL (
      SELECT e.transfer_id, e.amount, e.version, e.balance_after, e.hash FROM ledger_entries e
      WHERE e.account_id = account.id AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1) head ON true);
END
$$;

-- The entry that follows an account's latest one.
CREATE FUNCTION ledger_next_entry(head ledger_entries, transfer_id bigint, digest bytea, credits bigint) RETURNS ledger_entries
LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(transfer_id, head.account_id, credits, head.version + 1, head.balance_after + credits,
    ledger_entry_hash(head.hash, digest, head.account_id, credits, head.version + 1, head.balance_after + credits))::ledger_entries
$$;

-- An entry of the house hangs on the owner's last one in its transfer.
CREATE FUNCTION ledger_house_entry(account_id bigint, chain bytea, transfer_id bigint, digest bytea, credits bigint) RETURNS ledger_entries
LANGUAGE sql IMMUTABLE AS $$
  SELECT ROW(transfer_id, account_id, credits, NULL, NULL,
    ledger_entry_hash(chain, digest, account_id, credits, NULL, NULL))::ledger_entries
$$;

-- Inserts what was worked out under the locks. Only another owner can have posted one of the keys meanwhile.
CREATE FUNCTION ledger_append(transfers ledger_transfers[], entries ledger_entries[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  inserted integer;
  taken_key text;
BEGIN
  INSERT INTO ledger_transfers (id, idempotency_key, kind, input_hash, occurred_at, posted_at, intent_id, event_id, actor, reason,
    format, grant_id) OVERRIDING SYSTEM VALUE
  SELECT t.id, t.idempotency_key, t.kind, t.input_hash, t.occurred_at, t.posted_at, t.intent_id, t.event_id, t.actor, t.reason,
    t.format, t.grant_id
  FROM unnest(transfers) t
  ON CONFLICT (idempotency_key) DO NOTHING;
  GET DIAGNOSTICS inserted = ROW_COUNT;
  IF inserted < cardinality(transfers) THEN
    SELECT t.idempotency_key INTO taken_key FROM unnest(transfers) t
    WHERE NOT EXISTS (SELECT FROM ledger_transfers posted WHERE posted.id = t.id) LIMIT 1;
    RAISE EXCEPTION 'Transfer % was posted before with another input', taken_key USING ERRCODE = 'LG001';
  END IF;
  INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, hash)
  SELECT e.transfer_id, e.account_id, e.amount, e.version, e.balance_after, e.hash FROM unnest(entries) e;
END
$$;

-- Posts a batch of transfers, one or many, in one round trip. Each is {idempotency_key, kind, occurred_at, intent_id, event_id,
-- actor, reason, grant, legs: [{owner_kind, owner_id, account, amount}]}. A key that was posted with the same input returns the first
-- result with posted = false. Errors: LG001 same key or grant with another input, LG002 legs that do not balance, name no account, or
-- one that is not the grant's, LG003 not enough credits: that of the first transfer that is wrong, and then nothing is posted.
CREATE OR REPLACE FUNCTION ledger_post(transfers jsonb)
RETURNS TABLE (ordinal bigint, transfer_id bigint, posted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  item record;
  given ledger_grants;
  known ledger_grants;
  new_grants ledger_grants[] := '{}';
  grant_ids text[] := '{}';
  transfer ledger_transfers;
  new_transfers ledger_transfers[] := '{}';
  keys text[] := '{}';
  entry ledger_entries;
  new_entries ledger_entries[] := '{}';
  account_ids bigint[];
  heads ledger_entries[];
  digest bytea;
  chain bytea;
  total bigint;
  n integer;
BEGIN
  SELECT ledger_lock_accounts(coalesce(array_agg(named.owner_kind), '{}'), coalesce(array_agg(named.owner_id), '{}')) INTO account_ids
  FROM (
    SELECT l.owner_kind, l.owner_id
    FROM jsonb_array_elements(transfers) t, jsonb_to_recordset(t.value -> 'legs') AS l (owner_kind text, owner_id text)
    WHERE l.owner_kind <> 'house'
    -- Whoever names a grant holds its owner's locks, so that nobody else can post it meanwhile.
    UNION
    SELECT t.value -> 'grant' ->> 'owner_kind', t.value -> 'grant' ->> 'owner_id'
    FROM jsonb_array_elements(transfers) t WHERE t.value -> 'grant' ->> 'owner_id' IS NOT NULL) named;
  heads := ledger_heads(account_ids);

  FOR item IN
    SELECT t.position, t.body, legs.*, posted.id AS posted_id, posted.input_hash AS posted_hash, known_grant.known_grant,
      ledger_input_hash(t.body, legs.given, coalesce(posted.format, 2::smallint)) AS input_hash
    FROM jsonb_array_elements(transfers) WITH ORDINALITY AS t (body, position)
    CROSS JOIN LATERAL (
      SELECT jsonb_agg(l.given ORDER BY l.given ->> 'owner_kind', l.given ->> 'owner_id', l.given ->> 'account') AS given,
        array_agg(l.account_id ORDER BY l.is_house, l.account_id) AS accounts,
        array_agg(l.is_house ORDER BY l.is_house, l.account_id) AS are_house,
        array_agg((l.given ->> 'amount')::bigint ORDER BY l.is_house, l.account_id) AS amounts,
        array_agg(NOT l.is_house AND (
          (l.given ->> 'owner_kind', l.given ->> 'owner_id') <> (t.body -> 'grant' ->> 'owner_kind', t.body -> 'grant' ->> 'owner_id')
          OR (l.given ->> 'account' <> t.body -> 'grant' ->> 'account' AND t.body ->> 'kind' <> 'settlement'))
          ORDER BY l.is_house, l.account_id) AS are_foreign
      FROM (
        SELECT leg.value AS given, leg.value ->> 'owner_kind' = 'house' AS is_house, (
          SELECT a.id FROM ledger_accounts a WHERE a.owner_kind = leg.value ->> 'owner_kind'
            AND a.owner_id = leg.value ->> 'owner_id' AND a.name = leg.value ->> 'account') AS account_id
        FROM jsonb_array_elements(t.body -> 'legs') leg) l) legs
    LEFT JOIN LATERAL (
      SELECT existing.id, existing.input_hash, existing.format FROM ledger_transfers existing
      WHERE existing.idempotency_key = t.body ->> 'idempotency_key' OFFSET 0) posted ON true
    LEFT JOIN LATERAL (
      SELECT g AS known_grant FROM ledger_grants g WHERE g.id = t.body -> 'grant' ->> 'id' OFFSET 0) known_grant ON true
    ORDER BY t.position
  LOOP
    given := jsonb_populate_record(NULL::ledger_grants, nullif(item.body -> 'grant', 'null'));
    IF given.id IS NULL THEN
      RAISE EXCEPTION 'Transfer % belongs to no grant', item.body ->> 'idempotency_key' USING ERRCODE = 'LG002';
    END IF;

    ordinal := item.position;
    n := array_position(keys, item.body ->> 'idempotency_key');
    IF item.posted_id IS NOT NULL OR n IS NOT NULL THEN
      IF coalesce(item.posted_hash, new_transfers[n].input_hash) <> item.input_hash THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', item.body ->> 'idempotency_key' USING ERRCODE = 'LG001';
      END IF;
      transfer_id := coalesce(item.posted_id, new_transfers[n].id); posted := false;
      RETURN NEXT;
      CONTINUE;
    END IF;

    n := array_position(grant_ids, given.id);
    known := CASE WHEN n IS NULL THEN item.known_grant ELSE new_grants[n] END;
    IF known.id IS NULL THEN
      given.created_at := clock_timestamp();
      grant_ids := grant_ids || given.id;
      new_grants := new_grants || given;
    ELSIF (known.owner_kind, known.owner_id, known.account, known.kind)
      IS DISTINCT FROM (given.owner_kind, given.owner_id, given.account, given.kind) THEN
      RAISE EXCEPTION 'Grant % was written down before for another owner, account or kind', given.id USING ERRCODE = 'LG001';
    END IF;

    transfer := jsonb_populate_record(NULL::ledger_transfers, item.body);
    transfer.id := nextval('ledger_transfers_id_seq');
    transfer.input_hash := item.input_hash;
    transfer.posted_at := clock_timestamp();
    transfer.format := 2;
    transfer.grant_id := given.id;
    digest := ledger_transfer_digest(transfer);
    chain := NULL;
    total := 0;
    FOR leg IN 1..coalesce(cardinality(item.accounts), 0) LOOP
      IF item.accounts[leg] IS NULL THEN
        RAISE EXCEPTION 'Transfer % names an account that does not exist', transfer.idempotency_key USING ERRCODE = 'LG002';
      END IF;
      IF item.are_house[leg] THEN
        entry := ledger_house_entry(item.accounts[leg], chain, transfer.id, digest, item.amounts[leg]);
      ELSE
        IF item.are_foreign[leg] THEN
          RAISE EXCEPTION 'Transfer % moves credits of an account that is not its grant''s', transfer.idempotency_key
            USING ERRCODE = 'LG002';
        END IF;
        n := array_position(account_ids, item.accounts[leg]);
        entry := heads[n];
        IF item.amounts[leg] < 0 AND entry.balance_after + item.amounts[leg] < 0 AND transfer.kind IN ('usage', 'credit_purchase') THEN
          RAISE EXCEPTION 'Account % has % credits, transfer % takes %', entry.account_id, entry.balance_after,
            transfer.idempotency_key, -item.amounts[leg] USING ERRCODE = 'LG003';
        END IF;
        entry := ledger_next_entry(entry, transfer.id, digest, item.amounts[leg]);
        heads[n] := entry;
        chain := entry.hash;
      END IF;
      new_entries := new_entries || entry;
      total := total + item.amounts[leg];
    END LOOP;
    IF item.accounts IS NULL OR total <> 0 THEN
      RAISE EXCEPTION 'Transfer % does not balance', transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;
    keys := keys || transfer.idempotency_key;
    new_transfers := new_transfers || transfer;
    transfer_id := transfer.id; posted := true;
    RETURN NEXT;
  END LOOP;

  IF cardinality(new_grants) > 0 THEN
    INSERT INTO ledger_grants SELECT * FROM unnest(new_grants) ON CONFLICT (id) DO NOTHING;
    GET DIAGNOSTICS n = ROW_COUNT;
    IF n < cardinality(new_grants) THEN
      RAISE EXCEPTION 'One of the grants % was written down before for another owner', grant_ids USING ERRCODE = 'LG001';
    END IF;
  END IF;
  IF cardinality(new_transfers) > 0 THEN
    PERFORM ledger_append(new_transfers, new_entries);
  END IF;
END
$$;

-- Spends credits of one owner or several, plan credits first. `usages` is an array of {owner_kind, owner_id, credits, idempotency_key,
-- occurred_at, actor, reason}; each is decided in its order, with what those before it left, and none fails the others. outcome:
-- 'posted', 'replayed' (the key was posted before), 'refused' (nothing posted: not enough was there), 'conflict' (nothing posted: the
-- key was posted before with another input). `plan` and `purchased` are the balances after the decision.
CREATE FUNCTION ledger_use_many(usages jsonb)
RETURNS TABLE (ordinal bigint, outcome text, transfer_id bigint, plan bigint, purchased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  usage record;
  transfer ledger_transfers;
  new_transfers ledger_transfers[] := '{}';
  keys text[] := '{}';
  entry ledger_entries;
  new_entries ledger_entries[] := '{}';
  owner_kinds text[];
  owner_ids text[];
  account_ids bigint[];
  used_account bigint;
  heads ledger_entries[];
  known_hash bytea;
  digest bytea;
  from_plan bigint;
  credits bigint;
  n integer;
BEGIN
  SELECT array_agg(named.owner_kind), array_agg(named.owner_id) INTO owner_kinds, owner_ids
  FROM (SELECT DISTINCT u.owner_kind, u.owner_id FROM jsonb_to_recordset(usages) AS u (owner_kind text, owner_id text)) named;
  account_ids := ledger_lock_accounts(owner_kinds, owner_ids);
  heads := ledger_heads(account_ids);
  used_account := (SELECT a.id FROM ledger_accounts a WHERE a.owner_kind = 'house' AND a.owner_id = 'house' AND a.name = 'used');

  FOR usage IN
    SELECT u.*, owner.plan_head, owner.purchased_head, known.id AS known_id, known.input_hash AS known_hash,
      sha256(convert_to(jsonb_build_object('kind', 'usage', 'owner_kind', u.owner_kind, 'owner_id', u.owner_id,
        'credits', u.credits)::text, 'UTF8')) AS input_hash
    FROM ROWS FROM (jsonb_to_recordset(usages) AS (owner_kind text, owner_id text, credits bigint, idempotency_key text,
      occurred_at timestamptz, actor text, reason text)) WITH ORDINALITY
      AS u (owner_kind, owner_id, credits, idempotency_key, occurred_at, actor, reason, position)
    JOIN (
      SELECT named.owner_kind, named.owner_id,
        (SELECT array_position(account_ids, a.id) FROM ledger_accounts a
          WHERE a.owner_kind = named.owner_kind AND a.owner_id = named.owner_id AND a.name = 'plan') AS plan_head,
        (SELECT array_position(account_ids, a.id) FROM ledger_accounts a
          WHERE a.owner_kind = named.owner_kind AND a.owner_id = named.owner_id AND a.name = 'purchased') AS purchased_head
      FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id) OFFSET 0) owner
      ON owner.owner_kind = u.owner_kind AND owner.owner_id = u.owner_id
    LEFT JOIN LATERAL (
      SELECT existing.id, existing.input_hash FROM ledger_transfers existing
      WHERE existing.idempotency_key = u.idempotency_key OFFSET 0) known ON true
    ORDER BY u.position
  LOOP
    credits := usage.credits;
    IF credits <= 0 THEN
      RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
    END IF;
    ordinal := usage.position;
    plan := heads[usage.plan_head].balance_after;
    purchased := heads[usage.purchased_head].balance_after;
    transfer_id := usage.known_id;
    known_hash := usage.known_hash;
    n := array_position(keys, usage.idempotency_key);
    IF n IS NOT NULL THEN
      transfer_id := new_transfers[n].id;
      known_hash := new_transfers[n].input_hash;
    END IF;
    IF transfer_id IS NOT NULL THEN
      outcome := CASE WHEN known_hash = usage.input_hash THEN 'replayed' ELSE 'conflict' END;
      RETURN NEXT;
      CONTINUE;
    END IF;
    IF plan + purchased < credits THEN
      outcome := 'refused';
      RETURN NEXT;
      CONTINUE;
    END IF;

    transfer.id := nextval('ledger_transfers_id_seq');
    transfer.idempotency_key := usage.idempotency_key;
    transfer.kind := 'usage';
    transfer.input_hash := usage.input_hash;
    transfer.occurred_at := usage.occurred_at;
    transfer.posted_at := clock_timestamp();
    transfer.actor := usage.actor;
    transfer.reason := usage.reason;
    transfer.format := 2;
    digest := ledger_transfer_digest(transfer);
    from_plan := least(greatest(plan, 0), credits);
    -- In the order of the accounts' ids, as everywhere: an entry of the house hangs on the owner's last one.
    FOR n IN least(usage.plan_head, usage.purchased_head)..greatest(usage.plan_head, usage.purchased_head) LOOP
      CONTINUE WHEN n NOT IN (usage.plan_head, usage.purchased_head);
      CONTINUE WHEN CASE n WHEN usage.plan_head THEN from_plan ELSE credits - from_plan END = 0;
      entry := heads[n];
      entry := ledger_next_entry(entry, transfer.id, digest, CASE n WHEN usage.plan_head THEN -from_plan ELSE from_plan - credits END);
      heads[n] := entry;
      new_entries := new_entries || entry;
    END LOOP;
    new_entries := new_entries || ledger_house_entry(used_account, entry.hash, transfer.id, digest, credits);
    keys := keys || transfer.idempotency_key;
    new_transfers := new_transfers || transfer;
    outcome := 'posted'; transfer_id := transfer.id;
    plan := plan - from_plan; purchased := purchased - (credits - from_plan);
    RETURN NEXT;
  END LOOP;

  IF cardinality(new_transfers) > 0 THEN
    PERFORM ledger_append(new_transfers, new_entries);
  END IF;
END
$$;

-- The same for one usage; a conflict is error LG001.
CREATE OR REPLACE FUNCTION ledger_use(
  owner_kind text, owner_id text, credits bigint, idempotency_key text, occurred_at timestamptz, actor text, reason text
) RETURNS TABLE (outcome text, transfer_id bigint, plan bigint, purchased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  SELECT decided.outcome, decided.transfer_id, decided.plan, decided.purchased INTO outcome, transfer_id, plan, purchased
  FROM ledger_use_many(jsonb_build_array(jsonb_build_object('owner_kind', ledger_use.owner_kind, 'owner_id', ledger_use.owner_id,
    'credits', ledger_use.credits, 'idempotency_key', ledger_use.idempotency_key, 'occurred_at', ledger_use.occurred_at,
    'actor', ledger_use.actor, 'reason', ledger_use.reason))) decided;
  IF outcome = 'conflict' THEN
    RAISE EXCEPTION 'Transfer % was posted before with another input', ledger_use.idempotency_key USING ERRCODE = 'LG001';
  END IF;
  RETURN NEXT;
END
$$;

-- For whoever decides about several owners in one transaction: the locks of all of them at once, in the fixed order.
CREATE OR REPLACE FUNCTION ledger_lock_owners(owners jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock_accounts(coalesce(array_agg(named.owner_kind), '{}'), coalesce(array_agg(named.owner_id), '{}'))
  FROM (SELECT DISTINCT o.owner_kind, o.owner_id FROM jsonb_to_recordset(owners) AS o (owner_kind text, owner_id text)
    WHERE o.owner_kind <> 'house') named;
END
$$;

CREATE OR REPLACE FUNCTION ledger_lock_owner(owner_kind text, owner_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM ledger_lock_accounts(ARRAY[ledger_lock_owner.owner_kind], ARRAY[ledger_lock_owner.owner_id]);
END
$$;

DROP FUNCTION ledger_account_ids_of(text[], text[]);
DROP FUNCTION ledger_append_owner_entry(ledger_transfers, bytea, bigint, bigint, boolean);
DROP FUNCTION ledger_ensure_grant(ledger_grants);

REVOKE ALL ON FUNCTION ledger_lock_accounts(text[], text[]), ledger_heads(bigint[]),
  ledger_next_entry(ledger_entries, bigint, bytea, bigint), ledger_house_entry(bigint, bytea, bigint, bytea, bigint),
  ledger_append(ledger_transfers[], ledger_entries[]), ledger_use_many(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_use_many(jsonb) TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_lock_owners(jsonb) TO tidemark_worker;
