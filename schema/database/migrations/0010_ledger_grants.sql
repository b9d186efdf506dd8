-- A grant is one thing that brought credits: a purchase, a billing month, seats added to one, a month that was paid for too late.
-- Every transfer but usage is linked to the grant it belongs to, so what a grant brought, gave back and lost is a sum over an
-- index. Usage is not linked: it spends an account, and how much of a month was used is written down once, when it is closed.

ALTER TABLE ledger_accounts DROP CONSTRAINT ledger_accounts_check1;
ALTER TABLE ledger_accounts ADD CONSTRAINT ledger_accounts_name_check CHECK (CASE owner_kind
  WHEN 'house' THEN name IN ('sold', 'granted', 'used', 'refunded', 'disputed', 'expired', 'written_off', 'adjusted')
  ELSE name IN ('plan', 'purchased')
END);
INSERT INTO ledger_accounts (owner_kind, owner_id, name) VALUES ('house', 'house', 'written_off');

CREATE TABLE ledger_grants (
  -- Natural, so that whoever hears of the same thing twice names the same grant.
  id text PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 200),
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  owner_id text NOT NULL CHECK (length(owner_id) BETWEEN 1 AND 64),
  account text NOT NULL CHECK (account IN ('plan', 'purchased')),
  kind text NOT NULL CHECK (kind IN ('purchase', 'month', 'seats', 'late_month', 'adjustment', 'legacy')),
  -- No foreign keys: they would share-lock the intent or subscription while another transaction that holds it waits for this
  -- owner's accounts. ledger:verify compares both sides.
  -- From here on as it was when the grant was first posted: a period that Stripe moves later does not make it another grant.
  intent_id uuid,
  stripe_subscription_id text,
  stripe_invoice_id text,
  -- The billing month that its credits end with: with the subscription, the key of ledger_months_used.
  month_starts_at timestamptz,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (starts_at < ends_at),
  CHECK ((kind IN ('month', 'seats', 'late_month')) = (stripe_subscription_id IS NOT NULL)),
  CHECK ((stripe_subscription_id IS NULL) = (stripe_invoice_id IS NULL)),
  CHECK ((kind IN ('month', 'seats')) = (month_starts_at IS NOT NULL)),
  CHECK (CASE WHEN kind IN ('purchase', 'late_month') THEN account = 'purchased'
    WHEN kind IN ('month', 'seats') THEN account = 'plan' ELSE true END),
  CONSTRAINT ledger_grants_natural_id CHECK (coalesce(CASE
    WHEN kind = 'purchase' THEN id = 'purchase/' || intent_id::text
    WHEN kind IN ('month', 'seats')
      THEN id = kind || '/' || stripe_invoice_id || '/' || extract(epoch FROM month_starts_at)::bigint::text
    WHEN kind = 'late_month' THEN starts_with(id, 'late_month/' || stripe_invoice_id || '/')
    ELSE starts_with(id, kind || '/')
  END, false))
);

CREATE INDEX ledger_grants_owner ON ledger_grants (owner_kind, owner_id);
CREATE INDEX ledger_grants_month ON ledger_grants (stripe_subscription_id, month_starts_at)
  WHERE stripe_subscription_id IS NOT NULL;

-- How many plan credits were used while the books had a month open. Written once, when the month is closed.
CREATE TABLE ledger_months_used (
  stripe_subscription_id text NOT NULL,
  month_starts_at timestamptz NOT NULL,
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  owner_id text NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (stripe_subscription_id, month_starts_at)
);

CREATE INDEX ledger_months_used_owner ON ledger_months_used (owner_kind, owner_id);

CREATE TRIGGER ledger_grants_append_only BEFORE UPDATE OR DELETE ON ledger_grants
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_grants_no_truncate BEFORE TRUNCATE ON ledger_grants
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_months_used_append_only BEFORE UPDATE OR DELETE ON ledger_months_used
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_months_used_no_truncate BEFORE TRUNCATE ON ledger_months_used
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- How far ledger:verify has proven the books, for the next run to go on from. The tables' owner alone reads and writes it.
CREATE TABLE ledger_proofs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  proven_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Every transfer up to this one was read and found right.
  transfer_id bigint NOT NULL CHECK (transfer_id >= 0),
  accounts bigint NOT NULL CHECK (accounts >= 0),
  -- SHA-256 over the latest entry of every owner's account up to that transfer.
  heads_digest bytea NOT NULL CHECK (length(heads_digest) = 32)
);

-- Format 1: the digest of a transfer and the hash of its input do not know of grants. Format 2: they cover the grant's id.
ALTER TABLE ledger_transfers ADD COLUMN format smallint NOT NULL DEFAULT 1 CHECK (format IN (1, 2));
ALTER TABLE ledger_transfers ALTER COLUMN format SET DEFAULT 2;
ALTER TABLE ledger_transfers ADD COLUMN grant_id text REFERENCES ledger_grants (id);
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_kind_check;
ALTER TABLE ledger_transfers ADD CONSTRAINT ledger_transfers_kind_check CHECK (kind IN (
  'credit_purchase', 'plan_grant', 'seat_grant', 'usage', 'expiry', 'write_off', 'refund', 'dispute', 'dispute_won',
  'settlement', 'adjustment'));

-- A page of history reads downwards from a transfer, in each account.
CREATE INDEX ledger_entries_history ON ledger_entries (account_id, transfer_id) WHERE version IS NOT NULL;

----------------------------------------------------------------------------------------------------------------------------
-- The grants of what was posted before. Their hashes stay as they are: format 1 does not cover the new columns.
----------------------------------------------------------------------------------------------------------------------------

INSERT INTO ledger_grants (id, owner_kind, owner_id, account, kind, intent_id, starts_at, created_at)
SELECT DISTINCT ON (t.intent_id) 'purchase/' || t.intent_id::text, a.owner_kind, a.owner_id, 'purchased', 'purchase', t.intent_id,
  t.occurred_at, t.posted_at
FROM ledger_transfers t
JOIN ledger_entries e ON e.transfer_id = t.id
JOIN ledger_accounts a ON a.id = e.account_id AND a.owner_kind <> 'house' AND a.name = 'purchased'
WHERE t.kind = 'credit_purchase' AND t.intent_id IS NOT NULL
ORDER BY t.intent_id, t.id;

INSERT INTO ledger_grants (id, owner_kind, owner_id, account, kind, intent_id, stripe_subscription_id, stripe_invoice_id,
  month_starts_at, starts_at, ends_at)
SELECT 'month/' || m.stripe_invoice_id || '/' || extract(epoch FROM m.starts_at)::bigint::text, s.owner_kind, s.owner_id, 'plan',
  'month', s.intent_id, m.stripe_subscription_id, m.stripe_invoice_id, m.starts_at, m.starts_at, m.ends_at
FROM subscription_months m JOIN subscriptions s USING (stripe_subscription_id);

-- A month's seat grants and the invoices of its seats were both made in the order of the changes: the first belongs to the first.
CREATE TEMPORARY TABLE seat_grants_before AS
SELECT t.id AS transfer_id, s.owner_kind, s.owner_id, s.intent_id, m.stripe_subscription_id, m.starts_at AS month_starts_at, m.ends_at,
  coalesce(invoice.stripe_invoice_id, m.stripe_invoice_id) AS stripe_invoice_id, coalesce(invoice.starts_at, m.starts_at) AS starts_at
FROM (
  SELECT t.id, split_part(t.idempotency_key, '/', 2) AS subscription_id, split_part(t.idempotency_key, '/', 3) AS month,
    row_number() OVER (PARTITION BY split_part(t.idempotency_key, '/', 2), split_part(t.idempotency_key, '/', 3) ORDER BY t.id) AS place
  FROM ledger_transfers t WHERE t.kind = 'seat_grant') t
JOIN subscription_months m ON m.stripe_subscription_id = t.subscription_id
  AND extract(epoch FROM m.starts_at)::bigint::text = t.month
JOIN subscriptions s ON s.stripe_subscription_id = m.stripe_subscription_id
LEFT JOIN LATERAL (
  SELECT numbered.stripe_invoice_id, numbered.starts_at FROM (
    SELECT i.stripe_invoice_id, i.starts_at, row_number() OVER (ORDER BY i.starts_at) AS place FROM subscription_invoices i
    WHERE i.stripe_subscription_id = m.stripe_subscription_id AND i.kind = 'seats' AND i.seats > i.seats_before
      AND i.starts_at >= m.starts_at AND i.starts_at < m.ends_at) numbered
  WHERE numbered.place <= t.place ORDER BY numbered.place DESC LIMIT 1) invoice ON true;

INSERT INTO ledger_grants (id, owner_kind, owner_id, account, kind, intent_id, stripe_subscription_id, stripe_invoice_id,
  month_starts_at, starts_at, ends_at)
SELECT DISTINCT ON (stripe_invoice_id, month_starts_at)
  'seats/' || stripe_invoice_id || '/' || extract(epoch FROM month_starts_at)::bigint::text, owner_kind, owner_id, 'plan',
  'seats', intent_id, stripe_subscription_id, stripe_invoice_id, month_starts_at, starts_at, ends_at
FROM seat_grants_before ORDER BY stripe_invoice_id, month_starts_at, transfer_id;

ALTER TABLE ledger_transfers DISABLE TRIGGER ledger_transfers_append_only;

UPDATE ledger_transfers t SET grant_id = g.id
FROM ledger_grants g WHERE t.kind = 'credit_purchase' AND g.id = 'purchase/' || t.intent_id::text;

UPDATE ledger_transfers t SET grant_id = g.id
FROM ledger_grants g WHERE t.kind = 'plan_grant' AND g.kind = 'month'
  AND t.idempotency_key = 'plan/' || g.stripe_subscription_id || '/' || extract(epoch FROM g.month_starts_at)::bigint::text;

UPDATE ledger_transfers t
SET grant_id = 'seats/' || b.stripe_invoice_id || '/' || extract(epoch FROM b.month_starts_at)::bigint::text
FROM seat_grants_before b WHERE b.transfer_id = t.id;
DROP TABLE seat_grants_before;

-- An expiry closed the month before the one that its key names, or the last one of a subscription that ended.
UPDATE ledger_transfers t SET grant_id = closed.grant_id
FROM (
  SELECT e.id, (
    SELECT g.id FROM ledger_grants g
    WHERE g.kind = 'month' AND g.stripe_subscription_id = split_part(e.idempotency_key, '/', 2)
      AND (split_part(e.idempotency_key, '/', 3) = 'ended'
        OR extract(epoch FROM g.month_starts_at)::bigint < nullif(split_part(e.idempotency_key, '/', 3), 'ended')::bigint)
    ORDER BY g.month_starts_at DESC LIMIT 1) AS grant_id
  FROM ledger_transfers e WHERE e.kind = 'expiry' AND e.idempotency_key ~ '^expiry/[^/]+/(\d+|ended)$') closed
WHERE closed.id = t.id;

UPDATE ledger_transfers t SET grant_id = taken.grant_id
FROM (
  SELECT r.id, coalesce(
    (SELECT g.id FROM ledger_grants g WHERE g.id = 'purchase/' || c.intent_id::text),
    (SELECT g.id FROM ledger_grants g WHERE g.kind = 'seats' AND g.stripe_subscription_id = c.stripe_subscription_id
      AND g.month_starts_at = c.month_starts_at AND g.stripe_invoice_id = c.stripe_invoice_id),
    (SELECT g.id FROM ledger_grants g WHERE g.kind = 'month' AND g.stripe_subscription_id = c.stripe_subscription_id
      AND g.month_starts_at = c.month_starts_at)) AS grant_id
  FROM ledger_transfers r JOIN clawbacks c ON c.stripe_charge_id = split_part(r.idempotency_key, '/', 2)
  WHERE r.kind IN ('refund', 'dispute', 'dispute_won')) taken
WHERE taken.id = t.id;

-- Settlements, adjustments, and whatever else is none of those: one grant an account. A settlement counts with the plan account.
CREATE TEMPORARY TABLE legacy_before AS
SELECT DISTINCT ON (t.id) t.id AS transfer_id, a.owner_kind, a.owner_id, a.name AS account, t.posted_at
FROM ledger_transfers t
JOIN ledger_entries e ON e.transfer_id = t.id
JOIN ledger_accounts a ON a.id = e.account_id AND a.owner_kind <> 'house'
WHERE t.kind <> 'usage' AND t.grant_id IS NULL
ORDER BY t.id, a.name;

INSERT INTO ledger_grants (id, owner_kind, owner_id, account, kind, created_at)
SELECT 'legacy/' || owner_kind || '/' || owner_id || '/' || account, owner_kind, owner_id, account, 'legacy', min(posted_at)
FROM legacy_before GROUP BY owner_kind, owner_id, account;

UPDATE ledger_transfers t SET grant_id = 'legacy/' || b.owner_kind || '/' || b.owner_id || '/' || b.account
FROM legacy_before b WHERE b.transfer_id = t.id;
DROP TABLE legacy_before;

ALTER TABLE ledger_transfers ENABLE TRIGGER ledger_transfers_append_only;

-- Months that were closed: the usage between the grant of one month and the grant of the owner's next.
INSERT INTO ledger_months_used (stripe_subscription_id, month_starts_at, owner_kind, owner_id, used)
SELECT m.stripe_subscription_id, m.starts_at, s.owner_kind, s.owner_id, coalesce((
  SELECT -sum(e.amount) FROM ledger_accounts a
  JOIN ledger_entries e ON e.account_id = a.id AND e.version IS NOT NULL
    AND e.transfer_id > granted.first_id AND e.transfer_id < coalesce(granted.next_id, 9223372036854775807)
  JOIN ledger_transfers t ON t.id = e.transfer_id AND t.kind = 'usage'
  WHERE a.owner_kind = s.owner_kind AND a.owner_id = s.owner_id AND a.name = 'plan'), 0)
FROM subscription_months m
JOIN subscriptions s USING (stripe_subscription_id)
LEFT JOIN (
  SELECT g.stripe_subscription_id, g.month_starts_at, min(t.id) AS first_id,
    lead(min(t.id)) OVER (PARTITION BY g.owner_kind, g.owner_id ORDER BY min(t.id)) AS next_id
  FROM ledger_grants g JOIN ledger_transfers t ON t.grant_id = g.id AND t.kind = 'plan_grant'
  WHERE g.kind = 'month'
  GROUP BY g.stripe_subscription_id, g.month_starts_at, g.owner_kind, g.owner_id) granted
  ON granted.stripe_subscription_id = m.stripe_subscription_id AND granted.month_starts_at = m.starts_at
WHERE m.unused IS NOT NULL;

CREATE INDEX ledger_transfers_grant ON ledger_transfers (grant_id) WHERE grant_id IS NOT NULL;
ALTER TABLE ledger_transfers ADD CONSTRAINT ledger_transfers_grant_check CHECK ((kind = 'usage') = (grant_id IS NULL));

----------------------------------------------------------------------------------------------------------------------------
-- Functions
----------------------------------------------------------------------------------------------------------------------------

CREATE OR REPLACE FUNCTION ledger_transfer_digest(transfer ledger_transfers) RETURNS bytea
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

-- Locks both accounts of every owner named, always, in the order of the accounts' ids, and makes those that are missing. Because
-- usage, posting and reconciling all hold the same two rows of an owner, no two of them can wait for each other. Missing
-- accounts are made before anything is locked. `owners` is an array of {owner_kind, owner_id}; house accounts are left out.
CREATE FUNCTION ledger_lock_owners(owners jsonb) RETURNS void LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  owner_kinds text[];
  owner_ids text[];
  account_ids bigint[];
  locked_id bigint;
BEGIN
  SELECT array_agg(named.owner_kind), array_agg(named.owner_id) INTO owner_kinds, owner_ids
  FROM (SELECT DISTINCT o.owner_kind, o.owner_id FROM jsonb_to_recordset(owners) AS o (owner_kind text, owner_id text)
    WHERE o.owner_kind <> 'house') named;
  IF owner_ids IS NULL THEN
    RETURN;
  END IF;
  account_ids := ledger_account_ids_of(owner_kinds, owner_ids);
  IF cardinality(account_ids) < 2 * cardinality(owner_ids) THEN
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT named.owner_kind, named.owner_id, account.name
    FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id), unnest(ARRAY['plan', 'purchased']) AS account (name)
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
    account_ids := ledger_account_ids_of(owner_kinds, owner_ids);
  END IF;
  -- One by one: a look-up by primary key needs no plan that depends on how many there are.
  FOREACH locked_id IN ARRAY account_ids LOOP
    PERFORM FROM ledger_accounts a WHERE a.id = locked_id FOR NO KEY UPDATE;
  END LOOP;
END
$$;

-- The ids, in their order, of the accounts that the owners have.
CREATE FUNCTION ledger_account_ids_of(owner_kinds text[], owner_ids text[]) RETURNS bigint[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(a.id ORDER BY a.id), '{}')
  FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id)
  CROSS JOIN LATERAL (SELECT id FROM ledger_accounts
    WHERE ledger_accounts.owner_kind = named.owner_kind AND ledger_accounts.owner_id = named.owner_id OFFSET 0) a
$$;

-- Takes the locks that posting takes, until the transaction ends: what is read of the owner's books after it stays true in it.
CREATE FUNCTION ledger_lock_owner(owner_kind text, owner_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp AS $$
  SELECT ledger_lock_owners(jsonb_build_array(jsonb_build_object(
    'owner_kind', ledger_lock_owner.owner_kind, 'owner_id', ledger_lock_owner.owner_id)))
$$;

-- Writes a grant down if it is not there yet. One that is there must be of the same owner, account and kind, and keeps its other
-- fields. The caller holds its owner's locks.
CREATE FUNCTION ledger_ensure_grant(given ledger_grants) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  known ledger_grants;
BEGIN
  SELECT * INTO known FROM ledger_grants g WHERE g.id = given.id;
  IF known.id IS NULL THEN
    given.created_at := clock_timestamp();
    INSERT INTO ledger_grants SELECT given.* ON CONFLICT (id) DO NOTHING;
    IF FOUND THEN
      RETURN;
    END IF;
    SELECT * INTO known FROM ledger_grants g WHERE g.id = given.id;
  END IF;
  IF (known.owner_kind, known.owner_id, known.account, known.kind)
     IS DISTINCT FROM (given.owner_kind, given.owner_id, given.account, given.kind) THEN
    RAISE EXCEPTION 'Grant % was written down before for another owner, account or kind', given.id USING ERRCODE = 'LG001';
  END IF;
END
$$;

-- Posts a batch of transfers, one or many, in one round trip. Each is {idempotency_key, kind, occurred_at, intent_id, event_id,
-- actor, reason, grant: {id, kind, owner_kind, owner_id, account, …}, legs: [{owner_kind, owner_id, account, amount}]}; a grant
-- that is not there yet is written down. A key that was posted with the same input returns the first result with posted = false.
-- Errors: LG001 same key or same grant with another input, LG002 legs that do not balance or are not the grant's account, LG003
-- not enough credits; then nothing of the batch is posted. Only usage and purchases may not take an account below zero: everything
-- else corrects the books, in whatever order a batch has it. Who reports a payment first (webhook or return page) does not change
-- what is posted, so event, actor, reason and time are not part of the input that must agree.
CREATE OR REPLACE FUNCTION ledger_post(transfers jsonb)
RETURNS TABLE (ordinal bigint, transfer_id bigint, posted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  item record;
  leg record;
  given ledger_grants;
  transfer ledger_transfers;
  digest bytea;
  chain bytea;
  hash_of_input bytea;
  entries integer;
  total bigint;
BEGIN
  PERFORM ledger_lock_owners(
    (SELECT jsonb_agg(l.value) FROM jsonb_array_elements(transfers) t, jsonb_array_elements(t.value -> 'legs') l));

  FOR item IN
    SELECT t.value AS body, t.ordinality AS position,
      (SELECT jsonb_agg(l.value ORDER BY l.value ->> 'owner_kind', l.value ->> 'owner_id', l.value ->> 'account')
       FROM jsonb_array_elements(t.value -> 'legs') l) AS legs
    FROM jsonb_array_elements(transfers) WITH ORDINALITY t
    ORDER BY t.ordinality
  LOOP
    given := jsonb_populate_record(NULL::ledger_grants, nullif(item.body -> 'grant', 'null'));
    IF given.id IS NULL THEN
      RAISE EXCEPTION 'Transfer % belongs to no grant', item.body ->> 'idempotency_key' USING ERRCODE = 'LG002';
    END IF;

    SELECT * INTO transfer FROM ledger_transfers existing WHERE existing.idempotency_key = item.body ->> 'idempotency_key';
    IF transfer.id IS NULL THEN
      PERFORM ledger_ensure_grant(given);
      INSERT INTO ledger_transfers (idempotency_key, kind, input_hash, occurred_at, intent_id, event_id, actor, reason, grant_id)
      VALUES (item.body ->> 'idempotency_key', item.body ->> 'kind', ledger_input_hash(item.body, item.legs, 2::smallint),
        (item.body ->> 'occurred_at')::timestamptz, (item.body ->> 'intent_id')::uuid, item.body ->> 'event_id',
        item.body ->> 'actor', item.body ->> 'reason', given.id)
      ON CONFLICT (idempotency_key) DO NOTHING
      RETURNING * INTO transfer;
      posted := transfer.id IS NOT NULL;
      IF NOT posted THEN
        -- Only another owner can have posted the key meanwhile: this owner's accounts are locked.
        SELECT * INTO transfer FROM ledger_transfers existing WHERE existing.idempotency_key = item.body ->> 'idempotency_key';
      END IF;
    ELSE
      posted := false;
    END IF;

    ordinal := item.position; transfer_id := transfer.id;
    IF NOT posted THEN
      IF transfer.input_hash <> ledger_input_hash(item.body, item.legs, transfer.format) THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', transfer.idempotency_key USING ERRCODE = 'LG001';
      END IF;
      RETURN NEXT;
      CONTINUE;
    END IF;

    digest := ledger_transfer_digest(transfer);
    chain := NULL;
    entries := 0;
    total := 0;
    FOR leg IN
      SELECT l.owner_kind, l.owner_id, l.account, l.amount, (SELECT a.id FROM ledger_accounts a
        WHERE a.owner_kind = l.owner_kind AND a.owner_id = l.owner_id AND a.name = l.account) AS account_id
      FROM jsonb_to_recordset(item.legs) AS l (owner_kind text, owner_id text, account text, amount bigint)
      ORDER BY (l.owner_kind = 'house'), account_id
    LOOP
      IF leg.account_id IS NULL THEN
        RAISE EXCEPTION 'Transfer % names an account that does not exist', transfer.idempotency_key USING ERRCODE = 'LG002';
      END IF;
      entries := entries + 1;
      total := total + leg.amount;
      IF leg.owner_kind = 'house' THEN
        INSERT INTO ledger_entries (transfer_id, account_id, amount, hash)
        VALUES (transfer.id, leg.account_id, leg.amount,
          ledger_entry_hash(chain, digest, leg.account_id, leg.amount, NULL, NULL));
      ELSE
        IF (leg.owner_kind, leg.owner_id) <> (given.owner_kind, given.owner_id)
          OR (leg.account <> given.account AND transfer.kind <> 'settlement') THEN
          RAISE EXCEPTION 'Transfer % moves credits of an account that is not its grant''s', transfer.idempotency_key
            USING ERRCODE = 'LG002';
        END IF;
        chain := ledger_append_owner_entry(transfer, digest, leg.account_id, leg.amount,
          transfer.kind NOT IN ('usage', 'credit_purchase'));
      END IF;
    END LOOP;
    IF entries = 0 OR total <> 0 THEN
      RAISE EXCEPTION 'Transfer % does not balance', transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;
    RETURN NEXT;
  END LOOP;
END
$$;

-- What must agree when a key is posted again. `legs` are in a fixed order.
CREATE FUNCTION ledger_input_hash(item jsonb, legs jsonb, format smallint) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to((CASE format
    WHEN 1 THEN jsonb_build_object('kind', item -> 'kind', 'intent_id', item -> 'intent_id', 'legs', legs)
    ELSE jsonb_build_object('kind', item -> 'kind', 'intent_id', item -> 'intent_id', 'grant_id', item -> 'grant' -> 'id', 'legs', legs)
    END)::text, 'UTF8'))
$$;

-- Spends an owner's credits: as far as the plan account is above zero from there, the rest from the purchased account. Decided
-- under the accounts' locks, so two reports cannot spend the same credit. outcome: 'posted', 'replayed' (the key was posted
-- before), 'refused' (nothing posted: `plan` and `purchased` together do not cover it; both say what is there). A debt of one
-- account so blocks as many credits of the other, and blocks no more when it is gone. Error LG001: same key with another input.
DROP FUNCTION ledger_use(text, text, bigint, text, timestamptz, text, text);
CREATE FUNCTION ledger_use(
  owner_kind text, owner_id text, credits bigint, idempotency_key text, occurred_at timestamptz, actor text, reason text
) RETURNS TABLE (outcome text, transfer_id bigint, plan bigint, purchased bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  transfer ledger_transfers;
  digest bytea;
  chain bytea;
  hash_of_input bytea;
  plan_account bigint;
  purchased_account bigint;
  from_plan bigint;
BEGIN
  IF ledger_use.credits <= 0 THEN
    RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
  END IF;
  PERFORM ledger_lock_owner(ledger_use.owner_kind, ledger_use.owner_id);
  SELECT max(a.id) FILTER (WHERE a.name = 'plan'), max(a.id) FILTER (WHERE a.name = 'purchased')
  INTO plan_account, purchased_account
  FROM ledger_accounts a WHERE a.owner_kind = ledger_use.owner_kind AND a.owner_id = ledger_use.owner_id;
  plan := coalesce((SELECT e.balance_after FROM ledger_entries e
    WHERE e.account_id = plan_account AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1), 0);
  purchased := coalesce((SELECT e.balance_after FROM ledger_entries e
    WHERE e.account_id = purchased_account AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1), 0);

  hash_of_input := sha256(convert_to(jsonb_build_object('kind', 'usage', 'owner_kind', ledger_use.owner_kind,
    'owner_id', ledger_use.owner_id, 'credits', ledger_use.credits)::text, 'UTF8'));
  SELECT * INTO transfer FROM ledger_transfers existing WHERE existing.idempotency_key = ledger_use.idempotency_key;
  IF FOUND THEN
    IF transfer.input_hash <> hash_of_input THEN
      RAISE EXCEPTION 'Transfer % was posted before with another input', transfer.idempotency_key USING ERRCODE = 'LG001';
    END IF;
    outcome := 'replayed'; transfer_id := transfer.id;
    RETURN NEXT; RETURN;
  END IF;
  IF plan + purchased < ledger_use.credits THEN
    outcome := 'refused';
    RETURN NEXT; RETURN;
  END IF;

  INSERT INTO ledger_transfers (idempotency_key, kind, input_hash, occurred_at, actor, reason)
  VALUES (ledger_use.idempotency_key, 'usage', hash_of_input, ledger_use.occurred_at, ledger_use.actor, ledger_use.reason)
  ON CONFLICT (idempotency_key) DO NOTHING
  RETURNING * INTO transfer;
  IF transfer.id IS NULL THEN
    -- Only another owner can have posted the key meanwhile: this owner's accounts are locked.
    RAISE EXCEPTION 'Transfer % was posted before with another input', ledger_use.idempotency_key USING ERRCODE = 'LG001';
  END IF;
  digest := ledger_transfer_digest(transfer);
  from_plan := least(greatest(plan, 0), ledger_use.credits);
  -- In the order of the accounts' ids, as everywhere: an entry of the house hangs on the owner's last one.
  IF plan_account < purchased_account AND from_plan > 0 THEN
    chain := ledger_append_owner_entry(transfer, digest, plan_account, -from_plan, false);
  END IF;
  IF ledger_use.credits > from_plan THEN
    chain := ledger_append_owner_entry(transfer, digest, purchased_account, from_plan - ledger_use.credits, false);
  END IF;
  IF plan_account > purchased_account AND from_plan > 0 THEN
    chain := ledger_append_owner_entry(transfer, digest, plan_account, -from_plan, false);
  END IF;
  INSERT INTO ledger_entries (transfer_id, account_id, amount, hash)
  SELECT transfer.id, a.id, ledger_use.credits, ledger_entry_hash(chain, digest, a.id, ledger_use.credits, NULL, NULL)
  FROM ledger_accounts a WHERE a.owner_kind = 'house' AND a.name = 'used';
  outcome := 'posted'; transfer_id := transfer.id;
  plan := plan - from_plan; purchased := purchased - (ledger_use.credits - from_plan);
  RETURN NEXT;
END
$$;

-- A grant with the sums of its transfers in its account. gross: what it brought. refunded, disputed: what was taken back, above
-- zero. expired (below zero), written_off (above): how its month was closed. adjusted: adjustments and old settlements, signed.
CREATE VIEW ledger_grant_sums AS
SELECT g.*, sums.gross, sums.refunded, sums.disputed, sums.expired, sums.written_off, sums.adjusted, sums.transfers
FROM ledger_grants g
LEFT JOIN ledger_accounts a ON a.owner_kind = g.owner_kind AND a.owner_id = g.owner_id AND a.name = g.account
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('adjustment', 'settlement')), 0)::bigint AS adjusted,
    count(t.id) AS transfers
  FROM ledger_transfers t
  LEFT JOIN ledger_entries e ON e.transfer_id = t.id AND e.account_id = a.id
  WHERE t.grant_id = g.id
) sums;

-- All that the ledger knows of one owner, without reading a single usage: the balances, every grant with its sums, the months
-- that are closed, and what was used of the open one: all that came into the plan account, less what is there, less what closed
-- months have used.
CREATE FUNCTION ledger_books(owner_kind text, owner_id text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  WITH grants AS (
    SELECT g.* FROM ledger_grant_sums g
    WHERE g.owner_kind = ledger_books.owner_kind AND g.owner_id = ledger_books.owner_id
  ), closed AS (
    SELECT m.stripe_subscription_id, m.month_starts_at AS starts_at, m.used FROM ledger_months_used m
    WHERE m.owner_kind = ledger_books.owner_kind AND m.owner_id = ledger_books.owner_id
  ), balances AS (
    SELECT
      coalesce(max(b.balance) FILTER (WHERE b.account = 'plan'), 0) AS plan,
      coalesce(max(b.version) FILTER (WHERE b.account = 'plan'), 0) AS plan_version,
      coalesce(max(b.balance) FILTER (WHERE b.account = 'purchased'), 0) AS purchased,
      coalesce(max(b.version) FILTER (WHERE b.account = 'purchased'), 0) AS purchased_version
    FROM ledger_balances b WHERE b.owner_kind = ledger_books.owner_kind AND b.owner_id = ledger_books.owner_id
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

-- Closes a month: writes down what was used of it. Doing it again with the same number does nothing. Errors: LG001 closed before
-- with another number, LG002 more than what was used since the last month was closed.
CREATE FUNCTION ledger_close_month(
  owner_kind text, owner_id text, stripe_subscription_id text, month_starts_at timestamptz, used bigint
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  known ledger_months_used;
BEGIN
  PERFORM ledger_lock_owner(ledger_close_month.owner_kind, ledger_close_month.owner_id);
  SELECT * INTO known FROM ledger_months_used m
  WHERE m.stripe_subscription_id = ledger_close_month.stripe_subscription_id AND m.month_starts_at = ledger_close_month.month_starts_at;
  IF known.used IS NULL THEN
    IF ledger_close_month.used
      > (ledger_books(ledger_close_month.owner_kind, ledger_close_month.owner_id) ->> 'used_open')::bigint THEN
      RAISE EXCEPTION 'Month % of % cannot have used % credits', ledger_close_month.month_starts_at,
        ledger_close_month.stripe_subscription_id, ledger_close_month.used USING ERRCODE = 'LG002';
    END IF;
    INSERT INTO ledger_months_used (stripe_subscription_id, month_starts_at, owner_kind, owner_id, used)
    VALUES (ledger_close_month.stripe_subscription_id, ledger_close_month.month_starts_at, ledger_close_month.owner_kind,
      ledger_close_month.owner_id, ledger_close_month.used);
  ELSIF (known.used, known.owner_kind, known.owner_id)
    <> (ledger_close_month.used, ledger_close_month.owner_kind, ledger_close_month.owner_id) THEN
    RAISE EXCEPTION 'Month % of % was closed before with % credits used', known.month_starts_at,
      known.stripe_subscription_id, known.used USING ERRCODE = 'LG001';
  END IF;
END
$$;

-- Reconciling an owner does what these did.
DROP FUNCTION ledger_expire(text, text, text, timestamptz, text, text, text), ledger_settle_debt(text, text, text, timestamptz, text),
  ledger_lock_accounts(jsonb), ledger_account_ids(jsonb);

REVOKE ALL ON FUNCTION ledger_lock_owners(jsonb),
  ledger_account_ids_of(text[], text[]),
  ledger_lock_owner(text, text),
  ledger_ensure_grant(ledger_grants),
  ledger_input_hash(jsonb, jsonb, smallint),
  ledger_use(text, text, bigint, text, timestamptz, text, text),
  ledger_books(text, text),
  ledger_close_month(text, text, text, timestamptz, bigint)
FROM PUBLIC;

GRANT SELECT ON ledger_grants, ledger_months_used, ledger_grant_sums TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_use(text, text, bigint, text, timestamptz, text, text) TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_lock_owner(text, text), ledger_books(text, text),
  ledger_close_month(text, text, text, timestamptz, bigint) TO tidemark_worker;
