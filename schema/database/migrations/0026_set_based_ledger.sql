-- Posting and usage by sets (decision 121): one statement locks, one reads all that is there, what follows is worked out in memory, and
-- one statement each inserts all grants, transfers and entries. The hashes are made as before.

-- Locks both accounts of each owner, always in the order of their ids, and returns the ids in that order. Makes those that are
-- missing. The owners are distinct.
CREATE FUNCTION ledger_lock_accounts(owner_kinds text[], owner_ids text[]) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  account_ids bigint[];
BEGIN
  FOR attempt IN 1..2 LOOP
    -- Rows are locked after they were sorted, and an id never changes.
    account_ids := ARRAY(
      SELECT a.id FROM ledger_accounts a
      WHERE a.id = ANY (ARRAY(
        SELECT of_owner.id FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id)
        CROSS JOIN LATERAL (SELECT id FROM ledger_accounts
          WHERE ledger_accounts.owner_kind = named.owner_kind AND ledger_accounts.owner_id = named.owner_id OFFSET 0) of_owner))
      ORDER BY a.id FOR NO KEY UPDATE);
    EXIT WHEN cardinality(account_ids) = 2 * cardinality(owner_ids);
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT named.owner_kind, named.owner_id, account.name
    FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id), unnest(ARRAY['plan', 'purchased']) AS account (name)
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN account_ids;
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

-- Said to be IMMUTABLE it was called instead of inlined, because jsonb_build_object is only STABLE.
ALTER FUNCTION ledger_input_hash(jsonb, jsonb, smallint) STABLE;

-- Rows are inserted by these functions alone, together with what they refer to, and nothing is ever deleted; ledger:verify proves both.
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_transfer_id_fkey;
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_grant_id_fkey;

-- Inserts what was worked out under the locks. Only another owner can have posted one of the keys meanwhile: that is a violation of the
-- unique key, which callers understand as LG001.
CREATE FUNCTION ledger_append(transfers ledger_transfers[], entries ledger_entries[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_transfers (id, idempotency_key, kind, input_hash, occurred_at, posted_at, intent_id, event_id, actor, reason,
    format, grant_id) OVERRIDING SYSTEM VALUE
  SELECT t.id, t.idempotency_key, t.kind, t.input_hash, t.occurred_at, t.posted_at, t.intent_id, t.event_id, t.actor, t.reason,
    t.format, t.grant_id
  FROM unnest(transfers) t;
  INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, hash)
  SELECT e.transfer_id, e.account_id, e.amount, e.version, e.balance_after, e.hash FROM unnest(entries) e;
END
$$;

-- The legs in the order in which they are part of the input that must agree.
CREATE FUNCTION ledger_sorted_legs(legs jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  -- The usual two need no query.
  IF jsonb_array_length(legs) = 2 THEN
    IF (legs -> 0 ->> 'owner_kind', legs -> 0 ->> 'owner_id', legs -> 0 ->> 'account')
      <= (legs -> 1 ->> 'owner_kind', legs -> 1 ->> 'owner_id', legs -> 1 ->> 'account') THEN
      RETURN legs;
    END IF;
    RETURN jsonb_build_array(legs -> 1, legs -> 0);
  END IF;
  RETURN (SELECT jsonb_agg(l.value ORDER BY l.value ->> 'owner_kind', l.value ->> 'owner_id', l.value ->> 'account')
    FROM jsonb_array_elements(legs) l);
END
$$;

-- Posts a batch of transfers, one or many, in one round trip. Each is {idempotency_key, kind, occurred_at, intent_id, event_id,
-- actor, reason, grant, legs: [{owner_kind, owner_id, account, amount}]}. A key that was posted with the same input returns the first
-- result with posted = false. Errors: LG001 same key or grant with another input, LG002 legs that do not balance, name no account, or
-- one that is not the grant's, LG003 not enough credits: that of the first transfer that is wrong, and then nothing is posted.
CREATE OR REPLACE FUNCTION ledger_post(transfers jsonb)
RETURNS TABLE (ordinal bigint, transfer_id bigint, posted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  item jsonb;
  leg jsonb;
  legs jsonb;
  given ledger_grants;
  known_grant ledger_grants;
  transfer ledger_transfers;
  entry ledger_entries;
  -- Owners are named `kind/id`, accounts `kind/id/name`.
  owner_names text[] := '{}';
  owner_kinds text[] := '{}';
  owner_ids text[] := '{}';
  house_names text[] := '{}';
  account_ids bigint[];
  -- The accounts that the batch names, in the order of their ids, those of the house last, and the latest entry of each so far.
  account_names text[];
  heads ledger_entries[];
  -- What was there first, then what is new.
  grant_ids text[] := '{}';
  grants ledger_grants[];
  keys text[] := '{}';
  posted_transfers ledger_transfers[];
  new_entries ledger_entries[] := '{}';
  known_grants integer;
  known_transfers integer;
  slots integer[];
  amounts bigint[];
  total bigint;
  digest bytea;
  chain bytea;
  name text;
  n integer;
BEGIN
  FOR i IN 0..jsonb_array_length(transfers) - 1 LOOP
    item := transfers -> i;
    given := jsonb_populate_record(NULL::ledger_grants, nullif(item -> 'grant', 'null'));
    keys := keys || (item ->> 'idempotency_key');
    grant_ids := grant_ids || given.id;
    -- Whoever names a grant holds its owner's locks, so that nobody else can post it meanwhile.
    name := given.owner_kind || '/' || given.owner_id;
    IF name IS NOT NULL AND name <> ALL (owner_names) THEN
      owner_names := owner_names || name; owner_kinds := owner_kinds || given.owner_kind; owner_ids := owner_ids || given.owner_id;
    END IF;
    FOR j IN 0..jsonb_array_length(item -> 'legs') - 1 LOOP
      leg := item -> 'legs' -> j;
      IF leg ->> 'owner_kind' = 'house' THEN
        house_names := house_names || (leg ->> 'account');
      ELSE
        name := (leg ->> 'owner_kind') || '/' || (leg ->> 'owner_id');
        IF name <> ALL (owner_names) THEN
          owner_names := owner_names || name; owner_kinds := owner_kinds || (leg ->> 'owner_kind');
          owner_ids := owner_ids || (leg ->> 'owner_id');
        END IF;
      END IF;
    END LOOP;
  END LOOP;

  account_ids := ledger_lock_accounts(owner_kinds, owner_ids);
  SELECT array_agg(a.owner_kind || '/' || a.owner_id || '/' || a.name ORDER BY named.position),
    array_agg(ROW(NULL, a.id, NULL, coalesce(head.version, 0), coalesce(head.balance_after, 0), head.hash)::ledger_entries
      ORDER BY named.position),
    ARRAY(SELECT g FROM ledger_grants g WHERE g.id = ANY (grant_ids)),
    ARRAY(SELECT t FROM ledger_transfers t WHERE t.idempotency_key = ANY (keys))
  INTO account_names, heads, grants, posted_transfers
  FROM unnest(account_ids || ARRAY(
      SELECT house.id FROM ledger_accounts house
      WHERE house.owner_kind = 'house' AND house.owner_id = 'house' AND house.name = ANY (house_names) ORDER BY house.id))
    WITH ORDINALITY AS named (id, position)
  JOIN LATERAL (SELECT * FROM ledger_accounts WHERE ledger_accounts.id = named.id OFFSET 0) a ON true
  LEFT JOIN LATERAL (
    SELECT e.version, e.balance_after, e.hash FROM ledger_entries e
    WHERE e.account_id = named.id AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1) head ON true;
  known_grants := cardinality(grants);
  known_transfers := cardinality(posted_transfers);
  grant_ids := '{}';
  keys := '{}';
  FOR i IN 1..known_grants LOOP
    grant_ids := grant_ids || grants[i].id;
  END LOOP;
  FOR i IN 1..known_transfers LOOP
    keys := keys || posted_transfers[i].idempotency_key;
  END LOOP;

  FOR i IN 0..jsonb_array_length(transfers) - 1 LOOP
    item := transfers -> i;
    given := jsonb_populate_record(NULL::ledger_grants, nullif(item -> 'grant', 'null'));
    IF given.id IS NULL THEN
      RAISE EXCEPTION 'Transfer % belongs to no grant', item ->> 'idempotency_key' USING ERRCODE = 'LG002';
    END IF;
    legs := ledger_sorted_legs(item -> 'legs');

    ordinal := i + 1;
    n := array_position(keys, item ->> 'idempotency_key');
    IF n IS NOT NULL THEN
      transfer := posted_transfers[n];
      IF transfer.input_hash <> ledger_input_hash(item, legs, transfer.format) THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', transfer.idempotency_key USING ERRCODE = 'LG001';
      END IF;
      transfer_id := transfer.id; posted := false;
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

    transfer := jsonb_populate_record(NULL::ledger_transfers, item);
    transfer.id := nextval('ledger_transfers_id_seq');
    transfer.input_hash := ledger_input_hash(item, legs, 2::smallint);
    transfer.posted_at := clock_timestamp();
    transfer.format := 2;
    transfer.grant_id := given.id;
    digest := ledger_transfer_digest(transfer);

    slots := '{}';
    amounts := '{}';
    total := 0;
    FOR j IN 0..coalesce(jsonb_array_length(legs), 0) - 1 LOOP
      leg := legs -> j;
      n := array_position(account_names, (leg ->> 'owner_kind') || '/' || (leg ->> 'owner_id') || '/' || (leg ->> 'account'));
      IF n IS NULL THEN
        RAISE EXCEPTION 'Transfer % names an account that does not exist', transfer.idempotency_key USING ERRCODE = 'LG002';
      END IF;
      slots := slots || n;
      amounts := amounts || (leg ->> 'amount')::bigint;
      total := total + (leg ->> 'amount')::bigint;
    END LOOP;
    -- Entries are in the order of the accounts, those of the house last: they hang on the owner's last one.
    chain := NULL;
    FOREACH n IN ARRAY CASE WHEN cardinality(slots) = 2 AND slots[1] > slots[2] THEN ARRAY[slots[2], slots[1]]
      WHEN cardinality(slots) > 2 THEN ARRAY(SELECT slot FROM unnest(slots) slot ORDER BY slot) ELSE slots END
    LOOP
      entry := heads[n];
      IF n > cardinality(account_ids) THEN
        new_entries := new_entries
          || ledger_house_entry(entry.account_id, chain, transfer.id, digest, amounts[array_position(slots, n)]);
        CONTINUE;
      END IF;
      name := given.owner_kind || '/' || given.owner_id || '/';
      IF NOT (account_names[n] = name || given.account OR (transfer.kind = 'settlement' AND starts_with(account_names[n], name))) THEN
        RAISE EXCEPTION 'Transfer % moves credits of an account that is not its grant''s', transfer.idempotency_key
          USING ERRCODE = 'LG002';
      END IF;
      entry := ledger_next_entry(entry, transfer.id, digest, amounts[array_position(slots, n)]);
      IF entry.amount < 0 AND entry.balance_after < 0 AND transfer.kind IN ('usage', 'credit_purchase') THEN
        RAISE EXCEPTION 'Account % has % credits, transfer % takes %', entry.account_id, entry.balance_after - entry.amount,
          transfer.idempotency_key, -entry.amount USING ERRCODE = 'LG003';
      END IF;
      heads[n] := entry;
      chain := entry.hash;
      new_entries := new_entries || entry;
    END LOOP;
    IF cardinality(slots) = 0 OR total <> 0 THEN
      RAISE EXCEPTION 'Transfer % does not balance', transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;
    keys := keys || transfer.idempotency_key;
    posted_transfers := posted_transfers || transfer;
    transfer_id := transfer.id; posted := true;
    RETURN NEXT;
  END LOOP;

  IF cardinality(grants) > known_grants THEN
    INSERT INTO ledger_grants SELECT * FROM unnest(grants[known_grants + 1:]);
  END IF;
  IF cardinality(posted_transfers) > known_transfers THEN
    PERFORM ledger_append(posted_transfers[known_transfers + 1:], new_entries);
  END IF;
END
$$;

-- Spends credits of one owner or several, plan credits first. `usages` is an array of {owner_kind, owner_id, credits, idempotency_key,
-- occurred_at, actor, reason}; each is decided in its order, with what those before it left, and none fails the others. outcome:
-- 'posted', 'replayed' (the key was posted before), 'refused' (nothing posted: not enough was there), 'conflict' (nothing posted: the
-- key was posted before with another input). `plan` and `purchased` are the balances after the decision.
CREATE FUNCTION ledger_use_many(usages jsonb)
RETURNS TABLE (ordinal bigint, outcome text, transfer_id bigint, plan bigint, purchased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
#variable_conflict use_column
DECLARE
  item jsonb;
  transfer ledger_transfers;
  entry ledger_entries;
  -- Owners are named `kind/id`, accounts `kind/id/name`.
  owner_names text[] := '{}';
  owner_kinds text[] := '{}';
  owner_ids text[] := '{}';
  account_ids bigint[];
  -- The owners' accounts in the order of their ids, and the latest entry of each so far.
  account_names text[];
  heads ledger_entries[];
  used_account bigint;
  -- What was there first, then what is new.
  keys text[] := '{}';
  posted_transfers ledger_transfers[];
  new_entries ledger_entries[] := '{}';
  known_transfers integer;
  hash_of_input bytea;
  digest bytea;
  credits bigint;
  from_plan bigint;
  plan_slot integer;
  purchased_slot integer;
  name text;
  n integer;
BEGIN
  FOR i IN 0..jsonb_array_length(usages) - 1 LOOP
    item := usages -> i;
    keys := keys || (item ->> 'idempotency_key');
    name := (item ->> 'owner_kind') || '/' || (item ->> 'owner_id');
    IF name <> ALL (owner_names) THEN
      owner_names := owner_names || name; owner_kinds := owner_kinds || (item ->> 'owner_kind');
      owner_ids := owner_ids || (item ->> 'owner_id');
    END IF;
  END LOOP;

  account_ids := ledger_lock_accounts(owner_kinds, owner_ids);
  SELECT array_agg(a.owner_kind || '/' || a.owner_id || '/' || a.name ORDER BY named.position),
    array_agg(ROW(NULL, a.id, NULL, coalesce(head.version, 0), coalesce(head.balance_after, 0), head.hash)::ledger_entries
      ORDER BY named.position),
    (SELECT house.id FROM ledger_accounts house
      WHERE house.owner_kind = 'house' AND house.owner_id = 'house' AND house.name = 'used'),
    ARRAY(SELECT t FROM ledger_transfers t WHERE t.idempotency_key = ANY (keys))
  INTO account_names, heads, used_account, posted_transfers
  FROM unnest(account_ids) WITH ORDINALITY AS named (id, position)
  JOIN LATERAL (SELECT * FROM ledger_accounts WHERE ledger_accounts.id = named.id OFFSET 0) a ON true
  LEFT JOIN LATERAL (
    SELECT e.version, e.balance_after, e.hash FROM ledger_entries e
    WHERE e.account_id = named.id AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1) head ON true;
  known_transfers := cardinality(posted_transfers);
  keys := '{}';
  FOR i IN 1..known_transfers LOOP
    keys := keys || posted_transfers[i].idempotency_key;
  END LOOP;

  FOR i IN 0..jsonb_array_length(usages) - 1 LOOP
    item := usages -> i;
    credits := (item ->> 'credits')::bigint;
    IF credits <= 0 THEN
      RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
    END IF;
    name := (item ->> 'owner_kind') || '/' || (item ->> 'owner_id');
    plan_slot := array_position(account_names, name || '/plan');
    purchased_slot := array_position(account_names, name || '/purchased');
    plan := heads[plan_slot].balance_after;
    purchased := heads[purchased_slot].balance_after;
    hash_of_input := sha256(convert_to(jsonb_build_object('kind', 'usage', 'owner_kind', item -> 'owner_kind',
      'owner_id', item -> 'owner_id', 'credits', credits)::text, 'UTF8'));

    ordinal := i + 1;
    n := array_position(keys, item ->> 'idempotency_key');
    IF n IS NOT NULL THEN
      outcome := CASE WHEN posted_transfers[n].input_hash = hash_of_input THEN 'replayed' ELSE 'conflict' END;
      transfer_id := posted_transfers[n].id;
      RETURN NEXT;
      CONTINUE;
    END IF;
    IF plan + purchased < credits THEN
      outcome := 'refused'; transfer_id := NULL;
      RETURN NEXT;
      CONTINUE;
    END IF;

    transfer := jsonb_populate_record(NULL::ledger_transfers, item);
    transfer.id := nextval('ledger_transfers_id_seq');
    transfer.kind := 'usage';
    transfer.input_hash := hash_of_input;
    transfer.posted_at := clock_timestamp();
    transfer.format := 2;
    digest := ledger_transfer_digest(transfer);
    from_plan := least(greatest(plan, 0), credits);
    -- In the order of the accounts' ids, as everywhere: the entry of the house hangs on the owner's last one.
    FOREACH n IN ARRAY CASE WHEN plan_slot < purchased_slot THEN ARRAY[plan_slot, purchased_slot] ELSE ARRAY[purchased_slot, plan_slot] END
    LOOP
      CONTINUE WHEN CASE n WHEN plan_slot THEN from_plan ELSE credits - from_plan END = 0;
      entry := heads[n];
      entry := ledger_next_entry(entry, transfer.id, digest, CASE n WHEN plan_slot THEN -from_plan ELSE from_plan - credits END);
      heads[n] := entry;
      new_entries := new_entries || entry;
    END LOOP;
    new_entries := new_entries || ledger_house_entry(used_account, entry.hash, transfer.id, digest, credits);
    keys := keys || transfer.idempotency_key;
    posted_transfers := posted_transfers || transfer;
    outcome := 'posted'; transfer_id := transfer.id;
    plan := plan - from_plan; purchased := purchased - (credits - from_plan);
    RETURN NEXT;
  END LOOP;

  IF cardinality(posted_transfers) > known_transfers THEN
    PERFORM ledger_append(posted_transfers[known_transfers + 1:], new_entries);
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

REVOKE ALL ON FUNCTION ledger_lock_accounts(text[], text[]), ledger_sorted_legs(jsonb),
  ledger_next_entry(ledger_entries, bigint, bytea, bigint), ledger_house_entry(bigint, bytea, bigint, bytea, bigint),
  ledger_append(ledger_transfers[], ledger_entries[]), ledger_use_many(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_use_many(jsonb) TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_lock_owners(jsonb) TO tidemark_worker;
