-- What a batch of transfers needs to know, and no lock is needed for, is worked out before its owners are locked (decision 157).

-- One transfer of a batch. The texts are what `ledger_transfer_digest` hashes, before and after the time of posting.
CREATE TYPE ledger_item AS (
  ordinal bigint, owner_id text, owner_kind text, idempotency_key text, kind text, occurred_at timestamptz, intent_id uuid, event_id text, actor text,
  reason text, credits bigint, account text, house_account bigint, grant_id text, input_hash bytea,
  digest_before text, digest_after text
);

-- As before, but keys and rows of owners are all that is read under the locks.
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
    new_entries := new_entries || ARRAY[
      ROW(transfer.id, account_id, item.credits, version, balance, item.owner_id, chain)::ledger_entries,
      ROW(transfer.id, item.house_account, -item.credits, NULL, NULL, item.owner_id,
        ledger_entry_hash(chain, digest, item.house_account, -item.credits, NULL, NULL))::ledger_entries];
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
