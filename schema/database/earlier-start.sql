-- A database as it was before migration 0009: the schema of that time, and one or more rows of every table, written by the product
-- against both sandboxes (the payloads of the inbox are left out). Like pg_dump, it restores rows without their triggers. It is
-- restored by earlier-start.test.ts, and never edited: what it holds is what somebody may have on their disk.
SET check_function_bodies = false;
SET session_replication_role = replica;

CREATE FUNCTION public.checkout_intents_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF (NEW.id, NEW.kind, NEW.user_id, NEW.owner_kind, NEW.credits, NEW.amount_minor, NEW.currency, NEW.plan_type,
      NEW.billing_frequency, NEW.seats, NEW.credits_per_seat, NEW.trial_days)
     IS DISTINCT FROM
     (OLD.id, OLD.kind, OLD.user_id, OLD.owner_kind, OLD.credits, OLD.amount_minor, OLD.currency, OLD.plan_type,
      OLD.billing_frequency, OLD.seats, OLD.credits_per_seat, OLD.trial_days)
     OR (OLD.owner_id IS NOT NULL AND NEW.owner_id IS DISTINCT FROM OLD.owner_id) THEN
    RAISE EXCEPTION 'What checkout intent % promises may not change', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'settled' AND NEW.state <> 'settled' THEN
    RAISE EXCEPTION 'Checkout intent % is settled and stays so', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.stripe_session_id IS NOT NULL AND NEW.stripe_session_id IS DISTINCT FROM OLD.stripe_session_id THEN
    RAISE EXCEPTION 'Checkout intent % belongs to another session', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

CREATE FUNCTION public.ledger_account_ids(owners jsonb) RETURNS bigint[]
    LANGUAGE sql STABLE
    AS $$
  SELECT coalesce(array_agg(DISTINCT named.id ORDER BY named.id), '{}')
  FROM (
    SELECT (SELECT a.id FROM ledger_accounts a
      WHERE a.owner_kind = o.owner_kind AND a.owner_id = o.owner_id AND a.name = o.account) AS id
    FROM jsonb_to_recordset(owners) AS o (owner_kind text, owner_id text, account text)
    WHERE o.owner_kind <> 'house') named
$$;

CREATE TABLE public.ledger_transfers (
    id bigint NOT NULL,
    idempotency_key text NOT NULL,
    kind text NOT NULL,
    input_hash bytea NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    posted_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    intent_id uuid,
    event_id text,
    actor text NOT NULL,
    reason text NOT NULL,
    CONSTRAINT ledger_transfers_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
    CONSTRAINT ledger_transfers_input_hash_check CHECK ((length(input_hash) = 32)),
    CONSTRAINT ledger_transfers_kind_check CHECK ((kind = ANY (ARRAY['credit_purchase'::text, 'plan_grant'::text, 'seat_grant'::text, 'usage'::text, 'expiry'::text, 'refund'::text, 'dispute'::text, 'dispute_won'::text, 'settlement'::text, 'adjustment'::text])))
);

CREATE FUNCTION public.ledger_append_owner_entry(transfer public.ledger_transfers, digest bytea, owner_account_id bigint, credits bigint, may_go_below_zero boolean) RETURNS bytea
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.ledger_entry_hash(previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT sha256(coalesce(previous, ''::bytea) || digest || int8send(account_id) || int8send(amount)
    || coalesce(int8send(version), ''::bytea) || coalesce(int8send(balance_after), ''::bytea))
$$;

CREATE FUNCTION public.ledger_expire(expire_owner_kind text, expire_owner_id text, expire_key text, expire_occurred_at timestamp with time zone, expire_event_id text, expire_actor text, expire_reason text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.ledger_lock_accounts(owners jsonb) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.ledger_post(transfers jsonb) RETURNS TABLE(ordinal bigint, transfer_id bigint, posted boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.ledger_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'The ledger is append-only: % on % is refused; a correction is one more transfer', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END
$$;

CREATE FUNCTION public.ledger_settle_debt(debtor_kind text, debtor_id text, settle_key text, settle_occurred_at timestamp with time zone, settle_event_id text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.ledger_transfer_digest(transfer public.ledger_transfers) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT sha256(convert_to(jsonb_build_array(
    transfer.idempotency_key, transfer.kind, encode(transfer.input_hash, 'hex'),
    (extract(epoch FROM transfer.occurred_at) * 1000000)::bigint, (extract(epoch FROM transfer.posted_at) * 1000000)::bigint,
    transfer.intent_id, transfer.event_id, transfer.actor, transfer.reason)::text, 'UTF8'))
$$;

CREATE FUNCTION public.ledger_use(use_owner_kind text, use_owner_id text, credits bigint, use_key text, use_occurred_at timestamp with time zone, use_actor text, use_reason text) RETURNS TABLE(outcome text, transfer_id bigint, plan bigint, purchased bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE TABLE public.checkout_intents (
    id uuid NOT NULL,
    kind text NOT NULL,
    user_id text NOT NULL,
    owner_kind text NOT NULL,
    owner_id text,
    credits bigint NOT NULL,
    amount_minor bigint NOT NULL,
    currency text NOT NULL,
    plan_type text,
    billing_frequency text,
    seats integer,
    credits_per_seat bigint,
    trial_days integer DEFAULT 0 NOT NULL,
    state text DEFAULT 'created'::text NOT NULL,
    failure_reason text,
    stripe_customer_id text,
    stripe_session_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    sweep_at timestamp with time zone DEFAULT now() NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    CONSTRAINT checkout_intents_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT checkout_intents_billing_frequency_check CHECK ((billing_frequency = ANY (ARRAY['monthly'::text, 'yearly'::text]))),
    CONSTRAINT checkout_intents_check CHECK (((owner_id IS NOT NULL) OR ((kind = 'subscription'::text) AND (owner_kind = 'organization'::text)))),
    CONSTRAINT checkout_intents_check1 CHECK (((kind = 'subscription'::text) = (plan_type IS NOT NULL))),
    CONSTRAINT checkout_intents_check2 CHECK (((kind = 'subscription'::text) = (billing_frequency IS NOT NULL))),
    CONSTRAINT checkout_intents_check3 CHECK (((kind = 'subscription'::text) = (seats IS NOT NULL))),
    CONSTRAINT checkout_intents_check4 CHECK (((kind = 'subscription'::text) = (credits_per_seat IS NOT NULL))),
    CONSTRAINT checkout_intents_check5 CHECK (((kind <> 'subscription'::text) OR (credits = (credits_per_seat * seats)))),
    CONSTRAINT checkout_intents_check6 CHECK (((state = 'settled'::text) = (settled_at IS NOT NULL))),
    CONSTRAINT checkout_intents_check7 CHECK (((state <> 'settled'::text) OR (stripe_session_id IS NOT NULL))),
    CONSTRAINT checkout_intents_check8 CHECK (((state <> 'open'::text) OR (stripe_session_id IS NOT NULL))),
    CONSTRAINT checkout_intents_credits_check CHECK ((credits > 0)),
    CONSTRAINT checkout_intents_credits_per_seat_check CHECK ((credits_per_seat > 0)),
    CONSTRAINT checkout_intents_currency_check CHECK ((currency = ANY (ARRAY['EUR'::text, 'USD'::text, 'GBP'::text]))),
    CONSTRAINT checkout_intents_kind_check CHECK ((kind = ANY (ARRAY['credit_purchase'::text, 'subscription'::text]))),
    CONSTRAINT checkout_intents_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text]))),
    CONSTRAINT checkout_intents_plan_type_check CHECK ((plan_type = ANY (ARRAY['pro'::text, 'teams'::text]))),
    CONSTRAINT checkout_intents_seats_check CHECK (((seats >= 1) AND (seats <= 100))),
    CONSTRAINT checkout_intents_state_check CHECK ((state = ANY (ARRAY['created'::text, 'open'::text, 'awaiting_payment'::text, 'settled'::text, 'failed'::text, 'expired'::text]))),
    CONSTRAINT checkout_intents_trial_days_check CHECK ((trial_days >= 0))
);

CREATE TABLE public.clawbacks (
    stripe_charge_id text NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    account text NOT NULL,
    intent_id uuid,
    stripe_invoice_id text,
    amount_minor bigint NOT NULL,
    amount_returned_minor bigint NOT NULL,
    credits_granted bigint NOT NULL,
    stripe_subscription_id text,
    month_starts_at timestamp with time zone,
    credits_refunded bigint DEFAULT 0 NOT NULL,
    credits_disputed bigint DEFAULT 0 NOT NULL,
    credits_taken bigint DEFAULT 0 NOT NULL,
    transfers integer DEFAULT 0 NOT NULL,
    fetch_order bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT clawbacks_account_check CHECK ((account = ANY (ARRAY['plan'::text, 'purchased'::text]))),
    CONSTRAINT clawbacks_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT clawbacks_amount_returned_minor_check CHECK ((amount_returned_minor >= 0)),
    CONSTRAINT clawbacks_check CHECK (((credits_refunded + credits_disputed) <= credits_granted)),
    CONSTRAINT clawbacks_check1 CHECK ((credits_taken <= credits_granted)),
    CONSTRAINT clawbacks_check2 CHECK (((intent_id IS NULL) <> (stripe_invoice_id IS NULL))),
    CONSTRAINT clawbacks_check3 CHECK (((month_starts_at IS NULL) OR (stripe_subscription_id IS NOT NULL))),
    CONSTRAINT clawbacks_credits_disputed_check CHECK ((credits_disputed >= 0)),
    CONSTRAINT clawbacks_credits_granted_check CHECK ((credits_granted >= 0)),
    CONSTRAINT clawbacks_credits_refunded_check CHECK ((credits_refunded >= 0)),
    CONSTRAINT clawbacks_credits_taken_check CHECK ((credits_taken >= 0)),
    CONSTRAINT clawbacks_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text])))
);

CREATE SEQUENCE public.clerk_looks
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.extension_sign_ins (
    state_hash bytea NOT NULL,
    redirect_uri text NOT NULL,
    code_challenge text,
    user_id text,
    code_hash bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    exchanged_at timestamp with time zone,
    token_id uuid,
    CONSTRAINT extension_sign_ins_check CHECK ((created_at < expires_at)),
    CONSTRAINT extension_sign_ins_check1 CHECK (
CASE
    WHEN (code_challenge IS NULL) THEN ((user_id IS NOT NULL) AND (code_hash IS NULL))
    ELSE ((code_hash IS NULL) = (user_id IS NULL))
END),
    CONSTRAINT extension_sign_ins_check2 CHECK (((exchanged_at IS NULL) = (token_id IS NULL))),
    CONSTRAINT extension_sign_ins_check3 CHECK (((exchanged_at IS NULL) OR (user_id IS NOT NULL))),
    CONSTRAINT extension_sign_ins_code_challenge_check CHECK ((length(code_challenge) = 43)),
    CONSTRAINT extension_sign_ins_code_hash_check CHECK ((length(code_hash) = 32)),
    CONSTRAINT extension_sign_ins_state_hash_check CHECK ((length(state_hash) = 32))
);

CREATE TABLE public.extension_tokens (
    id uuid NOT NULL,
    user_id text NOT NULL,
    token_hash bytea NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    last_used_at timestamp with time zone,
    revoked_at timestamp with time zone,
    CONSTRAINT extension_tokens_check CHECK ((created_at < expires_at)),
    CONSTRAINT extension_tokens_token_hash_check CHECK ((length(token_hash) = 32))
);

CREATE TABLE public.inbox_events (
    source text NOT NULL,
    id text NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    state text DEFAULT 'received'::text NOT NULL,
    reason text,
    settled_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    sweep_at timestamp with time zone DEFAULT now() NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    CONSTRAINT inbox_events_check CHECK (((state = 'received'::text) = (settled_at IS NULL))),
    CONSTRAINT inbox_events_check1 CHECK (((state <> ALL (ARRAY['ignored'::text, 'failed'::text])) OR (reason IS NOT NULL))),
    CONSTRAINT inbox_events_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255))),
    CONSTRAINT inbox_events_source_check CHECK ((source = ANY (ARRAY['stripe'::text, 'clerk'::text]))),
    CONSTRAINT inbox_events_state_check CHECK ((state = ANY (ARRAY['received'::text, 'applied'::text, 'ignored'::text, 'failed'::text])))
);

CREATE TABLE public.ledger_accounts (
    id bigint NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ledger_accounts_check CHECK (((owner_kind = 'house'::text) = (owner_id = 'house'::text))),
    CONSTRAINT ledger_accounts_check1 CHECK (
CASE owner_kind
    WHEN 'house'::text THEN (name = ANY (ARRAY['sold'::text, 'granted'::text, 'used'::text, 'refunded'::text, 'disputed'::text, 'expired'::text, 'adjusted'::text]))
    ELSE (name = ANY (ARRAY['plan'::text, 'purchased'::text]))
END),
    CONSTRAINT ledger_accounts_owner_id_check CHECK (((length(owner_id) >= 1) AND (length(owner_id) <= 64))),
    CONSTRAINT ledger_accounts_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text, 'house'::text])))
);

ALTER TABLE public.ledger_accounts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.ledger_entries (
    transfer_id bigint NOT NULL,
    account_id bigint NOT NULL,
    amount bigint NOT NULL,
    version bigint,
    balance_after bigint,
    hash bytea NOT NULL,
    CONSTRAINT ledger_entries_amount_check CHECK ((amount <> 0)),
    CONSTRAINT ledger_entries_check CHECK (((version IS NULL) = (balance_after IS NULL))),
    CONSTRAINT ledger_entries_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT ledger_entries_version_check CHECK ((version > 0))
);

CREATE VIEW public.ledger_balances AS
 SELECT a.owner_kind,
    a.owner_id,
    a.name AS account,
    a.id AS account_id,
    COALESCE(head.version, (0)::bigint) AS version,
    COALESCE(head.balance_after, (0)::bigint) AS balance
   FROM (public.ledger_accounts a
     LEFT JOIN LATERAL ( SELECT e.version,
            e.balance_after
           FROM public.ledger_entries e
          WHERE ((e.account_id = a.id) AND (e.version IS NOT NULL))
          ORDER BY e.version DESC
         LIMIT 1) head ON (true))
  WHERE (a.owner_kind <> 'house'::text);

ALTER TABLE public.ledger_transfers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_transfers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.organization_members (
    organization_id text NOT NULL,
    user_id text NOT NULL,
    role text,
    look_order bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT organization_members_organization_id_check CHECK (((length(organization_id) >= 1) AND (length(organization_id) <= 64))),
    CONSTRAINT organization_members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
    CONSTRAINT organization_members_user_id_check CHECK (((length(user_id) >= 1) AND (length(user_id) <= 64)))
);

CREATE TABLE public.seats (
    id bigint NOT NULL,
    organization_id text NOT NULL,
    email text NOT NULL,
    user_id text,
    role text NOT NULL,
    status text NOT NULL,
    invitation_id uuid,
    assigned_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT seats_check CHECK (((status <> 'active'::text) OR (user_id IS NOT NULL))),
    CONSTRAINT seats_check1 CHECK (((status <> 'pending'::text) OR ((user_id IS NULL) AND (invitation_id IS NOT NULL)))),
    CONSTRAINT seats_email_check CHECK ((email = lower(email))),
    CONSTRAINT seats_organization_id_check CHECK (((length(organization_id) >= 1) AND (length(organization_id) <= 64))),
    CONSTRAINT seats_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
    CONSTRAINT seats_status_check CHECK ((status = ANY (ARRAY['active'::text, 'pending'::text, 'revoked'::text, 'expired'::text])))
);

ALTER TABLE public.seats ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.seats_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.stripe_customers (
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    customer_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT stripe_customers_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text])))
);

CREATE SEQUENCE public.stripe_fetches
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.subscription_invoices (
    stripe_invoice_id text NOT NULL,
    stripe_subscription_id text NOT NULL,
    kind text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    seats_before integer,
    seats integer NOT NULL,
    amount_paid_minor bigint NOT NULL,
    paid_at timestamp with time zone NOT NULL,
    CONSTRAINT subscription_invoices_amount_paid_minor_check CHECK ((amount_paid_minor >= 0)),
    CONSTRAINT subscription_invoices_check CHECK ((starts_at < ends_at)),
    CONSTRAINT subscription_invoices_check1 CHECK (((kind = 'seats'::text) = (seats_before IS NOT NULL))),
    CONSTRAINT subscription_invoices_kind_check CHECK ((kind = ANY (ARRAY['period'::text, 'seats'::text]))),
    CONSTRAINT subscription_invoices_seats_before_check CHECK ((seats_before >= 0)),
    CONSTRAINT subscription_invoices_seats_check CHECK ((seats >= 1))
);

CREATE TABLE public.subscription_months (
    stripe_subscription_id text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    stripe_invoice_id text NOT NULL,
    seats integer NOT NULL,
    credits bigint NOT NULL,
    seat_credits bigint DEFAULT 0 NOT NULL,
    unused bigint,
    CONSTRAINT subscription_months_check CHECK ((starts_at < ends_at)),
    CONSTRAINT subscription_months_credits_check CHECK ((credits >= 0)),
    CONSTRAINT subscription_months_seat_credits_check CHECK ((seat_credits >= 0)),
    CONSTRAINT subscription_months_seats_check CHECK ((seats >= 1)),
    CONSTRAINT subscription_months_unused_check CHECK ((unused >= 0))
);

CREATE TABLE public.subscriptions (
    stripe_subscription_id text NOT NULL,
    intent_id uuid NOT NULL,
    user_id text NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    plan_type text NOT NULL,
    billing_frequency text NOT NULL,
    currency text NOT NULL,
    credits_per_seat bigint NOT NULL,
    status text NOT NULL,
    seats_total integer NOT NULL,
    current_period_start timestamp with time zone NOT NULL,
    current_period_end timestamp with time zone NOT NULL,
    trial_end timestamp with time zone,
    cancel_at timestamp with time zone,
    ended_at timestamp with time zone,
    fetch_order bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    sweep_at timestamp with time zone NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    CONSTRAINT subscriptions_billing_frequency_check CHECK ((billing_frequency = ANY (ARRAY['monthly'::text, 'yearly'::text]))),
    CONSTRAINT subscriptions_check CHECK ((((status = 'canceled'::text) = (ended_at IS NOT NULL)) OR (status = 'incomplete_expired'::text))),
    CONSTRAINT subscriptions_credits_per_seat_check CHECK ((credits_per_seat > 0)),
    CONSTRAINT subscriptions_currency_check CHECK ((currency = ANY (ARRAY['EUR'::text, 'USD'::text, 'GBP'::text]))),
    CONSTRAINT subscriptions_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text]))),
    CONSTRAINT subscriptions_plan_type_check CHECK ((plan_type = ANY (ARRAY['pro'::text, 'teams'::text]))),
    CONSTRAINT subscriptions_seats_total_check CHECK ((seats_total >= 1)),
    CONSTRAINT subscriptions_status_check CHECK ((status = ANY (ARRAY['incomplete'::text, 'incomplete_expired'::text, 'trialing'::text, 'active'::text, 'past_due'::text, 'canceled'::text, 'unpaid'::text, 'paused'::text])))
);

CREATE TABLE public.team_invitations (
    id uuid NOT NULL,
    organization_id text NOT NULL,
    subscription_id text NOT NULL,
    inviter_id text NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    clerk_invitation_id text,
    status text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    sweep_at timestamp with time zone,
    sweeps integer DEFAULT 0 NOT NULL,
    CONSTRAINT team_invitations_check CHECK (((status <> 'pending'::text) OR (sweep_at IS NOT NULL))),
    CONSTRAINT team_invitations_email_check CHECK ((email = lower(email))),
    CONSTRAINT team_invitations_organization_id_check CHECK (((length(organization_id) >= 1) AND (length(organization_id) <= 64))),
    CONSTRAINT team_invitations_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
    CONSTRAINT team_invitations_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'accepted'::text, 'expired'::text, 'revoked'::text])))
);

CREATE TABLE public.users (
    clerk_id text NOT NULL,
    email text NOT NULL,
    first_name text,
    last_name text,
    plan_type text DEFAULT 'starter'::text NOT NULL,
    profile_updated_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT users_clerk_id_check CHECK (((length(clerk_id) >= 1) AND (length(clerk_id) <= 64))),
    CONSTRAINT users_plan_type_check CHECK ((plan_type = ANY (ARRAY['starter'::text, 'pro'::text, 'teams'::text])))
);

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_stripe_session_id_key UNIQUE (stripe_session_id);

ALTER TABLE ONLY public.clawbacks
    ADD CONSTRAINT clawbacks_pkey PRIMARY KEY (stripe_charge_id);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_code_hash_key UNIQUE (code_hash);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_pkey PRIMARY KEY (state_hash);

ALTER TABLE ONLY public.extension_tokens
    ADD CONSTRAINT extension_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.extension_tokens
    ADD CONSTRAINT extension_tokens_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.inbox_events
    ADD CONSTRAINT inbox_events_pkey PRIMARY KEY (source, id);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_owner_kind_owner_id_name_key UNIQUE (owner_kind, owner_id, name);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_pkey PRIMARY KEY (transfer_id, account_id);

ALTER TABLE ONLY public.ledger_transfers
    ADD CONSTRAINT ledger_transfers_idempotency_key_key UNIQUE (idempotency_key);

ALTER TABLE ONLY public.ledger_transfers
    ADD CONSTRAINT ledger_transfers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_pkey PRIMARY KEY (organization_id, user_id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_invitation_id_key UNIQUE (invitation_id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_customer_id_key UNIQUE (customer_id);

ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_pkey PRIMARY KEY (owner_kind, owner_id);

ALTER TABLE ONLY public.subscription_invoices
    ADD CONSTRAINT subscription_invoices_pkey PRIMARY KEY (stripe_invoice_id, kind, starts_at);

ALTER TABLE ONLY public.subscription_months
    ADD CONSTRAINT subscription_months_pkey PRIMARY KEY (stripe_subscription_id, starts_at);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_intent_id_key UNIQUE (intent_id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (stripe_subscription_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_clerk_invitation_id_key UNIQUE (clerk_invitation_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (clerk_id);

CREATE UNIQUE INDEX checkout_intents_one_subscription ON public.checkout_intents USING btree (COALESCE(owner_id, user_id)) WHERE ((kind = 'subscription'::text) AND (state = ANY (ARRAY['created'::text, 'open'::text, 'awaiting_payment'::text])));

CREATE INDEX checkout_intents_sweep ON public.checkout_intents USING btree (sweep_at) WHERE (state = ANY (ARRAY['created'::text, 'open'::text, 'awaiting_payment'::text]));

CREATE INDEX checkout_intents_user ON public.checkout_intents USING btree (user_id, created_at DESC);

CREATE INDEX clawbacks_invoice ON public.clawbacks USING btree (stripe_invoice_id) WHERE (stripe_invoice_id IS NOT NULL);

CREATE INDEX extension_sign_ins_expiry ON public.extension_sign_ins USING btree (expires_at);

CREATE UNIQUE INDEX extension_tokens_one_active ON public.extension_tokens USING btree (user_id) WHERE (revoked_at IS NULL);

CREATE INDEX inbox_events_failed ON public.inbox_events USING btree (received_at) WHERE (state = 'failed'::text);

CREATE INDEX inbox_events_sweep ON public.inbox_events USING btree (sweep_at) WHERE (state = 'received'::text);

CREATE UNIQUE INDEX ledger_entries_version ON public.ledger_entries USING btree (account_id, version) WHERE (version IS NOT NULL);

CREATE INDEX ledger_transfers_intent ON public.ledger_transfers USING btree (intent_id) WHERE (intent_id IS NOT NULL);

CREATE UNIQUE INDEX seats_one_email ON public.seats USING btree (organization_id, email) WHERE (status = ANY (ARRAY['active'::text, 'pending'::text]));

CREATE UNIQUE INDEX seats_one_user ON public.seats USING btree (organization_id, user_id) WHERE (status = 'active'::text);

CREATE INDEX seats_organization ON public.seats USING btree (organization_id, assigned_at);

CREATE INDEX seats_user ON public.seats USING btree (user_id) WHERE (status = 'active'::text);

CREATE INDEX subscription_invoices_subscription ON public.subscription_invoices USING btree (stripe_subscription_id, starts_at);

CREATE UNIQUE INDEX subscriptions_one_live ON public.subscriptions USING btree (owner_kind, owner_id) WHERE (status = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text, 'unpaid'::text, 'paused'::text]));

CREATE INDEX subscriptions_sweep ON public.subscriptions USING btree (sweep_at) WHERE (status <> ALL (ARRAY['canceled'::text, 'incomplete_expired'::text]));

CREATE UNIQUE INDEX team_invitations_one_pending ON public.team_invitations USING btree (organization_id, email) WHERE (status = 'pending'::text);

CREATE INDEX team_invitations_organization ON public.team_invitations USING btree (organization_id, created_at DESC);

CREATE INDEX team_invitations_sweep ON public.team_invitations USING btree (sweep_at) WHERE (sweep_at IS NOT NULL);

CREATE INDEX users_email ON public.users USING btree (lower(email));

CREATE TRIGGER checkout_intents_guard BEFORE UPDATE ON public.checkout_intents FOR EACH ROW EXECUTE FUNCTION public.checkout_intents_guard();

CREATE TRIGGER ledger_accounts_append_only BEFORE DELETE OR UPDATE ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_accounts_no_truncate BEFORE TRUNCATE ON public.ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_transfers_append_only BEFORE DELETE OR UPDATE ON public.ledger_transfers FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_transfers_no_truncate BEFORE TRUNCATE ON public.ledger_transfers FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.clawbacks
    ADD CONSTRAINT clawbacks_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES public.checkout_intents(id);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_token_id_fkey FOREIGN KEY (token_id) REFERENCES public.extension_tokens(id);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.extension_tokens
    ADD CONSTRAINT extension_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES public.ledger_transfers(id);

ALTER TABLE ONLY public.ledger_transfers
    ADD CONSTRAINT ledger_transfers_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES public.checkout_intents(id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES public.team_invitations(id);

ALTER TABLE ONLY public.subscription_invoices
    ADD CONSTRAINT subscription_invoices_stripe_subscription_id_fkey FOREIGN KEY (stripe_subscription_id) REFERENCES public.subscriptions(stripe_subscription_id);

ALTER TABLE ONLY public.subscription_months
    ADD CONSTRAINT subscription_months_stripe_subscription_id_fkey FOREIGN KEY (stripe_subscription_id) REFERENCES public.subscriptions(stripe_subscription_id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_intent_id_fkey FOREIGN KEY (intent_id) REFERENCES public.checkout_intents(id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES public.subscriptions(stripe_subscription_id);

GRANT USAGE ON SCHEMA public TO tidemark_server;
GRANT USAGE ON SCHEMA public TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_account_ids(owners jsonb) FROM PUBLIC;

GRANT SELECT ON TABLE public.ledger_transfers TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_transfers TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_append_owner_entry(transfer public.ledger_transfers, digest bytea, owner_account_id bigint, credits bigint, may_go_below_zero boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_entry_hash(previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_expire(expire_owner_kind text, expire_owner_id text, expire_key text, expire_occurred_at timestamp with time zone, expire_event_id text, expire_actor text, expire_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_expire(expire_owner_kind text, expire_owner_id text, expire_key text, expire_occurred_at timestamp with time zone, expire_event_id text, expire_actor text, expire_reason text) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_lock_accounts(owners jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_post(transfers jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_post(transfers jsonb) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_settle_debt(debtor_kind text, debtor_id text, settle_key text, settle_occurred_at timestamp with time zone, settle_event_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_settle_debt(debtor_kind text, debtor_id text, settle_key text, settle_occurred_at timestamp with time zone, settle_event_id text) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_transfer_digest(transfer public.ledger_transfers) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_use(use_owner_kind text, use_owner_id text, credits bigint, use_key text, use_occurred_at timestamp with time zone, use_actor text, use_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_use(use_owner_kind text, use_owner_id text, credits bigint, use_key text, use_occurred_at timestamp with time zone, use_actor text, use_reason text) TO tidemark_server;

GRANT SELECT,INSERT ON TABLE public.checkout_intents TO tidemark_server;
GRANT SELECT,UPDATE ON TABLE public.checkout_intents TO tidemark_worker;

GRANT UPDATE(state) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(failure_reason) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(stripe_customer_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(stripe_session_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(updated_at) ON TABLE public.checkout_intents TO tidemark_server;

GRANT SELECT ON TABLE public.clawbacks TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.clawbacks TO tidemark_worker;

GRANT USAGE ON SEQUENCE public.clerk_looks TO tidemark_server;
GRANT USAGE ON SEQUENCE public.clerk_looks TO tidemark_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.extension_sign_ins TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.extension_sign_ins TO tidemark_worker;

GRANT UPDATE(user_id) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(code_hash) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(exchanged_at) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(token_id) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT SELECT,INSERT ON TABLE public.extension_tokens TO tidemark_server;
GRANT SELECT ON TABLE public.extension_tokens TO tidemark_worker;

GRANT UPDATE(last_used_at) ON TABLE public.extension_tokens TO tidemark_server;

GRANT UPDATE(revoked_at) ON TABLE public.extension_tokens TO tidemark_server;
GRANT UPDATE(revoked_at) ON TABLE public.extension_tokens TO tidemark_worker;

GRANT SELECT,INSERT ON TABLE public.inbox_events TO tidemark_server;
GRANT SELECT,UPDATE ON TABLE public.inbox_events TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_accounts TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_accounts TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_entries TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_entries TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_balances TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_balances TO tidemark_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.organization_members TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.organization_members TO tidemark_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.seats TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.seats TO tidemark_worker;

GRANT SELECT,INSERT ON TABLE public.stripe_customers TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.stripe_customers TO tidemark_worker;

GRANT USAGE ON SEQUENCE public.stripe_fetches TO tidemark_worker;

GRANT SELECT ON TABLE public.subscription_invoices TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.subscription_invoices TO tidemark_worker;

GRANT SELECT ON TABLE public.subscription_months TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.subscription_months TO tidemark_worker;

GRANT SELECT ON TABLE public.subscriptions TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.subscriptions TO tidemark_worker;

GRANT UPDATE(updated_at) ON TABLE public.subscriptions TO tidemark_server;

GRANT SELECT,INSERT,UPDATE ON TABLE public.team_invitations TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.team_invitations TO tidemark_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.users TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.users TO tidemark_worker;

CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL PRIMARY KEY,
    "timestamp" character varying(255) NOT NULL
);

CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL PRIMARY KEY,
    is_locked integer DEFAULT 0 NOT NULL
);

INSERT INTO public.checkout_intents (id, kind, user_id, owner_kind, owner_id, credits, amount_minor, currency, plan_type, billing_frequency, seats, credits_per_seat, trial_days, state, failure_reason, stripe_customer_id, stripe_session_id, created_at, updated_at, settled_at, sweep_at, sweeps) VALUES
  ('798b412a-c2bd-4789-b388-172ce069bd74', 'credit_purchase', 'user_a71a38fa', 'user', 'user_a71a38fa', '500', '700', 'EUR', NULL, NULL, NULL, NULL, '0', 'settled', NULL, 'cus_yjRiKSwE6103XB', 'cs_test_a1JEte43h2YUnWRFnOwXOR4PQyMqUB5PuYdHlrA1ksXfLv61k6GZqe9Q8qEr', '2026-11-21 21:51:35.785561+00', '2026-11-21 21:51:36.029657+00', '2026-11-21 21:51:36.084863+00', '2026-11-21 21:52:35.781+00', '0'),
  ('32d0371d-bf6d-440b-b1bb-11b1876abee8', 'subscription', 'user_11c07e39', 'user', 'user_11c07e39', '500', '2000', 'EUR', 'pro', 'monthly', '1', '500', '0', 'settled', NULL, 'cus_ff14hKQZNDxzHE', 'cs_test_a175sUnJHenb9AaowM2AWDph196ksh1Q9nbqt8FlpqQWWqj7XO5yeJNUYWwK', '2026-11-21 21:51:35.90659+00', '2026-11-21 21:51:36.204566+00', '2026-11-21 21:51:36.22255+00', '2026-11-21 22:51:35.905+00', '0'),
  ('4e9aef49-e718-45d7-b18f-4ef1943b6579', 'subscription', 'user_BeWRombQlllF2AYkrFhkjiOMAzr', 'organization', 'org_DiIrR11L9T30Ly68KOCKRvZNoP0', '1500', '9000', 'EUR', 'teams', 'monthly', '3', '500', '0', 'settled', NULL, NULL, 'cs_test_4e9aef49-e718-45d7-b18f-4ef1943b6579', '2026-11-21 21:51:36.434803+00', '2026-11-21 21:51:36.435747+00', '2026-11-21 21:51:36.436+00', '2026-11-22 21:51:36.434+00', '0');

INSERT INTO public.clawbacks (stripe_charge_id, owner_kind, owner_id, account, intent_id, stripe_invoice_id, amount_minor, amount_returned_minor, credits_granted, stripe_subscription_id, month_starts_at, credits_refunded, credits_disputed, credits_taken, transfers, fetch_order, updated_at) VALUES
  ('ch_ZP64Fd2vova1iJ793s9h9asB', 'user', 'user_a71a38fa', 'purchased', '798b412a-c2bd-4789-b388-172ce069bd74', NULL, '700', '140', '500', NULL, NULL, '100', '0', '100', '1', '5', '2026-11-21 21:51:36.378943+00');

INSERT INTO public.extension_sign_ins (state_hash, redirect_uri, code_challenge, user_id, code_hash, created_at, expires_at, exchanged_at, token_id) VALUES
  (E'\\x7293dd65a67337f9eeaa22f10a08ee56d937cc41f15f4bba9ce8b6c2ce229463', 'http://127.0.0.1:1234/', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', NULL, NULL, '2026-11-21 21:51:37.155+00', '2026-11-21 22:01:37.155+00', NULL, NULL);

INSERT INTO public.extension_tokens (id, user_id, token_hash, created_at, expires_at, last_used_at, revoked_at) VALUES
  ('1ba5fc22-18d9-4f8b-83b9-f022c5e0dc30', 'user_11c07e39', E'\\xe8d1c69a6b518d36c3220b5132221dbe169d57f5605643e1f86a7d88733b2215', '2026-11-21 21:51:37.152+00', '2027-03-21 21:51:37.152+00', NULL, NULL);

INSERT INTO public.inbox_events (source, id, type, payload, occurred_at, received_at, state, reason, settled_at, attempts, last_error, sweep_at, sweeps) VALUES
  ('stripe', 'evt_p1NFXqsUlJqxD4f9vdgE3BV9', 'checkout.session.completed', '{}', '2026-11-21 21:51:35+00', '2026-11-21 21:51:36.016039+00', 'applied', NULL, '2026-11-21 21:51:36.029657+00', '0', NULL, '2026-11-21 21:51:36.015+00', '0'),
  ('stripe', 'evt_NQpZ2wb8gfJ6ilNZ6HH5BVrL', 'customer.subscription.created', '{}', '2026-11-21 21:51:35+00', '2026-11-21 21:51:36.128591+00', 'applied', NULL, '2026-11-21 21:51:36.204566+00', '0', NULL, '2026-11-21 21:51:36.128+00', '0'),
  ('stripe', 'evt_XhC36QZIUWYrUlyS1PN7R72W', 'invoice.paid', '{}', '2026-11-21 21:51:35+00', '2026-11-21 21:51:36.291282+00', 'applied', NULL, '2026-11-21 21:51:36.300353+00', '0', NULL, '2026-11-21 21:51:36.29+00', '0'),
  ('stripe', 'evt_bBv5enzmWjlvP2QMnxKMKBMT', 'refund.created', '{}', '2026-11-21 21:51:36+00', '2026-11-21 21:51:36.352024+00', 'applied', NULL, '2026-11-21 21:51:36.364096+00', '0', NULL, '2026-11-21 21:51:36.351+00', '0'),
  ('clerk', 'msg_1254fcce-511b-4271-a5ec-6abde9fbe396', 'organizationMembership.created', '{}', '2026-11-21 21:51:34.36+00', '2026-11-21 21:51:36.855403+00', 'applied', NULL, '2026-11-21 21:51:36.868422+00', '0', NULL, '2026-11-21 22:51:36.854+00', '0'),
  ('clerk', 'msg_c733bbb4-145b-4cb3-86ee-1458b7b8f925', 'organizationInvitation.created', '{}', '2026-11-21 21:51:36.652+00', '2026-11-21 21:51:36.929014+00', 'applied', NULL, '2026-11-21 21:51:36.949263+00', '0', NULL, '2026-11-21 22:51:36.928+00', '0'),
  ('clerk', 'msg_aae64039-afea-42ae-98e4-6450f54abca7', 'organizationInvitation.accepted', '{}', '2026-11-21 21:51:36.67+00', '2026-11-21 21:51:37.050203+00', 'applied', NULL, '2026-11-21 21:51:37.090323+00', '0', NULL, '2026-11-21 22:51:37.049+00', '0'),
  ('stripe', 'evt_1WrzsgvWpaYSlhkRs8I73FY1', 'checkout.session.completed', '{}', '2026-11-21 21:51:35+00', '2026-11-21 21:51:36.324888+00', 'applied', NULL, '2026-11-21 21:51:36.332167+00', '0', NULL, '2026-11-21 21:51:36.324+00', '0'),
  ('stripe', 'evt_Xq2HfPXJJ79ggKfrsLriQc9o', 'charge.refunded', '{}', '2026-11-21 21:51:36+00', '2026-11-21 21:51:36.370949+00', 'applied', 'Nothing more is to be taken back', '2026-11-21 21:51:36.378943+00', '0', NULL, '2026-11-21 21:51:36.37+00', '0'),
  ('clerk', 'msg_d8866c28-449e-4962-8813-414f824e319c', 'organizationMembership.created', '{}', '2026-11-21 21:51:36.429+00', '2026-11-21 21:51:36.883546+00', 'applied', NULL, '2026-11-21 21:51:36.90083+00', '0', NULL, '2026-11-21 22:51:36.883+00', '0'),
  ('clerk', 'msg_a14133f6-20e2-433a-a659-15a4a55c7710', 'organizationInvitation.created', '{}', '2026-11-21 21:51:36.595+00', '2026-11-21 21:51:36.91588+00', 'applied', NULL, '2026-11-21 21:51:36.921986+00', '0', NULL, '2026-11-21 22:51:36.915+00', '0'),
  ('clerk', 'msg_51b44701-75a4-4587-a82a-8a00c4b2597b', 'organizationMembership.created', '{}', '2026-11-21 21:51:36.67+00', '2026-11-21 21:51:36.976573+00', 'applied', NULL, '2026-11-21 21:51:36.985398+00', '0', NULL, '2026-11-21 22:51:36.976+00', '0'),
  ('stripe', 'evt_I30XMKPk6fT4HN0qRRFy7414', 'customer.created', '{}', '2026-11-21 21:51:35+00', '2026-11-21 21:51:35.955782+00', 'ignored', 'Nothing follows from customer.created', '2026-11-21 21:51:35.970283+00', '0', NULL, '2026-11-21 21:51:35.954+00', '0');

INSERT INTO public.kysely_migration (name, timestamp) VALUES
  ('0001_roles', '2026-11-21T21:51:29.764Z'),
  ('0002_users', '2026-11-21T21:51:29.780Z'),
  ('0003_checkout_intents', '2026-11-21T21:51:29.805Z'),
  ('0004_inbox', '2026-11-21T21:51:29.823Z'),
  ('0005_ledger', '2026-11-21T21:51:29.877Z'),
  ('0006_subscriptions', '2026-11-21T21:51:29.939Z'),
  ('0007_seats', '2026-11-21T21:51:29.992Z'),
  ('0008_extension', '2026-11-21T21:51:30.023Z');

INSERT INTO public.kysely_migration_lock (id, is_locked) VALUES
  ('migration_lock', '0');

INSERT INTO public.ledger_accounts (id, owner_kind, owner_id, name, created_at) OVERRIDING SYSTEM VALUE VALUES
  ('1', 'house', 'house', 'sold', '2026-11-21 21:51:29.755121+00'),
  ('2', 'house', 'house', 'granted', '2026-11-21 21:51:29.755121+00'),
  ('3', 'house', 'house', 'used', '2026-11-21 21:51:29.755121+00'),
  ('4', 'house', 'house', 'refunded', '2026-11-21 21:51:29.755121+00'),
  ('5', 'house', 'house', 'disputed', '2026-11-21 21:51:29.755121+00'),
  ('6', 'house', 'house', 'expired', '2026-11-21 21:51:29.755121+00'),
  ('7', 'house', 'house', 'adjusted', '2026-11-21 21:51:29.755121+00'),
  ('8', 'user', 'user_a71a38fa', 'purchased', '2026-11-21 21:51:36.029657+00'),
  ('9', 'user', 'user_a71a38fa', 'plan', '2026-11-21 21:51:36.029657+00'),
  ('11', 'user', 'user_11c07e39', 'plan', '2026-11-21 21:51:36.204566+00'),
  ('13', 'user', 'user_11c07e39', 'purchased', '2026-11-21 21:51:36.204566+00');

INSERT INTO public.ledger_entries (transfer_id, account_id, amount, version, balance_after, hash) VALUES
  ('1', '8', '500', '1', '500', E'\\xcb0c1b0aecde6a171ebb8105b32118fb8c7537c1bce2f55d8605f2316c00a553'),
  ('1', '1', '-500', NULL, NULL, E'\\x9f65d469eb69fa615c4c92fba588e8727e5984e3292255c8947b827fe47a0844'),
  ('2', '11', '500', '1', '500', E'\\xad4b7648d1fa7a40d59f18aee0b7f977be187a0dc9410a69f3d5679ac562478f'),
  ('2', '2', '-500', NULL, NULL, E'\\x41c469eccbd185e945b82b0b987ddf626ceaaa22bff39e9fa502811dba0ccb20'),
  ('3', '8', '-100', '2', '400', E'\\x8058973a88cc8285e983ced1c6a748d41dce397b3d172ebd0cab14b77caf040e'),
  ('3', '4', '100', NULL, NULL, E'\\x615a476d47e150a43eefea967cf72c4fc44f9e8108e8f77ceab5f80c72a56299');

INSERT INTO public.ledger_transfers (id, idempotency_key, kind, input_hash, occurred_at, posted_at, intent_id, event_id, actor, reason) OVERRIDING SYSTEM VALUE VALUES
  ('1', 'checkout/cs_test_a1JEte43h2YUnWRFnOwXOR4PQyMqUB5PuYdHlrA1ksXfLv61k6GZqe9Q8qEr', 'credit_purchase', E'\\xa316fa9cf5ffb359c0f1f6241214e9c8a560ebef8e497957d262e89975fa6335', '2026-11-21 21:51:35+00', '2026-11-21 21:51:36.068545+00', '798b412a-c2bd-4789-b388-172ce069bd74', 'evt_p1NFXqsUlJqxD4f9vdgE3BV9', 'stripe', 'Credit purchase'),
  ('2', 'plan/sub_qgap3VyY7ILPn9moX6k2mDMx/1795297895', 'plan_grant', E'\\x9499ea364937013acacb959ba6abd6b26127d33254cc728cd5854bca8ff6c45c', '2026-11-21 21:51:35+00', '2026-11-21 21:51:36.253391+00', '32d0371d-bf6d-440b-b1bb-11b1876abee8', 'evt_NQpZ2wb8gfJ6ilNZ6HH5BVrL', 'stripe', 'Plan credits'),
  ('3', 'refund/ch_ZP64Fd2vova1iJ793s9h9asB/1', 'refund', E'\\xbf1abc00c2273a54fca96f00e671d20ae68b45a1b3ea5cea4c83dd943a0315eb', '2026-11-21 21:51:36.363+00', '2026-11-21 21:51:36.367267+00', '798b412a-c2bd-4789-b388-172ce069bd74', 'evt_bBv5enzmWjlvP2QMnxKMKBMT', 'stripe', 'Refund');

INSERT INTO public.organization_members (organization_id, user_id, role, look_order, updated_at) VALUES
  ('org_2sandboxDemo0000000000000000', 'user_2sandboxDemo000000000000000', 'admin', '2', '2026-11-21 21:51:36.868422+00'),
  ('org_DiIrR11L9T30Ly68KOCKRvZNoP0', 'user_BeWRombQlllF2AYkrFhkjiOMAzr', 'admin', '3', '2026-11-21 21:51:36.90083+00'),
  ('org_DiIrR11L9T30Ly68KOCKRvZNoP0', 'user_PV0lLx5eTsAZ9bZqR1Z5KJoi5ZD', 'member', '6', '2026-11-21 21:51:37.090323+00');

INSERT INTO public.seats (id, organization_id, email, user_id, role, status, invitation_id, assigned_at, updated_at) OVERRIDING SYSTEM VALUE VALUES
  ('1', 'org_DiIrR11L9T30Ly68KOCKRvZNoP0', 'teammate2.16482@tidemark.test', NULL, 'member', 'pending', 'ffdb664b-bbc5-452b-b584-1e9b80141ac4', '2026-11-21 21:51:36.558119+00', '2026-11-21 21:51:36.558119+00'),
  ('2', 'org_DiIrR11L9T30Ly68KOCKRvZNoP0', 'teammate3.16482@tidemark.test', 'user_PV0lLx5eTsAZ9bZqR1Z5KJoi5ZD', 'member', 'active', '3bc402e7-29f7-458d-8840-32570e050891', '2026-11-21 21:51:36.643749+00', '2026-11-21 21:51:36.949263+00');

INSERT INTO public.stripe_customers (owner_kind, owner_id, customer_id, created_at) VALUES
  ('user', 'user_11c07e39', 'cus_ff14hKQZNDxzHE', '2026-11-21 21:51:36.204566+00');

INSERT INTO public.subscription_invoices (stripe_invoice_id, stripe_subscription_id, kind, starts_at, ends_at, seats_before, seats, amount_paid_minor, paid_at) VALUES
  ('in_OVEPz8TPn0AK8CVwR9ocm0cx', 'sub_qgap3VyY7ILPn9moX6k2mDMx', 'period', '2026-11-21 21:51:35+00', '2026-12-21 21:51:35+00', NULL, '1', '2000', '2026-11-21 21:51:35+00');

INSERT INTO public.subscription_months (stripe_subscription_id, starts_at, ends_at, stripe_invoice_id, seats, credits, seat_credits, unused) VALUES
  ('sub_qgap3VyY7ILPn9moX6k2mDMx', '2026-11-21 21:51:35+00', '2026-12-21 21:51:35+00', 'in_OVEPz8TPn0AK8CVwR9ocm0cx', '1', '500', '0', NULL);

INSERT INTO public.subscriptions (stripe_subscription_id, intent_id, user_id, owner_kind, owner_id, plan_type, billing_frequency, currency, credits_per_seat, status, seats_total, current_period_start, current_period_end, trial_end, cancel_at, ended_at, fetch_order, created_at, updated_at, sweep_at, sweeps) VALUES
  ('sub_qgap3VyY7ILPn9moX6k2mDMx', '32d0371d-bf6d-440b-b1bb-11b1876abee8', 'user_11c07e39', 'user', 'user_11c07e39', 'pro', 'monthly', 'EUR', '500', 'active', '1', '2026-11-21 21:51:35+00', '2026-12-21 21:51:35+00', NULL, NULL, NULL, '3', '2026-11-21 21:51:36.204566+00', '2026-11-21 21:51:36.332167+00', '2026-11-22 21:51:36.332+00', '0'),
  ('sub_4e9aef49e71845d7b18f4ef1943b6579', '4e9aef49-e718-45d7-b18f-4ef1943b6579', 'user_BeWRombQlllF2AYkrFhkjiOMAzr', 'organization', 'org_DiIrR11L9T30Ly68KOCKRvZNoP0', 'teams', 'monthly', 'EUR', '500', 'active', '3', '2026-11-20 21:51:36.437+00', '2026-12-20 21:51:36.437+00', NULL, NULL, NULL, '1', '2026-11-21 21:51:36.436481+00', '2026-11-21 21:51:36.436481+00', '2026-11-22 21:51:36.437+00', '0');

INSERT INTO public.team_invitations (id, organization_id, subscription_id, inviter_id, email, role, clerk_invitation_id, status, expires_at, created_at, updated_at, sweep_at, sweeps) VALUES
  ('ffdb664b-bbc5-452b-b584-1e9b80141ac4', 'org_DiIrR11L9T30Ly68KOCKRvZNoP0', 'sub_4e9aef49e71845d7b18f4ef1943b6579', 'user_BeWRombQlllF2AYkrFhkjiOMAzr', 'teammate2.16482@tidemark.test', 'member', 'orginv_BHcOP19SLmweH58SNrLrHE0Uvaa', 'pending', '2026-12-21 21:51:36.594+00', '2026-11-21 21:51:36.558119+00', '2026-11-21 21:51:36.921986+00', '2026-12-21 21:51:36.594+00', '0'),
  ('3bc402e7-29f7-458d-8840-32570e050891', 'org_DiIrR11L9T30Ly68KOCKRvZNoP0', 'sub_4e9aef49e71845d7b18f4ef1943b6579', 'user_BeWRombQlllF2AYkrFhkjiOMAzr', 'teammate3.16482@tidemark.test', 'member', 'orginv_818NtI7xZS8Y2mOk14GREoGxnMI', 'accepted', '2026-12-21 21:51:36.652+00', '2026-11-21 21:51:36.643749+00', '2026-11-21 21:51:37.090323+00', NULL, '0');

INSERT INTO public.users (clerk_id, email, first_name, last_name, plan_type, profile_updated_at, created_at, updated_at) VALUES
  ('user_a71a38fa', 'user_a71a38fa@tidemark.test', 'Ada', NULL, 'starter', '2026-11-21 21:51:35.661+00', '2026-11-21 21:51:35.778223+00', '2026-11-21 21:51:35.778223+00'),
  ('user_11c07e39', 'user_11c07e39@tidemark.test', 'Ada', NULL, 'pro', '2026-11-21 21:51:35.903+00', '2026-11-21 21:51:35.904769+00', '2026-11-21 21:51:36.204566+00'),
  ('user_BeWRombQlllF2AYkrFhkjiOMAzr', 'user_BeWRombQlllF2AYkrFhkjiOMAzr@tidemark.test', 'Ada', NULL, 'starter', '2026-11-21 21:51:36.432+00', '2026-11-21 21:51:36.433648+00', '2026-11-21 21:51:36.433648+00'),
  ('user_PV0lLx5eTsAZ9bZqR1Z5KJoi5ZD', 'user_PV0lLx5eTsAZ9bZqR1Z5KJoi5ZD@tidemark.test', 'Ada', NULL, 'teams', '2026-11-21 21:51:36.627+00', '2026-11-21 21:51:36.627846+00', '2026-11-21 21:51:36.949263+00');

SELECT setval('public.clerk_looks', 46);
SELECT setval('public.ledger_accounts_id_seq', 13);
SELECT setval('public.ledger_transfers_id_seq', 3);
SELECT setval('public.seats_id_seq', 2);
SELECT setval('public.stripe_fetches', 5);
