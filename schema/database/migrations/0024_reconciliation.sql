-- Stripe and Clerk are compared with what we have (decision 108), and the money of a day with its credits (decision 109).
CREATE TABLE reconciliation_runs (
  id uuid PRIMARY KEY,
  livemode boolean NOT NULL DEFAULT stripe_livemode(),
  state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  requested_by text NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 200),
  requested_at timestamptz NOT NULL,
  -- What is compared at Stripe: everything that was made or could still change in this time.
  since timestamptz,
  until timestamptz,
  -- Which comparison is next, and after which object of its list. Null when nothing is left.
  position jsonb,
  -- Counts the steps, so that of two workers at one run the slower one notices.
  revision integer NOT NULL DEFAULT 0,
  compared jsonb NOT NULL DEFAULT '{}',
  findings integer NOT NULL DEFAULT 0,
  -- It found nothing: everything up to `until` is proven.
  is_proven boolean NOT NULL DEFAULT false,
  error text,
  ended_at timestamptz,
  CHECK (state <> 'running' OR (since IS NOT NULL AND until IS NOT NULL)),
  CHECK ((state IN ('done', 'failed')) = (ended_at IS NOT NULL)),
  CHECK (NOT is_proven OR state = 'done')
);
CREATE INDEX reconciliation_runs_latest ON reconciliation_runs (requested_at DESC);
CREATE INDEX reconciliation_runs_proven ON reconciliation_runs (until DESC) WHERE is_proven;
-- Another one waits until this one has ended.
CREATE UNIQUE INDEX reconciliation_runs_one ON reconciliation_runs (livemode) WHERE state IN ('waiting', 'running');

CREATE TABLE reconciliation_findings (
  id uuid PRIMARY KEY,
  livemode boolean NOT NULL DEFAULT stripe_livemode(),
  kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
  object_id text NOT NULL CHECK (length(object_id) BETWEEN 1 AND 255),
  owner_kind text CHECK (owner_kind IN ('user', 'organization')),
  owner_id text CHECK (length(owner_id) BETWEEN 1 AND 64),
  sentence text NOT NULL,
  they_say text NOT NULL,
  we_have text NOT NULL,
  amount_minor bigint,
  currency text,
  -- Missing; below zero what is too much.
  credits bigint,
  -- An act that mends it; null when only a person can decide.
  mending jsonb,
  advice text NOT NULL,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  gone_at timestamptz,
  UNIQUE (kind, object_id),
  CHECK ((owner_kind IS NULL) = (owner_id IS NULL)),
  CHECK ((amount_minor IS NULL) = (currency IS NULL))
);
CREATE INDEX reconciliation_findings_open ON reconciliation_findings (first_seen_at, id) WHERE gone_at IS NULL;
CREATE INDEX reconciliation_findings_owner ON reconciliation_findings (owner_kind, owner_id, first_seen_at, id);
CREATE INDEX reconciliation_findings_gone ON reconciliation_findings (gone_at) WHERE gone_at IS NOT NULL;

-- What changed our balance at Stripe, as Stripe has it for its accounts. Never changes.
CREATE TABLE balance_transactions (
  stripe_balance_transaction_id text PRIMARY KEY CHECK (length(stripe_balance_transaction_id) BETWEEN 1 AND 255),
  livemode boolean NOT NULL DEFAULT stripe_livemode(),
  created_at timestamptz NOT NULL,
  -- Stripe's `reporting_category`.
  category text NOT NULL,
  -- In the currency that the balance is kept in: gross = net + fee.
  amount_minor bigint NOT NULL,
  fee_minor bigint NOT NULL,
  net_minor bigint NOT NULL,
  currency text NOT NULL CHECK (length(currency) = 3),
  source_id text,
  charge_id text,
  -- What the customer paid or got back, signed, in the currency of the payment; null for what no customer had a part in.
  paid_minor bigint,
  paid_currency text CHECK (length(paid_currency) = 3),
  -- What was paid for: one of the two, or neither when it is not ours.
  intent_id uuid,
  stripe_invoice_id text,
  CHECK ((paid_minor IS NULL) = (paid_currency IS NULL)),
  CHECK (intent_id IS NULL OR stripe_invoice_id IS NULL)
);
CREATE INDEX balance_transactions_created ON balance_transactions (created_at);
CREATE INDEX balance_transactions_charge ON balance_transactions (charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX balance_transactions_intent ON balance_transactions (intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX balance_transactions_invoice ON balance_transactions (stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;

-- Days (UTC) whose balance transactions have all been read.
CREATE TABLE statement_days (
  date date NOT NULL,
  livemode boolean NOT NULL DEFAULT stripe_livemode(),
  read_at timestamptz NOT NULL,
  -- Everything was proven by then: the statement never changes again, and what is posted later counts for a later day.
  closed_at timestamptz,
  statement jsonb,
  -- The newest transfer that the statement knew.
  last_transfer_id bigint,
  PRIMARY KEY (date, livemode),
  CHECK ((closed_at IS NULL) = (statement IS NULL) AND (closed_at IS NULL) = (last_transfer_id IS NULL))
);

-- The transfers of a day, and what was paid on it. Transfers come about in the order of time, so a few pages are a day.
CREATE INDEX ledger_transfers_occurred ON ledger_transfers USING brin (occurred_at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX paid_invoice_lines_paid ON paid_invoice_lines (paid_at);

GRANT SELECT ON reconciliation_runs, reconciliation_findings, balance_transactions, statement_days TO tidemark_server, tidemark_worker;
-- A person asks for a run; the worker runs it.
GRANT INSERT (id, state, requested_by, requested_at) ON reconciliation_runs TO tidemark_server;
GRANT INSERT, UPDATE, DELETE ON reconciliation_runs, reconciliation_findings TO tidemark_worker;
GRANT INSERT, UPDATE ON statement_days TO tidemark_worker;
GRANT INSERT ON balance_transactions TO tidemark_worker;
