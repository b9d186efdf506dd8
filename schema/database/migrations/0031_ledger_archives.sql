-- Months of the ledger can leave it (decision 140): what the books go on from without them is kept here, and nothing that decides reads below
-- `ledger_archives.end_transfer_id` any more, whether the months are detached yet or not.

-- One row for each range of months that left, from the oldest on, without gaps. `npm run ledger:archive` writes it and goes on from `state`.
CREATE TABLE ledger_archives (
  id bigint PRIMARY KEY,
  -- Its transfers: first_transfer_id <= id < end_transfer_id.
  first_transfer_id bigint NOT NULL UNIQUE,
  end_transfer_id bigint NOT NULL UNIQUE,
  -- As its partitions are named, 2025_01 after ledger_entries_.
  months text[] NOT NULL CHECK (cardinality(months) > 0),
  state text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'written', 'detached', 'finished')),
  transfers bigint NOT NULL,
  entries bigint NOT NULL,
  -- In ledger_keys, where they stay.
  keys bigint NOT NULL,
  -- Over the latest entry of each account before the range and at its end, as in ledger_proofs; and over what is kept of it in the two tables below.
  heads_digest_before bytea NOT NULL CHECK (length(heads_digest_before) = 32),
  heads_digest bytea NOT NULL CHECK (length(heads_digest) = 32),
  kept_digest bytea NOT NULL CHECK (length(kept_digest) = 32),
  -- SHA-256 of the manifest, which names the files. There from state `written` on.
  manifest_digest bytea CHECK (length(manifest_digest) = 32),
  closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  finished_at timestamptz,
  CHECK (first_transfer_id < end_transfer_id),
  CHECK (state = 'closed' OR manifest_digest IS NOT NULL),
  CHECK ((state = 'finished') = (finished_at IS NOT NULL))
);
CREATE UNIQUE INDEX ledger_archives_unfinished ON ledger_archives ((true)) WHERE state <> 'finished';

-- The last entry of an account in a range. The chain of what was posted afterwards begins at the account's latest opening.
CREATE TABLE ledger_openings (
  owner_id text NOT NULL,
  account_id bigint NOT NULL,
  archive_id bigint NOT NULL,
  transfer_id bigint NOT NULL,
  version bigint NOT NULL,
  balance bigint NOT NULL,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  -- All that was used from the account up to there, above zero.
  used bigint NOT NULL,
  PRIMARY KEY (owner_id, account_id, archive_id)
);

-- What the transfers of a grant in a range come to, in the grant's account. `ledger_grant_sums` adds it.
CREATE TABLE ledger_archived_sums (
  owner_id text NOT NULL,
  grant_id text NOT NULL,
  archive_id bigint NOT NULL,
  account_id bigint NOT NULL,
  gross bigint NOT NULL,
  refunded bigint NOT NULL,
  disputed bigint NOT NULL,
  expired bigint NOT NULL,
  written_off bigint NOT NULL,
  adjusted bigint NOT NULL,
  transfers bigint NOT NULL,
  -- Has transfers from before there were grants.
  is_early boolean NOT NULL,
  PRIMARY KEY (owner_id, grant_id, archive_id)
);

CREATE TRIGGER ledger_archives_identity BEFORE UPDATE OF id, first_transfer_id, end_transfer_id, months, transfers, entries, keys,
  heads_digest_before, heads_digest, kept_digest, closed_at ON ledger_archives FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_archives_no_delete BEFORE DELETE ON ledger_archives
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_archives_no_truncate BEFORE TRUNCATE ON ledger_archives
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_openings_append_only BEFORE UPDATE OR DELETE ON ledger_openings
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_openings_no_truncate BEFORE TRUNCATE ON ledger_openings
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_archived_sums_append_only BEFORE UPDATE OR DELETE ON ledger_archived_sums
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_archived_sums_no_truncate BEFORE TRUNCATE ON ledger_archived_sums
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- The first transfer of a grant: no month before it is looked into for the others. Nothing is known of the grants that are there already. The
-- month of `created_at` would not do: what finds no partition for its month is filed in an earlier one.
ALTER TABLE ledger_grants ADD COLUMN first_transfer_id bigint NOT NULL DEFAULT 0;

CREATE OR REPLACE VIEW ledger_grant_sums AS
SELECT g.id, g.owner_kind, g.owner_id, g.account, g.kind, g.intent_id, g.stripe_subscription_id, g.stripe_invoice_id, g.month_starts_at,
  g.starts_at, g.ends_at, g.created_at,
  sums.gross + kept.gross AS gross, sums.refunded + kept.refunded AS refunded, sums.disputed + kept.disputed AS disputed,
  sums.expired + kept.expired AS expired, sums.written_off + kept.written_off AS written_off, sums.adjusted + kept.adjusted AS adjusted,
  sums.transfers + kept.transfers AS transfers
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
  -- Found one by one by their keys (OFFSET 0), in the month of each: otherwise Postgres may read all entries of the account.
  LEFT JOIN LATERAL (
    SELECT amount FROM ledger_entries WHERE owner_id = t.owner_id AND account_id = a.id AND transfer_id = t.id OFFSET 0) e ON true
  WHERE t.owner_id = g.owner_id AND t.grant_id = g.id
    -- Months before these hold nothing of it that is not in `kept`.
    AND t.id >= greatest(g.first_transfer_id, (SELECT coalesce(max(end_transfer_id), 0) FROM ledger_archives))
) sums
CROSS JOIN LATERAL (
  SELECT coalesce(sum(s.gross), 0)::bigint AS gross, coalesce(sum(s.refunded), 0)::bigint AS refunded,
    coalesce(sum(s.disputed), 0)::bigint AS disputed, coalesce(sum(s.expired), 0)::bigint AS expired,
    coalesce(sum(s.written_off), 0)::bigint AS written_off, coalesce(sum(s.adjusted), 0)::bigint AS adjusted,
    coalesce(sum(s.transfers), 0)::bigint AS transfers
  FROM ledger_archived_sums s
  WHERE s.owner_id = g.owner_id AND s.grant_id = g.id
    AND g.first_transfer_id < (SELECT coalesce(max(end_transfer_id), 0) FROM ledger_archives)
) kept;

-- As before, but for the first transfer of a new grant.
CREATE OR REPLACE FUNCTION ledger_append(
  owners ledger_owners[], keys ledger_keys[], grants ledger_grants[], transfers ledger_transfers[], entries ledger_entries[]
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_keys SELECT * FROM unnest(keys);
  IF cardinality(grants) > 0 THEN
    INSERT INTO ledger_grants (id, owner_kind, owner_id, account, kind, intent_id, stripe_subscription_id, stripe_invoice_id, month_starts_at,
      starts_at, ends_at, created_at, first_transfer_id)
    SELECT g.id, g.owner_kind, g.owner_id, g.account, g.kind, g.intent_id, g.stripe_subscription_id, g.stripe_invoice_id, g.month_starts_at,
      g.starts_at, g.ends_at, g.created_at, (SELECT min(t.id) FROM unnest(transfers) t WHERE t.grant_id = g.id)
    FROM unnest(grants) g;
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

-- The same.
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

GRANT SELECT ON ledger_archives, ledger_openings, ledger_archived_sums TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_month_of(timestamptz), ledger_first_id(bigint) TO tidemark_server, tidemark_worker;
