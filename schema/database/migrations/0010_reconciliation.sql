-- Stripe and Clerk are compared with what we have, and the money of a day with its credits.
CREATE TABLE reconciliation_runs (
  id uuid PRIMARY KEY,
  livemode livemode NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
  requested_by text NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 200),
  requested_at timestamptz NOT NULL,
  -- What is compared at Stripe: everything that was made or could still change in this time.
  since timestamptz,
  until timestamptz,
  -- Which comparison is next, and after which object of its list. Null when nothing is left.
  "position" jsonb,
  -- Counts the steps, so that of two workers at one run the slower one notices.
  revision integer NOT NULL DEFAULT 0,
  compared jsonb NOT NULL DEFAULT '{}'::jsonb,
  findings integer NOT NULL DEFAULT 0,
  -- It found nothing: everything up to `until` is proven.
  is_proven boolean NOT NULL DEFAULT false,
  error text,
  ended_at timestamptz,
  CHECK (state <> 'running' OR (since IS NOT NULL AND until IS NOT NULL)),
  CHECK (state IN ('done', 'failed') = (ended_at IS NOT NULL)),
  CHECK ((NOT is_proven) OR state = 'done')
);
CREATE INDEX reconciliation_runs_latest ON reconciliation_runs (requested_at DESC);
CREATE UNIQUE INDEX reconciliation_runs_one ON reconciliation_runs (livemode) WHERE state IN ('waiting', 'running');
CREATE INDEX reconciliation_runs_proven ON reconciliation_runs (until DESC) WHERE is_proven;
GRANT SELECT ON reconciliation_runs TO tidemark_server;
GRANT INSERT (id, state, requested_by, requested_at) ON reconciliation_runs TO tidemark_server;
GRANT SELECT, INSERT, DELETE, UPDATE ON reconciliation_runs TO tidemark_worker;

CREATE TABLE reconciliation_findings (
  id uuid PRIMARY KEY,
  livemode livemode NOT NULL,
  kind text NOT NULL CHECK (length(kind) BETWEEN 1 AND 64),
  object_id text NOT NULL CHECK (length(object_id) BETWEEN 1 AND 255),
  owner_id owner_id,
  -- The figures of its kind.
  data jsonb NOT NULL,
  amount_minor bigint,
  currency text,
  -- Missing; below zero what is too much.
  credits bigint,
  -- An act that repairs it; null when only a person can decide.
  repair jsonb,
  first_seen_at timestamptz NOT NULL,
  last_seen_at timestamptz NOT NULL,
  gone_at timestamptz,
  UNIQUE (kind, object_id),
  CHECK ((amount_minor IS NULL) = (currency IS NULL))
);
CREATE INDEX reconciliation_findings_gone ON reconciliation_findings (gone_at) WHERE gone_at IS NOT NULL;
CREATE INDEX reconciliation_findings_open ON reconciliation_findings (first_seen_at, id) WHERE gone_at IS NULL;
CREATE INDEX reconciliation_findings_owner ON reconciliation_findings (owner_id, first_seen_at, id);
GRANT SELECT ON reconciliation_findings TO tidemark_server;
GRANT SELECT, INSERT, DELETE, UPDATE ON reconciliation_findings TO tidemark_worker;

-- Days (UTC) whose balance transactions have all been read.
CREATE TABLE statement_days (
  date date NOT NULL,
  livemode livemode NOT NULL,
  read_at timestamptz NOT NULL,
  -- Everything was proven by then: the statement never changes again, and what is posted later counts for a
  -- later day.
  closed_at timestamptz,
  statement jsonb,
  -- The newest transfer that the statement knew.
  last_transfer_id bigint,
  PRIMARY KEY (date, livemode),
  CHECK (((closed_at IS NULL) = (statement IS NULL)) AND ((closed_at IS NULL) = (last_transfer_id IS NULL)))
);
GRANT SELECT ON statement_days TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON statement_days TO tidemark_worker;
