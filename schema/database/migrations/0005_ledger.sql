-- The tables of the ledger: double entry, append-only, whole credits. `functions/ledger.sql` is all that
-- writes to them.

CREATE DOMAIN owner_account AS text CHECK (VALUE IN ('plan', 'purchased'));
CREATE DOMAIN transfer_kind AS text CHECK (VALUE IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant', 'usage',
  'usage_moved', 'expiry', 'write_off', 'refund', 'dispute', 'dispute_won', 'adjustment'));
CREATE DOMAIN entry_amount AS bigint CHECK (VALUE <> 0);
CREATE DOMAIN grant_id AS text CHECK (length(VALUE) BETWEEN 1 AND 200);
CREATE DOMAIN grant_kind AS text CHECK (VALUE IN ('purchase', 'month', 'seats', 'late_month', 'adjustment'));
-- What a usage was for, as its editor labels it: free text that may be erased and is in no hash.
CREATE DOMAIN usage_label AS text CHECK (length(VALUE) BETWEEN 1 AND 64);
CREATE DOMAIN usage_failure AS text CHECK (VALUE IN ('provider_error', 'timeout', 'empty', 'cancelled'));
-- Rows of the ledger are never changed or deleted, but for an owner's latest balances: the trigger of most tables.
CREATE FUNCTION ledger_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';

-- The accounts and their ids. An owner has two; the house takes the other side of every transfer.
CREATE TABLE ledger_accounts (
  id bigint GENERATED ALWAYS AS IDENTITY,
  owner_id text NOT NULL CHECK (owner_id = 'house' OR owner_id ~ '^(user|org)_'),
  name text NOT NULL,
  PRIMARY KEY (owner_id, name),
  UNIQUE (id, owner_id),
  CHECK (CASE owner_id
    WHEN 'house' THEN name IN ('sold', 'granted', 'used', 'refunded', 'disputed', 'expired', 'written_off', 'adjusted')
    ELSE name IN ('plan', 'purchased')
  END)
);
CREATE TRIGGER ledger_accounts_append_only BEFORE UPDATE OR DELETE ON ledger_accounts FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_accounts_no_truncate BEFORE TRUNCATE ON ledger_accounts EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON ledger_accounts TO tidemark_server, tidemark_worker;
INSERT INTO ledger_accounts (owner_id, name)
SELECT 'house', unnest(ARRAY['sold', 'granted', 'used', 'refunded', 'disputed', 'expired', 'written_off', 'adjusted']);

-- One row an owner: the lock of everything that is posted for the owner, and the latest entry of both
-- accounts. Version 0 means that an account has no entry.
CREATE TABLE ledger_owners (
  owner_id owner_id PRIMARY KEY,
  last_transfer_id bigint NOT NULL DEFAULT 0,
  plan_account_id bigint NOT NULL,
  plan_version bigint NOT NULL DEFAULT 0,
  plan_balance bigint NOT NULL DEFAULT 0,
  plan_hash bytea,
  purchased_account_id bigint NOT NULL,
  purchased_version bigint NOT NULL DEFAULT 0,
  purchased_balance bigint NOT NULL DEFAULT 0,
  purchased_hash bytea,
  -- Credits of open holds.
  held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- Those of them that are reserved of the plan account.
  plan_held bigint NOT NULL DEFAULT 0 CHECK (plan_held BETWEEN 0 AND held)
) WITH (fillfactor = 50);
CREATE TRIGGER ledger_owners_identity BEFORE UPDATE OF owner_id, plan_account_id, purchased_account_id
  ON ledger_owners FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_owners_no_delete BEFORE DELETE ON ledger_owners FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_owners_no_truncate BEFORE TRUNCATE ON ledger_owners EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON ledger_owners TO tidemark_server, tidemark_worker;

-- One thing that brought credits: a purchase, a billing month, seats added to a month. Every transfer but
-- usage belongs to one.
CREATE TABLE ledger_grants (
  -- Derived from what it stands for, so that two reports of the same thing name the same grant.
  id grant_id NOT NULL UNIQUE,
  owner_id owner_id NOT NULL,
  account owner_account NOT NULL,
  kind grant_kind NOT NULL,
  -- From here on as it was when the grant was first posted. No foreign keys: they would share-lock the intent
  -- or the subscription while another transaction that holds it waits for this owner's row. ledger:verify
  -- compares both sides.
  intent_id uuid,
  stripe_subscription_id text,
  stripe_invoice_id text,
  -- The billing month that its credits end with: with the subscription, the key of ledger_months_used.
  month_starts_at timestamptz,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (owner_id, id),
  CONSTRAINT ledger_grants_period CHECK (starts_at < ends_at),
  CONSTRAINT ledger_grants_subscription CHECK ((kind IN ('month', 'seats', 'late_month')) = (stripe_subscription_id IS NOT NULL)),
  CONSTRAINT ledger_grants_invoice CHECK ((stripe_subscription_id IS NULL) = (stripe_invoice_id IS NULL)),
  CONSTRAINT ledger_grants_month_starts_at CHECK ((kind IN ('month', 'seats')) = (month_starts_at IS NOT NULL)),
  CONSTRAINT ledger_grants_account CHECK (CASE
    WHEN kind IN ('purchase', 'late_month') THEN account = 'purchased'
    WHEN kind IN ('month', 'seats') THEN account = 'plan'
    ELSE true
  END),
  -- A month keeps its name when an earlier one that is joined to it is paid later, so the number in an id may be
  -- before the month's name: it is the start of the month that the grant's own invoice paid for.
  CONSTRAINT ledger_grants_id CHECK (coalesce(CASE
    WHEN kind = 'purchase' THEN id = 'purchase/' || intent_id
    WHEN kind = 'month' THEN id = 'month/' || stripe_invoice_id || '/' || floor(extract(epoch FROM starts_at))
      AND month_starts_at IS NOT NULL
    WHEN kind = 'seats' THEN id = 'seats/' || stripe_invoice_id || '/' || substring(id FROM '\d+$')
      AND substring(id FROM '\d+$')::bigint
        BETWEEN floor(extract(epoch FROM starts_at - interval '31 days')) AND floor(extract(epoch FROM starts_at))
      AND month_starts_at IS NOT NULL
    WHEN kind = 'late_month' THEN starts_with(id, 'late_month/' || stripe_invoice_id || '/')
    ELSE starts_with(id, 'adjustment/')
  END, false))
);
CREATE INDEX ledger_grants_month ON ledger_grants (stripe_subscription_id, month_starts_at)
  WHERE stripe_subscription_id IS NOT NULL;
CREATE TRIGGER ledger_grants_append_only BEFORE UPDATE OR DELETE ON ledger_grants FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_grants_no_truncate BEFORE TRUNCATE ON ledger_grants EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON ledger_grants TO tidemark_server, tidemark_worker;

-- Which transfer was posted under which key, or that a request failed under it.
CREATE TABLE ledger_keys (
  owner_id text NOT NULL,
  idempotency_key text NOT NULL,
  -- Null for a request that failed and cost nothing: a row of ledger_failures.
  transfer_id bigint,
  -- SHA-256 of what the caller asked for: the same key with another input is a conflict.
  input_hash bytea NOT NULL,
  PRIMARY KEY (owner_id, idempotency_key)
);
-- The key of a usage is unique for its payer, every other key in the whole ledger.
CREATE UNIQUE INDEX ledger_keys_over_owners ON ledger_keys (idempotency_key) WHERE NOT starts_with(idempotency_key, 'usage/');
CREATE TRIGGER ledger_keys_append_only BEFORE UPDATE OR DELETE ON ledger_keys FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_keys_no_truncate BEFORE TRUNCATE ON ledger_keys EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON ledger_keys TO tidemark_server, tidemark_worker;

-- One movement of credits and its cause.
CREATE TABLE ledger_transfers (
  -- Grows over all owners, with gaps: history, proofs and statements are in its order.
  id bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  posted_at timestamptz NOT NULL,
  intent_id uuid,
  -- The act of support that posted it, by the setting `tidemark.act_id` of its transaction.
  act_id uuid,
  owner_id text NOT NULL,
  idempotency_key text NOT NULL,
  kind transfer_kind NOT NULL,
  input_hash bytea NOT NULL,
  event_id text,
  actor text NOT NULL,
  grant_id text,
  -- Free text can be erased: the text and its salt become NULL, and the digest of the transfer covers their
  -- hash alone.
  reason text,
  reason_salt bytea,
  reason_hash bytea NOT NULL,
  -- The token of the editor that reported a usage.
  token_id uuid,
  model usage_label,
  project usage_label,
  run usage_label,
  PRIMARY KEY (id, owner_id),
  CHECK ((kind = 'usage') = (grant_id IS NULL))
);
-- All ids have 13 digits: where ids are texts, as in the key of an item that support is shown, they sort as numbers.
CREATE SEQUENCE ledger_transfers_id_seq START WITH 1000000000000 OWNED BY ledger_transfers.id;
CREATE INDEX ledger_transfers_act ON ledger_transfers (act_id) WHERE act_id IS NOT NULL;
CREATE INDEX ledger_transfers_grant ON ledger_transfers (owner_id, grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX ledger_transfers_occurred ON ledger_transfers USING brin (occurred_at)
  WITH (pages_per_range = 16, autosummarize = on);
CREATE TRIGGER ledger_transfers_append_only BEFORE UPDATE OR DELETE ON ledger_transfers FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_transfers_no_truncate BEFORE TRUNCATE ON ledger_transfers EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON ledger_transfers TO tidemark_server, tidemark_worker;

-- What a transfer does to an account. The entries of a transfer sum to zero.
CREATE TABLE ledger_entries (
  transfer_id bigint NOT NULL,
  -- No foreign key: it would share-lock the row of one house account in every transfer of the whole system.
  account_id bigint NOT NULL,
  amount entry_amount NOT NULL,
  -- House accounts have neither: a running balance that every purchase locks would cap the whole system.
  version bigint,
  balance_after bigint,
  -- Of an entry of the house: the owner of the transfer, so that both lie side by side.
  owner_id text NOT NULL,
  -- Chained to the account's previous entry; see ledger_entry_hash.
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, account_id, transfer_id)
);
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON ledger_entries TO tidemark_server, tidemark_worker;

-- Requests that failed and cost nothing. Such a report takes its idempotency key, but posts no transfer; its id
-- is of the transfers' sequence, so that both stand in one order.
CREATE TABLE ledger_failures (
  owner_id owner_id NOT NULL,
  id bigint NOT NULL,
  idempotency_key text NOT NULL,
  occurred_at timestamptz NOT NULL,
  failure usage_failure NOT NULL,
  actor text NOT NULL,
  token_id uuid,
  reason text,
  model usage_label,
  project usage_label,
  run usage_label,
  PRIMARY KEY (owner_id, id),
  UNIQUE (owner_id, idempotency_key)
);
GRANT SELECT ON ledger_failures TO tidemark_server, tidemark_worker;

-- Sums of usage by the UTC day on which it occurred, person, editor, model and project. Written with the
-- usage, by the same statement.
CREATE TABLE ledger_usage_days (
  owner_id owner_id NOT NULL,
  day date NOT NULL,
  actor text NOT NULL,
  token_id uuid,
  model usage_label,
  project usage_label,
  -- Failed ones included.
  requests bigint NOT NULL,
  failed bigint NOT NULL CHECK (failed BETWEEN 0 AND requests),
  credits bigint NOT NULL CHECK (credits >= 0),
  -- The first transfer or failure that is counted here.
  first_id bigint NOT NULL,
  UNIQUE NULLS NOT DISTINCT (owner_id, day, actor, token_id, model, project)
) WITH (fillfactor = 50);
GRANT SELECT ON ledger_usage_days TO tidemark_server, tidemark_worker;

-- Credits that are reserved for a request, until it is settled with what it cost. A hold has no transfer and no
-- entry; its settlement is a usage with the key `hold/<id>`.
CREATE TABLE ledger_holds (
  owner_id owner_id NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- The caller's, as of a usage.
  idempotency_key text NOT NULL,
  -- The person that it is for, who alone may settle it.
  actor text NOT NULL,
  token_id uuid,
  asked bigint NOT NULL CHECK (asked > 0),
  at_least bigint CHECK (at_least BETWEEN 1 AND asked),
  -- What was reserved, and how much of it of the plan account.
  credits bigint NOT NULL CHECK (credits BETWEEN 1 AND asked),
  plan_credits bigint NOT NULL CHECK (plan_credits BETWEEN 0 AND credits),
  state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'settled', 'released', 'expired', 'settled_late')),
  opened_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  resolved_at timestamptz,
  -- Its month was closed while it was open, until it is resolved and counted to that month.
  outlives_month boolean NOT NULL DEFAULT false,
  -- What its settlement asked for, and what became of that. The rest is uncollected.
  settled_credits bigint CHECK (settled_credits >= 0),
  failure usage_failure,
  charged bigint CHECK (charged BETWEEN 0 AND settled_credits),
  reason text,
  model usage_label,
  project usage_label,
  run usage_label,
  -- The most that the person's holds with this run may take together.
  run_limit bigint CHECK (run_limit > 0),
  -- When it was last extended, for support's timeline.
  extended_at timestamptz,
  -- A call names a hold by its id alone.
  PRIMARY KEY (id, owner_id),
  UNIQUE (owner_id, idempotency_key),
  CONSTRAINT ledger_holds_resolved CHECK ((state = 'open') = (resolved_at IS NULL)),
  CONSTRAINT ledger_holds_settled CHECK ((state IN ('settled', 'settled_late')) = (settled_credits IS NOT NULL)
    AND (settled_credits IS NULL) = (charged IS NULL) AND (failure IS NULL OR settled_credits = 0))
);
CREATE INDEX ledger_holds_run ON ledger_holds (owner_id, run) WHERE run IS NOT NULL;
CREATE INDEX ledger_holds_open ON ledger_holds (owner_id, actor) WHERE state = 'open';
CREATE INDEX ledger_holds_expiry ON ledger_holds (expires_at) WHERE state = 'open';
CREATE INDEX ledger_holds_outlived ON ledger_holds (owner_id) WHERE outlives_month;
-- What the daily statement sums.
CREATE INDEX ledger_holds_uncollected ON ledger_holds (resolved_at) WHERE charged < settled_credits;
GRANT SELECT ON ledger_holds TO tidemark_server, tidemark_worker;

-- How many plan credits were used in a billing month. Written when the month is closed; holds that outlive it add to it.
CREATE TABLE ledger_months_used (
  stripe_subscription_id text NOT NULL,
  month_starts_at timestamptz NOT NULL,
  owner_id owner_id NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  PRIMARY KEY (owner_id, stripe_subscription_id, month_starts_at),
  UNIQUE (stripe_subscription_id, month_starts_at)
);
CREATE TRIGGER ledger_months_used_append_only BEFORE UPDATE OR DELETE ON ledger_months_used FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE TRIGGER ledger_months_used_no_truncate BEFORE TRUNCATE ON ledger_months_used EXECUTE FUNCTION ledger_refuse_change();
GRANT SELECT ON ledger_months_used TO tidemark_server, tidemark_worker;

-- How far ledger:verify has proven the books. Only the owner of the tables writes it; the digest of the last proof
-- leaves the database as a metric.
CREATE TABLE ledger_proofs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  proven_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Every transfer up to this one was read and found right.
  transfer_id bigint NOT NULL CHECK (transfer_id >= 0),
  accounts bigint NOT NULL CHECK (accounts >= 0),
  -- SHA-256 over the latest entry of every owner's account up to that transfer.
  heads_digest bytea NOT NULL CHECK (length(heads_digest) = 32)
);
GRANT SELECT ON ledger_proofs TO tidemark_server;
