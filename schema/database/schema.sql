CREATE DOMAIN public.billing_frequency AS text
	CONSTRAINT billing_frequency_check CHECK ((VALUE = ANY (ARRAY['monthly'::text, 'yearly'::text])));

CREATE DOMAIN public.checkout_failure_code AS text
	CONSTRAINT checkout_failure_code_check CHECK ((VALUE = ANY (ARRAY['payment_failed'::text, 'first_payment_failed'::text, 'terms_mismatch'::text, 'refused_by_stripe'::text, 'no_answer'::text, 'other_mode'::text, 'contradiction'::text])));

CREATE DOMAIN public.checkout_kind AS text
	CONSTRAINT checkout_kind_check CHECK ((VALUE = ANY (ARRAY['credit_purchase'::text, 'subscription'::text])));

CREATE DOMAIN public.checkout_state AS text
	CONSTRAINT checkout_state_check CHECK ((VALUE = ANY (ARRAY['created'::text, 'open'::text, 'awaiting_payment'::text, 'settled'::text, 'failed'::text, 'expired'::text])));

CREATE DOMAIN public.currency AS text
	CONSTRAINT currency_check CHECK ((VALUE = ANY (ARRAY['EUR'::text, 'USD'::text, 'GBP'::text])));

CREATE TYPE public.dispute_state AS ENUM (
    'open',
    'won',
    'lost'
);

CREATE DOMAIN public.entry_amount AS bigint
	CONSTRAINT entry_amount_check CHECK ((VALUE <> 0));

CREATE DOMAIN public.event_source AS text
	CONSTRAINT event_source_check CHECK ((VALUE = ANY (ARRAY['stripe'::text, 'clerk'::text])));

CREATE DOMAIN public.event_state AS text
	CONSTRAINT event_state_check CHECK ((VALUE = ANY (ARRAY['received'::text, 'applied'::text, 'ignored'::text, 'failed'::text, 'forged'::text])));

CREATE DOMAIN public.grant_id AS text
	CONSTRAINT grant_id_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 200)));

CREATE DOMAIN public.grant_kind AS text
	CONSTRAINT grant_kind_check CHECK ((VALUE = ANY (ARRAY['purchase'::text, 'month'::text, 'seats'::text, 'late_month'::text, 'adjustment'::text])));

CREATE DOMAIN public.livemode AS boolean DEFAULT (COALESCE(NULLIF(current_setting('tidemark.livemode'::text, true), ''::text), 'off'::text))::boolean;

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
	CONSTRAINT transfer_kind_check CHECK ((VALUE = ANY (ARRAY['credit_purchase'::text, 'withdrawal'::text, 'plan_grant'::text, 'seat_grant'::text, 'usage'::text, 'usage_moved'::text, 'expiry'::text, 'write_off'::text, 'refund'::text, 'dispute'::text, 'dispute_won'::text, 'adjustment'::text])));

CREATE DOMAIN public.trial_days AS integer
	CONSTRAINT trial_days_check CHECK ((VALUE >= 0));

CREATE DOMAIN public.usage_failure AS text
	CONSTRAINT usage_failure_check CHECK ((VALUE = ANY (ARRAY['provider_error'::text, 'timeout'::text, 'empty'::text, 'cancelled'::text])));

CREATE DOMAIN public.usage_label AS text
	CONSTRAINT usage_label_check CHECK (((length(VALUE) >= 1) AND (length(VALUE) <= 64)));

CREATE TABLE public.audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    actor text NOT NULL,
    act_id uuid,
    what text NOT NULL,
    outcome text NOT NULL,
    target_kind text,
    target_id text,
    owner_kind public.owner_kind,
    owner_id text,
    reason text,
    detail text,
    before jsonb,
    after jsonb,
    salt bytea,
    text_hash bytea,
    hash bytea,
    CONSTRAINT audit_log_actor_check CHECK (((length(actor) >= 1) AND (length(actor) <= 100))),
    CONSTRAINT audit_log_check CHECK (((owner_kind IS NULL) = (owner_id IS NULL))),
    CONSTRAINT audit_log_check1 CHECK (((target_kind IS NULL) = (target_id IS NULL))),
    CONSTRAINT audit_log_outcome_check CHECK ((outcome = ANY (ARRAY['requested'::text, 'approved'::text, 'refused'::text, 'cancelled'::text, 'denied'::text, 'done'::text, 'failed'::text]))),
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
    livemode public.livemode NOT NULL,
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

CREATE TABLE public.base_backups (
    finished_at timestamp with time zone NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT base_backups_bytes_check CHECK ((bytes > 0))
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
    livemode public.livemode NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    owner_id text NOT NULL,
    dispute_state public.dispute_state,
    dispute_state_at timestamp with time zone,
    dispute_due_at timestamp with time zone,
    unused_refund_minor bigint DEFAULT 0 NOT NULL,
    refunded_before_minor bigint DEFAULT 0 NOT NULL,
    CONSTRAINT charges_amount_minor_check CHECK ((amount_minor > 0)),
    CONSTRAINT charges_check CHECK (((intent_id IS NULL) <> (stripe_invoice_id IS NULL))),
    CONSTRAINT charges_dispute CHECK (((dispute_state IS NULL) = (dispute_state_at IS NULL))),
    CONSTRAINT charges_disputed_minor_check CHECK ((disputed_minor >= 0)),
    CONSTRAINT charges_refunded_before_minor_check CHECK ((refunded_before_minor >= 0)),
    CONSTRAINT charges_refunded_minor_check CHECK ((refunded_minor >= 0)),
    CONSTRAINT charges_stripe_charge_id_check CHECK (((length(stripe_charge_id) >= 1) AND (length(stripe_charge_id) <= 255))),
    CONSTRAINT charges_unused_refund CHECK (((unused_refund_minor + refunded_before_minor) <= refunded_minor)),
    CONSTRAINT charges_unused_refund_minor_check CHECK ((unused_refund_minor >= 0))
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
    failure_code public.checkout_failure_code,
    failure_reason text,
    stripe_customer_id text,
    stripe_session_id text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    next_try_at timestamp with time zone DEFAULT now() NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    session_params text,
    livemode public.livemode NOT NULL,
    withdrawn_at timestamp with time zone,
    is_unfinished boolean GENERATED ALWAYS AS (((state)::text = ANY (ARRAY['created'::text, 'open'::text, 'awaiting_payment'::text]))) STORED NOT NULL,
    stripe_invoice_id public.outside_id,
    organization_name text,
    ends_subscription_id text,
    CONSTRAINT checkout_intents_ends_subscription CHECK (((ends_subscription_id IS NULL) OR (((kind)::text = 'subscription'::text) AND ((owner_kind)::text = 'organization'::text)))),
    CONSTRAINT checkout_intents_organization_name CHECK (((organization_name IS NULL) OR (((owner_kind)::text = 'organization'::text) AND ((kind)::text = 'subscription'::text) AND ((length(organization_name) >= 1) AND (length(organization_name) <= 100))))),
    CONSTRAINT checkout_intents_recipient CHECK (((owner_id IS NOT NULL) OR (((kind)::text = 'subscription'::text) AND ((owner_kind)::text = 'organization'::text)))),
    CONSTRAINT checkout_intents_settled CHECK ((((state)::text = 'settled'::text) = (settled_at IS NOT NULL))),
    CONSTRAINT checkout_intents_source CHECK (
CASE state
    WHEN 'settled'::text THEN (num_nonnulls(stripe_session_id, stripe_invoice_id) = 1)
    WHEN 'open'::text THEN (stripe_session_id IS NOT NULL)
    ELSE true
END),
    CONSTRAINT checkout_intents_terms CHECK (
CASE kind
    WHEN 'subscription'::text THEN ((num_nulls(plan_type, billing_frequency, seats, credits_per_seat) = 0) AND ((credits)::bigint = ((credits_per_seat)::bigint * (seats)::integer)))
    ELSE (num_nonnulls(plan_type, billing_frequency, seats, credits_per_seat) = 0)
END)
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.01', vacuum_index_cleanup='on');

CREATE TABLE public.cursors (
    name text NOT NULL,
    "position" jsonb NOT NULL,
    completed_at timestamp with time zone,
    revision integer NOT NULL,
    CONSTRAINT cursors_name_check CHECK ((name = ANY (ARRAY['stripe_events'::text, 'seats'::text]))),
    CONSTRAINT cursors_revision_check CHECK ((revision > 0))
);

CREATE TABLE public.customer_creations (
    owner_kind public.owner_kind NOT NULL,
    owner_id public.owner_id NOT NULL,
    creation_key uuid NOT NULL,
    params text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.deleted_owners (
    owner_id public.owner_id NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    deleted_at timestamp with time zone NOT NULL
);

CREATE TABLE public.extension_sign_ins (
    state_hash bytea NOT NULL,
    redirect_uri text NOT NULL,
    code_challenge text,
    user_id text NOT NULL,
    code_hash bytea,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    exchanged_at timestamp with time zone,
    token_id uuid,
    confirmation_hash bytea,
    confirmation_expires_at timestamp with time zone,
    confirmed_at timestamp with time zone,
    clerk_session_id text,
    editor_name text,
    payer text DEFAULT 'personal'::text NOT NULL,
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
    CONSTRAINT extension_sign_ins_editor_name_check CHECK (((length(editor_name) >= 1) AND (length(editor_name) <= 64))),
    CONSTRAINT extension_sign_ins_kind CHECK (((code_challenge IS NULL) OR ((confirmation_hash IS NULL) AND (confirmed_at IS NULL)))),
    CONSTRAINT extension_sign_ins_payer_check CHECK (((payer ~ '^(personal|org_\w+)$'::text) AND (length(payer) <= 64))),
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
    scheme text,
    editor_name text,
    payer text DEFAULT 'personal'::text NOT NULL,
    CONSTRAINT extension_tokens_check CHECK ((created_at < expires_at)),
    CONSTRAINT extension_tokens_editor_name_check CHECK (((length(editor_name) >= 1) AND (length(editor_name) <= 64))),
    CONSTRAINT extension_tokens_named CHECK (((scheme IS NOT NULL) OR (editor_name IS NULL))),
    CONSTRAINT extension_tokens_payer_check CHECK (((payer ~ '^(personal|org_\w+)$'::text) AND (length(payer) <= 64))),
    CONSTRAINT extension_tokens_scheme_check CHECK ((scheme ~ '^[a-z0-9.-]{1,64}$'::text)),
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

CREATE TABLE public.function_files (
    name text NOT NULL,
    sha256 text NOT NULL
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

CREATE TABLE public.inbox_events (
    source public.event_source NOT NULL,
    id public.outside_id NOT NULL,
    type text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    state public.event_state DEFAULT 'received'::text NOT NULL,
    reason text,
    finished_at timestamp with time zone,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    next_try_at timestamp with time zone DEFAULT now() NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    unavailable_since timestamp with time zone,
    received_via public.received_via DEFAULT 'webhook'::text NOT NULL,
    confirmed_at timestamp with time zone,
    object_sync_at timestamp with time zone,
    payload_removed_at timestamp with time zone,
    confirm_at timestamp with time zone,
    subject public.outside_id,
    payload_filed_at timestamp with time zone,
    client_reference_id public.outside_id,
    CONSTRAINT inbox_events_confirmed CHECK (((confirmed_at IS NULL) OR (confirm_at IS NULL))),
    CONSTRAINT inbox_events_finished CHECK ((((state)::text = 'received'::text) = (finished_at IS NULL))),
    CONSTRAINT inbox_events_payload CHECK ((((state)::text <> 'received'::text) OR (payload_filed_at IS NOT NULL))),
    CONSTRAINT inbox_events_payload_removed CHECK (((payload_filed_at IS NULL) = (payload_removed_at IS NOT NULL))),
    CONSTRAINT inbox_events_reason CHECK ((((state)::text <> ALL (ARRAY['ignored'::text, 'failed'::text, 'forged'::text])) OR (reason IS NOT NULL)))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.01', vacuum_index_cleanup='on');

CREATE TABLE public.inbox_payloads (
    source text NOT NULL,
    id text NOT NULL,
    filed_at timestamp with time zone NOT NULL,
    payload jsonb,
    raw bytea,
    CONSTRAINT inbox_payloads_one_form CHECK ((num_nonnulls(payload, raw) = 1))
)
PARTITION BY RANGE (filed_at);

CREATE TABLE public.ledger_accounts (
    id bigint NOT NULL,
    owner_kind text NOT NULL,
    owner_id public.owner_id NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ledger_accounts_check CHECK (((owner_kind = 'house'::text) = ((owner_id)::text = 'house'::text))),
    CONSTRAINT ledger_accounts_check1 CHECK (
CASE owner_kind
    WHEN 'house'::text THEN (name = ANY (ARRAY['sold'::text, 'granted'::text, 'used'::text, 'refunded'::text, 'disputed'::text, 'expired'::text, 'written_off'::text, 'adjusted'::text]))
    ELSE (name = ANY (ARRAY['plan'::text, 'purchased'::text]))
END),
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
    amount public.entry_amount NOT NULL,
    version bigint,
    balance_after bigint,
    owner_id text NOT NULL,
    hash bytea NOT NULL
)
PARTITION BY RANGE (transfer_id);

CREATE TABLE public.ledger_failures (
    owner_id public.owner_id NOT NULL,
    id bigint NOT NULL,
    idempotency_key text NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    failure public.usage_failure NOT NULL,
    actor text NOT NULL,
    token_id uuid,
    reason text,
    model public.usage_label,
    project public.usage_label,
    run public.usage_label
);

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
    CONSTRAINT ledger_grants_account CHECK (
CASE
    WHEN ((kind)::text = ANY (ARRAY['purchase'::text, 'late_month'::text])) THEN ((account)::text = 'purchased'::text)
    WHEN ((kind)::text = ANY (ARRAY['month'::text, 'seats'::text])) THEN ((account)::text = 'plan'::text)
    ELSE true
END),
    CONSTRAINT ledger_grants_id CHECK (COALESCE(
CASE
    WHEN ((kind)::text = 'purchase'::text) THEN ((id)::text = ('purchase/'::text || intent_id))
    WHEN ((kind)::text = 'month'::text) THEN (((id)::text = ((('month/'::text || stripe_invoice_id) || '/'::text) || floor(EXTRACT(epoch FROM starts_at)))) AND (month_starts_at IS NOT NULL))
    WHEN ((kind)::text = 'seats'::text) THEN (((id)::text = ((('seats/'::text || stripe_invoice_id) || '/'::text) || "substring"((id)::text, '\d+$'::text))) AND (((("substring"((id)::text, '\d+$'::text))::bigint)::numeric >= floor(EXTRACT(epoch FROM (starts_at - '31 days'::interval)))) AND ((("substring"((id)::text, '\d+$'::text))::bigint)::numeric <= floor(EXTRACT(epoch FROM starts_at)))) AND (month_starts_at IS NOT NULL))
    WHEN ((kind)::text = 'late_month'::text) THEN starts_with((id)::text, (('late_month/'::text || stripe_invoice_id) || '/'::text))
    ELSE starts_with((id)::text, 'adjustment/'::text)
END, false)),
    CONSTRAINT ledger_grants_invoice CHECK (((stripe_subscription_id IS NULL) = (stripe_invoice_id IS NULL))),
    CONSTRAINT ledger_grants_month_starts_at CHECK ((((kind)::text = ANY (ARRAY['month'::text, 'seats'::text])) = (month_starts_at IS NOT NULL))),
    CONSTRAINT ledger_grants_period CHECK ((starts_at < ends_at)),
    CONSTRAINT ledger_grants_subscription CHECK ((((kind)::text = ANY (ARRAY['month'::text, 'seats'::text, 'late_month'::text])) = (stripe_subscription_id IS NOT NULL)))
);

CREATE TABLE public.ledger_holds (
    owner_id public.owner_id NOT NULL,
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    idempotency_key text NOT NULL,
    actor text NOT NULL,
    token_id uuid,
    asked bigint NOT NULL,
    at_least bigint,
    credits bigint NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone,
    settled_credits bigint,
    failure public.usage_failure,
    charged bigint,
    reason text,
    model public.usage_label,
    project public.usage_label,
    run public.usage_label,
    extended_at timestamp with time zone,
    plan_credits bigint DEFAULT 0 NOT NULL,
    outlives_month boolean DEFAULT false NOT NULL,
    CONSTRAINT ledger_holds_asked_check CHECK ((asked > 0)),
    CONSTRAINT ledger_holds_check CHECK (((at_least >= 1) AND (at_least <= asked))),
    CONSTRAINT ledger_holds_check1 CHECK (((credits >= 1) AND (credits <= asked))),
    CONSTRAINT ledger_holds_check2 CHECK (((charged >= 0) AND (charged <= settled_credits))),
    CONSTRAINT ledger_holds_check3 CHECK (((plan_credits >= 0) AND (plan_credits <= credits))),
    CONSTRAINT ledger_holds_resolved CHECK (((state = 'open'::text) = (resolved_at IS NULL))),
    CONSTRAINT ledger_holds_settled CHECK ((((state = ANY (ARRAY['settled'::text, 'settled_late'::text])) = (settled_credits IS NOT NULL)) AND ((settled_credits IS NULL) = (charged IS NULL)) AND ((failure IS NULL) OR (settled_credits = 0)))),
    CONSTRAINT ledger_holds_settled_credits_check CHECK ((settled_credits >= 0)),
    CONSTRAINT ledger_holds_state_check CHECK ((state = ANY (ARRAY['open'::text, 'settled'::text, 'released'::text, 'expired'::text, 'settled_late'::text])))
);

CREATE TABLE public.ledger_keys (
    owner_id text NOT NULL,
    idempotency_key text NOT NULL,
    transfer_id bigint,
    input_hash bytea NOT NULL
);

CREATE TABLE public.ledger_months_used (
    stripe_subscription_id text NOT NULL,
    month_starts_at timestamp with time zone NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    owner_id text NOT NULL,
    used bigint NOT NULL,
    closed_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT ledger_months_used_used_check CHECK ((used >= 0))
);

CREATE TABLE public.ledger_owners (
    owner_id text NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    last_transfer_id bigint DEFAULT 0 NOT NULL,
    plan_account_id bigint NOT NULL,
    plan_version bigint DEFAULT 0 NOT NULL,
    plan_balance bigint DEFAULT 0 NOT NULL,
    plan_hash bytea,
    purchased_account_id bigint NOT NULL,
    purchased_version bigint DEFAULT 0 NOT NULL,
    purchased_balance bigint DEFAULT 0 NOT NULL,
    purchased_hash bytea,
    held bigint DEFAULT 0 NOT NULL,
    plan_held bigint DEFAULT 0 NOT NULL,
    CONSTRAINT ledger_owners_check CHECK (((plan_held >= 0) AND (plan_held <= held))),
    CONSTRAINT ledger_owners_held_check CHECK ((held >= 0))
)
WITH (fillfactor='50');

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

CREATE TABLE public.ledger_transfers (
    id bigint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    posted_at timestamp with time zone NOT NULL,
    intent_id uuid,
    act_id uuid,
    owner_id text NOT NULL,
    idempotency_key text NOT NULL,
    kind public.transfer_kind NOT NULL,
    input_hash bytea NOT NULL,
    event_id text,
    actor text NOT NULL,
    grant_id text,
    reason text,
    reason_salt bytea,
    reason_hash bytea NOT NULL,
    token_id uuid,
    model public.usage_label,
    project public.usage_label,
    run public.usage_label,
    CONSTRAINT ledger_transfers_check CHECK ((((kind)::text = 'usage'::text) = (grant_id IS NULL)))
)
PARTITION BY RANGE (id);

CREATE SEQUENCE public.ledger_transfers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.ledger_transfers_id_seq OWNED BY public.ledger_transfers.id;

CREATE TABLE public.ledger_usage_days (
    owner_id public.owner_id NOT NULL,
    day date NOT NULL,
    actor text NOT NULL,
    token_id uuid,
    model public.usage_label,
    project public.usage_label,
    requests bigint NOT NULL,
    failed bigint NOT NULL,
    credits bigint NOT NULL,
    first_id bigint NOT NULL,
    CONSTRAINT ledger_usage_days_check CHECK (((failed >= 0) AND (failed <= requests))),
    CONSTRAINT ledger_usage_days_credits_check CHECK ((credits >= 0))
)
WITH (fillfactor='50');

CREATE TABLE public.organization_members (
    organization_id text NOT NULL,
    user_id text NOT NULL,
    role text,
    snapshot_order bigint NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT organization_members_organization_id_check CHECK (((length(organization_id) >= 1) AND (length(organization_id) <= 64))),
    CONSTRAINT organization_members_role_check CHECK ((role = ANY (ARRAY['admin'::text, 'member'::text]))),
    CONSTRAINT organization_members_user_id_check CHECK (((length(user_id) >= 1) AND (length(user_id) <= 64)))
);

CREATE TABLE public.paid_invoice_lines (
    stripe_invoice_id text NOT NULL,
    stripe_subscription_id text NOT NULL,
    kind text NOT NULL,
    starts_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    seats_before integer,
    seats integer NOT NULL,
    amount_paid_minor bigint NOT NULL,
    paid_at timestamp with time zone NOT NULL,
    total_minor bigint NOT NULL,
    amount_minor bigint NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    owner_id text NOT NULL,
    CONSTRAINT paid_invoice_lines_amount_paid_minor_check CHECK ((amount_paid_minor >= 0)),
    CONSTRAINT paid_invoice_lines_check CHECK ((starts_at < ends_at)),
    CONSTRAINT paid_invoice_lines_kind_check CHECK ((kind = ANY (ARRAY['period'::text, 'seats'::text, 'cut'::text]))),
    CONSTRAINT paid_invoice_lines_seats_before CHECK (((kind = 'seats'::text) OR (seats_before IS NULL))),
    CONSTRAINT paid_invoice_lines_seats_before_check CHECK ((seats_before >= 0)),
    CONSTRAINT paid_invoice_lines_seats_check CHECK ((seats >= 1))
);

CREATE TABLE public.payer_currencies (
    owner_kind public.owner_kind NOT NULL,
    owner_id public.owner_id NOT NULL,
    currency public.currency NOT NULL
);

CREATE TABLE public.reconciliation_findings (
    id uuid NOT NULL,
    livemode public.livemode NOT NULL,
    kind text NOT NULL,
    object_id text NOT NULL,
    owner_kind public.owner_kind,
    owner_id public.owner_id,
    sentence text NOT NULL,
    they_say text NOT NULL,
    we_have text NOT NULL,
    amount_minor bigint,
    currency text,
    credits bigint,
    repair jsonb,
    advice text NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    gone_at timestamp with time zone,
    CONSTRAINT reconciliation_findings_check CHECK (((owner_kind IS NULL) = (owner_id IS NULL))),
    CONSTRAINT reconciliation_findings_check1 CHECK (((amount_minor IS NULL) = (currency IS NULL))),
    CONSTRAINT reconciliation_findings_kind_check CHECK (((length(kind) >= 1) AND (length(kind) <= 64))),
    CONSTRAINT reconciliation_findings_object_id_check CHECK (((length(object_id) >= 1) AND (length(object_id) <= 255)))
);

CREATE TABLE public.reconciliation_runs (
    id uuid NOT NULL,
    livemode public.livemode NOT NULL,
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
    livemode public.livemode NOT NULL,
    read_at timestamp with time zone NOT NULL,
    closed_at timestamp with time zone,
    statement jsonb,
    last_transfer_id bigint,
    CONSTRAINT statement_days_check CHECK ((((closed_at IS NULL) = (statement IS NULL)) AND ((closed_at IS NULL) = (last_transfer_id IS NULL))))
);

CREATE TABLE public.stripe_accounts (
    livemode public.livemode NOT NULL,
    account_id public.outside_id NOT NULL
);

CREATE TABLE public.stripe_customers (
    owner_kind public.owner_kind NOT NULL,
    owner_id text NOT NULL,
    customer_id text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    livemode public.livemode NOT NULL
);

CREATE TABLE public.subscriptions (
    stripe_subscription_id text NOT NULL,
    intent_id uuid NOT NULL,
    user_id text NOT NULL,
    owner_kind public.owner_kind NOT NULL,
    owner_id text NOT NULL,
    plan_type public.paid_plan NOT NULL,
    billing_frequency public.billing_frequency NOT NULL,
    currency public.currency NOT NULL,
    credits_per_seat bigint NOT NULL,
    status text NOT NULL,
    seats_total integer NOT NULL,
    current_period_start timestamp with time zone NOT NULL,
    current_period_end timestamp with time zone NOT NULL,
    trial_end timestamp with time zone,
    cancel_at timestamp with time zone,
    ended_at timestamp with time zone,
    snapshot_order bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    next_try_at timestamp with time zone NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    sync_failed_at timestamp with time zone,
    scheduled_seats integer,
    scheduled_at timestamp with time zone,
    livemode public.livemode NOT NULL,
    pending_lines jsonb DEFAULT '[]'::jsonb NOT NULL,
    unpaid_invoice_url text,
    needs_confirmation boolean DEFAULT false NOT NULL,
    unpaid_minor bigint,
    unpaid_decline_code text,
    unpaid_next_attempt_at timestamp with time zone,
    scheduled_frequency text,
    price_minor integer,
    replaced_by uuid,
    unused_refund_minor bigint,
    unused_refund_invoice text,
    unused_refund_id text,
    unpaid_declined_at timestamp with time zone,
    is_unfinished boolean GENERATED ALWAYS AS (((status <> ALL (ARRAY['canceled'::text, 'incomplete_expired'::text])) OR ((replaced_by IS NOT NULL) AND (unused_refund_id IS NULL) AND (COALESCE(unused_refund_minor, (1)::bigint) > 0)))) STORED NOT NULL,
    CONSTRAINT subscriptions_check CHECK ((((status = 'canceled'::text) = (ended_at IS NOT NULL)) OR (status = 'incomplete_expired'::text))),
    CONSTRAINT subscriptions_check1 CHECK (((sync_failed_at IS NULL) OR (last_error IS NOT NULL))),
    CONSTRAINT subscriptions_check2 CHECK (((scheduled_seats IS NULL) = (scheduled_at IS NULL))),
    CONSTRAINT subscriptions_credits_per_seat_check CHECK ((credits_per_seat > 0)),
    CONSTRAINT subscriptions_pending_lines_check CHECK ((jsonb_typeof(pending_lines) = 'array'::text)),
    CONSTRAINT subscriptions_price_minor_check CHECK ((price_minor >= 0)),
    CONSTRAINT subscriptions_scheduled_frequency_check CHECK ((scheduled_frequency = ANY (ARRAY['monthly'::text, 'yearly'::text]))),
    CONSTRAINT subscriptions_scheduled_frequency_has_a_moment CHECK (((scheduled_frequency IS NULL) = (scheduled_at IS NULL))),
    CONSTRAINT subscriptions_scheduled_seats_check CHECK ((scheduled_seats >= 1)),
    CONSTRAINT subscriptions_seats_total_check CHECK ((seats_total >= 1)),
    CONSTRAINT subscriptions_status_check CHECK ((status = ANY (ARRAY['incomplete'::text, 'incomplete_expired'::text, 'trialing'::text, 'active'::text, 'past_due'::text, 'canceled'::text, 'unpaid'::text, 'paused'::text]))),
    CONSTRAINT subscriptions_unpaid_minor_check CHECK ((unpaid_minor >= 0)),
    CONSTRAINT subscriptions_unused_refund CHECK ((((unused_refund_minor IS NULL) OR ((replaced_by IS NOT NULL) AND (ended_at IS NOT NULL))) AND ((unused_refund_minor IS NULL) OR (unused_refund_minor = 0) OR (unused_refund_invoice IS NOT NULL)) AND ((unused_refund_id IS NULL) OR (unused_refund_minor > 0)))),
    CONSTRAINT subscriptions_unused_refund_minor_check CHECK ((unused_refund_minor >= 0))
);

CREATE TABLE public.support_act_tokens (
    act_id uuid NOT NULL,
    step text NOT NULL,
    token text NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    CONSTRAINT support_act_tokens_step_check CHECK ((step = ANY (ARRAY['requested'::text, 'approved'::text]))),
    CONSTRAINT support_act_tokens_token_check CHECK (((length(token) >= 1) AND (length(token) <= 8000)))
);

CREATE TABLE public.support_acts (
    id uuid NOT NULL,
    batch_id uuid,
    finding_id text,
    kind text NOT NULL,
    target_kind text NOT NULL,
    target_id text NOT NULL,
    owner_kind public.owner_kind,
    owner_id public.owner_id,
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
    next_try_at timestamp with time zone NOT NULL,
    claims integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    CONSTRAINT support_acts_check CHECK ((is_dry_run OR (length(TRIM(BOTH FROM reason)) >= 10))),
    CONSTRAINT support_acts_check1 CHECK ((approved_by <> requested_by)),
    CONSTRAINT support_acts_check2 CHECK (((owner_kind IS NULL) = (owner_id IS NULL))),
    CONSTRAINT support_acts_check3 CHECK (((approved_by IS NULL) = (approved_at IS NULL))),
    CONSTRAINT support_acts_check5 CHECK (((state = ANY (ARRAY['failed'::text, 'refused'::text])) = (error IS NOT NULL))),
    CONSTRAINT support_acts_check6 CHECK (((state = 'done'::text) = (outcome IS NOT NULL))),
    CONSTRAINT support_acts_check7 CHECK (((state = 'refused'::text) = (refused_by IS NOT NULL))),
    CONSTRAINT support_acts_finding_id_check CHECK (((length(finding_id) >= 1) AND (length(finding_id) <= 200))),
    CONSTRAINT support_acts_finished CHECK (((state = ANY (ARRAY['done'::text, 'failed'::text, 'refused'::text, 'cancelled'::text])) = (finished_at IS NOT NULL))),
    CONSTRAINT support_acts_forget CHECK (((kind <> 'forget'::text) OR is_dry_run OR (approved_by IS NOT NULL) OR (state = ANY (ARRAY['waiting_for_approval'::text, 'refused'::text])))),
    CONSTRAINT support_acts_kind_check CHECK ((kind = ANY (ARRAY['replay'::text, 'resync'::text, 'adjust'::text, 'cancel_intent'::text, 'cancel_subscription'::text, 'invoice_changes'::text, 'resend_invitation'::text, 'release_hold'::text, 'forget'::text]))),
    CONSTRAINT support_acts_requested_by_check CHECK (((length(requested_by) >= 1) AND (length(requested_by) <= 100))),
    CONSTRAINT support_acts_state_check CHECK ((state = ANY (ARRAY['waiting_for_approval'::text, 'queued'::text, 'done'::text, 'failed'::text, 'refused'::text, 'cancelled'::text]))),
    CONSTRAINT support_acts_target_id_check CHECK (((length(target_id) >= 1) AND (length(target_id) <= 255))),
    CONSTRAINT support_acts_target_kind_check CHECK ((target_kind = ANY (ARRAY['event'::text, 'intent'::text, 'subscription'::text, 'invitation'::text, 'charge'::text, 'hold'::text, 'user'::text, 'organization'::text])))
);

CREATE TABLE public.support_visits (
    owner_id public.owner_id NOT NULL,
    user_id text NOT NULL,
    began_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT support_visits_user_id_check CHECK (((length(user_id) >= 1) AND (length(user_id) <= 64)))
);

CREATE TABLE public.team_invitations (
    id uuid NOT NULL,
    organization_id text NOT NULL,
    subscription_id text NOT NULL,
    inviter_id text,
    email text NOT NULL,
    role text NOT NULL,
    clerk_invitation_id text,
    status text NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    next_try_at timestamp with time zone,
    claims integer DEFAULT 0 NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    last_error text,
    unavailable_since timestamp with time zone,
    sync_failed_at timestamp with time zone,
    send_at timestamp with time zone,
    refusal_code text,
    CONSTRAINT team_invitations_check CHECK (((status <> 'pending'::text) OR (next_try_at IS NOT NULL))),
    CONSTRAINT team_invitations_check1 CHECK (((sync_failed_at IS NULL) OR (last_error IS NOT NULL))),
    CONSTRAINT team_invitations_email_check CHECK ((email = lower(email))),
    CONSTRAINT team_invitations_organization_id_check CHECK (((length(organization_id) >= 1) AND (length(organization_id) <= 64))),
    CONSTRAINT team_invitations_refusal_code_check CHECK (((length(refusal_code) >= 1) AND (length(refusal_code) <= 100))),
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

ALTER TABLE ONLY public.base_backups
    ADD CONSTRAINT base_backups_pkey PRIMARY KEY (finished_at);

ALTER TABLE ONLY public.charges
    ADD CONSTRAINT charges_pkey PRIMARY KEY (owner_id, stripe_charge_id);

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.checkout_intents
    ADD CONSTRAINT checkout_intents_stripe_session_id_key UNIQUE (stripe_session_id);

ALTER TABLE ONLY public.cursors
    ADD CONSTRAINT cursors_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.customer_creations
    ADD CONSTRAINT customer_creations_pkey PRIMARY KEY (owner_kind, owner_id);

ALTER TABLE ONLY public.deleted_owners
    ADD CONSTRAINT deleted_owners_pkey PRIMARY KEY (owner_id);

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

ALTER TABLE ONLY public.function_files
    ADD CONSTRAINT function_files_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.idempotent_requests
    ADD CONSTRAINT idempotent_requests_pkey PRIMARY KEY (user_id, key);

ALTER TABLE ONLY public.inbox_events
    ADD CONSTRAINT inbox_events_pkey PRIMARY KEY (source, id);

ALTER TABLE ONLY public.inbox_payloads
    ADD CONSTRAINT inbox_payloads_pkey PRIMARY KEY (source, id, filed_at);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_id_owner_id_key UNIQUE (id, owner_id);

ALTER TABLE ONLY public.ledger_accounts
    ADD CONSTRAINT ledger_accounts_pkey PRIMARY KEY (owner_id, name);

ALTER TABLE ONLY public.ledger_entries
    ADD CONSTRAINT ledger_entries_pkey PRIMARY KEY (owner_id, account_id, transfer_id);

ALTER TABLE ONLY public.ledger_failures
    ADD CONSTRAINT ledger_failures_owner_id_idempotency_key_key UNIQUE (owner_id, idempotency_key);

ALTER TABLE ONLY public.ledger_failures
    ADD CONSTRAINT ledger_failures_pkey PRIMARY KEY (owner_id, id);

ALTER TABLE ONLY public.ledger_grants
    ADD CONSTRAINT ledger_grants_id_key UNIQUE (id);

ALTER TABLE ONLY public.ledger_grants
    ADD CONSTRAINT ledger_grants_pkey PRIMARY KEY (owner_id, id);

ALTER TABLE ONLY public.ledger_holds
    ADD CONSTRAINT ledger_holds_owner_id_idempotency_key_key UNIQUE (owner_id, idempotency_key);

ALTER TABLE ONLY public.ledger_holds
    ADD CONSTRAINT ledger_holds_pkey PRIMARY KEY (id, owner_id);

ALTER TABLE ONLY public.ledger_keys
    ADD CONSTRAINT ledger_keys_pkey PRIMARY KEY (owner_id, idempotency_key);

ALTER TABLE ONLY public.ledger_months_used
    ADD CONSTRAINT ledger_months_used_pkey PRIMARY KEY (owner_id, stripe_subscription_id, month_starts_at);

ALTER TABLE ONLY public.ledger_months_used
    ADD CONSTRAINT ledger_months_used_stripe_subscription_id_month_starts_at_key UNIQUE (stripe_subscription_id, month_starts_at);

ALTER TABLE ONLY public.ledger_owners
    ADD CONSTRAINT ledger_owners_pkey PRIMARY KEY (owner_id);

ALTER TABLE ONLY public.ledger_proofs
    ADD CONSTRAINT ledger_proofs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.ledger_transfers
    ADD CONSTRAINT ledger_transfers_pkey PRIMARY KEY (id, owner_id);

ALTER TABLE ONLY public.ledger_usage_days
    ADD CONSTRAINT ledger_usage_days_owner_id_day_actor_token_id_model_project_key UNIQUE NULLS NOT DISTINCT (owner_id, day, actor, token_id, model, project);

ALTER TABLE ONLY public.organization_members
    ADD CONSTRAINT organization_members_pkey PRIMARY KEY (organization_id, user_id);

ALTER TABLE ONLY public.paid_invoice_lines
    ADD CONSTRAINT paid_invoice_lines_pkey PRIMARY KEY (owner_id, stripe_invoice_id, kind, starts_at);

ALTER TABLE ONLY public.payer_currencies
    ADD CONSTRAINT payer_currencies_pkey PRIMARY KEY (owner_kind, owner_id);

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

ALTER TABLE ONLY public.stripe_accounts
    ADD CONSTRAINT stripe_accounts_pkey PRIMARY KEY (livemode);

ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_customer_id_key UNIQUE (customer_id);

ALTER TABLE ONLY public.stripe_customers
    ADD CONSTRAINT stripe_customers_pkey PRIMARY KEY (owner_kind, owner_id, livemode);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_owner_id_intent_id_key UNIQUE (owner_id, intent_id);

ALTER TABLE ONLY public.subscriptions
    ADD CONSTRAINT subscriptions_pkey PRIMARY KEY (owner_id, stripe_subscription_id);

ALTER TABLE ONLY public.support_act_tokens
    ADD CONSTRAINT support_act_tokens_pkey PRIMARY KEY (act_id, step);

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

CREATE INDEX audit_log_searches ON public.audit_log USING btree (actor, at) WHERE (what = 'search'::text);

CREATE INDEX balance_transactions_charge ON public.balance_transactions USING btree (charge_id) WHERE (charge_id IS NOT NULL);

CREATE INDEX balance_transactions_created ON public.balance_transactions USING btree (created_at);

CREATE INDEX balance_transactions_intent ON public.balance_transactions USING btree (intent_id) WHERE (intent_id IS NOT NULL);

CREATE INDEX balance_transactions_invoice ON public.balance_transactions USING btree (stripe_invoice_id) WHERE (stripe_invoice_id IS NOT NULL);

CREATE INDEX charges_id ON public.charges USING btree (stripe_charge_id);

CREATE INDEX charges_intent ON public.charges USING btree (owner_id, intent_id) WHERE (intent_id IS NOT NULL);

CREATE INDEX charges_invoice ON public.charges USING btree (owner_id, stripe_invoice_id) WHERE (stripe_invoice_id IS NOT NULL);

CREATE INDEX checkout_intents_due ON public.checkout_intents USING btree (next_try_at) WHERE is_unfinished;

CREATE INDEX checkout_intents_failed ON public.checkout_intents USING btree (created_at) WHERE (((state)::text = 'failed'::text) AND (stripe_session_id IS NOT NULL) AND ((failure_code IS NULL) OR ((failure_code)::text <> ALL (ARRAY['payment_failed'::text, 'first_payment_failed'::text]))));

CREATE UNIQUE INDEX checkout_intents_invoice ON public.checkout_intents USING btree (stripe_invoice_id) WHERE (stripe_invoice_id IS NOT NULL);

CREATE UNIQUE INDEX checkout_intents_one_subscription ON public.checkout_intents USING btree (COALESCE(owner_id, user_id), livemode) WHERE (((kind)::text = 'subscription'::text) AND is_unfinished);

CREATE INDEX checkout_intents_organization ON public.checkout_intents USING btree (owner_id, created_at DESC) WHERE ((owner_kind)::text = 'organization'::text);

CREATE UNIQUE INDEX checkout_intents_owner ON public.checkout_intents USING btree (owner_id, id);

CREATE INDEX checkout_intents_stuck ON public.checkout_intents USING btree (created_at) WHERE (is_unfinished AND (last_error IS NOT NULL));

CREATE INDEX checkout_intents_user ON public.checkout_intents USING btree (user_id, created_at DESC);

CREATE INDEX extension_sign_ins_expiry ON public.extension_sign_ins USING btree (expires_at);

CREATE INDEX extension_sign_ins_user ON public.extension_sign_ins USING btree (user_id) WHERE (user_id IS NOT NULL);

CREATE INDEX extension_tokens_hash ON public.extension_tokens USING btree (token_hash);

CREATE UNIQUE INDEX extension_tokens_one_generated ON public.extension_tokens USING btree (user_id) WHERE ((revoked_at IS NULL) AND (scheme IS NULL));

CREATE INDEX failed_tries_old ON public.failed_tries USING btree (last_at);

CREATE INDEX failed_tries_row ON public.failed_tries USING btree (row_id, id);

CREATE INDEX failed_tries_subject ON public.failed_tries USING btree (subject, first_at) WHERE (subject IS NOT NULL);

CREATE INDEX idempotent_requests_old ON public.idempotent_requests USING btree (created_at);

CREATE INDEX inbox_events_attention ON public.inbox_events USING btree (state, received_at) WHERE ((state)::text = ANY (ARRAY['failed'::text, 'forged'::text, 'ignored'::text]));

CREATE INDEX inbox_events_completed_checkout ON public.inbox_events USING btree (client_reference_id) WHERE ((client_reference_id IS NOT NULL) AND (type = ANY (ARRAY['checkout.session.completed'::text, 'checkout.session.async_payment_succeeded'::text])));

CREATE INDEX inbox_events_confirm ON public.inbox_events USING btree (confirm_at) WHERE (confirm_at IS NOT NULL);

CREATE INDEX inbox_events_due ON public.inbox_events USING btree (next_try_at) WHERE (finished_at IS NULL);

CREATE INDEX inbox_events_object_sync ON public.inbox_events USING btree (object_sync_at) WHERE (object_sync_at IS NOT NULL);

CREATE INDEX inbox_events_subject ON public.inbox_events USING btree (subject, received_at) WHERE (subject IS NOT NULL);

CREATE INDEX inbox_events_waiting ON public.inbox_events USING btree (received_at) WHERE (finished_at IS NULL);

CREATE INDEX ledger_grants_month ON public.ledger_grants USING btree (stripe_subscription_id, month_starts_at) WHERE (stripe_subscription_id IS NOT NULL);

CREATE INDEX ledger_holds_expiry ON public.ledger_holds USING btree (expires_at) WHERE (state = 'open'::text);

CREATE INDEX ledger_holds_open ON public.ledger_holds USING btree (owner_id, actor) WHERE (state = 'open'::text);

CREATE INDEX ledger_holds_outlived ON public.ledger_holds USING btree (owner_id) WHERE outlives_month;

CREATE INDEX ledger_holds_uncollected ON public.ledger_holds USING btree (resolved_at) WHERE (charged < settled_credits);

CREATE UNIQUE INDEX ledger_keys_over_owners ON public.ledger_keys USING btree (idempotency_key) WHERE (NOT starts_with(idempotency_key, 'usage/'::text));

CREATE INDEX ledger_owners_order ON public.ledger_owners USING btree (owner_kind, owner_id);

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

CREATE INDEX subscriptions_due ON public.subscriptions USING btree (next_try_at) WHERE (is_unfinished AND (sync_failed_at IS NULL));

CREATE INDEX subscriptions_id ON public.subscriptions USING btree (stripe_subscription_id);

CREATE INDEX subscriptions_intent ON public.subscriptions USING btree (intent_id);

CREATE UNIQUE INDEX subscriptions_one_live ON public.subscriptions USING btree (owner_kind, owner_id, livemode) WHERE (status = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text, 'unpaid'::text, 'paused'::text]));

CREATE INDEX subscriptions_owner ON public.subscriptions USING btree (owner_kind, owner_id, created_at);

CREATE INDEX subscriptions_stuck ON public.subscriptions USING btree (created_at) WHERE (is_unfinished AND (sync_failed_at IS NULL) AND (last_error IS NOT NULL));

CREATE INDEX subscriptions_sync_failed ON public.subscriptions USING btree (sync_failed_at) WHERE (sync_failed_at IS NOT NULL);

CREATE INDEX subscriptions_user ON public.subscriptions USING btree (user_id);

CREATE INDEX support_acts_adjusted ON public.support_acts USING btree (requested_at) WHERE ((kind = 'adjust'::text) AND (NOT is_dry_run) AND (approved_by IS NULL) AND (state = ANY (ARRAY['queued'::text, 'done'::text])));

CREATE INDEX support_acts_batch ON public.support_acts USING btree (batch_id, id) WHERE (batch_id IS NOT NULL);

CREATE INDEX support_acts_due ON public.support_acts USING btree (next_try_at) WHERE (state = 'queued'::text);

CREATE INDEX support_acts_failed ON public.support_acts USING btree (finished_at) WHERE ((state = 'failed'::text) AND (NOT is_dry_run));

CREATE INDEX support_acts_owner ON public.support_acts USING btree (owner_kind, owner_id, requested_at DESC) WHERE (owner_id IS NOT NULL);

CREATE INDEX support_acts_target ON public.support_acts USING btree (target_kind, target_id, requested_at DESC);

CREATE UNIQUE INDEX support_acts_under_way ON public.support_acts USING btree (target_kind, target_id, kind) WHERE ((state = ANY (ARRAY['waiting_for_approval'::text, 'queued'::text])) AND (NOT is_dry_run));

CREATE INDEX support_acts_waiting ON public.support_acts USING btree (requested_at) WHERE (state = 'waiting_for_approval'::text);

CREATE INDEX support_visits_old ON public.support_visits USING btree (seen_at);

CREATE INDEX team_invitations_clerk ON public.team_invitations USING btree (clerk_invitation_id);

CREATE INDEX team_invitations_due ON public.team_invitations USING btree (next_try_at) WHERE ((next_try_at IS NOT NULL) AND (sync_failed_at IS NULL));

CREATE INDEX team_invitations_email ON public.team_invitations USING btree (email);

CREATE INDEX team_invitations_id ON public.team_invitations USING btree (id);

CREATE UNIQUE INDEX team_invitations_one_pending ON public.team_invitations USING btree (organization_id, email) WHERE (status = 'pending'::text);

CREATE INDEX team_invitations_organization ON public.team_invitations USING btree (organization_id, created_at DESC);

CREATE INDEX team_invitations_stuck ON public.team_invitations USING btree (created_at) WHERE ((next_try_at IS NOT NULL) AND (sync_failed_at IS NULL) AND (last_error IS NOT NULL));

CREATE INDEX team_invitations_subscription ON public.team_invitations USING btree (subscription_id);

CREATE INDEX team_invitations_sync_failed ON public.team_invitations USING btree (sync_failed_at) WHERE (sync_failed_at IS NOT NULL);

CREATE INDEX users_email ON public.users USING btree (lower(email));

CREATE INDEX users_forgotten ON public.users USING btree (forgotten_at) WHERE (forgotten_at IS NOT NULL);

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

ALTER TABLE ONLY public.support_act_tokens
    ADD CONSTRAINT support_act_tokens_act_id_fkey FOREIGN KEY (act_id) REFERENCES public.support_acts(id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_inviter_id_fkey FOREIGN KEY (inviter_id) REFERENCES public.users(clerk_id);

ALTER TABLE ONLY public.team_invitations
    ADD CONSTRAINT team_invitations_organization_id_subscription_id_fkey FOREIGN KEY (organization_id, subscription_id) REFERENCES public.subscriptions(owner_id, stripe_subscription_id);

ALTER TABLE public.audit_log ENABLE ROW LEVEL SECURITY;

CREATE POLICY audit_log_read ON public.audit_log FOR SELECT TO tidemark_server USING (true);

CREATE POLICY audit_log_request ON public.audit_log FOR INSERT TO tidemark_server WITH CHECK (((outcome = ANY (ARRAY['refused'::text, 'denied'::text])) OR ((outcome = 'requested'::text) AND (act_id IS NULL) AND (what = ANY (ARRAY['open_case'::text, 'search'::text, 'statement'::text, 'export_statement'::text, 'reconcile'::text, 'queue_job'::text])))));

CREATE POLICY audit_log_worker ON public.audit_log TO tidemark_worker USING (true) WITH CHECK (true);

ALTER TABLE public.inbox_events ENABLE ROW LEVEL SECURITY;

CREATE POLICY inbox_events_read ON public.inbox_events FOR SELECT TO tidemark_server USING (true);

CREATE POLICY inbox_events_receive ON public.inbox_events FOR INSERT TO tidemark_server WITH CHECK ((((state)::text = ANY (ARRAY['received'::text, 'failed'::text])) AND ((received_via)::text = 'webhook'::text)));

CREATE POLICY inbox_events_worker ON public.inbox_events TO tidemark_worker USING (true) WITH CHECK (true);

ALTER TABLE public.support_acts ENABLE ROW LEVEL SECURITY;

CREATE POLICY support_acts_read ON public.support_acts FOR SELECT TO tidemark_server USING (true);

CREATE POLICY support_acts_worker ON public.support_acts TO tidemark_worker USING (true) WITH CHECK (true);

GRANT USAGE ON SCHEMA public TO tidemark_server;
GRANT USAGE ON SCHEMA public TO tidemark_worker;

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
GRANT INSERT(reason),UPDATE(reason) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(detail) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(detail),UPDATE(detail) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(before) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(before) ON TABLE public.audit_log TO tidemark_worker;

GRANT INSERT(after) ON TABLE public.audit_log TO tidemark_server;
GRANT INSERT(after) ON TABLE public.audit_log TO tidemark_worker;

GRANT UPDATE(salt) ON TABLE public.audit_log TO tidemark_worker;

GRANT SELECT ON TABLE public.balance_transactions TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.balance_transactions TO tidemark_worker;

GRANT SELECT ON TABLE public.base_backups TO tidemark_server;

GRANT SELECT ON TABLE public.charges TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.charges TO tidemark_worker;

GRANT SELECT ON TABLE public.checkout_intents TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.checkout_intents TO tidemark_worker;

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

GRANT UPDATE(failure_code) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(failure_reason) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(stripe_customer_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(stripe_session_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(created_at) ON TABLE public.checkout_intents TO tidemark_server;

GRANT UPDATE(updated_at) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(next_try_at) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(session_params) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(organization_name) ON TABLE public.checkout_intents TO tidemark_server;

GRANT INSERT(ends_subscription_id) ON TABLE public.checkout_intents TO tidemark_server;

GRANT SELECT ON TABLE public.cursors TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.cursors TO tidemark_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.customer_creations TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.customer_creations TO tidemark_worker;

GRANT SELECT ON TABLE public.deleted_owners TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.deleted_owners TO tidemark_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.extension_sign_ins TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.extension_sign_ins TO tidemark_worker;

GRANT UPDATE(code_hash) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(exchanged_at) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(token_id) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(confirmation_hash) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(confirmation_expires_at) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(confirmed_at) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(clerk_session_id) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(editor_name) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT UPDATE(payer) ON TABLE public.extension_sign_ins TO tidemark_server;

GRANT SELECT,INSERT ON TABLE public.extension_tokens TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.extension_tokens TO tidemark_worker;

GRANT UPDATE(last_used_at) ON TABLE public.extension_tokens TO tidemark_server;

GRANT UPDATE(revoked_at) ON TABLE public.extension_tokens TO tidemark_server;
GRANT UPDATE(revoked_at) ON TABLE public.extension_tokens TO tidemark_worker;

GRANT UPDATE(payer) ON TABLE public.extension_tokens TO tidemark_server;

GRANT SELECT ON TABLE public.failed_tries TO tidemark_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.failed_tries TO tidemark_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.idempotent_requests TO tidemark_server;
GRANT SELECT,DELETE ON TABLE public.idempotent_requests TO tidemark_worker;

GRANT UPDATE(request_hash) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(attempt_id) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(locked_until) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(answer) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT UPDATE(created_at) ON TABLE public.idempotent_requests TO tidemark_server;

GRANT SELECT ON TABLE public.inbox_events TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.inbox_events TO tidemark_worker;

GRANT INSERT(source) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(id) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(type) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(occurred_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(received_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(state) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(reason) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(finished_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(next_try_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(received_via) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(object_sync_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(confirm_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(subject) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(payload_filed_at) ON TABLE public.inbox_events TO tidemark_server;

GRANT INSERT(client_reference_id) ON TABLE public.inbox_events TO tidemark_server;

GRANT SELECT,INSERT ON TABLE public.inbox_payloads TO tidemark_server;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.inbox_payloads TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_accounts TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_accounts TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_entries TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_entries TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_failures TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_failures TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_grants TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_grants TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_holds TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_holds TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_keys TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_keys TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_months_used TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_months_used TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_owners TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_owners TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_proofs TO tidemark_server;

GRANT SELECT ON TABLE public.ledger_transfers TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_transfers TO tidemark_worker;

GRANT SELECT ON TABLE public.ledger_usage_days TO tidemark_server;
GRANT SELECT ON TABLE public.ledger_usage_days TO tidemark_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.organization_members TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.organization_members TO tidemark_worker;

GRANT SELECT ON TABLE public.paid_invoice_lines TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.paid_invoice_lines TO tidemark_worker;

GRANT UPDATE(ends_at) ON TABLE public.paid_invoice_lines TO tidemark_worker;

GRANT UPDATE(seats_before) ON TABLE public.paid_invoice_lines TO tidemark_worker;

GRANT UPDATE(seats) ON TABLE public.paid_invoice_lines TO tidemark_worker;

GRANT UPDATE(amount_minor) ON TABLE public.paid_invoice_lines TO tidemark_worker;

GRANT SELECT,INSERT ON TABLE public.payer_currencies TO tidemark_server;

GRANT UPDATE(currency) ON TABLE public.payer_currencies TO tidemark_server;

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

GRANT USAGE ON SEQUENCE public.snapshot_orders TO tidemark_server;
GRANT USAGE ON SEQUENCE public.snapshot_orders TO tidemark_worker;

GRANT SELECT ON TABLE public.statement_days TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.statement_days TO tidemark_worker;

GRANT SELECT,INSERT ON TABLE public.stripe_accounts TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.stripe_accounts TO tidemark_worker;

GRANT SELECT,INSERT ON TABLE public.stripe_customers TO tidemark_server;
GRANT SELECT,INSERT ON TABLE public.stripe_customers TO tidemark_worker;

GRANT UPDATE(customer_id) ON TABLE public.stripe_customers TO tidemark_server;

GRANT SELECT ON TABLE public.subscriptions TO tidemark_server;
GRANT SELECT,INSERT,UPDATE ON TABLE public.subscriptions TO tidemark_worker;

GRANT UPDATE(updated_at) ON TABLE public.subscriptions TO tidemark_server;

GRANT SELECT,DELETE ON TABLE public.support_act_tokens TO tidemark_worker;

GRANT SELECT ON TABLE public.support_acts TO tidemark_server;
GRANT SELECT ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(owner_kind) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(owner_id) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(state) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(outcome) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(error) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(finished_at) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(next_try_at) ON TABLE public.support_acts TO tidemark_worker;

GRANT UPDATE(claims) ON TABLE public.support_acts TO tidemark_worker;

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

