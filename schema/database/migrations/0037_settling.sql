-- A batch of transfers reads and writes as much however many grants there are, and however many of the batch are new (decision 151).

-- As before, but the first transfer of each grant is found in one pass, where each grant looked through all transfers.
CREATE OR REPLACE FUNCTION ledger_append(
  owners ledger_owners[], keys ledger_keys[], grants ledger_grants[], transfers ledger_transfers[], entries ledger_entries[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_keys SELECT * FROM unnest(keys);
  IF cardinality(grants) > 0 THEN
    INSERT INTO ledger_grants (id, owner_kind, owner_id, account, kind, intent_id, stripe_subscription_id, stripe_invoice_id, month_starts_at,
      starts_at, ends_at, created_at, first_transfer_id)
    SELECT g.id, g.owner_kind, g.owner_id, g.account, g.kind, g.intent_id, g.stripe_subscription_id, g.stripe_invoice_id, g.month_starts_at,
      g.starts_at, g.ends_at, g.created_at, first.transfer_id
    FROM unnest(grants) g
    LEFT JOIN (SELECT t.grant_id, min(t.id) AS transfer_id FROM unnest(transfers) t GROUP BY t.grant_id) first ON first.grant_id = g.id;
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

-- `ledger_post` for many transfers of the form that `ledger_post_one` takes, given as arrays of one length: returns their ids in the given order. NULL when
-- there is anything about one of them that `ledger_post` has to decide or refuse; then nothing was written. Each owner is named once in
-- `owner_kinds` and `owner_ids`, each grant once in `grants`, and no key twice. What is new among the grants is known from the look-up of each.
CREATE OR REPLACE FUNCTION ledger_post_many(
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
  new_grant ledger_grants;
  new_grant_ids text[] := '{}';
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
    LEFT JOIN (SELECT name, id FROM ledger_accounts WHERE owner_id = 'house' OFFSET 0) house ON house.name = i.house
    LEFT JOIN LATERAL (SELECT * FROM ledger_grants WHERE id = i.grant_id OFFSET 0) g ON true
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
    IF given.is_new_grant THEN
      new_grant_ids := new_grant_ids || given.grant_id;
    END IF;
    count := count + 1;
  END LOOP;
  -- Somebody is an owner of another kind.
  IF count < cardinality(idempotency_keys) THEN
    RETURN NULL;
  END IF;

  IF cardinality(new_grant_ids) > 0 THEN
    new_grant.created_at := moment;
    new_grants := ARRAY(
      SELECT g FROM json_populate_recordset(new_grant, grants::json) g WHERE g.id = ANY (new_grant_ids) ORDER BY g.id COLLATE "C");
  END IF;
  PERFORM ledger_append(changed || owner, new_keys, new_grants, new_transfers, new_entries);
  RETURN ids;
END
$$;
