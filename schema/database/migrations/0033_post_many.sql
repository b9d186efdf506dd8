-- A batch of transfers of the commonest form, worked out with one query and one short loop (decision 145).

-- What `ledger_input_hash` makes of a transfer of one leg in its grant's account and one of the house, as text that need not be parsed before it
-- is hashed: jsonb prints its keys by their length, and the house's leg comes first.
CREATE FUNCTION ledger_two_legs_hash(
  kind text, intent_id text, grant_id text, owner_kind text, owner_id text, account text, house text, credits bigint
) RETURNS bytea LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to('{"kind": ' || to_json(kind)
    || ', "legs": [{"amount": ' || -credits || ', "account": ' || to_json(house) || ', "owner_id": "house", "owner_kind": "house"}, {"amount": '
    || credits || ', "account": ' || to_json(account) || ', "owner_id": ' || to_json(owner_id) || ', "owner_kind": ' || to_json(owner_kind)
    || '}], "grant_id": ' || to_json(grant_id) || ', "intent_id": ' || coalesce(to_json(intent_id)::text, 'null') || '}', 'UTF8'))
$$;

-- `ledger_post` for many transfers of the form that `ledger_post_one` takes, given as arrays of one length: returns their ids in the given order. NULL when
-- there is anything about one of them that `ledger_post` has to decide or refuse; then nothing was written. Each owner is named once in
-- `owner_kinds` and `owner_ids`, and no key twice. `grants` are read only if one is not written down yet.
CREATE FUNCTION ledger_post_many(
  owner_kinds text[], owner_ids text[], idempotency_keys text[], kinds text[], occurred_at timestamptz[], intent_ids text[], event_ids text[],
  actors text[], reasons text[], credits bigint[], houses text[], grant_ids text[], grant_owner_ids text[], accounts text[], grant_kinds text[],
  grants text
) RETURNS bigint[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  owners ledger_owners[] := ledger_lock_rows(owner_kinds, owner_ids);
  given record;
  owner ledger_owners;
  transfer ledger_transfers;
  digest bytea;
  chain bytea;
  moment timestamptz := clock_timestamp();
  month bigint := ledger_month_of(moment);
  account_id bigint;
  version bigint;
  balance bigint;
  count integer := 0;
  is_new_grant boolean := false;
  ids bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(idempotency_keys)]);
  changed ledger_owners[] := '{}';
  new_keys ledger_keys[] := '{}';
  new_grants ledger_grants[] := '{}';
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
BEGIN
  -- In a statement of its own, after the locks: whoever posted for these owners before is seen.
  IF EXISTS (SELECT FROM ledger_keys k WHERE k.idempotency_key = ANY (idempotency_keys) AND NOT starts_with(k.idempotency_key, 'usage/')) THEN
    RETURN NULL;
  END IF;

  -- By owners, and the transfers of each in their order.
  FOR given IN
    SELECT i.*, o.owner, house.id AS house_account, g.id IS NULL AS is_new_grant,
      ledger_two_legs_hash(i.kind, i.intent_id, i.grant_id, (o.owner).owner_kind, i.owner_id, i.account, i.house, i.credits) AS input_hash,
      house.id IS NOT NULL AND NOT starts_with(i.idempotency_key, 'usage/')
        AND (g.id IS NULL OR (g.owner_kind, g.owner_id, g.account, g.kind) = ((o.owner).owner_kind, i.owner_id, i.account, i.grant_kind)) AS is_usual
    FROM (
      SELECT item.*, nextval('ledger_transfers_id_seq') AS id
      FROM unnest(idempotency_keys, kinds, occurred_at, intent_ids, event_ids, actors, reasons, credits, houses, grant_ids, grant_owner_ids, accounts,
        grant_kinds) WITH ORDINALITY
        AS item (idempotency_key, kind, occurred_at, intent_id, event_id, actor, reason, credits, house, grant_id, owner_id, account, grant_kind, ordinal)
    ) i
    JOIN unnest(owner_ids, owner_kinds) AS named (owner_id, owner_kind) ON named.owner_id = i.owner_id
    JOIN (SELECT locked AS owner FROM unnest(owners) locked) o ON (o.owner).owner_id = i.owner_id AND (o.owner).owner_kind = named.owner_kind
    LEFT JOIN ledger_accounts house ON house.owner_id = 'house' AND house.name = i.house
    LEFT JOIN ledger_grants g ON g.id = i.grant_id
    ORDER BY i.owner_id, i.ordinal
  LOOP
    -- Whoever is the first in a month begins it in the order of the transfers, which is not the one here.
    IF NOT given.is_usual OR given.id >> 40 < month THEN
      RETURN NULL;
    END IF;
    IF owner.owner_id IS DISTINCT FROM given.owner_id THEN
      IF owner.owner_id IS NOT NULL THEN
        changed := changed || owner;
      END IF;
      owner := given.owner;
    END IF;
    transfer := ROW(given.id, given.occurred_at, moment, given.intent_id::uuid, NULL, 2, given.owner_id, given.idempotency_key, given.kind,
      given.input_hash, given.event_id, given.actor, given.reason, given.grant_id)::ledger_transfers;
    digest := ledger_transfer_digest(transfer);
    IF given.account = 'plan' THEN
      account_id := owner.plan_account_id;
      owner.plan_version := owner.plan_version + 1;
      owner.plan_balance := owner.plan_balance + given.credits;
      version := owner.plan_version;
      balance := owner.plan_balance;
      chain := ledger_entry_hash(owner.plan_hash, digest, account_id, given.credits, version, balance);
      owner.plan_hash := chain;
    ELSE
      account_id := owner.purchased_account_id;
      owner.purchased_version := owner.purchased_version + 1;
      owner.purchased_balance := owner.purchased_balance + given.credits;
      version := owner.purchased_version;
      balance := owner.purchased_balance;
      chain := ledger_entry_hash(owner.purchased_hash, digest, account_id, given.credits, version, balance);
      owner.purchased_hash := chain;
    END IF;
    IF given.credits < 0 AND balance < 0 AND given.kind IN ('usage', 'credit_purchase') THEN
      RETURN NULL;
    END IF;
    owner.last_transfer_id := given.id;
    new_keys := new_keys || ROW(given.owner_id, given.idempotency_key, given.id, 2, given.input_hash)::ledger_keys;
    new_transfers := new_transfers || transfer;
    new_entries := new_entries || ARRAY[
      ROW(given.id, account_id, given.credits, version, balance, given.owner_id, chain)::ledger_entries,
      ROW(given.id, given.house_account, -given.credits, NULL, NULL, given.owner_id,
        ledger_entry_hash(chain, digest, given.house_account, -given.credits, NULL, NULL))::ledger_entries];
    ids[given.ordinal] := given.id;
    is_new_grant := is_new_grant OR given.is_new_grant;
    count := count + 1;
  END LOOP;
  -- Somebody is an owner of another kind.
  IF count < cardinality(idempotency_keys) THEN
    RETURN NULL;
  END IF;

  IF is_new_grant THEN
    new_grants := ARRAY(
      SELECT jsonb_populate_record(NULL::ledger_grants, written.grant || jsonb_build_object('created_at', clock_timestamp()))
      FROM (SELECT DISTINCT ON (g.value ->> 'id') g.value AS grant FROM jsonb_array_elements(grants::jsonb) WITH ORDINALITY AS g (value, ordinal)
        WHERE NOT EXISTS (SELECT FROM ledger_grants known WHERE known.id = g.value ->> 'id') ORDER BY g.value ->> 'id', g.ordinal) written);
  END IF;
  PERFORM ledger_append(changed || owner, new_keys, new_grants, new_transfers, new_entries);
  RETURN ids;
END
$$;

REVOKE ALL ON FUNCTION ledger_two_legs_hash(text, text, text, text, text, text, text, bigint),
  ledger_post_many(text[], text[], text[], text[], timestamptz[], text[], text[], text[], text[], bigint[], text[], text[], text[], text[], text[],
    text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ledger_post_many(text[], text[], text[], text[], timestamptz[], text[], text[], text[], text[], bigint[], text[], text[],
  text[], text[], text[], text) TO tidemark_worker;

-- Nobody looks for the transfers of an intent: a purchase's grant is named after it, and transfers are found by their grant.
DROP INDEX ledger_transfers_intent;
