-- Double entry, append-only, whole credits. Nothing here is ever updated: the balance of an account is the `balance_after` of
-- its latest entry, and the row in ledger_accounts exists to be locked.

CREATE TABLE ledger_accounts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization', 'house')),
  owner_id text NOT NULL CHECK (length(owner_id) BETWEEN 1 AND 64),
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_kind, owner_id, name),
  CHECK ((owner_kind = 'house') = (owner_id = 'house')),
  CHECK (CASE owner_kind
    WHEN 'house' THEN name IN ('sold', 'granted', 'used', 'refunded', 'disputed', 'expired', 'adjusted')
    ELSE name IN ('plan', 'purchased')
  END)
);

INSERT INTO ledger_accounts (owner_kind, owner_id, name)
SELECT 'house', 'house', unnest(ARRAY['sold', 'granted', 'used', 'refunded', 'disputed', 'expired', 'adjusted']);

CREATE TABLE ledger_transfers (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  idempotency_key text NOT NULL UNIQUE CHECK (length(idempotency_key) BETWEEN 1 AND 255),
  kind text NOT NULL CHECK (kind IN (
    'credit_purchase', 'plan_grant', 'seat_grant', 'usage', 'expiry', 'refund', 'dispute', 'dispute_won', 'settlement', 'adjustment')),
  input_hash bytea NOT NULL CHECK (length(input_hash) = 32),
  occurred_at timestamptz NOT NULL,
  posted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  intent_id uuid REFERENCES checkout_intents (id),
  event_id text,
  actor text NOT NULL,
  reason text NOT NULL
);

CREATE INDEX ledger_transfers_intent ON ledger_transfers (intent_id) WHERE intent_id IS NOT NULL;

CREATE TABLE ledger_entries (
  transfer_id bigint NOT NULL REFERENCES ledger_transfers (id),
  -- No foreign key: it would share-lock the same house account's row in every transfer of the whole system. Accounts are found
  -- by the posting functions and can never be deleted; ledger:verify looks.
  account_id bigint NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  -- House accounts have neither: a running balance that every purchase locks would cap the whole system.
  version bigint CHECK (version > 0),
  balance_after bigint,
  hash bytea NOT NULL CHECK (length(hash) = 32),
  PRIMARY KEY (transfer_id, account_id),
  CHECK ((version IS NULL) = (balance_after IS NULL))
);

CREATE UNIQUE INDEX ledger_entries_version ON ledger_entries (account_id, version) WHERE version IS NOT NULL;

CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The ledger is append-only: % on % is refused; a correction is one more transfer', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER ledger_accounts_append_only BEFORE UPDATE OR DELETE ON ledger_accounts
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_accounts_no_truncate BEFORE TRUNCATE ON ledger_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_transfers_append_only BEFORE UPDATE OR DELETE ON ledger_transfers
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_transfers_no_truncate BEFORE TRUNCATE ON ledger_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change();

-- Everything a transfer says, as 32 bytes. It goes into the hash of each of its entries, so the words cannot be changed either.
CREATE FUNCTION ledger_transfer_digest(transfer ledger_transfers) RETURNS bytea
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT sha256(convert_to(jsonb_build_array(
    transfer.idempotency_key, transfer.kind, encode(transfer.input_hash, 'hex'),
    (extract(epoch FROM transfer.occurred_at) * 1000000)::bigint, (extract(epoch FROM transfer.posted_at) * 1000000)::bigint,
    transfer.intent_id, transfer.event_id, transfer.actor, transfer.reason)::text, 'UTF8'))
$$;

-- An owner's entry is chained to the account's previous entry, a house entry to the last owner's entry of its own transfer.
CREATE FUNCTION ledger_entry_hash(
  previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint
) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT sha256(coalesce(previous, ''::bytea) || digest || int8send(account_id) || int8send(amount)
    || coalesce(int8send(version), ''::bytea) || coalesce(int8send(balance_after), ''::bytea))
$$;

-- The ids of the named owners' accounts in their order, house accounts left out; NULL stands for those that do not exist yet.
CREATE FUNCTION ledger_account_ids(owners jsonb) RETURNS bigint[] LANGUAGE sql STABLE AS $$
  SELECT coalesce(array_agg(DISTINCT named.id ORDER BY named.id), '{}')
  FROM (
    SELECT (SELECT a.id FROM ledger_accounts a
      WHERE a.owner_kind = o.owner_kind AND a.owner_id = o.owner_id AND a.name = o.account) AS id
    FROM jsonb_to_recordset(owners) AS o (owner_kind text, owner_id text, account text)
    WHERE o.owner_kind <> 'house') named
$$;

-- Locks the named owners' accounts, always in the order of their ids, and makes those that are missing.
-- `owners` is an array of {owner_kind, owner_id, account}.
CREATE FUNCTION ledger_lock_accounts(owners jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids bigint[] := ledger_account_ids(owners);
  account_id bigint;
BEGIN
  IF array_position(ids, NULL) IS NOT NULL THEN
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT DISTINCT o.owner_kind, o.owner_id, o.account
    FROM jsonb_to_recordset(owners) AS o (owner_kind text, owner_id text, account text)
    WHERE o.owner_kind <> 'house'
    ORDER BY 1, 2, 3
    ON CONFLICT DO NOTHING;
    ids := ledger_account_ids(owners);
  END IF;
  -- One by one: a look-up by primary key needs no plan that depends on how many there are.
  FOREACH account_id IN ARRAY ids LOOP
    PERFORM FROM ledger_accounts a WHERE a.id = account_id FOR NO KEY UPDATE;
  END LOOP;
END
$$;

-- Appends one owner's entry; the caller holds the lock of the account. Returns its hash.
CREATE FUNCTION ledger_append_owner_entry(
  transfer ledger_transfers, digest bytea, owner_account_id bigint, credits bigint, may_go_below_zero boolean
) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
  previous record;
  entry_hash bytea;
  new_version bigint;
  new_balance bigint;
BEGIN
  SELECT e.version, e.balance_after, e.hash INTO previous
  FROM ledger_entries e
  WHERE e.account_id = owner_account_id AND e.version IS NOT NULL
  ORDER BY e.version DESC LIMIT 1;
  new_version := coalesce(previous.version, 0) + 1;
  new_balance := coalesce(previous.balance_after, 0) + credits;
  IF credits < 0 AND new_balance < 0 AND NOT may_go_below_zero THEN
    RAISE EXCEPTION 'Account % has % credits, transfer % takes %',
      owner_account_id, coalesce(previous.balance_after, 0), transfer.idempotency_key, -credits USING ERRCODE = 'LG003';
  END IF;
  entry_hash := ledger_entry_hash(previous.hash, digest, owner_account_id, credits, new_version, new_balance);
  INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, hash)
  VALUES (transfer.id, owner_account_id, credits, new_version, new_balance, entry_hash);
  RETURN entry_hash;
END
$$;

-- Posts a batch of transfers, one or many, in one round trip. Each is {idempotency_key, kind, occurred_at, intent_id, event_id,
-- actor, reason, legs: [{owner_kind, owner_id, account, amount}]}. A key that was posted with the same input returns the first
-- result with posted = false. Errors: LG001 same key with another input, LG002 legs that do not balance, LG003 not enough
-- credits. Who reports a payment first (webhook or return page) does not change what is posted, so event, actor, reason and
-- time are not part of the input that must agree.
CREATE FUNCTION ledger_post(transfers jsonb)
RETURNS TABLE (ordinal bigint, transfer_id bigint, posted boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  item record;
  leg record;
  transfer ledger_transfers;
  digest bytea;
  chain bytea;
  hash_of_input bytea;
  entries integer;
  total bigint;
BEGIN
  PERFORM ledger_lock_accounts(
    (SELECT jsonb_agg(l.value) FROM jsonb_array_elements(transfers) t, jsonb_array_elements(t.value -> 'legs') l));

  FOR item IN
    SELECT t.value AS body, t.ordinality AS position,
      (SELECT jsonb_agg(l.value ORDER BY l.value ->> 'owner_kind', l.value ->> 'owner_id', l.value ->> 'account')
       FROM jsonb_array_elements(t.value -> 'legs') l) AS legs
    FROM jsonb_array_elements(transfers) WITH ORDINALITY t
    ORDER BY t.ordinality
  LOOP
    hash_of_input := sha256(convert_to(jsonb_build_object(
      'kind', item.body -> 'kind', 'intent_id', item.body -> 'intent_id', 'legs', item.legs)::text, 'UTF8'));

    INSERT INTO ledger_transfers (idempotency_key, kind, input_hash, occurred_at, intent_id, event_id, actor, reason)
    VALUES (item.body ->> 'idempotency_key', item.body ->> 'kind', hash_of_input, (item.body ->> 'occurred_at')::timestamptz,
      (item.body ->> 'intent_id')::uuid, item.body ->> 'event_id', item.body ->> 'actor', item.body ->> 'reason')
    ON CONFLICT (idempotency_key) DO NOTHING
    RETURNING * INTO transfer;

    IF transfer.id IS NULL THEN
      SELECT * INTO transfer FROM ledger_transfers existing
      WHERE existing.idempotency_key = item.body ->> 'idempotency_key';
      IF transfer.input_hash <> hash_of_input THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', transfer.idempotency_key USING ERRCODE = 'LG001';
      END IF;
      ordinal := item.position; transfer_id := transfer.id; posted := false;
      RETURN NEXT;
      CONTINUE;
    END IF;

    digest := ledger_transfer_digest(transfer);
    chain := NULL;
    entries := 0;
    total := 0;
    FOR leg IN
      SELECT l.owner_kind, l.amount, (SELECT a.id FROM ledger_accounts a
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
        chain := ledger_append_owner_entry(transfer, digest, leg.account_id, leg.amount,
          transfer.kind IN ('refund', 'dispute', 'adjustment'));
      END IF;
    END LOOP;
    IF entries = 0 OR total <> 0 THEN
      RAISE EXCEPTION 'Transfer % does not balance', transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;

    ordinal := item.position; transfer_id := transfer.id; posted := true;
    RETURN NEXT;
  END LOOP;
END
$$;

-- Spends an owner's credits, plan credits first. Decided under the accounts' locks, so two reports cannot spend the same credit.
-- outcome: 'posted', 'replayed' (the key was posted before), 'refused' (nothing posted: `plan` and `purchased` say what is there).
-- An owner with a debt is refused until it is settled. Error LG001: same key with another input.
CREATE FUNCTION ledger_use(
  use_owner_kind text, use_owner_id text, credits bigint, use_key text, use_occurred_at timestamptz,
  use_actor text, use_reason text
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
  IF credits <= 0 THEN
    RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
  END IF;
  PERFORM ledger_lock_accounts(jsonb_build_array(
    jsonb_build_object('owner_kind', use_owner_kind, 'owner_id', use_owner_id, 'account', 'plan'),
    jsonb_build_object('owner_kind', use_owner_kind, 'owner_id', use_owner_id, 'account', 'purchased')));
  SELECT max(a.id) FILTER (WHERE a.name = 'plan'), max(a.id) FILTER (WHERE a.name = 'purchased')
  INTO plan_account, purchased_account
  FROM ledger_accounts a WHERE a.owner_kind = use_owner_kind AND a.owner_id = use_owner_id;
  plan := coalesce((SELECT e.balance_after FROM ledger_entries e
    WHERE e.account_id = plan_account AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1), 0);
  purchased := coalesce((SELECT e.balance_after FROM ledger_entries e
    WHERE e.account_id = purchased_account AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1), 0);

  hash_of_input := sha256(convert_to(jsonb_build_object('kind', 'usage', 'owner_kind', use_owner_kind,
    'owner_id', use_owner_id, 'credits', credits)::text, 'UTF8'));
  SELECT * INTO transfer FROM ledger_transfers existing WHERE existing.idempotency_key = use_key;
  IF FOUND THEN
    IF transfer.input_hash <> hash_of_input THEN
      RAISE EXCEPTION 'Transfer % was posted before with another input', use_key USING ERRCODE = 'LG001';
    END IF;
    outcome := 'replayed'; transfer_id := transfer.id;
    RETURN NEXT; RETURN;
  END IF;
  IF plan < 0 OR purchased < 0 OR plan + purchased < credits THEN
    outcome := 'refused';
    RETURN NEXT; RETURN;
  END IF;

  INSERT INTO ledger_transfers (idempotency_key, kind, input_hash, occurred_at, actor, reason)
  VALUES (use_key, 'usage', hash_of_input, use_occurred_at, use_actor, use_reason)
  ON CONFLICT (idempotency_key) DO NOTHING
  RETURNING * INTO transfer;
  IF transfer.id IS NULL THEN
    -- Only another owner can have taken the key meanwhile: this owner's accounts are locked.
    RAISE EXCEPTION 'Transfer % was posted before with another input', use_key USING ERRCODE = 'LG001';
  END IF;
  digest := ledger_transfer_digest(transfer);
  from_plan := least(plan, credits);
  IF from_plan > 0 THEN
    chain := ledger_append_owner_entry(transfer, digest, plan_account, -from_plan, false);
  END IF;
  IF credits > from_plan THEN
    chain := ledger_append_owner_entry(transfer, digest, purchased_account, from_plan - credits, false);
  END IF;
  INSERT INTO ledger_entries (transfer_id, account_id, amount, hash)
  SELECT transfer.id, a.id, credits, ledger_entry_hash(chain, digest, a.id, credits, NULL, NULL)
  FROM ledger_accounts a WHERE a.owner_kind = 'house' AND a.name = 'used';
  outcome := 'posted'; transfer_id := transfer.id; plan := plan - from_plan; purchased := purchased - (credits - from_plan);
  RETURN NEXT;
END
$$;

-- Moves what is left in an owner's plan account to `expired`, whatever that is by now. Returns the credits that expired; zero,
-- and no transfer, when nothing is left or there is a debt. A key that was posted before returns zero. The accounts stay locked
-- until the transaction ends, so a grant that follows in it starts from what this left.
CREATE FUNCTION ledger_expire(
  expire_owner_kind text, expire_owner_id text, expire_key text, expire_occurred_at timestamptz,
  expire_event_id text, expire_actor text, expire_reason text
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  plan_balance bigint;
BEGIN
  PERFORM ledger_lock_accounts(jsonb_build_array(
    jsonb_build_object('owner_kind', expire_owner_kind, 'owner_id', expire_owner_id, 'account', 'plan')));
  IF EXISTS (SELECT FROM ledger_transfers t WHERE t.idempotency_key = expire_key) THEN
    RETURN 0;
  END IF;
  SELECT b.balance INTO plan_balance FROM ledger_balances b
  WHERE b.owner_kind = expire_owner_kind AND b.owner_id = expire_owner_id AND b.account = 'plan';
  IF plan_balance <= 0 THEN
    RETURN 0;
  END IF;
  PERFORM ledger_post(jsonb_build_array(jsonb_build_object(
    'idempotency_key', expire_key, 'kind', 'expiry', 'occurred_at', expire_occurred_at, 'event_id', expire_event_id,
    'actor', expire_actor, 'reason', expire_reason, 'legs', jsonb_build_array(
      jsonb_build_object('owner_kind', expire_owner_kind, 'owner_id', expire_owner_id, 'account', 'plan', 'amount', -plan_balance),
      jsonb_build_object('owner_kind', 'house', 'owner_id', 'house', 'account', 'expired', 'amount', plan_balance)))));
  RETURN plan_balance;
END
$$;

-- Lets one of an owner's accounts pay the other's debt, as far as it can. Returns the credits that moved; zero, and no transfer,
-- when there is no debt or nothing to pay it with.
CREATE FUNCTION ledger_settle_debt(
  debtor_kind text, debtor_id text, settle_key text, settle_occurred_at timestamptz, settle_event_id text
) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  plan_balance bigint;
  purchased_balance bigint;
  to_plan bigint;
BEGIN
  PERFORM ledger_lock_accounts(jsonb_build_array(
    jsonb_build_object('owner_kind', debtor_kind, 'owner_id', debtor_id, 'account', 'plan'),
    jsonb_build_object('owner_kind', debtor_kind, 'owner_id', debtor_id, 'account', 'purchased')));
  SELECT sum(b.balance) FILTER (WHERE b.account = 'plan'), sum(b.balance) FILTER (WHERE b.account = 'purchased')
  INTO plan_balance, purchased_balance
  FROM ledger_balances b WHERE b.owner_kind = debtor_kind AND b.owner_id = debtor_id;
  to_plan := CASE
    WHEN plan_balance < 0 AND purchased_balance > 0 THEN least(-plan_balance, purchased_balance)
    WHEN purchased_balance < 0 AND plan_balance > 0 THEN -least(-purchased_balance, plan_balance)
    ELSE 0 END;
  IF to_plan = 0 THEN
    RETURN 0;
  END IF;
  PERFORM ledger_post(jsonb_build_array(jsonb_build_object(
    'idempotency_key', settle_key, 'kind', 'settlement', 'occurred_at', settle_occurred_at, 'event_id', settle_event_id,
    'actor', 'ledger', 'reason', 'Debt settled', 'legs', jsonb_build_array(
      jsonb_build_object('owner_kind', debtor_kind, 'owner_id', debtor_id, 'account', 'plan', 'amount', to_plan),
      jsonb_build_object('owner_kind', debtor_kind, 'owner_id', debtor_id, 'account', 'purchased', 'amount', -to_plan)))));
  RETURN abs(to_plan);
END
$$;

-- The latest balance of every owner's account; house accounts are summed when asked for.
CREATE VIEW ledger_balances AS
SELECT a.owner_kind, a.owner_id, a.name AS account, a.id AS account_id,
  coalesce(head.version, 0) AS version, coalesce(head.balance_after, 0) AS balance
FROM ledger_accounts a
LEFT JOIN LATERAL (
  SELECT e.version, e.balance_after FROM ledger_entries e
  WHERE e.account_id = a.id AND e.version IS NOT NULL
  ORDER BY e.version DESC LIMIT 1
) head ON true
WHERE a.owner_kind <> 'house';

REVOKE ALL ON FUNCTION ledger_transfer_digest(ledger_transfers),
  ledger_entry_hash(bytea, bytea, bigint, bigint, bigint, bigint),
  ledger_account_ids(jsonb),
  ledger_lock_accounts(jsonb),
  ledger_append_owner_entry(ledger_transfers, bytea, bigint, bigint, boolean),
  ledger_post(jsonb),
  ledger_use(text, text, bigint, text, timestamptz, text, text),
  ledger_expire(text, text, text, timestamptz, text, text, text),
  ledger_settle_debt(text, text, text, timestamptz, text)
FROM PUBLIC;

GRANT SELECT ON ledger_accounts, ledger_transfers, ledger_entries, ledger_balances TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_use(text, text, bigint, text, timestamptz, text, text) TO tidemark_server;
GRANT EXECUTE ON FUNCTION ledger_post(jsonb), ledger_expire(text, text, text, timestamptz, text, text, text),
  ledger_settle_debt(text, text, text, timestamptz, text)
  TO tidemark_worker;
