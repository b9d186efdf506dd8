CREATE DOMAIN public.billing_frequency AS text
	CONSTRAINT billing_frequency_check CHECK ((VALUE = ANY (ARRAY['monthly'::text, 'yearly'::text])));

CREATE DOMAIN public.checkout_failure_code AS text
	CONSTRAINT checkout_failure_code_check CHECK ((VALUE = ANY (ARRAY['payment_failed'::text, 'first_payment_failed'::text, 'terms_mismatch'::text, 'refused_by_stripe'::text, 'other_mode'::text, 'contradiction'::text])));

CREATE DOMAIN public.checkout_kind AS text
	CONSTRAINT checkout_kind_check CHECK ((VALUE = ANY (ARRAY['credit_purchase'::text, 'subscription'::text])));

CREATE DOMAIN public.checkout_state AS text
	CONSTRAINT checkout_state_check CHECK ((VALUE = ANY (ARRAY['created'::text, 'open'::text, 'awaiting_payment'::text, 'settled'::text, 'failed'::text, 'expired'::text])));

CREATE DOMAIN public.currency AS text
	CONSTRAINT currency_check CHECK ((VALUE = ANY (ARRAY['EUR'::text, 'USD'::text, 'GBP'::text])));

CREATE DOMAIN public.entry_amount AS bigint
	CONSTRAINT entry_amount_check CHECK ((VALUE <> 0));

CREATE DOMAIN public.event_source AS text
	CONSTRAINT event_source_check CHECK ((VALUE = ANY (ARRAY['stripe'::text, 'clerk'::text])));

CREATE DOMAIN public.event_state AS text
	CONSTRAINT event_state_check CHECK ((VALUE = ANY (ARRAY['received'::text, 'applied'::text, 'ignored'::text, 'failed'::text, 'forged'::text])));

CREATE DOMAIN public.grant_id AS text
	CONSTRAINT grant_id_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 200)));

CREATE DOMAIN public.grant_kind AS text
	CONSTRAINT grant_kind_check CHECK ((VALUE = ANY (ARRAY['purchase'::text, 'month'::text, 'seats'::text, 'late_month'::text, 'adjustment'::text, 'legacy'::text])));

CREATE TYPE public.ledger_item AS (
	ordinal bigint,
	owner_id text,
	owner_kind text,
	idempotency_key text,
	kind text,
	occurred_at timestamp with time zone,
	intent_id uuid,
	event_id text,
	actor text,
	reason text,
	credits bigint,
	account text,
	house_account bigint,
	grant_id text,
	input_hash bytea,
	digest_before text,
	digest_after text
);

CREATE DOMAIN public.outside_id AS text
	CONSTRAINT outside_id_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 255)));

CREATE DOMAIN public.owner_account AS text
	CONSTRAINT owner_account_check CHECK ((VALUE = ANY (ARRAY['plan'::text, 'purchased'::text])));

CREATE DOMAIN public.owner_id AS text
	CONSTRAINT owner_id_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 64)));

CREATE DOMAIN public.owner_kind AS text
	CONSTRAINT owner_kind_check CHECK ((VALUE = ANY (ARRAY['user'::text, 'organization'::text])));

CREATE DOMAIN public.paid_plan AS text
	CONSTRAINT paid_plan_check CHECK ((VALUE = ANY (ARRAY['pro'::text, 'teams'::text])));

CREATE DOMAIN public.positive_amount AS bigint
	CONSTRAINT positive_amount_check CHECK ((VALUE > 0));

CREATE DOMAIN public.received_via AS text
	CONSTRAINT received_via_check CHECK ((VALUE = ANY (ARRAY['webhook'::text, 'reader'::text])));

CREATE DOMAIN public.seat_count AS integer
	CONSTRAINT seat_count_check CHECK (((VALUE >= 1) AND (VALUE <= 100)));

CREATE DOMAIN public.transfer_kind AS text
	CONSTRAINT transfer_kind_check CHECK ((VALUE = ANY (ARRAY['credit_purchase'::text, 'withdrawal'::text, 'plan_grant'::text, 'seat_grant'::text, 'usage'::text, 'expiry'::text, 'write_off'::text, 'refund'::text, 'dispute'::text, 'dispute_won'::text, 'settlement'::text, 'adjustment'::text])));

CREATE DOMAIN public.trial_days AS integer
	CONSTRAINT trial_days_check CHECK ((VALUE >= 0));

CREATE FUNCTION public.audit_log_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE FUNCTION public.checkout_intent_is_consistent(kind text, state text, owner_kind text, owner_id text, plan_type text, billing_frequency text, seats integer, credits bigint, credits_per_seat bigint, stripe_session_id text, settled_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  RETURN CASE kind
      WHEN 'subscription' THEN num_nulls(plan_type, billing_frequency, seats, credits_per_seat) = 0 AND credits = credits_per_seat * seats
      ELSE num_nonnulls(plan_type, billing_frequency, seats, credits_per_seat) = 0
    END
    -- An organization is created with its first plan.
    AND (owner_id IS NOT NULL OR kind = 'subscription' AND owner_kind = 'organization')
    AND (state = 'settled') = (settled_at IS NOT NULL)
    AND (state NOT IN ('open', 'settled') OR stripe_session_id IS NOT NULL);
END
$$;

CREATE FUNCTION public.checkout_intents_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  is_withdrawn boolean := NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at;
BEGIN
  IF (NEW.id, NEW.kind, NEW.user_id, NEW.owner_kind, NEW.credits, NEW.amount_minor, NEW.currency, NEW.plan_type,
      NEW.billing_frequency, NEW.seats, NEW.credits_per_seat, NEW.trial_days)
     IS DISTINCT FROM
     (OLD.id, OLD.kind, OLD.user_id, OLD.owner_kind, OLD.credits, OLD.amount_minor, OLD.currency, OLD.plan_type,
      OLD.billing_frequency, OLD.seats, OLD.credits_per_seat, OLD.trial_days)
     OR (OLD.owner_id IS NOT NULL AND NEW.owner_id IS DISTINCT FROM OLD.owner_id) THEN
    RAISE EXCEPTION 'What checkout intent % promises may not change', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'settled' AND NEW.state <> 'settled' AND NOT is_withdrawn THEN
    RAISE EXCEPTION 'Checkout intent % is settled and stays so', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.stripe_session_id IS NOT NULL AND NEW.stripe_session_id IS DISTINCT FROM OLD.stripe_session_id AND NOT is_withdrawn THEN
    RAISE EXCEPTION 'Checkout intent % belongs to another session', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

CREATE FUNCTION public.checkout_intents_wait() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  MERGE INTO checkout_waiting w
  USING (
    SELECT changed.user_id, changed.id, changed.kind, changed.livemode, changed.sweep_at, coalesce(changed.owner_id, changed.user_id) AS receiver_id,
      changed.state IN ('created', 'open', 'awaiting_payment') AS waits, listed.at
    FROM changed LEFT JOIN LATERAL (
      SELECT ctid AS at FROM checkout_waiting l WHERE l.user_id = changed.user_id AND l.id = changed.id OFFSET 0) listed ON true) i
    ON w.ctid = i.at
  WHEN MATCHED AND NOT i.waits THEN DELETE
  WHEN MATCHED AND (w.sweep_at, w.receiver_id) <> (i.sweep_at, i.receiver_id) THEN UPDATE SET sweep_at = i.sweep_at, receiver_id = i.receiver_id
  WHEN NOT MATCHED AND i.waits THEN INSERT VALUES (i.user_id, i.id, i.receiver_id, i.kind, i.livemode, i.sweep_at);
  RETURN NULL;
END
$$;

CREATE FUNCTION public.checkout_intents_wait_no_more() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM checkout_waiting w USING gone i WHERE w.user_id = i.user_id AND w.id = i.id;
  RETURN NULL;
END
$$;

CREATE FUNCTION public.checkout_trouble(state text, stripe_session_id text, failure_code text, last_error text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  RETURN CASE
    WHEN state = 'failed' AND stripe_session_id IS NOT NULL
      AND failure_code IS DISTINCT FROM 'payment_failed' AND failure_code IS DISTINCT FROM 'first_payment_failed' THEN 'failed'
    WHEN state IN ('created', 'open', 'awaiting_payment') AND last_error IS NOT NULL THEN 'stuck'
  END;
END
$$;

CREATE FUNCTION public.inbox_drop_month(until timestamp with time zone, failed_since timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET lock_timeout TO '100ms'
    AS $$
DECLARE
  name text;
  month timestamptz;
BEGIN
  SELECT c.relname, to_timestamp(right(c.relname, 7), 'YYYY_MM') INTO name, month
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'inbox_payloads'::regclass ORDER BY c.relname COLLATE "C" LIMIT 1;
  IF name IS NULL OR month + interval '1 month' > until THEN
    RETURN NULL;
  END IF;
  -- Nothing is filed there any more while it is looked at.
  EXECUTE format('LOCK TABLE ONLY %I IN SHARE ROW EXCLUSIVE MODE', name);
  IF EXISTS (SELECT FROM inbox_events e WHERE e.payload_filed_at >= month AND e.payload_filed_at < month + interval '1 month'
    AND inbox_needs_payload(e, failed_since)) THEN
    RETURN NULL;
  END IF;
  EXECUTE format('DROP TABLE %I', name);
  RETURN name;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END
$$;

CREATE FUNCTION public.inbox_event_is_consistent(state text, reason text, settled_at timestamp with time zone, confirm_at timestamp with time zone, confirmed_at timestamp with time zone, payload_filed_at timestamp with time zone, payload_removed_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  RETURN (state = 'received') = (settled_at IS NULL)
    AND (state NOT IN ('ignored', 'failed', 'forged') OR reason IS NOT NULL)
    AND (state <> 'received' OR payload_filed_at IS NOT NULL)
    AND (payload_filed_at IS NULL) = (payload_removed_at IS NOT NULL)
    AND (confirmed_at IS NULL OR confirm_at IS NULL);
END
$$;

CREATE FUNCTION public.inbox_events_have_payloads() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  without text;
BEGIN
  SELECT e.id INTO without FROM received e
  LEFT JOIN LATERAL (SELECT 1 AS found FROM inbox_payloads p
    WHERE p.source = e.source AND p.id = e.id AND p.filed_at = e.payload_filed_at OFFSET 0) said ON true
  WHERE said.found IS NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Event % was inserted without its payload', without USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;

CREATE FUNCTION public.inbox_events_wait() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
  MERGE INTO inbox_waiting w
  USING (
    SELECT changed.received_at, changed.source, changed.id, changed.state, changed.sweep_at, listed.at
    FROM changed LEFT JOIN LATERAL (
      SELECT ctid AS at FROM inbox_waiting l
      WHERE l.received_at = changed.received_at AND l.source = changed.source AND l.id = changed.id OFFSET 0) listed ON true) e
    ON w.ctid = e.at
  WHEN MATCHED AND e.state <> 'received' THEN DELETE
  WHEN MATCHED AND w.sweep_at <> e.sweep_at THEN UPDATE SET sweep_at = e.sweep_at
  WHEN NOT MATCHED AND e.state = 'received' THEN INSERT VALUES (e.received_at, e.source, e.id, e.sweep_at);
  RETURN NULL;
END
$$;

CREATE FUNCTION public.inbox_events_wait_elsewhere() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM inbox_waiting w WHERE w.received_at = OLD.received_at AND w.source = OLD.source AND w.id = OLD.id;
  RETURN NEW;
END
$$;

CREATE FUNCTION public.inbox_events_wait_no_more() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM inbox_waiting w USING gone e WHERE w.received_at = e.received_at AND w.source = e.source AND w.id = e.id;
  RETURN NULL;
END
$$;

CREATE FUNCTION public.inbox_make_months(first timestamp with time zone, last timestamp with time zone) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  month timestamp := date_trunc('month', first AT TIME ZONE 'UTC');
  name text;
BEGIN
  IF last > first + interval '10 years' THEN
    RAISE EXCEPTION 'That is too many months' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Whoever wants the same waits and finds it made. Attaching takes this lock anyway, which lets everybody read and write.
  LOCK TABLE ONLY inbox_payloads IN SHARE UPDATE EXCLUSIVE MODE;
  WHILE month <= last AT TIME ZONE 'UTC' LOOP
    name := 'inbox_payloads_' || to_char(month, 'YYYY_MM');
    IF to_regclass(name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE inbox_payloads INCLUDING ALL)', name);
      EXECUTE format('ALTER TABLE inbox_payloads ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
        month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END IF;
    month := month + interval '1 month';
  END LOOP;
END
$$;

CREATE FUNCTION public.inbox_set_aside(state text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  RETURN CASE WHEN state IN ('failed', 'forged', 'ignored') THEN state END;
END
$$;

CREATE TABLE public.inbox_events (
    source public.event_source NOT NULL,
    id public.outside_id NOT NULL,
    type text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    state public.event_state DEFAULT 'received'::text NOT NULL,
    reason text,
    settled_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    sweep_at timestamp with time zone DEFAULT now() NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    unavailable_since timestamp with time zone,
    received_via public.received_via DEFAULT 'webhook'::text NOT NULL,
    confirmed_at timestamp with time zone,
    object_sync_at timestamp with time zone,
    payload_removed_at timestamp with time zone,
    confirm_at timestamp with time zone,
    subject public.outside_id,
    payload_filed_at timestamp with time zone,
    client_reference_id public.outside_id,
    set_aside text GENERATED ALWAYS AS (public.inbox_set_aside((state)::text)) STORED,
    CONSTRAINT inbox_events_consistent CHECK (public.inbox_event_is_consistent((state)::text, reason, settled_at, confirm_at, confirmed_at, payload_filed_at, payload_removed_at))
)
WITH (fillfactor='50');

CREATE FUNCTION public.inbox_needs_payload(event public.inbox_events, failed_since timestamp with time zone) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$
  SELECT event.state = 'received' OR event.confirm_at IS NOT NULL OR event.object_sync_at IS NOT NULL
    OR (event.state IN ('failed', 'forged') AND event.settled_at >= failed_since)
$$;

CREATE FUNCTION public.ledger_grant_is_consistent(id text, kind text, account text, intent_id uuid, stripe_subscription_id text, stripe_invoice_id text, month_starts_at timestamp with time zone, starts_at timestamp with time zone, ends_at timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE
    AS $$
BEGIN
  RETURN (starts_at < ends_at) IS NOT FALSE
    AND (kind IN ('month', 'seats', 'late_month')) = (stripe_subscription_id IS NOT NULL)
    AND (stripe_subscription_id IS NULL) = (stripe_invoice_id IS NULL)
    AND (kind IN ('month', 'seats')) = (month_starts_at IS NOT NULL)
    AND CASE
      WHEN kind IN ('purchase', 'late_month') THEN account = 'purchased'
      WHEN kind IN ('month', 'seats') THEN account = 'plan'
      ELSE true
    END
    AND coalesce(CASE
      WHEN kind = 'purchase' THEN id = 'purchase/' || intent_id
      WHEN kind IN ('month', 'seats') THEN id = kind || '/' || stripe_invoice_id || '/' || extract(epoch FROM month_starts_at)::bigint
      WHEN kind = 'late_month' THEN starts_with(id, 'late_month/' || stripe_invoice_id || '/')
      ELSE starts_with(id, kind || '/')
    END, false);
END
$$;

CREATE TABLE public.ledger_entries (
    transfer_id bigint NOT NULL,
    account_id bigint NOT NULL,
    amount public.entry_amount NOT NULL,
    version bigint,
    balance_after bigint,
    owner_id text NOT NULL,
    hash bytea NOT NULL
)
PARTITION BY RANGE (transfer_id);

CREATE TABLE public.ledger_grants (
    id public.grant_id NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    owner_id public.owner_id NOT NULL,
    account public.owner_account NOT NULL,
    kind public.grant_kind NOT NULL,
    intent_id uuid,
    stripe_subscription_id text,
    stripe_invoice_id text,
    month_starts_at timestamp with time zone,
    starts_at timestamp with time zone,
    ends_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    first_transfer_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT ledger_grants_consistent CHECK (public.ledger_grant_is_consistent((id)::text, (kind)::text, (account)::text, intent_id, stripe_subscription_id, stripe_invoice_id, month_starts_at, starts_at, ends_at))
);

CREATE TABLE public.ledger_keys (
    owner_id text NOT NULL,
    idempotency_key text NOT NULL,
    transfer_id bigint NOT NULL,
    format smallint NOT NULL,
    input_hash bytea NOT NULL
);

CREATE TABLE public.ledger_owners (
    owner_id text NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    last_transfer_id bigint DEFAULT 0 NOT NULL,
    plan_account_id bigint NOT NULL,
    plan_version bigint DEFAULT 0 NOT NULL,
    plan_balance bigint DEFAULT 0 NOT NULL,
    purchased_account_id bigint NOT NULL,
    purchased_version bigint DEFAULT 0 NOT NULL,
    purchased_balance bigint DEFAULT 0 NOT NULL,
    plan_hash bytea,
    purchased_hash bytea,
    sums_usage boolean DEFAULT false NOT NULL,
    reports_version bigint DEFAULT 0 NOT NULL,
    unposted_credits bigint DEFAULT 0 NOT NULL,
    unposted_reports integer DEFAULT 0 NOT NULL,
    unposted_transfer_id bigint,
    unposted_since timestamp with time zone,
    unposted_until timestamp with time zone
)
WITH (fillfactor='50');

CREATE TABLE public.ledger_transfers (
    id bigint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    posted_at timestamp with time zone NOT NULL,
    intent_id uuid,
    act_id uuid DEFAULT (NULLIF(current_setting('tidemark.act_id'::text, true), ''::text))::uuid,
    format smallint NOT NULL,
    owner_id text NOT NULL,
    idempotency_key text NOT NULL,
    kind public.transfer_kind NOT NULL,
    input_hash bytea NOT NULL,
    event_id text,
    actor text NOT NULL,
    reason text NOT NULL,
    grant_id text,
    CONSTRAINT ledger_transfers_grant_check CHECK ((((kind)::text = 'usage'::text) = (grant_id IS NULL)))
)
PARTITION BY RANGE (id);

CREATE FUNCTION public.ledger_append(owners public.ledger_owners[], keys public.ledger_keys[], grants public.ledger_grants[], transfers public.ledger_transfers[], entries public.ledger_entries[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION public.ledger_begin_month(month bigint, drawn bigint) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF to_regclass(ledger_partition_of('public.ledger_entries', month)) IS NULL THEN
    RETURN drawn;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('ledger_begin_month', 0));
  IF (SELECT last_value FROM ledger_transfers_id_seq) < ledger_first_id(month) THEN
    PERFORM setval('ledger_transfers_id_seq', ledger_first_id(month));
  END IF;
  RETURN nextval('ledger_transfers_id_seq');
END
$$;

CREATE FUNCTION public.ledger_books(owner_kind text, owner_id text) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
  WITH grants AS (
    SELECT g.* FROM ledger_grant_sums g
    WHERE g.owner_kind = ledger_books.owner_kind AND g.owner_id = ledger_books.owner_id
  ), closed AS (
    SELECT m.stripe_subscription_id, m.month_starts_at AS starts_at, m.used FROM ledger_months_used m
    WHERE m.owner_kind = ledger_books.owner_kind AND m.owner_id = ledger_books.owner_id
  ), balances AS (
    SELECT coalesce(max(o.plan_balance - ledger_unposted_plan(o.plan_balance, o.unposted_credits)), 0) AS plan,
      coalesce(max(o.plan_version), 0) AS plan_version,
      coalesce(max(o.purchased_balance - o.unposted_credits + ledger_unposted_plan(o.plan_balance, o.unposted_credits)), 0) AS purchased,
      coalesce(max(o.purchased_version), 0) AS purchased_version, coalesce(bool_or(o.sums_usage), false) AS sums_usage
    FROM ledger_owners o WHERE o.owner_kind = ledger_books.owner_kind AND o.owner_id = ledger_books.owner_id
  )
  SELECT jsonb_build_object(
    'sums_usage', balances.sums_usage,
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

CREATE FUNCTION public.ledger_close_month(owner_kind text, owner_id text, stripe_subscription_id text, month_starts_at timestamp with time zone, used bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.ledger_draw_id(posted_at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql
    AS $$
DECLARE
  id bigint := nextval('ledger_transfers_id_seq');
BEGIN
  IF id >> 40 < ledger_month_of(posted_at) THEN
    RETURN ledger_begin_month(ledger_month_of(posted_at), id);
  END IF;
  RETURN id;
END
$$;

CREATE FUNCTION public.ledger_entry_hash(previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint) RETURNS bytea
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT sha256(coalesce(previous, ''::bytea) || digest || int8send(account_id) || int8send(amount)
    || coalesce(int8send(version), ''::bytea) || coalesce(int8send(balance_after), ''::bytea))
$$;

CREATE FUNCTION public.ledger_first_id(month bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT month << 40
$$;

CREATE FUNCTION public.ledger_from_plan(plan bigint, purchased bigint, credits bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT CASE WHEN plan + purchased < credits THEN NULL ELSE least(greatest(plan, 0), credits) END
$$;

CREATE FUNCTION public.ledger_input_hash(item jsonb, legs jsonb, format smallint) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT sha256(convert_to((CASE format
    WHEN 1 THEN jsonb_build_object('kind', item -> 'kind', 'intent_id', item -> 'intent_id', 'legs', legs)
    ELSE jsonb_build_object('kind', item -> 'kind', 'intent_id', item -> 'intent_id', 'grant_id', item -> 'grant' -> 'id', 'legs', legs)
    END)::text, 'UTF8'))
$$;

CREATE FUNCTION public.ledger_lock_owner(owner_kind text, owner_id text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM ledger_lock_rows(ARRAY[ledger_lock_owner.owner_kind], ARRAY[ledger_lock_owner.owner_id]);
END
$$;

CREATE FUNCTION public.ledger_lock_owners(owners jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
  PERFORM ledger_lock_rows(coalesce(array_agg(named.owner_kind), '{}'), coalesce(array_agg(named.owner_id), '{}'))
  FROM (SELECT DISTINCT o.owner_kind, o.owner_id FROM jsonb_to_recordset(owners) AS o (owner_kind text, owner_id text)
    WHERE o.owner_kind <> 'house') named;
END
$$;

CREATE FUNCTION public.ledger_lock_rows(owner_kinds text[], owner_ids text[]) RETURNS public.ledger_owners[]
    LANGUAGE plpgsql
    AS $$
DECLARE
  owners ledger_owners[] := ledger_take_rows(owner_kinds, owner_ids);
BEGIN
  FOR i IN 1..cardinality(owners) LOOP
    IF owners[i].unposted_transfer_id IS NOT NULL THEN
      owners[i] := ledger_post_sum(owners[i]);
    END IF;
  END LOOP;
  RETURN owners;
END
$$;

CREATE FUNCTION public.ledger_make_months(ahead integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  parent text;
  month bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('ledger_make_months', 0));
  -- Entries last: a month has begun to be there when they are.
  FOREACH parent IN ARRAY ARRAY['ledger_transfers', 'ledger_reports', 'ledger_entries'] LOOP
    FOR month IN SELECT generate_series(ledger_month_of(now()), ledger_month_of(now()) + ahead) LOOP
      IF to_regclass(ledger_partition_of('public.' || parent, month)) IS NULL THEN
        PERFORM ledger_make_partition(parent, ledger_partition_of(parent, month), ledger_first_id(month), ledger_first_id(month + 1));
      END IF;
    END LOOP;
  END LOOP;
END
$$;

CREATE FUNCTION public.ledger_make_partition(parent text, name text, first_id bigint, end_id bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name, parent);
  EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_change()',
    parent || '_no_truncate', name);
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent, name, first_id, end_id);
END
$$;

CREATE FUNCTION public.ledger_month_of(moment timestamp with time zone) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT 12 * (date_part('year', moment AT TIME ZONE 'UTC')::bigint - 2000) + date_part('month', moment AT TIME ZONE 'UTC')::bigint - 1
$$;

CREATE FUNCTION public.ledger_open_sum(owner public.ledger_owners, occurred_at timestamp with time zone) RETURNS public.ledger_owners
    LANGUAGE plpgsql
    AS $$
BEGIN
  owner.unposted_since := clock_timestamp();
  owner.unposted_until := date_trunc('minute', occurred_at) + interval '1 minute';
  owner.unposted_transfer_id := ledger_draw_id(owner.unposted_since);
  RETURN owner;
END
$$;

CREATE FUNCTION public.ledger_partition_of(parent text, month bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT parent || '_' || (2000 + month / 12)::text || '_' || lpad((month % 12 + 1)::text, 2, '0')
$$;

CREATE FUNCTION public.ledger_post(transfers jsonb) RETURNS TABLE(ordinal bigint, transfer_id bigint, posted boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  item jsonb;
  leg jsonb;
  legs jsonb;
  given ledger_grants;
  known_grant ledger_grants;
  key ledger_keys;
  transfer ledger_transfers;
  owner ledger_owners;
  owner_kinds text[] := '{}';
  owner_ids text[] := '{}';
  -- The owners' rows in the order of their ids, with the latest entries so far.
  owners ledger_owners[];
  house_names text[];
  house_ids bigint[];
  -- What was there first, then what is new.
  grant_ids text[] := '{}';
  grants ledger_grants[];
  key_names text[] := '{}';
  keys ledger_keys[];
  known_grants integer;
  known_keys integer;
  new_transfers ledger_transfers[] := '{}';
  new_entries ledger_entries[] := '{}';
  plan_amount bigint;
  purchased_amount bigint;
  houses bigint[];
  house_amounts bigint[];
  total bigint;
  amount bigint;
  digest bytea;
  chain bytea;
  name text;
  n integer;
BEGIN
  FOR i IN 0..jsonb_array_length(transfers) - 1 LOOP
    item := transfers -> i;
    key_names := key_names || (item ->> 'idempotency_key');
    item := item -> 'grant';
    -- Whoever names a grant holds its owner's lock, so that nobody else can post it meanwhile; no other owner's credits move with it.
    IF item ->> 'id' IS NOT NULL THEN
      grant_ids := grant_ids || (item ->> 'id');
      IF item ->> 'owner_id' <> ALL (owner_ids) THEN
        owner_kinds := owner_kinds || (item ->> 'owner_kind');
        owner_ids := owner_ids || (item ->> 'owner_id');
      END IF;
    END IF;
  END LOOP;

  owners := ledger_lock_rows(owner_kinds, owner_ids);
  SELECT ARRAY(SELECT g FROM ledger_grants g WHERE g.id = ANY (grant_ids)),
    ARRAY(SELECT k FROM ledger_keys k WHERE k.idempotency_key = ANY (key_names) AND NOT starts_with(k.idempotency_key, 'usage/')),
    array_agg(house.name), array_agg(house.id)
  INTO grants, keys, house_names, house_ids
  FROM ledger_accounts house WHERE house.owner_id = 'house';
  known_grants := cardinality(grants);
  known_keys := cardinality(keys);
  owner_ids := '{}';
  FOR i IN 1..cardinality(owners) LOOP
    owner_ids := owner_ids || owners[i].owner_id;
  END LOOP;
  grant_ids := '{}';
  FOR i IN 1..known_grants LOOP
    grant_ids := grant_ids || grants[i].id;
  END LOOP;
  key_names := '{}';
  FOR i IN 1..known_keys LOOP
    key_names := key_names || keys[i].idempotency_key;
  END LOOP;

  FOR i IN 0..jsonb_array_length(transfers) - 1 LOOP
    item := transfers -> i;
    given := jsonb_populate_record(NULL::ledger_grants, nullif(item -> 'grant', 'null'));
    IF given.id IS NULL THEN
      RAISE EXCEPTION 'Transfer % belongs to no grant', item ->> 'idempotency_key' USING ERRCODE = 'LG002';
    END IF;
    legs := ledger_sorted_legs(item -> 'legs');

    ordinal := i + 1;
    n := array_position(key_names, item ->> 'idempotency_key');
    IF n IS NOT NULL THEN
      key := keys[n];
      IF key.input_hash <> ledger_input_hash(item, legs, key.format) THEN
        RAISE EXCEPTION 'Transfer % was posted before with another input', key.idempotency_key USING ERRCODE = 'LG001';
      END IF;
      transfer_id := key.transfer_id; posted := false;
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

    n := array_position(owner_ids, given.owner_id);
    owner := owners[n];
    transfer := jsonb_populate_record(NULL::ledger_transfers, item);
    -- Where the key of a usage would be looked up, and nobody's else.
    IF owner.owner_kind <> given.owner_kind OR starts_with(transfer.idempotency_key, 'usage/') THEN
      RAISE EXCEPTION 'Transfer % names an owner of another kind, or has the key of a usage', transfer.idempotency_key
        USING ERRCODE = 'LG002';
    END IF;
    transfer.owner_id := given.owner_id;
    transfer.posted_at := clock_timestamp();
    transfer.id := nextval('ledger_transfers_id_seq');
    IF transfer.id >> 40 < ledger_month_of(transfer.posted_at) THEN
      transfer.id := ledger_begin_month(ledger_month_of(transfer.posted_at), transfer.id);
    END IF;
    transfer.input_hash := ledger_input_hash(item, legs, 2::smallint);
    transfer.format := 2;
    transfer.grant_id := given.id;
    digest := ledger_transfer_digest(transfer);

    plan_amount := NULL;
    purchased_amount := NULL;
    houses := '{}';
    house_amounts := '{}';
    total := 0;
    FOR j IN 0..coalesce(jsonb_array_length(legs), 0) - 1 LOOP
      leg := legs -> j;
      name := leg ->> 'account';
      amount := (leg ->> 'amount')::bigint;
      total := total + amount;
      IF leg ->> 'owner_kind' = 'house' AND name = ANY (house_names) THEN
        houses := houses || house_ids[array_position(house_names, name)];
        house_amounts := house_amounts || amount;
      ELSIF leg ->> 'owner_id' <> given.owner_id OR leg ->> 'owner_kind' <> given.owner_kind THEN
        RAISE EXCEPTION 'Transfer % moves credits of an account that is not its grant''s', transfer.idempotency_key
          USING ERRCODE = 'LG002';
      ELSIF name = 'plan' AND plan_amount IS NULL THEN
        plan_amount := amount;
      ELSIF name = 'purchased' AND purchased_amount IS NULL THEN
        purchased_amount := amount;
      ELSE
        RAISE EXCEPTION 'Transfer % names an account that does not exist, or twice', transfer.idempotency_key USING ERRCODE = 'LG002';
      END IF;
    END LOOP;
    -- Entries are in the order of the accounts, those of the house last: they hang on the owner's last one.
    chain := NULL;
    FOREACH name IN ARRAY CASE WHEN owner.plan_account_id < owner.purchased_account_id THEN ARRAY['plan', 'purchased']
      ELSE ARRAY['purchased', 'plan'] END
    LOOP
      amount := CASE name WHEN 'plan' THEN plan_amount ELSE purchased_amount END;
      CONTINUE WHEN amount IS NULL;
      IF name <> given.account AND transfer.kind <> 'settlement' THEN
        RAISE EXCEPTION 'Transfer % moves credits of an account that is not its grant''s', transfer.idempotency_key
          USING ERRCODE = 'LG002';
      END IF;
      IF name = 'plan' THEN
        owner.plan_version := owner.plan_version + 1;
        owner.plan_balance := owner.plan_balance + amount;
        owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, amount, owner.plan_version,
          owner.plan_balance);
        chain := owner.plan_hash;
        new_entries := new_entries || ROW(transfer.id, owner.plan_account_id, amount, owner.plan_version, owner.plan_balance,
          owner.owner_id, chain)::ledger_entries;
      ELSE
        owner.purchased_version := owner.purchased_version + 1;
        owner.purchased_balance := owner.purchased_balance + amount;
        owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, amount,
          owner.purchased_version, owner.purchased_balance);
        chain := owner.purchased_hash;
        new_entries := new_entries || ROW(transfer.id, owner.purchased_account_id, amount, owner.purchased_version,
          owner.purchased_balance, owner.owner_id, chain)::ledger_entries;
      END IF;
      IF amount < 0 AND transfer.kind IN ('usage', 'credit_purchase')
        AND (CASE name WHEN 'plan' THEN owner.plan_balance ELSE owner.purchased_balance END) < 0 THEN
        RAISE EXCEPTION 'The % account of % has % credits, transfer % takes %', name, owner.owner_id,
          CASE name WHEN 'plan' THEN owner.plan_balance ELSE owner.purchased_balance END - amount, transfer.idempotency_key, -amount
          USING ERRCODE = 'LG003';
      END IF;
    END LOOP;
    FOR j IN 1..cardinality(houses) LOOP
      new_entries := new_entries || ROW(transfer.id, houses[j], house_amounts[j], NULL, NULL, owner.owner_id,
        ledger_entry_hash(chain, digest, houses[j], house_amounts[j], NULL, NULL))::ledger_entries;
    END LOOP;
    IF coalesce(jsonb_array_length(legs), 0) = 0 OR total <> 0 THEN
      RAISE EXCEPTION 'Transfer % does not balance', transfer.idempotency_key USING ERRCODE = 'LG002';
    END IF;
    owner.last_transfer_id := transfer.id;
    owners[n] := owner;
    key_names := key_names || transfer.idempotency_key;
    keys := keys || ROW(owner.owner_id, transfer.idempotency_key, transfer.id, 2, transfer.input_hash)::ledger_keys;
    new_transfers := new_transfers || transfer;
    transfer_id := transfer.id; posted := true;
    RETURN NEXT;
  END LOOP;

  IF cardinality(new_transfers) > 0 THEN
    PERFORM ledger_append(owners, keys[known_keys + 1:], grants[known_grants + 1:], new_transfers, new_entries);
  END IF;
END
$$;

CREATE FUNCTION public.ledger_post_many(owner_kinds text[], owner_ids text[], idempotency_keys text[], kinds text[], occurred_at timestamp with time zone[], intent_ids text[], event_ids text[], actors text[], reasons text[], credits bigint[], houses text[], grant_ids text[], grant_owner_ids text[], accounts text[], grant_kinds text[], grants text) RETURNS bigint[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
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
    new_entries := new_entries
      || ROW(transfer.id, account_id, item.credits, version, balance, item.owner_id, chain)::ledger_entries;
    new_entries := new_entries
      || ROW(transfer.id, item.house_account, -item.credits, NULL, NULL, item.owner_id,
        ledger_entry_hash(chain, digest, item.house_account, -item.credits, NULL, NULL))::ledger_entries;
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

CREATE FUNCTION public.ledger_post_one(idempotency_key text, kind text, occurred_at timestamp with time zone, intent_id text, event_id text, actor text, reason text, credits bigint, house text, grant_id text, owner_kind text, owner_id text, account text, given jsonb, OUT transfer_id bigint, OUT posted boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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
  -- What is summed is posted before anything else.
  IF NOT FOUND OR owner.unposted_transfer_id IS NOT NULL THEN
    owner := (ledger_lock_rows(ARRAY[ledger_post_one.owner_kind], ARRAY[ledger_post_one.owner_id]))[1];
  END IF;
  transfer := ROW(nextval('ledger_transfers_id_seq'), ledger_post_one.occurred_at, clock_timestamp(), ledger_post_one.intent_id::uuid, NULL,
    2, ledger_post_one.owner_id, ledger_post_one.idempotency_key, ledger_post_one.kind,
    ledger_two_legs_hash(ledger_post_one.kind, ledger_post_one.intent_id, ledger_post_one.grant_id, ledger_post_one.owner_kind,
      ledger_post_one.owner_id, ledger_post_one.account, house, credits),
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

CREATE FUNCTION public.ledger_post_sum(owner public.ledger_owners) RETURNS public.ledger_owners
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  transfer ledger_transfers;
  credits bigint := owner.unposted_credits;
  from_plan bigint := ledger_unposted_plan(owner.plan_balance, owner.unposted_credits);
  reports bigint;
  reported bigint;
  digest bytea;
  chain bytea;
BEGIN
  transfer.id := owner.unposted_transfer_id;
  transfer.owner_id := owner.owner_id;
  transfer.idempotency_key := 'usage_sums/' || owner.owner_id || '/' || transfer.id;
  transfer.kind := 'usage';
  transfer.format := 2;
  transfer.posted_at := clock_timestamp();
  SELECT count(*), sum(r.credits), max(r.occurred_at), sha256(convert_to(string_agg(ledger_report_text(r), '' ORDER BY r.ordinal), 'UTF8')),
    CASE WHEN min(r.actor) = max(r.actor) THEN min(r.actor) ELSE 'several' END,
    CASE WHEN count(*) = 1 THEN min(r.reason) ELSE count(*) || ' reports of usage' END
  INTO reports, reported, transfer.occurred_at, transfer.input_hash, transfer.actor, transfer.reason
  FROM ledger_reports r WHERE r.owner_id = transfer.owner_id AND r.transfer_id = transfer.id;
  IF (reports, reported) IS DISTINCT FROM (owner.unposted_reports::bigint, credits) THEN
    RAISE EXCEPTION 'The reports of transfer % are not those of its owner''s row', transfer.id USING ERRCODE = 'data_corrupted';
  END IF;

  INSERT INTO ledger_keys VALUES (transfer.owner_id, transfer.idempotency_key, transfer.id, 2, transfer.input_hash);
  digest := ledger_transfer_digest(transfer);
  IF from_plan > 0 THEN
    owner.plan_version := owner.plan_version + 1;
    owner.plan_balance := owner.plan_balance - from_plan;
    owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, -from_plan, owner.plan_version, owner.plan_balance);
    chain := owner.plan_hash;
  END IF;
  IF from_plan < credits THEN
    owner.purchased_version := owner.purchased_version + 1;
    owner.purchased_balance := owner.purchased_balance - (credits - from_plan);
    owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, from_plan - credits,
      owner.purchased_version, owner.purchased_balance);
    -- The entry of the house hangs on the owner's last one, in the order of the accounts' ids.
    IF from_plan = 0 OR owner.plan_account_id < owner.purchased_account_id THEN
      chain := owner.purchased_hash;
    END IF;
  END IF;
  INSERT INTO ledger_transfers (id, occurred_at, posted_at, act_id, format, owner_id, idempotency_key, kind, input_hash, actor, reason)
  VALUES (transfer.id, transfer.occurred_at, transfer.posted_at, NULL, 2, transfer.owner_id, transfer.idempotency_key, 'usage',
    transfer.input_hash, transfer.actor, transfer.reason);
  INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, owner_id, hash)
  SELECT transfer.id, entry.account_id, entry.amount, entry.version, entry.balance_after, transfer.owner_id, entry.hash
  FROM (VALUES
    (owner.plan_account_id, -from_plan, owner.plan_version, owner.plan_balance, owner.plan_hash),
    (owner.purchased_account_id, from_plan - credits, owner.purchased_version, owner.purchased_balance, owner.purchased_hash))
    AS entry (account_id, amount, version, balance_after, hash)
  WHERE entry.amount <> 0
  UNION ALL
  SELECT transfer.id, house.id, credits, NULL, NULL, transfer.owner_id, ledger_entry_hash(chain, digest, house.id, credits, NULL, NULL)
  FROM ledger_accounts house WHERE house.owner_id = 'house' AND house.name = 'used';

  owner.last_transfer_id := transfer.id;
  owner.unposted_credits := 0;
  owner.unposted_reports := 0;
  owner.unposted_transfer_id := NULL;
  owner.unposted_since := NULL;
  owner.unposted_until := NULL;
  UPDATE ledger_owners o SET last_transfer_id = transfer.id, plan_version = owner.plan_version, plan_balance = owner.plan_balance,
    plan_hash = owner.plan_hash, purchased_version = owner.purchased_version, purchased_balance = owner.purchased_balance,
    purchased_hash = owner.purchased_hash,
    unposted_credits = 0, unposted_reports = 0, unposted_transfer_id = NULL, unposted_since = NULL, unposted_until = NULL
  WHERE o.owner_id = transfer.owner_id;
  RETURN owner;
END
$$;

CREATE FUNCTION public.ledger_post_sum_or_set_aside(owner public.ledger_owners) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM ledger_post_sum(owner);
EXCEPTION WHEN internal_error OR data_exception OR integrity_constraint_violation THEN
  RAISE WARNING '%', SQLERRM;
  INSERT INTO ledger_failed_sums AS failed (owner_id, transfer_id, reason, tries, first_failed_at, last_failed_at, try_at)
  SELECT owner.owner_id, owner.unposted_transfer_id, left(SQLERRM, 500), 1, now, now, now + interval '2 minutes' FROM clock_timestamp() now
  ON CONFLICT (owner_id, transfer_id) DO UPDATE SET reason = excluded.reason, tries = failed.tries + 1, last_failed_at = excluded.last_failed_at,
    try_at = excluded.last_failed_at + least(interval '1 hour', interval '2 minutes' * 2 ^ least(failed.tries, 10));
END
$$;

CREATE FUNCTION public.ledger_post_sums(older_than interval, sums_max integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
DECLARE
  owners ledger_owners[] := ARRAY(
    SELECT o FROM ledger_owners o
    WHERE o.unposted_since <= clock_timestamp() - older_than AND NOT EXISTS (
      SELECT FROM ledger_failed_sums f WHERE f.owner_id = o.owner_id AND f.transfer_id = o.unposted_transfer_id)
    ORDER BY o.unposted_since LIMIT sums_max FOR NO KEY UPDATE OF o SKIP LOCKED);
BEGIN
  IF cardinality(owners) < sums_max THEN
    owners := owners || ARRAY(
      SELECT o FROM ledger_failed_sums f JOIN ledger_owners o ON o.owner_id = f.owner_id AND o.unposted_transfer_id = f.transfer_id
      WHERE f.try_at <= clock_timestamp()
      ORDER BY f.try_at LIMIT sums_max - cardinality(owners) FOR NO KEY UPDATE OF o SKIP LOCKED);
  END IF;
  FOR i IN 1..cardinality(owners) LOOP
    PERFORM ledger_post_sum_or_set_aside(owners[i]);
  END LOOP;
  RETURN cardinality(owners);
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

CREATE TABLE public.ledger_reports (
    transfer_id bigint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    reported_at timestamp with time zone NOT NULL,
    credits bigint NOT NULL,
    ordinal integer NOT NULL,
    owner_id text NOT NULL,
    idempotency_key text NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL
)
PARTITION BY RANGE (transfer_id);

CREATE FUNCTION public.ledger_report_text(report public.ledger_reports) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT jsonb_build_array(report.ordinal, report.idempotency_key, report.credits,
    (extract(epoch FROM report.occurred_at) * 1000000)::bigint, (extract(epoch FROM report.reported_at) * 1000000)::bigint,
    report.actor, report.reason)::text || E'\n'
$$;

CREATE FUNCTION public.ledger_reports_max() RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT 2000
$$;

CREATE FUNCTION public.ledger_sorted_legs(legs jsonb) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    AS $$
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

CREATE FUNCTION public.ledger_sum_usage(owner_kind text, owner_id text, sums_usage boolean) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM ledger_lock_rows(ARRAY[ledger_sum_usage.owner_kind], ARRAY[ledger_sum_usage.owner_id]);
  UPDATE ledger_owners o SET sums_usage = ledger_sum_usage.sums_usage WHERE o.owner_id = ledger_sum_usage.owner_id;
END
$$;

CREATE FUNCTION public.ledger_take_rows(owner_kinds text[], owner_ids text[]) RETURNS public.ledger_owners[]
    LANGUAGE plpgsql
    AS $$
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
    SELECT a.owner_id, min(a.owner_kind), min(a.id) FILTER (WHERE a.name = 'plan'), min(a.id) FILTER (WHERE a.name = 'purchased')
    FROM ledger_accounts a
    WHERE a.owner_id = ANY (owner_ids) AND a.name IN ('plan', 'purchased')
    GROUP BY a.owner_id
    ORDER BY 1
    ON CONFLICT DO NOTHING;
    owners := ARRAY(SELECT o FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) ORDER BY o.owner_id FOR NO KEY UPDATE);
  END IF;
  RETURN owners;
END
$$;

CREATE FUNCTION public.ledger_transfer_digest(transfer public.ledger_transfers) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
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

CREATE FUNCTION public.ledger_two_legs_hash(kind text, intent_id text, grant_id text, owner_kind text, owner_id text, account text, house text, credits bigint) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT sha256(convert_to('{"kind": ' || to_json(kind)
    || ', "legs": [{"amount": ' || -credits || ', "account": ' || to_json(house) || ', "owner_id": "house", "owner_kind": "house"}, {"amount": '
    || credits || ', "account": ' || to_json(account) || ', "owner_id": ' || to_json(owner_id) || ', "owner_kind": ' || to_json(owner_kind)
    || '}], "grant_id": ' || to_json(grant_id) || ', "intent_id": ' || coalesce(to_json(intent_id)::text, 'null') || '}', 'UTF8'))
$$;

CREATE FUNCTION public.ledger_unposted_plan(plan bigint, unposted bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
  SELECT least(greatest(plan, 0), unposted)
$$;

CREATE FUNCTION public.ledger_usage_digest(idempotency_key text, input_hash bytea, occurred_at timestamp with time zone, posted_at timestamp with time zone, actor text, reason text) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT sha256(convert_to('[2, ' || to_json(idempotency_key) || ', "usage", null, "' || encode(input_hash, 'hex') || '", '
    || (extract(epoch FROM occurred_at) * 1000000)::bigint || ', ' || (extract(epoch FROM posted_at) * 1000000)::bigint
    || ', null, null, ' || to_json(actor) || ', ' || to_json(reason) || ']', 'UTF8'))
$$;

CREATE FUNCTION public.ledger_usage_hash(owner_kind text, owner_id text, credits bigint) RETURNS bytea
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
  SELECT sha256(convert_to('{"kind": "usage", "credits": ' || credits || ', "owner_id": ' || to_json(owner_id)
    || ', "owner_kind": ' || to_json(owner_kind) || '}', 'UTF8'))
$$;

CREATE FUNCTION public.ledger_use(owner_kind text, owner_id text, credits bigint, idempotency_key text, occurred_at timestamp with time zone, actor text, reason text, OUT outcome text, OUT transfer_id bigint, OUT plan bigint, OUT purchased bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  owner ledger_owners;
  transfer ledger_transfers;
  report integer;
  unposted bigint;
  from_plan bigint;
  digest bytea;
  chain bytea;
BEGIN
  IF credits <= 0 THEN
    RAISE EXCEPTION 'Usage must be at least one credit' USING ERRCODE = 'LG002';
  END IF;
  -- Plans that are summed are those of organizations. It would be right to try this for anybody, and one statement more for those whose usage is not.
  IF ledger_use.owner_kind = 'organization' THEN
    UPDATE ledger_owners o SET unposted_credits = o.unposted_credits + credits, unposted_reports = o.unposted_reports + 1,
      reports_version = o.reports_version + 1
    WHERE o.owner_id = ledger_use.owner_id AND o.owner_kind = 'organization'
      AND o.unposted_until > ledger_use.occurred_at AND o.unposted_reports < ledger_reports_max()
      AND o.plan_balance + o.purchased_balance - o.unposted_credits >= credits
    RETURNING o.unposted_transfer_id, o.unposted_reports, o.unposted_credits, o.plan_balance, o.purchased_balance
    INTO transfer_id, report, unposted, plan, purchased;
    IF FOUND THEN
      INSERT INTO ledger_keys VALUES (ledger_use.owner_id, ledger_use.idempotency_key, transfer_id, 2,
        ledger_usage_hash('organization', ledger_use.owner_id, credits)) ON CONFLICT DO NOTHING;
      IF FOUND THEN
        INSERT INTO ledger_reports VALUES (transfer_id, ledger_use.occurred_at, clock_timestamp(), credits, report, ledger_use.owner_id,
          ledger_use.idempotency_key, ledger_use.actor, ledger_use.reason);
        from_plan := ledger_unposted_plan(plan, unposted);
        outcome := 'posted'; plan := plan - from_plan; purchased := purchased - (unposted - from_plan);
        RETURN;
      END IF;
      -- Reported before. Nobody has seen the row as it was meanwhile.
      UPDATE ledger_owners o SET unposted_credits = o.unposted_credits - credits, unposted_reports = o.unposted_reports - 1,
        reports_version = o.reports_version - 1
      WHERE o.owner_id = ledger_use.owner_id;
    END IF;
  END IF;

  SELECT * INTO owner FROM ledger_owners o WHERE o.owner_id = ledger_use.owner_id FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    owner := (ledger_take_rows(ARRAY[ledger_use.owner_kind], ARRAY[ledger_use.owner_id]))[1];
  END IF;
  IF owner.owner_kind <> ledger_use.owner_kind THEN
    RAISE EXCEPTION '% is an owner of another kind', owner.owner_id USING ERRCODE = 'LG002';
  END IF;
  IF owner.unposted_until <= ledger_use.occurred_at OR owner.unposted_reports >= ledger_reports_max() THEN
    owner := ledger_post_sum(owner);
  END IF;
  from_plan := ledger_unposted_plan(owner.plan_balance, owner.unposted_credits);
  plan := owner.plan_balance - from_plan;
  purchased := owner.purchased_balance - (owner.unposted_credits - from_plan);
  from_plan := ledger_from_plan(plan, purchased, credits);

  IF from_plan IS NOT NULL THEN
    IF owner.sums_usage THEN
      IF owner.unposted_transfer_id IS NULL THEN
        owner := ledger_open_sum(owner, ledger_use.occurred_at);
      END IF;
      transfer.id := owner.unposted_transfer_id;
      transfer.input_hash := ledger_usage_hash(owner.owner_kind, owner.owner_id, credits);
    ELSE
      transfer := ROW(nextval('ledger_transfers_id_seq'), ledger_use.occurred_at, clock_timestamp(), NULL, NULL, 2, owner.owner_id,
        ledger_use.idempotency_key, 'usage', ledger_usage_hash(owner.owner_kind, owner.owner_id, credits), NULL, ledger_use.actor,
        ledger_use.reason, NULL)::ledger_transfers;
      IF transfer.id >> 40 < ledger_month_of(transfer.posted_at) THEN
        transfer.id := ledger_begin_month(ledger_month_of(transfer.posted_at), transfer.id);
      END IF;
    END IF;
    INSERT INTO ledger_keys VALUES (owner.owner_id, ledger_use.idempotency_key, transfer.id, 2, transfer.input_hash)
    ON CONFLICT DO NOTHING;
  END IF;
  IF from_plan IS NULL OR NOT FOUND THEN
    SELECT k.transfer_id,
      CASE WHEN k.input_hash = ledger_usage_hash(owner.owner_kind, owner.owner_id, credits) THEN 'replayed' ELSE 'conflict' END
    INTO transfer_id, outcome
    FROM ledger_keys k WHERE k.owner_id = ledger_use.owner_id AND k.idempotency_key = ledger_use.idempotency_key;
    IF NOT FOUND THEN
      outcome := CASE WHEN from_plan IS NULL THEN 'refused' ELSE 'conflict' END;
    END IF;
    RETURN;
  END IF;
  IF owner.sums_usage THEN
    INSERT INTO ledger_reports VALUES (transfer.id, ledger_use.occurred_at, clock_timestamp(), credits, owner.unposted_reports + 1,
      owner.owner_id, ledger_use.idempotency_key, ledger_use.actor, ledger_use.reason);
    UPDATE ledger_owners o SET unposted_credits = owner.unposted_credits + credits, unposted_reports = owner.unposted_reports + 1,
      reports_version = owner.reports_version + 1, unposted_transfer_id = transfer.id,
      unposted_since = owner.unposted_since, unposted_until = owner.unposted_until
    WHERE o.owner_id = ledger_use.owner_id;
    outcome := 'posted'; transfer_id := transfer.id; plan := plan - from_plan; purchased := purchased - (credits - from_plan);
    RETURN;
  END IF;

  digest := ledger_transfer_digest(transfer);
  IF from_plan > 0 THEN
    owner.plan_version := owner.plan_version + 1;
    owner.plan_balance := owner.plan_balance - from_plan;
    owner.plan_hash := ledger_entry_hash(owner.plan_hash, digest, owner.plan_account_id, -from_plan, owner.plan_version, owner.plan_balance);
    chain := owner.plan_hash;
  END IF;
  IF from_plan < credits THEN
    owner.purchased_version := owner.purchased_version + 1;
    owner.purchased_balance := owner.purchased_balance - (credits - from_plan);
    owner.purchased_hash := ledger_entry_hash(owner.purchased_hash, digest, owner.purchased_account_id, from_plan - credits,
      owner.purchased_version, owner.purchased_balance);
    -- The entry of the house hangs on the owner's last one, in the order of the accounts' ids.
    IF from_plan = 0 OR owner.plan_account_id < owner.purchased_account_id THEN
      chain := owner.purchased_hash;
    END IF;
  END IF;
  INSERT INTO ledger_transfers (id, occurred_at, posted_at, format, owner_id, idempotency_key, kind, input_hash, actor, reason)
  VALUES (transfer.id, transfer.occurred_at, transfer.posted_at, 2, transfer.owner_id, transfer.idempotency_key, 'usage', transfer.input_hash,
    transfer.actor, transfer.reason);
  INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, owner_id, hash)
  SELECT transfer.id, entry.account_id, entry.amount, entry.version, entry.balance_after, transfer.owner_id, entry.hash
  FROM (VALUES
    (owner.plan_account_id, -from_plan, owner.plan_version, owner.plan_balance, owner.plan_hash),
    (owner.purchased_account_id, from_plan - credits, owner.purchased_version, owner.purchased_balance, owner.purchased_hash))
    AS entry (account_id, amount, version, balance_after, hash)
  WHERE entry.amount <> 0
  UNION ALL
  SELECT transfer.id, house.id, credits, NULL, NULL, transfer.owner_id, ledger_entry_hash(chain, digest, house.id, credits, NULL, NULL)
  FROM ledger_accounts house WHERE house.owner_id = 'house' AND house.name = 'used';
  UPDATE ledger_owners o SET last_transfer_id = transfer.id, plan_version = owner.plan_version, plan_balance = owner.plan_balance,
    plan_hash = owner.plan_hash, purchased_version = owner.purchased_version, purchased_balance = owner.purchased_balance,
    purchased_hash = owner.purchased_hash
  WHERE o.owner_id = transfer.owner_id;
  outcome := 'posted'; transfer_id := transfer.id; plan := owner.plan_balance; purchased := owner.purchased_balance;
END
$$;

CREATE FUNCTION public.ledger_use_many(owner_kinds text[], owner_ids text[], firsts integer[], payer_ids text[], credits bigint[], idempotency_keys text[], occurred_at timestamp with time zone[], actors text[], reasons text[], waits boolean) RETURNS TABLE(ordinal integer, outcome text, transfer_id bigint, plan bigint, purchased bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
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

CREATE FUNCTION public.stripe_livemode() RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT coalesce(nullif(current_setting('tidemark.livemode', true), ''), 'off')::boolean $$;

CREATE FUNCTION public.support_acts_guard() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF (NEW.id, NEW.batch_id, NEW.finding_id, NEW.kind, NEW.target_kind, NEW.target_id, NEW.params, NEW.reason, NEW.is_dry_run,
      NEW.requested_by, NEW.requested_at)
     IS DISTINCT FROM
     (OLD.id, OLD.batch_id, OLD.finding_id, OLD.kind, OLD.target_kind, OLD.target_id, OLD.params, OLD.reason, OLD.is_dry_run,
      OLD.requested_by, OLD.requested_at) THEN
    RAISE EXCEPTION 'What act % is to do may not change', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state IN ('done', 'failed', 'refused')
    OR (OLD.state = 'queued' AND NEW.state NOT IN ('queued', 'done', 'failed'))
    OR (OLD.state = 'waiting_for_approval' AND NEW.state NOT IN ('waiting_for_approval', 'queued', 'refused')) THEN
    RAISE EXCEPTION 'Act % is % and cannot become %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'waiting_for_approval' AND NEW.state = 'queued' AND NEW.approved_by IS NULL THEN
    RAISE EXCEPTION 'Act % waits for a second person', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor text NOT NULL,
    act_id uuid,
    what text NOT NULL,
    outcome text NOT NULL,
    target_kind text,
    target_id text,
    owner_kind text,
    owner_id text,
    reason text,
    detail text,
    before jsonb,
    after jsonb,
    CONSTRAINT audit_log_actor_check CHECK (((length(actor) >= 1) AND (length(actor) <= 100))),
    CONSTRAINT audit_log_check CHECK (((owner_kind IS NULL) = (owner_id IS NULL))),
    CONSTRAINT audit_log_check1 CHECK (((target_kind IS NULL) = (target_id IS NULL))),
    CONSTRAINT audit_log_outcome_check CHECK ((outcome = ANY (ARRAY['requested'::text, 'approved'::text, 'refused'::text, 'denied'::text, 'done'::text, 'failed'::text]))),
    CONSTRAINT audit_log_target_id_check CHECK ((length(target_id) <= 255)),
    CONSTRAINT audit_log_what_check CHECK (((length(what) >= 1) AND (length(what) <= 60)))
);

ALTER TABLE public.audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.audit_log_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.balance_transactions (
    stripe_balance_transaction_id text NOT NULL,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    created_at timestamp with time zone NOT NULL,
    category text NOT NULL,
    amount_minor bigint NOT NULL,
    fee_minor bigint NOT NULL,
    net_minor bigint NOT NULL,
    currency text NOT NULL,
    source_id text,
    charge_id text,
    paid_minor bigint,
    paid_currency text,
    intent_id uuid,
    stripe_invoice_id text,
    CONSTRAINT balance_transactions_check CHECK (((paid_minor IS NULL) = (paid_currency IS NULL))),
    CONSTRAINT balance_transactions_check1 CHECK (((intent_id IS NULL) OR (stripe_invoice_id IS NULL))),
    CONSTRAINT balance_transactions_currency_check CHECK ((length(currency) = 3)),
    CONSTRAINT balance_transactions_paid_currency_check CHECK ((length(paid_currency) = 3)),
    CONSTRAINT balance_transactions_stripe_balance_transaction_id_check CHECK (((length(stripe_balance_transaction_id) >= 1) AND (length(stripe_balance_transaction_id) <= 255)))
);

CREATE TABLE public.charges (
    stripe_charge_id text NOT NULL,
    intent_id uuid,
    stripe_invoice_id text,
    amount_minor bigint NOT NULL,
    refunded_minor bigint NOT NULL,
    disputed_minor bigint NOT NULL,
    snapshot_order bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    CONSTRAINT charges_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT charges_check CHECK (((intent_id IS NULL) <> (stripe_invoice_id IS NULL))),
    CONSTRAINT charges_disputed_minor_check CHECK ((disputed_minor >= 0)),
    CONSTRAINT charges_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text]))),
    CONSTRAINT charges_refunded_minor_check CHECK ((refunded_minor >= 0)),
    CONSTRAINT charges_stripe_charge_id_check CHECK (((length(stripe_charge_id) >= 1) AND (length(stripe_charge_id) <= 255)))
);

CREATE TABLE public.checkout_intents (
    id uuid NOT NULL,
    kind public.checkout_kind NOT NULL,
    user_id text NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    owner_id text,
    credits public.positive_amount NOT NULL,
    amount_minor public.positive_amount NOT NULL,
    currency public.currency NOT NULL,
    plan_type public.paid_plan,
    billing_frequency public.billing_frequency,
    seats public.seat_count,
    credits_per_seat public.positive_amount,
    trial_days public.trial_days DEFAULT 0 NOT NULL,
    state public.checkout_state DEFAULT 'created'::text NOT NULL,
    failure_reason text,
    stripe_customer_id text,
    stripe_session_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    sweep_at timestamp with time zone DEFAULT now() NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    session_params text,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    withdrawn_at timestamp with time zone,
    failure_code public.checkout_failure_code,
    trouble text GENERATED ALWAYS AS (public.checkout_trouble((state)::text, stripe_session_id, (failure_code)::text, last_error)) STORED,
    CONSTRAINT checkout_intents_consistent CHECK (public.checkout_intent_is_consistent((kind)::text, (state)::text, (owner_kind)::text, owner_id, (plan_type)::text, (billing_frequency)::text, (seats)::integer, (credits)::bigint, (credits_per_seat)::bigint, stripe_session_id, settled_at))
)
WITH (fillfactor='50');

CREATE TABLE public.checkout_waiting (
    user_id text NOT NULL,
    id uuid NOT NULL,
    receiver_id text NOT NULL,
    kind text NOT NULL,
    livemode boolean NOT NULL,
    sweep_at timestamp with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

CREATE TABLE public.cursors (
    name text NOT NULL,
    "position" jsonb NOT NULL,
    completed_at timestamp with time zone,
    revision integer NOT NULL,
    CONSTRAINT cursors_name_check CHECK ((name = ANY (ARRAY['stripe_events'::text, 'seats'::text]))),
    CONSTRAINT cursors_revision_check CHECK ((revision > 0))
);

CREATE TABLE public.customer_creations (
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    creation_key uuid NOT NULL,
    params text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT customer_creations_owner_id_check CHECK (((length(owner_id) >= 1) AND (length(owner_id) <= 64))),
    CONSTRAINT customer_creations_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text])))
);

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
    confirmation_hash bytea,
    confirmation_expires_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    clerk_session_id text,
    client_network text,
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
    CONSTRAINT extension_sign_ins_confirmation CHECK (((confirmation_hash IS NULL) = (confirmation_expires_at IS NULL))),
    CONSTRAINT extension_sign_ins_confirmation_hash_check CHECK ((length(confirmation_hash) = 32)),
    CONSTRAINT extension_sign_ins_kind CHECK (((code_challenge IS NULL) OR ((confirmation_hash IS NULL) AND (confirmed_at IS NULL)))),
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

CREATE TABLE public.failed_tries (
    id bigint NOT NULL,
    table_name text NOT NULL,
    row_id text NOT NULL,
    subject text,
    kind text NOT NULL,
    error text NOT NULL,
    tries integer DEFAULT 1 NOT NULL,
    first_at timestamp with time zone NOT NULL,
    last_at timestamp with time zone NOT NULL,
    CONSTRAINT failed_tries_check CHECK ((last_at >= first_at)),
    CONSTRAINT failed_tries_kind_check CHECK ((kind = ANY (ARRAY['unavailable'::text, 'not_yet'::text, 'contradiction'::text, 'defect'::text]))),
    CONSTRAINT failed_tries_row_id_check CHECK (((length(row_id) >= 1) AND (length(row_id) <= 255))),
    CONSTRAINT failed_tries_subject_check CHECK (((length(subject) >= 1) AND (length(subject) <= 255))),
    CONSTRAINT failed_tries_table_name_check CHECK ((table_name = ANY (ARRAY['inbox_events'::text, 'checkout_intents'::text, 'subscriptions'::text, 'team_invitations'::text, 'support_acts'::text]))),
    CONSTRAINT failed_tries_tries_check CHECK ((tries > 0))
);

ALTER TABLE public.failed_tries ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.failed_tries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.idempotent_requests (
    user_id text NOT NULL,
    key text NOT NULL,
    request_hash bytea NOT NULL,
    attempt_id uuid NOT NULL,
    locked_until timestamp with time zone,
    answer jsonb,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT idempotent_requests_check CHECK (((answer IS NULL) OR (locked_until IS NULL))),
    CONSTRAINT idempotent_requests_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
    CONSTRAINT idempotent_requests_request_hash_check CHECK ((length(request_hash) = 32)),
    CONSTRAINT idempotent_requests_user_id_check CHECK (((length(user_id) >= 1) AND (length(user_id) <= 64)))
);

CREATE TABLE public.inbox_payloads (
    source text NOT NULL,
    id text NOT NULL,
    filed_at timestamp with time zone NOT NULL,
    payload jsonb,
    raw bytea,
    CONSTRAINT inbox_payloads_one_form CHECK ((num_nonnulls(payload, raw) = 1))
)
PARTITION BY RANGE (filed_at);

CREATE TABLE public.inbox_waiting (
    received_at timestamp with time zone NOT NULL,
    source text NOT NULL,
    id text NOT NULL,
    sweep_at timestamp with time zone NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0', autovacuum_vacuum_threshold='5000');

CREATE TABLE public.ledger_accounts (
    id bigint NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ledger_accounts_check CHECK (((owner_kind = 'house'::text) = (owner_id = 'house'::text))),
    CONSTRAINT ledger_accounts_name_check CHECK (
CASE owner_kind
    WHEN 'house'::text THEN (name = ANY (ARRAY['sold'::text, 'granted'::text, 'used'::text, 'refunded'::text, 'disputed'::text, 'expired'::text, 'written_off'::text, 'adjusted'::text]))
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

CREATE TABLE public.ledger_archived_sums (
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
    is_early boolean NOT NULL
);

CREATE TABLE public.ledger_archives (
    id bigint NOT NULL,
    first_transfer_id bigint NOT NULL,
    end_transfer_id bigint NOT NULL,
    months text[] NOT NULL,
    state text DEFAULT 'closed'::text NOT NULL,
    transfers bigint NOT NULL,
    entries bigint NOT NULL,
    keys bigint NOT NULL,
    heads_digest_before bytea NOT NULL,
    heads_digest bytea NOT NULL,
    kept_digest bytea NOT NULL,
    manifest_digest bytea,
    closed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT ledger_archives_check CHECK ((first_transfer_id < end_transfer_id)),
    CONSTRAINT ledger_archives_check1 CHECK (((state = 'closed'::text) OR (manifest_digest IS NOT NULL))),
    CONSTRAINT ledger_archives_check2 CHECK (((state = 'finished'::text) = (finished_at IS NOT NULL))),
    CONSTRAINT ledger_archives_heads_digest_before_check CHECK ((length(heads_digest_before) = 32)),
    CONSTRAINT ledger_archives_heads_digest_check CHECK ((length(heads_digest) = 32)),
    CONSTRAINT ledger_archives_kept_digest_check CHECK ((length(kept_digest) = 32)),
    CONSTRAINT ledger_archives_manifest_digest_check CHECK ((length(manifest_digest) = 32)),
    CONSTRAINT ledger_archives_months_check CHECK ((cardinality(months) > 0)),
    CONSTRAINT ledger_archives_state_check CHECK ((state = ANY (ARRAY['closed'::text, 'written'::text, 'detached'::text, 'finished'::text])))
);

CREATE VIEW public.ledger_balances AS
 SELECT o.owner_kind,
    o.owner_id,
    head.account,
    head.account_id,
    head.version,
    head.balance
   FROM ((public.ledger_owners o
     CROSS JOIN LATERAL ( SELECT public.ledger_unposted_plan(o.plan_balance, o.unposted_credits) AS plan) unposted)
     CROSS JOIN LATERAL ( VALUES ('plan'::text,o.plan_account_id,o.plan_version,(o.plan_balance - unposted.plan)), ('purchased'::text,o.purchased_account_id,o.purchased_version,(o.purchased_balance - (o.unposted_credits - unposted.plan)))) head(account, account_id, version, balance));

CREATE TABLE public.ledger_failed_sums (
    owner_id text NOT NULL,
    transfer_id bigint NOT NULL,
    reason text NOT NULL,
    tries integer NOT NULL,
    first_failed_at timestamp with time zone NOT NULL,
    last_failed_at timestamp with time zone NOT NULL,
    try_at timestamp with time zone NOT NULL
);

CREATE VIEW public.ledger_grant_sums AS
 SELECT g.id,
    g.owner_kind,
    g.owner_id,
    g.account,
    g.kind,
    g.intent_id,
    g.stripe_subscription_id,
    g.stripe_invoice_id,
    g.month_starts_at,
    g.starts_at,
    g.ends_at,
    g.created_at,
    (sums.gross + kept.gross) AS gross,
    (sums.refunded + kept.refunded) AS refunded,
    (sums.disputed + kept.disputed) AS disputed,
    (sums.expired + kept.expired) AS expired,
    (sums.written_off + kept.written_off) AS written_off,
    (sums.adjusted + kept.adjusted) AS adjusted,
    (sums.transfers + kept.transfers) AS transfers
   FROM (((public.ledger_grants g
     LEFT JOIN public.ledger_accounts a ON (((a.owner_id = (g.owner_id)::text) AND (a.name = (g.account)::text))))
     CROSS JOIN LATERAL ( SELECT (COALESCE(sum((e.amount)::bigint) FILTER (WHERE ((t.kind)::text = ANY (ARRAY['credit_purchase'::text, 'withdrawal'::text, 'plan_grant'::text, 'seat_grant'::text]))), (0)::numeric))::bigint AS gross,
            (COALESCE((- sum((e.amount)::bigint) FILTER (WHERE ((t.kind)::text = 'refund'::text))), (0)::numeric))::bigint AS refunded,
            (COALESCE((- sum((e.amount)::bigint) FILTER (WHERE ((t.kind)::text = ANY (ARRAY['dispute'::text, 'dispute_won'::text])))), (0)::numeric))::bigint AS disputed,
            (COALESCE(sum((e.amount)::bigint) FILTER (WHERE ((t.kind)::text = 'expiry'::text)), (0)::numeric))::bigint AS expired,
            (COALESCE(sum((e.amount)::bigint) FILTER (WHERE ((t.kind)::text = 'write_off'::text)), (0)::numeric))::bigint AS written_off,
            (COALESCE(sum((e.amount)::bigint) FILTER (WHERE ((t.kind)::text = ANY (ARRAY['adjustment'::text, 'settlement'::text]))), (0)::numeric))::bigint AS adjusted,
            count(t.id) AS transfers
           FROM (public.ledger_transfers t
             LEFT JOIN LATERAL ( SELECT ledger_entries.amount
                   FROM public.ledger_entries
                  WHERE ((ledger_entries.owner_id = t.owner_id) AND (ledger_entries.account_id = a.id) AND (ledger_entries.transfer_id = t.id))
                 OFFSET 0) e ON (true))
          WHERE ((t.owner_id = (g.owner_id)::text) AND (t.grant_id = (g.id)::text) AND (t.id >= GREATEST(g.first_transfer_id, ( SELECT COALESCE(max(ledger_archives.end_transfer_id), (0)::bigint) AS "coalesce"
                   FROM public.ledger_archives))))) sums)
     CROSS JOIN LATERAL ( SELECT (COALESCE(sum(s.gross), (0)::numeric))::bigint AS gross,
            (COALESCE(sum(s.refunded), (0)::numeric))::bigint AS refunded,
            (COALESCE(sum(s.disputed), (0)::numeric))::bigint AS disputed,
            (COALESCE(sum(s.expired), (0)::numeric))::bigint AS expired,
            (COALESCE(sum(s.written_off), (0)::numeric))::bigint AS written_off,
            (COALESCE(sum(s.adjusted), (0)::numeric))::bigint AS adjusted,
            (COALESCE(sum(s.transfers), (0)::numeric))::bigint AS transfers
           FROM public.ledger_archived_sums s
          WHERE ((s.owner_id = (g.owner_id)::text) AND (s.grant_id = (g.id)::text) AND (g.first_transfer_id < ( SELECT COALESCE(max(ledger_archives.end_transfer_id), (0)::bigint) AS "coalesce"
                   FROM public.ledger_archives)))) kept);

CREATE TABLE public.ledger_months_used (
    stripe_subscription_id text NOT NULL,
    month_starts_at timestamp with time zone NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    used bigint NOT NULL,
    closed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT ledger_months_used_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text]))),
    CONSTRAINT ledger_months_used_used_check CHECK ((used >= 0))
);

CREATE TABLE public.ledger_openings (
    owner_id text NOT NULL,
    account_id bigint NOT NULL,
    archive_id bigint NOT NULL,
    transfer_id bigint NOT NULL,
    version bigint NOT NULL,
    balance bigint NOT NULL,
    hash bytea NOT NULL,
    used bigint NOT NULL,
    CONSTRAINT ledger_openings_hash_check CHECK ((length(hash) = 32))
);

CREATE TABLE public.ledger_proofs (
    id bigint NOT NULL,
    proven_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    transfer_id bigint NOT NULL,
    accounts bigint NOT NULL,
    heads_digest bytea NOT NULL,
    CONSTRAINT ledger_proofs_accounts_check CHECK ((accounts >= 0)),
    CONSTRAINT ledger_proofs_heads_digest_check CHECK ((length(heads_digest) = 32)),
    CONSTRAINT ledger_proofs_transfer_id_check CHECK ((transfer_id >= 0))
);

ALTER TABLE public.ledger_proofs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.ledger_proofs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE SEQUENCE public.ledger_transfers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.ledger_transfers_id_seq OWNED BY public.ledger_transfers.id;

CREATE TABLE public.organization_members (
    organization_id text NOT NULL,
    user_id text NOT NULL,
    role text,
    snapshot_order bigint CONSTRAINT organization_members_look_order_not_null NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT organization_members_organization_id_check CHECK (((length(organization_id) >= 1) AND (length(organization_id) <= 64))),
    CONSTRAINT organization_members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
    CONSTRAINT organization_members_user_id_check CHECK (((length(user_id) >= 1) AND (length(user_id) <= 64)))
);

CREATE TABLE public.paid_invoice_lines (
    stripe_invoice_id text CONSTRAINT subscription_invoices_stripe_invoice_id_not_null NOT NULL,
    stripe_subscription_id text CONSTRAINT subscription_invoices_stripe_subscription_id_not_null NOT NULL,
    kind text CONSTRAINT subscription_invoices_kind_not_null NOT NULL,
    starts_at timestamp with time zone CONSTRAINT subscription_invoices_starts_at_not_null NOT NULL,
    ends_at timestamp with time zone CONSTRAINT subscription_invoices_ends_at_not_null NOT NULL,
    seats_before integer,
    seats integer CONSTRAINT subscription_invoices_seats_not_null NOT NULL,
    amount_paid_minor bigint CONSTRAINT subscription_invoices_amount_paid_minor_not_null NOT NULL,
    paid_at timestamp with time zone CONSTRAINT subscription_invoices_paid_at_not_null NOT NULL,
    total_minor bigint NOT NULL,
    amount_minor bigint NOT NULL,
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    CONSTRAINT paid_invoice_lines_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text]))),
    CONSTRAINT paid_invoice_lines_seats_before CHECK (((kind = 'seats'::text) OR (seats_before IS NULL))),
    CONSTRAINT subscription_invoices_amount_paid_minor_check CHECK ((amount_paid_minor >= 0)),
    CONSTRAINT subscription_invoices_check CHECK ((starts_at < ends_at)),
    CONSTRAINT subscription_invoices_kind_check CHECK ((kind = ANY (ARRAY['period'::text, 'seats'::text]))),
    CONSTRAINT subscription_invoices_seats_before_check CHECK ((seats_before >= 0)),
    CONSTRAINT subscription_invoices_seats_check CHECK ((seats >= 1))
);

CREATE TABLE public.reconciliation_findings (
    id uuid NOT NULL,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    kind text NOT NULL,
    object_id text NOT NULL,
    owner_kind text,
    owner_id text,
    sentence text NOT NULL,
    they_say text NOT NULL,
    we_have text NOT NULL,
    amount_minor bigint,
    currency text,
    credits bigint,
    mending jsonb,
    advice text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    gone_at timestamp with time zone,
    CONSTRAINT reconciliation_findings_check CHECK (((owner_kind IS NULL) = (owner_id IS NULL))),
    CONSTRAINT reconciliation_findings_check1 CHECK (((amount_minor IS NULL) = (currency IS NULL))),
    CONSTRAINT reconciliation_findings_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 64))),
    CONSTRAINT reconciliation_findings_object_id_check CHECK (((length(object_id) >= 1) AND (length(object_id) <= 255))),
    CONSTRAINT reconciliation_findings_owner_id_check CHECK (((length(owner_id) >= 1) AND (length(owner_id) <= 64))),
    CONSTRAINT reconciliation_findings_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text])))
);

CREATE TABLE public.reconciliation_runs (
    id uuid NOT NULL,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    state text NOT NULL,
    requested_by text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    since timestamp with time zone,
    until timestamp with time zone,
    "position" jsonb,
    revision integer DEFAULT 0 NOT NULL,
    compared jsonb DEFAULT '{}'::jsonb NOT NULL,
    findings integer DEFAULT 0 NOT NULL,
    is_proven boolean DEFAULT false NOT NULL,
    error text,
    ended_at timestamp with time zone,
    CONSTRAINT reconciliation_runs_check CHECK (((state <> 'running'::text) OR ((since IS NOT NULL) AND (until IS NOT NULL)))),
    CONSTRAINT reconciliation_runs_check1 CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT reconciliation_runs_check2 CHECK (((NOT is_proven) OR (state = 'done'::text))),
    CONSTRAINT reconciliation_runs_requested_by_check CHECK (((length(requested_by) >= 1) AND (length(requested_by) <= 200))),
    CONSTRAINT reconciliation_runs_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'done'::text, 'failed'::text])))
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

CREATE SEQUENCE public.snapshot_orders
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

CREATE TABLE public.statement_days (
    date date NOT NULL,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    read_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    statement jsonb,
    last_transfer_id bigint,
    CONSTRAINT statement_days_check CHECK ((((closed_at IS NULL) = (statement IS NULL)) AND ((closed_at IS NULL) = (last_transfer_id IS NULL))))
);

CREATE TABLE public.stripe_customers (
    owner_kind text NOT NULL,
    owner_id text NOT NULL,
    customer_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    CONSTRAINT stripe_customers_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text])))
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
    snapshot_order bigint CONSTRAINT subscriptions_fetch_order_not_null NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    sweep_at timestamp with time zone NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    sync_failed_at timestamp with time zone,
    scheduled_seats integer,
    scheduled_at timestamp with time zone,
    livemode boolean DEFAULT public.stripe_livemode() NOT NULL,
    CONSTRAINT subscriptions_billing_frequency_check CHECK ((billing_frequency = ANY (ARRAY['monthly'::text, 'yearly'::text]))),
    CONSTRAINT subscriptions_check CHECK ((((status = 'canceled'::text) = (ended_at IS NOT NULL)) OR (status = 'incomplete_expired'::text))),
    CONSTRAINT subscriptions_check1 CHECK (((sync_failed_at IS NULL) OR (last_error IS NOT NULL))),
    CONSTRAINT subscriptions_check2 CHECK (((scheduled_seats IS NULL) = (scheduled_at IS NULL))),
    CONSTRAINT subscriptions_credits_per_seat_check CHECK ((credits_per_seat > 0)),
    CONSTRAINT subscriptions_currency_check CHECK ((currency = ANY (ARRAY['EUR'::text, 'USD'::text, 'GBP'::text]))),
    CONSTRAINT subscriptions_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text]))),
    CONSTRAINT subscriptions_plan_type_check CHECK ((plan_type = ANY (ARRAY['pro'::text, 'teams'::text]))),
    CONSTRAINT subscriptions_scheduled_seats_check CHECK ((scheduled_seats >= 1)),
    CONSTRAINT subscriptions_seats_total_check CHECK ((seats_total >= 1)),
    CONSTRAINT subscriptions_status_check CHECK ((status = ANY (ARRAY['incomplete'::text, 'incomplete_expired'::text, 'trialing'::text, 'active'::text, 'past_due'::text, 'canceled'::text, 'unpaid'::text, 'paused'::text])))
);

CREATE TABLE public.support_acts (
    id uuid NOT NULL,
    batch_id uuid,
    finding_id text,
    kind text NOT NULL,
    target_kind text NOT NULL,
    target_id text NOT NULL,
    owner_kind text,
    owner_id text,
    params jsonb DEFAULT '{}'::jsonb NOT NULL,
    reason text NOT NULL,
    is_dry_run boolean NOT NULL,
    requested_by text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    approved_by text,
    approved_at timestamp with time zone,
    refused_by text,
    state text NOT NULL,
    outcome jsonb,
    error text,
    finished_at timestamp with time zone,
    sweep_at timestamp with time zone NOT NULL,
    sweeps integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    CONSTRAINT support_acts_check CHECK ((is_dry_run OR (length(TRIM(BOTH FROM reason)) >= 10))),
    CONSTRAINT support_acts_check1 CHECK ((approved_by <> requested_by)),
    CONSTRAINT support_acts_check2 CHECK (((owner_kind IS NULL) = (owner_id IS NULL))),
    CONSTRAINT support_acts_check3 CHECK (((approved_by IS NULL) = (approved_at IS NULL))),
    CONSTRAINT support_acts_check4 CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text, 'refused'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT support_acts_check5 CHECK (((state = ANY (ARRAY['failed'::text, 'refused'::text])) = (error IS NOT NULL))),
    CONSTRAINT support_acts_check6 CHECK (((state = 'done'::text) = (outcome IS NOT NULL))),
    CONSTRAINT support_acts_check7 CHECK (((state = 'refused'::text) = (refused_by IS NOT NULL))),
    CONSTRAINT support_acts_finding_id_check CHECK (((length(finding_id) >= 1) AND (length(finding_id) <= 200))),
    CONSTRAINT support_acts_forget CHECK (((kind <> 'forget'::text) OR is_dry_run OR (approved_by IS NOT NULL) OR (state = ANY (ARRAY['waiting_for_approval'::text, 'refused'::text])))),
    CONSTRAINT support_acts_kind_check CHECK ((kind = ANY (ARRAY['replay'::text, 'resync'::text, 'adjust'::text, 'cancel_intent'::text, 'resend_invitation'::text, 'forget'::text]))),
    CONSTRAINT support_acts_owner_id_check CHECK (((length(owner_id) >= 1) AND (length(owner_id) <= 64))),
    CONSTRAINT support_acts_owner_kind_check CHECK ((owner_kind = ANY (ARRAY['user'::text, 'organization'::text]))),
    CONSTRAINT support_acts_requested_by_check CHECK (((length(requested_by) >= 1) AND (length(requested_by) <= 100))),
    CONSTRAINT support_acts_state_check CHECK ((state = ANY (ARRAY['waiting_for_approval'::text, 'queued'::text, 'done'::text, 'failed'::text, 'refused'::text]))),
    CONSTRAINT support_acts_target_id_check CHECK (((length(target_id) >= 1) AND (length(target_id) <= 255))),
    CONSTRAINT support_acts_target_kind_check CHECK ((target_kind = ANY (ARRAY['event'::text, 'intent'::text, 'subscription'::text, 'invitation'::text, 'charge'::text, 'user'::text, 'organization'::text])))
);

CREATE TABLE public.support_visits (
    owner_id text NOT NULL,
    user_id text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT support_visits_owner_id_check CHECK (((length(owner_id) >= 1) AND (length(owner_id) <= 64))),
    CONSTRAINT support_visits_user_id_check CHECK (((length(user_id) >= 1) AND (length(user_id) <= 64)))
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
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    sync_failed_at timestamp with time zone,
    send_at timestamp with time zone,
    CONSTRAINT team_invitations_check CHECK (((status <> 'pending'::text) OR (sweep_at IS NOT NULL))),
    CONSTRAINT team_invitations_check1 CHECK (((sync_failed_at IS NULL) OR (last_error IS NOT NULL))),
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
    forgotten_at timestamp with time zone,
    CONSTRAINT users_clerk_id_check CHECK (((length(clerk_id) >= 1) AND (length(clerk_id) <= 64))),
    CONSTRAINT users_forgotten CHECK (((forgotten_at IS NULL) OR ((first_name IS NULL) AND (last_name IS NULL) AND (email ~~ 'forgotten-%@tidemark.invalid'::text)))),
    CONSTRAINT users_plan_type_check CHECK ((plan_type = ANY (ARRAY['starter'::text, 'pro'::text, 'teams'::text])))
);

ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.balance_transactions
    ADD CONSTRAINT balance_transactions_pkey PRIMARY KEY (stripe_balance_transaction_id);

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_pkey PRIMARY KEY (owner_id, stripe_charge_id);

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_stripe_session_id_key UNIQUE (stripe_session_id);

ALTER TABLE ONLY public.checkout_waiting
    ADD CONSTRAINT checkout_waiting_pkey PRIMARY KEY (user_id, id);

ALTER TABLE ONLY public.cursors
    ADD CONSTRAINT cursors_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.customer_creations
    ADD CONSTRAINT customer_creations_pkey PRIMARY KEY (owner_kind, owner_id);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_code_hash_key UNIQUE (code_hash);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_confirmation_hash_key UNIQUE (confirmation_hash);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_pkey PRIMARY KEY (state_hash);

ALTER TABLE ONLY public.extension_tokens
    ADD CONSTRAINT extension_tokens_pkey PRIMARY KEY (user_id, id);

ALTER TABLE ONLY public.failed_tries
    ADD CONSTRAINT failed_tries_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.idempotent_requests
    ADD CONSTRAINT idempotent_requests_pkey PRIMARY KEY (user_id, key);

ALTER TABLE ONLY public.inbox_events
    ADD CONSTRAINT inbox_events_pkey PRIMARY KEY (source, id);

ALTER TABLE ONLY public.inbox_payloads
    ADD CONSTRAINT inbox_payloads_pkey PRIMARY KEY (source, id, filed_at);

ALTER TABLE ONLY public.inbox_waiting
    ADD CONSTRAINT inbox_waiting_pkey PRIMARY KEY (received_at, source, id);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_id_owner_id_key UNIQUE (id, owner_id);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_pkey PRIMARY KEY (owner_id, name);

ALTER TABLE ONLY public.ledger_archived_sums
    ADD CONSTRAINT ledger_archived_sums_pkey PRIMARY KEY (owner_id, grant_id, archive_id);

ALTER TABLE ONLY public.ledger_archives
    ADD CONSTRAINT ledger_archives_end_transfer_id_key UNIQUE (end_transfer_id);

ALTER TABLE ONLY public.ledger_archives
    ADD CONSTRAINT ledger_archives_first_transfer_id_key UNIQUE (first_transfer_id);

ALTER TABLE ONLY public.ledger_archives
    ADD CONSTRAINT ledger_archives_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_pkey PRIMARY KEY (owner_id, account_id, transfer_id);

ALTER TABLE ONLY public.ledger_failed_sums
    ADD CONSTRAINT ledger_failed_sums_pkey PRIMARY KEY (owner_id, transfer_id);

ALTER TABLE ONLY public.ledger_grants
    ADD CONSTRAINT ledger_grants_id_key UNIQUE (id);

ALTER TABLE ONLY public.ledger_grants
    ADD CONSTRAINT ledger_grants_pkey PRIMARY KEY (owner_id, id);

ALTER TABLE ONLY public.ledger_keys
    ADD CONSTRAINT ledger_keys_pkey PRIMARY KEY (owner_id, idempotency_key);

ALTER TABLE ONLY public.ledger_months_used
    ADD CONSTRAINT ledger_months_used_pkey PRIMARY KEY (owner_id, stripe_subscription_id, month_starts_at);

ALTER TABLE ONLY public.ledger_months_used
    ADD CONSTRAINT ledger_months_used_stripe_subscription_id_month_starts_at_key UNIQUE (stripe_subscription_id, month_starts_at);

ALTER TABLE ONLY public.ledger_openings
    ADD CONSTRAINT ledger_openings_pkey PRIMARY KEY (owner_id, account_id, archive_id);

ALTER TABLE ONLY public.ledger_owners
    ADD CONSTRAINT ledger_owners_pkey PRIMARY KEY (owner_id);

ALTER TABLE ONLY public.ledger_proofs
    ADD CONSTRAINT ledger_proofs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ledger_reports
    ADD CONSTRAINT ledger_reports_pkey PRIMARY KEY (owner_id, transfer_id, ordinal);

ALTER TABLE ONLY public.ledger_transfers
    ADD CONSTRAINT ledger_transfers_pkey PRIMARY KEY (id, owner_id);

ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_pkey PRIMARY KEY (organization_id, user_id);

ALTER TABLE ONLY public.paid_invoice_lines
    ADD CONSTRAINT paid_invoice_lines_pkey PRIMARY KEY (owner_id, stripe_invoice_id, kind, starts_at);

ALTER TABLE ONLY public.reconciliation_findings
    ADD CONSTRAINT reconciliation_findings_kind_object_id_key UNIQUE (kind, object_id);

ALTER TABLE ONLY public.reconciliation_findings
    ADD CONSTRAINT reconciliation_findings_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.reconciliation_runs
    ADD CONSTRAINT reconciliation_runs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_organization_id_invitation_id_key UNIQUE (organization_id, invitation_id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.statement_days
    ADD CONSTRAINT statement_days_pkey PRIMARY KEY (date, livemode);

ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_customer_id_key UNIQUE (customer_id);

ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_pkey PRIMARY KEY (owner_kind, owner_id, livemode);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_owner_id_intent_id_key UNIQUE (owner_id, intent_id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (owner_id, stripe_subscription_id);

ALTER TABLE ONLY public.support_acts
    ADD CONSTRAINT support_acts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.support_visits
    ADD CONSTRAINT support_visits_pkey PRIMARY KEY (owner_id, user_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_organization_id_clerk_invitation_id_key UNIQUE (organization_id, clerk_invitation_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_pkey PRIMARY KEY (organization_id, id);

ALTER TABLE ONLY public.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (clerk_id);

CREATE INDEX audit_log_act ON public.audit_log USING btree (act_id, id) WHERE (act_id IS NOT NULL);

CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor, id DESC);

CREATE INDEX audit_log_owner ON public.audit_log USING btree (owner_kind, owner_id, id DESC) WHERE (owner_id IS NOT NULL);

CREATE INDEX balance_transactions_charge ON public.balance_transactions USING btree (charge_id) WHERE (charge_id IS NOT NULL);

CREATE INDEX balance_transactions_created ON public.balance_transactions USING btree (created_at);

CREATE INDEX balance_transactions_intent ON public.balance_transactions USING btree (intent_id) WHERE (intent_id IS NOT NULL);

CREATE INDEX balance_transactions_invoice ON public.balance_transactions USING btree (stripe_invoice_id) WHERE (stripe_invoice_id IS NOT NULL);

CREATE INDEX charges_id ON public.charges USING btree (stripe_charge_id);

CREATE INDEX charges_intent ON public.charges USING btree (owner_id, intent_id) WHERE (intent_id IS NOT NULL);

CREATE INDEX charges_invoice ON public.charges USING btree (owner_id, stripe_invoice_id) WHERE (stripe_invoice_id IS NOT NULL);

CREATE INDEX checkout_intents_organization ON public.checkout_intents USING btree (owner_id, created_at DESC) WHERE ((owner_kind)::text = 'organization'::text);

CREATE UNIQUE INDEX checkout_intents_owner ON public.checkout_intents USING btree (owner_id, id);

CREATE INDEX checkout_intents_trouble ON public.checkout_intents USING btree (trouble, created_at) WHERE (trouble IS NOT NULL);

CREATE INDEX checkout_intents_user ON public.checkout_intents USING btree (user_id, created_at DESC);

CREATE UNIQUE INDEX checkout_waiting_one_subscription ON public.checkout_waiting USING btree (receiver_id, livemode) WHERE (kind = 'subscription'::text);

CREATE INDEX checkout_waiting_sweep ON public.checkout_waiting USING btree (sweep_at);

CREATE INDEX extension_sign_ins_expiry ON public.extension_sign_ins USING btree (expires_at);

CREATE INDEX extension_sign_ins_open ON public.extension_sign_ins USING btree (client_network, expires_at) WHERE (user_id IS NULL);

CREATE INDEX extension_sign_ins_user ON public.extension_sign_ins USING btree (user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX extension_tokens_hash ON public.extension_tokens USING btree (token_hash);

CREATE UNIQUE INDEX extension_tokens_one_active ON public.extension_tokens USING btree (user_id) WHERE (revoked_at IS NULL);

CREATE INDEX failed_tries_old ON public.failed_tries USING btree (last_at);

CREATE INDEX failed_tries_row ON public.failed_tries USING btree (row_id, id);

CREATE INDEX failed_tries_subject ON public.failed_tries USING btree (subject, first_at) WHERE (subject IS NOT NULL);

CREATE INDEX idempotent_requests_old ON public.idempotent_requests USING btree (created_at);

CREATE INDEX inbox_events_completed_checkout ON public.inbox_events USING btree (client_reference_id) WHERE ((client_reference_id IS NOT NULL) AND (type = ANY (ARRAY['checkout.session.completed'::text, 'checkout.session.async_payment_succeeded'::text])));

CREATE INDEX inbox_events_confirm ON public.inbox_events USING btree (confirm_at) WHERE (confirm_at IS NOT NULL);

CREATE INDEX inbox_events_object_sync ON public.inbox_events USING btree (object_sync_at) WHERE (object_sync_at IS NOT NULL);

CREATE INDEX inbox_events_set_aside ON public.inbox_events USING btree (set_aside, received_at) WHERE (set_aside IS NOT NULL);

CREATE INDEX inbox_events_subject ON public.inbox_events USING btree (subject, received_at) WHERE (subject IS NOT NULL);

CREATE INDEX inbox_waiting_sweep ON public.inbox_waiting USING btree (sweep_at);

CREATE UNIQUE INDEX ledger_archives_unfinished ON public.ledger_archives USING btree ((true)) WHERE (state <> 'finished'::text);

CREATE INDEX ledger_grants_month ON public.ledger_grants USING btree (stripe_subscription_id, month_starts_at) WHERE (stripe_subscription_id IS NOT NULL);

CREATE UNIQUE INDEX ledger_keys_over_owners ON public.ledger_keys USING btree (idempotency_key) WHERE (NOT starts_with(idempotency_key, 'usage/'::text));

CREATE INDEX ledger_owners_order ON public.ledger_owners USING btree (owner_kind, owner_id);

CREATE INDEX ledger_owners_unposted ON public.ledger_owners USING btree (unposted_since) WHERE (unposted_since IS NOT NULL);

CREATE INDEX ledger_transfers_act ON ONLY public.ledger_transfers USING btree (act_id) WHERE (act_id IS NOT NULL);

CREATE INDEX ledger_transfers_grant ON ONLY public.ledger_transfers USING btree (owner_id, grant_id) WHERE (grant_id IS NOT NULL);

CREATE INDEX ledger_transfers_occurred ON ONLY public.ledger_transfers USING brin (occurred_at) WITH (pages_per_range='16', autosummarize='on');

CREATE INDEX organization_members_user ON public.organization_members USING btree (user_id);

CREATE INDEX paid_invoice_lines_invoice ON public.paid_invoice_lines USING btree (stripe_invoice_id);

CREATE INDEX paid_invoice_lines_paid ON public.paid_invoice_lines USING btree (paid_at);

CREATE INDEX paid_invoice_lines_subscription ON public.paid_invoice_lines USING btree (owner_id, stripe_subscription_id, starts_at);

CREATE INDEX reconciliation_findings_gone ON public.reconciliation_findings USING btree (gone_at) WHERE (gone_at IS NOT NULL);

CREATE INDEX reconciliation_findings_open ON public.reconciliation_findings USING btree (first_seen_at, id) WHERE (gone_at IS NULL);

CREATE INDEX reconciliation_findings_owner ON public.reconciliation_findings USING btree (owner_kind, owner_id, first_seen_at, id);

CREATE INDEX reconciliation_runs_latest ON public.reconciliation_runs USING btree (requested_at DESC);

CREATE UNIQUE INDEX reconciliation_runs_one ON public.reconciliation_runs USING btree (livemode) WHERE (state = ANY (ARRAY['waiting'::text, 'running'::text]));

CREATE INDEX reconciliation_runs_proven ON public.reconciliation_runs USING btree (until DESC) WHERE is_proven;

CREATE INDEX seats_email ON public.seats USING btree (email);

CREATE INDEX seats_id ON public.seats USING btree (id);

CREATE UNIQUE INDEX seats_one_email ON public.seats USING btree (organization_id, email) WHERE (status = ANY (ARRAY['active'::text, 'pending'::text]));

CREATE UNIQUE INDEX seats_one_user ON public.seats USING btree (organization_id, user_id) WHERE (status = 'active'::text);

CREATE INDEX seats_organization ON public.seats USING btree (organization_id, assigned_at);

CREATE INDEX seats_user ON public.seats USING btree (user_id) WHERE (status = 'active'::text);

CREATE INDEX subscriptions_id ON public.subscriptions USING btree (stripe_subscription_id);

CREATE INDEX subscriptions_intent ON public.subscriptions USING btree (intent_id);

CREATE UNIQUE INDEX subscriptions_one_live ON public.subscriptions USING btree (owner_kind, owner_id, livemode) WHERE (status = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text, 'unpaid'::text, 'paused'::text]));

CREATE INDEX subscriptions_owner ON public.subscriptions USING btree (owner_kind, owner_id, created_at);

CREATE INDEX subscriptions_stuck ON public.subscriptions USING btree (created_at) WHERE ((status <> ALL (ARRAY['canceled'::text, 'incomplete_expired'::text])) AND (sync_failed_at IS NULL) AND (last_error IS NOT NULL));

CREATE INDEX subscriptions_sweep ON public.subscriptions USING btree (sweep_at) WHERE ((status <> ALL (ARRAY['canceled'::text, 'incomplete_expired'::text])) AND (sync_failed_at IS NULL));

CREATE INDEX subscriptions_sync_failed ON public.subscriptions USING btree (sync_failed_at) WHERE (sync_failed_at IS NOT NULL);

CREATE INDEX subscriptions_user ON public.subscriptions USING btree (user_id);

CREATE INDEX support_acts_batch ON public.support_acts USING btree (batch_id, id) WHERE (batch_id IS NOT NULL);

CREATE INDEX support_acts_owner ON public.support_acts USING btree (owner_kind, owner_id, requested_at DESC) WHERE (owner_id IS NOT NULL);

CREATE INDEX support_acts_sweep ON public.support_acts USING btree (sweep_at) WHERE (state = 'queued'::text);

CREATE INDEX support_acts_target ON public.support_acts USING btree (target_kind, target_id, requested_at DESC);

CREATE UNIQUE INDEX support_acts_under_way ON public.support_acts USING btree (target_kind, target_id) WHERE ((state = ANY (ARRAY['waiting_for_approval'::text, 'queued'::text])) AND (NOT is_dry_run));

CREATE INDEX support_acts_waiting ON public.support_acts USING btree (requested_at) WHERE (state = 'waiting_for_approval'::text);

CREATE INDEX support_visits_old ON public.support_visits USING btree (seen_at);

CREATE INDEX team_invitations_clerk ON public.team_invitations USING btree (clerk_invitation_id);

CREATE INDEX team_invitations_email ON public.team_invitations USING btree (email);

CREATE INDEX team_invitations_id ON public.team_invitations USING btree (id);

CREATE UNIQUE INDEX team_invitations_one_pending ON public.team_invitations USING btree (organization_id, email) WHERE (status = 'pending'::text);

CREATE INDEX team_invitations_organization ON public.team_invitations USING btree (organization_id, created_at DESC);

CREATE INDEX team_invitations_stuck ON public.team_invitations USING btree (created_at) WHERE ((sweep_at IS NOT NULL) AND (sync_failed_at IS NULL) AND (last_error IS NOT NULL));

CREATE INDEX team_invitations_subscription ON public.team_invitations USING btree (subscription_id);

CREATE INDEX team_invitations_sweep ON public.team_invitations USING btree (sweep_at) WHERE ((sweep_at IS NOT NULL) AND (sync_failed_at IS NULL));

CREATE INDEX team_invitations_sync_failed ON public.team_invitations USING btree (sync_failed_at) WHERE (sync_failed_at IS NOT NULL);

CREATE INDEX users_email ON public.users USING btree (lower(email));

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON public.audit_log FOR EACH ROW EXECUTE FUNCTION public.audit_log_refuse_change();

CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION public.audit_log_refuse_change();

CREATE TRIGGER checkout_intents_guard BEFORE UPDATE ON public.checkout_intents FOR EACH ROW EXECUTE FUNCTION public.checkout_intents_guard();

CREATE TRIGGER checkout_intents_wait_deleted AFTER DELETE ON public.checkout_intents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.checkout_intents_wait_no_more();

CREATE TRIGGER checkout_intents_wait_inserted AFTER INSERT ON public.checkout_intents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.checkout_intents_wait();

CREATE TRIGGER checkout_intents_wait_updated AFTER UPDATE ON public.checkout_intents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.checkout_intents_wait();

CREATE TRIGGER inbox_events_have_payloads AFTER INSERT ON public.inbox_events REFERENCING NEW TABLE AS received FOR EACH STATEMENT EXECUTE FUNCTION public.inbox_events_have_payloads();

CREATE TRIGGER inbox_events_wait_deleted AFTER DELETE ON public.inbox_events REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION public.inbox_events_wait_no_more();

CREATE TRIGGER inbox_events_wait_elsewhere BEFORE UPDATE OF received_at, source, id ON public.inbox_events FOR EACH ROW EXECUTE FUNCTION public.inbox_events_wait_elsewhere();

CREATE TRIGGER inbox_events_wait_inserted AFTER INSERT ON public.inbox_events REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.inbox_events_wait();

CREATE TRIGGER inbox_events_wait_updated AFTER UPDATE ON public.inbox_events REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION public.inbox_events_wait();

CREATE TRIGGER ledger_accounts_append_only BEFORE DELETE OR UPDATE ON public.ledger_accounts FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_accounts_no_truncate BEFORE TRUNCATE ON public.ledger_accounts FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_archived_sums_append_only BEFORE DELETE OR UPDATE ON public.ledger_archived_sums FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_archived_sums_no_truncate BEFORE TRUNCATE ON public.ledger_archived_sums FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_archives_identity BEFORE UPDATE OF id, first_transfer_id, end_transfer_id, months, transfers, entries, keys, heads_digest_before, heads_digest, kept_digest, closed_at ON public.ledger_archives FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_archives_no_delete BEFORE DELETE ON public.ledger_archives FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_archives_no_truncate BEFORE TRUNCATE ON public.ledger_archives FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON public.ledger_entries FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_grants_append_only BEFORE DELETE OR UPDATE ON public.ledger_grants FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_grants_no_truncate BEFORE TRUNCATE ON public.ledger_grants FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_keys_append_only BEFORE DELETE OR UPDATE ON public.ledger_keys FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_keys_no_truncate BEFORE TRUNCATE ON public.ledger_keys FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_months_used_append_only BEFORE DELETE OR UPDATE ON public.ledger_months_used FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_months_used_no_truncate BEFORE TRUNCATE ON public.ledger_months_used FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_openings_append_only BEFORE DELETE OR UPDATE ON public.ledger_openings FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_openings_no_truncate BEFORE TRUNCATE ON public.ledger_openings FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_owners_identity BEFORE UPDATE OF owner_id, owner_kind, plan_account_id, purchased_account_id ON public.ledger_owners FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_owners_no_delete BEFORE DELETE ON public.ledger_owners FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_owners_no_truncate BEFORE TRUNCATE ON public.ledger_owners FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_reports_append_only BEFORE DELETE OR UPDATE ON public.ledger_reports FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_reports_no_truncate BEFORE TRUNCATE ON public.ledger_reports FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_transfers_append_only BEFORE DELETE OR UPDATE ON public.ledger_transfers FOR EACH ROW EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER ledger_transfers_no_truncate BEFORE TRUNCATE ON public.ledger_transfers FOR EACH STATEMENT EXECUTE FUNCTION public.ledger_refuse_change();

CREATE TRIGGER support_acts_guard BEFORE UPDATE ON public.support_acts FOR EACH ROW EXECUTE FUNCTION public.support_acts_guard();

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_owner_id_intent_id_fkey FOREIGN KEY (owner_id, intent_id) REFERENCES public.checkout_intents(owner_id, id);

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.extension_sign_ins
    ADD CONSTRAINT extension_sign_ins_user_id_token_id_fkey FOREIGN KEY (user_id, token_id) REFERENCES public.extension_tokens(user_id, id);

ALTER TABLE ONLY public.extension_tokens
    ADD CONSTRAINT extension_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.paid_invoice_lines
    ADD CONSTRAINT paid_invoice_lines_owner_id_stripe_subscription_id_fkey FOREIGN KEY (owner_id, stripe_subscription_id) REFERENCES public.subscriptions(owner_id, stripe_subscription_id);

ALTER TABLE ONLY public.seats
    ADD CONSTRAINT seats_organization_id_invitation_id_fkey FOREIGN KEY (organization_id, invitation_id) REFERENCES public.team_invitations(organization_id, id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_owner_id_intent_id_fkey FOREIGN KEY (owner_id, intent_id) REFERENCES public.checkout_intents(owner_id, id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES public.subscriptions(owner_id, stripe_subscription_id);

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_log_read ON public.audit_log FOR SELECT TO tidemark_server USING (true);

CREATE POLICY audit_log_request ON public.audit_log FOR INSERT TO tidemark_server WITH CHECK (((outcome = ANY (ARRAY['requested'::text, 'approved'::text, 'refused'::text, 'denied'::text])) OR ((what = 'open_case'::text) AND (act_id IS NULL))));

CREATE POLICY audit_log_worker ON public.audit_log TO tidemark_worker USING (true) WITH CHECK (true);

ALTER TABLE public.inbox_events ENABLE ROW LEVEL SECURITY;

CREATE POLICY inbox_events_read ON public.inbox_events FOR SELECT TO tidemark_server USING (true);

CREATE POLICY inbox_events_receive ON public.inbox_events FOR INSERT TO tidemark_server WITH CHECK ((((state)::text = ANY (ARRAY['received'::text, 'failed'::text])) AND ((received_via)::text = 'webhook'::text)));

CREATE POLICY inbox_events_worker ON public.inbox_events TO tidemark_worker USING (true) WITH CHECK (true);

ALTER TABLE public.support_acts ENABLE ROW LEVEL SECURITY;

CREATE POLICY support_acts_decide ON public.support_acts FOR UPDATE TO tidemark_server USING ((state = 'waiting_for_approval'::text)) WITH CHECK ((state = ANY (ARRAY['queued'::text, 'refused'::text])));

CREATE POLICY support_acts_read ON public.support_acts FOR SELECT TO tidemark_server USING (true);

CREATE POLICY support_acts_request ON public.support_acts FOR INSERT TO tidemark_server WITH CHECK ((state = ANY (ARRAY['waiting_for_approval'::text, 'queued'::text])));

CREATE POLICY support_acts_worker ON public.support_acts TO tidemark_worker USING (true) WITH CHECK (true);

GRANT USAGE ON SCHEMA public TO tidemark_server;
GRANT USAGE ON SCHEMA public TO tidemark_worker;

REVOKE ALL ON FUNCTION public.checkout_intents_wait() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.checkout_intents_wait_no_more() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.inbox_drop_month(until timestamp with time zone, failed_since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.inbox_drop_month(until timestamp with time zone, failed_since timestamp with time zone) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.inbox_events_wait() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.inbox_events_wait_elsewhere() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.inbox_events_wait_no_more() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.inbox_make_months(first timestamp with time zone, last timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.inbox_make_months(first timestamp with time zone, last timestamp with time zone) TO tidemark_server;
GRANT ALL ON FUNCTION public.inbox_make_months(first timestamp with time zone, last timestamp with time zone) TO tidemark_worker;

GRANT SELECT ON TABLE public.inbox_events TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.inbox_events TO tidemark_worker;

GRANT INSERT(source) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(id) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(type) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(occurred_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(received_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(state) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(reason) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(settled_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(sweep_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(received_via) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(object_sync_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(confirm_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(subject) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(payload_filed_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(client_reference_id) ON TABLE public.inbox_events TO tidemark_server;

GRANT SELECT ON TABLE public.ledger_entries TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_entries TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_grants TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_grants TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_keys TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_keys TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_owners TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_owners TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_transfers TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_transfers TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_append(owners public.ledger_owners[], keys public.ledger_keys[], grants public.ledger_grants[], transfers public.ledger_transfers[], entries public.ledger_entries[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_begin_month(month bigint, drawn bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_books(owner_kind text, owner_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_books(owner_kind text, owner_id text) TO tidemark_worker;
GRANT ALL ON FUNCTION public.ledger_books(owner_kind text, owner_id text) TO tidemark_server;

REVOKE ALL ON FUNCTION public.ledger_close_month(owner_kind text, owner_id text, stripe_subscription_id text, month_starts_at timestamp with time zone, used bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_close_month(owner_kind text, owner_id text, stripe_subscription_id text, month_starts_at timestamp with time zone, used bigint) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_draw_id(posted_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_entry_hash(previous bytea, digest bytea, account_id bigint, amount bigint, version bigint, balance_after bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_first_id(month bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_first_id(month bigint) TO tidemark_server;
GRANT ALL ON FUNCTION public.ledger_first_id(month bigint) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_from_plan(plan bigint, purchased bigint, credits bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_input_hash(item jsonb, legs jsonb, format smallint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_lock_owner(owner_kind text, owner_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_lock_owner(owner_kind text, owner_id text) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_lock_owners(owners jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_lock_owners(owners jsonb) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_lock_rows(owner_kinds text[], owner_ids text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_make_months(ahead integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_make_months(ahead integer) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_make_partition(parent text, name text, first_id bigint, end_id bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_month_of(moment timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_month_of(moment timestamp with time zone) TO tidemark_server;
GRANT ALL ON FUNCTION public.ledger_month_of(moment timestamp with time zone) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_open_sum(owner public.ledger_owners, occurred_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_partition_of(parent text, month bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_post(transfers jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_post(transfers jsonb) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_post_many(owner_kinds text[], owner_ids text[], idempotency_keys text[], kinds text[], occurred_at timestamp with time zone[], intent_ids text[], event_ids text[], actors text[], reasons text[], credits bigint[], houses text[], grant_ids text[], grant_owner_ids text[], accounts text[], grant_kinds text[], grants text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_post_many(owner_kinds text[], owner_ids text[], idempotency_keys text[], kinds text[], occurred_at timestamp with time zone[], intent_ids text[], event_ids text[], actors text[], reasons text[], credits bigint[], houses text[], grant_ids text[], grant_owner_ids text[], accounts text[], grant_kinds text[], grants text) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_post_one(idempotency_key text, kind text, occurred_at timestamp with time zone, intent_id text, event_id text, actor text, reason text, credits bigint, house text, grant_id text, owner_kind text, owner_id text, account text, given jsonb, OUT transfer_id bigint, OUT posted boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_post_one(idempotency_key text, kind text, occurred_at timestamp with time zone, intent_id text, event_id text, actor text, reason text, credits bigint, house text, grant_id text, owner_kind text, owner_id text, account text, given jsonb, OUT transfer_id bigint, OUT posted boolean) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_post_sum(owner public.ledger_owners) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_post_sum_or_set_aside(owner public.ledger_owners) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_post_sums(older_than interval, sums_max integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_post_sums(older_than interval, sums_max integer) TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_reports TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_reports TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_report_text(report public.ledger_reports) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_reports_max() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_sorted_legs(legs jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_sum_usage(owner_kind text, owner_id text, sums_usage boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_sum_usage(owner_kind text, owner_id text, sums_usage boolean) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_take_rows(owner_kinds text[], owner_ids text[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_transfer_digest(transfer public.ledger_transfers) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_two_legs_hash(kind text, intent_id text, grant_id text, owner_kind text, owner_id text, account text, house text, credits bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_unposted_plan(plan bigint, unposted bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_unposted_plan(plan bigint, unposted bigint) TO tidemark_server;
GRANT ALL ON FUNCTION public.ledger_unposted_plan(plan bigint, unposted bigint) TO tidemark_worker;

REVOKE ALL ON FUNCTION public.ledger_usage_hash(owner_kind text, owner_id text, credits bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.ledger_use(owner_kind text, owner_id text, credits bigint, idempotency_key text, occurred_at timestamp with time zone, actor text, reason text, OUT outcome text, OUT transfer_id bigint, OUT plan bigint, OUT purchased bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_use(owner_kind text, owner_id text, credits bigint, idempotency_key text, occurred_at timestamp with time zone, actor text, reason text, OUT outcome text, OUT transfer_id bigint, OUT plan bigint, OUT purchased bigint) TO tidemark_server;

REVOKE ALL ON FUNCTION public.ledger_use_many(owner_kinds text[], owner_ids text[], firsts integer[], payer_ids text[], credits bigint[], idempotency_keys text[], occurred_at timestamp with time zone[], actors text[], reasons text[], waits boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ledger_use_many(owner_kinds text[], owner_ids text[], firsts integer[], payer_ids text[], credits bigint[], idempotency_keys text[], occurred_at timestamp with time zone[], actors text[], reasons text[], waits boolean) TO tidemark_server;

GRANT ALL ON FUNCTION public.stripe_livemode() TO tidemark_server;
GRANT ALL ON FUNCTION public.stripe_livemode() TO tidemark_worker;

GRANT SELECT ON TABLE public.audit_log TO tidemark_server;
GRANT SELECT ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(actor) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(actor) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(act_id) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(act_id) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(what) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(what) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(outcome) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(outcome) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(target_kind) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(target_kind) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(target_id) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(target_id) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(owner_kind) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(owner_kind) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(owner_id) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(owner_id) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(reason) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(reason) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(detail) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(detail) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(before) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(before) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(after) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(after) ON TABLE public.audit_log TO tidemark_worker;

GRANT SELECT ON TABLE public.balance_transactions TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.balance_transactions TO tidemark_worker;

GRANT SELECT ON TABLE public.charges TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.charges TO tidemark_worker;

GRANT SELECT ON TABLE public.checkout_intents TO tidemark_server;
GRANT SELECT,UPDATE ON TABLE public.checkout_intents TO tidemark_worker;

GRANT INSERT(id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(kind) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(user_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(owner_kind) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(owner_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(credits) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(amount_minor) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(currency) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(plan_type) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(billing_frequency) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(seats) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(credits_per_seat) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(trial_days) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(state) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(failure_reason) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(stripe_customer_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(stripe_session_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(created_at) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(updated_at) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(sweep_at) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(session_params) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(failure_code) ON TABLE public.checkout_intents TO tidemark_server;

GRANT SELECT ON TABLE public.checkout_waiting TO tidemark_server;
GRANT SELECT ON TABLE public.checkout_waiting TO tidemark_worker;

GRANT SELECT ON TABLE public.cursors TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.cursors TO tidemark_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.customer_creations TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.customer_creations TO tidemark_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.extension_sign_ins TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.extension_sign_ins TO tidemark_worker;

GRANT UPDATE(user_id) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(code_hash) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(exchanged_at) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(token_id) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(confirmation_hash) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(confirmation_expires_at) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(confirmed_at) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(clerk_session_id) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT SELECT,INSERT ON TABLE public.extension_tokens TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.extension_tokens TO tidemark_worker;

GRANT UPDATE(last_used_at) ON TABLE public.extension_tokens TO tidemark_server;

GRANT UPDATE(revoked_at) ON TABLE public.extension_tokens TO tidemark_server;
GRANT UPDATE(revoked_at) ON TABLE public.extension_tokens TO tidemark_worker;

GRANT SELECT ON TABLE public.failed_tries TO tidemark_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.failed_tries TO tidemark_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.idempotent_requests TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.idempotent_requests TO tidemark_worker;

GRANT UPDATE(request_hash) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(attempt_id) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(locked_until) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(answer) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(created_at) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT SELECT,INSERT ON TABLE public.inbox_payloads TO tidemark_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.inbox_payloads TO tidemark_worker;

GRANT SELECT ON TABLE public.inbox_waiting TO tidemark_server;
GRANT SELECT ON TABLE public.inbox_waiting TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_accounts TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_accounts TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_archived_sums TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_archived_sums TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_archives TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_archives TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_balances TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_balances TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_failed_sums TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_failed_sums TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_grant_sums TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_grant_sums TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_months_used TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_months_used TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_openings TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_openings TO tidemark_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.organization_members TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.organization_members TO tidemark_worker;

GRANT SELECT ON TABLE public.paid_invoice_lines TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.paid_invoice_lines TO tidemark_worker;

GRANT SELECT ON TABLE public.reconciliation_findings TO tidemark_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reconciliation_findings TO tidemark_worker;

GRANT SELECT ON TABLE public.reconciliation_runs TO tidemark_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.reconciliation_runs TO tidemark_worker;

GRANT INSERT(id) ON TABLE public.reconciliation_runs TO tidemark_server;

GRANT INSERT(state) ON TABLE public.reconciliation_runs TO tidemark_server;

GRANT INSERT(requested_by) ON TABLE public.reconciliation_runs TO tidemark_server;

GRANT INSERT(requested_at) ON TABLE public.reconciliation_runs TO tidemark_server;

GRANT SELECT,INSERT,UPDATE ON TABLE public.seats TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.seats TO tidemark_worker;

GRANT USAGE ON SEQUENCE public.snapshot_orders TO tidemark_worker;
GRANT USAGE ON SEQUENCE public.snapshot_orders TO tidemark_server;

GRANT SELECT ON TABLE public.statement_days TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.statement_days TO tidemark_worker;

GRANT SELECT,INSERT ON TABLE public.stripe_customers TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.stripe_customers TO tidemark_worker;

GRANT UPDATE(customer_id) ON TABLE public.stripe_customers TO tidemark_server;

GRANT SELECT ON TABLE public.subscriptions TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.subscriptions TO tidemark_worker;

GRANT UPDATE(updated_at) ON TABLE public.subscriptions TO tidemark_server;

GRANT SELECT ON TABLE public.support_acts TO tidemark_server;
GRANT SELECT ON TABLE public.support_acts TO tidemark_worker;

GRANT INSERT(id) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(batch_id) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(finding_id) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(kind) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(target_kind) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(target_id) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(owner_kind) ON TABLE public.support_acts TO tidemark_server;
GRANT UPDATE(owner_kind) ON TABLE public.support_acts TO tidemark_worker;

GRANT INSERT(owner_id) ON TABLE public.support_acts TO tidemark_server;
GRANT UPDATE(owner_id) ON TABLE public.support_acts TO tidemark_worker;

GRANT INSERT(params) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(reason) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(is_dry_run) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(requested_by) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(requested_at) ON TABLE public.support_acts TO tidemark_server;

GRANT UPDATE(approved_by) ON TABLE public.support_acts TO tidemark_server;

GRANT UPDATE(approved_at) ON TABLE public.support_acts TO tidemark_server;

GRANT UPDATE(refused_by) ON TABLE public.support_acts TO tidemark_server;

GRANT INSERT(state),UPDATE(state) ON TABLE public.support_acts TO tidemark_server;
GRANT UPDATE(state) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(outcome) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(error) ON TABLE public.support_acts TO tidemark_server;
GRANT UPDATE(error) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(finished_at) ON TABLE public.support_acts TO tidemark_server;
GRANT UPDATE(finished_at) ON TABLE public.support_acts TO tidemark_worker;

GRANT INSERT(sweep_at),UPDATE(sweep_at) ON TABLE public.support_acts TO tidemark_server;
GRANT UPDATE(sweep_at) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(sweeps) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(attempts) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(last_error) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(unavailable_since) ON TABLE public.support_acts TO tidemark_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.support_visits TO tidemark_server;

GRANT SELECT,INSERT,UPDATE ON TABLE public.team_invitations TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.team_invitations TO tidemark_worker;

GRANT SELECT ON TABLE public.users TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.users TO tidemark_worker;

GRANT INSERT(clerk_id) ON TABLE public.users TO tidemark_server;

GRANT INSERT(email),UPDATE(email) ON TABLE public.users TO tidemark_server;

GRANT INSERT(first_name),UPDATE(first_name) ON TABLE public.users TO tidemark_server;

GRANT INSERT(last_name),UPDATE(last_name) ON TABLE public.users TO tidemark_server;

GRANT UPDATE(plan_type) ON TABLE public.users TO tidemark_server;

GRANT INSERT(profile_updated_at),UPDATE(profile_updated_at) ON TABLE public.users TO tidemark_server;

GRANT UPDATE(updated_at) ON TABLE public.users TO tidemark_server;

