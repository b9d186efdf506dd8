-- What a usage was for, as its editor labels it: free text that may be erased and is in no hash.
CREATE DOMAIN usage_label AS text CHECK (length(VALUE) BETWEEN 1 AND 64);
CREATE DOMAIN usage_failure AS text CHECK (VALUE IN ('provider_error', 'timeout', 'empty', 'cancelled'));

ALTER TABLE ledger_transfers
  -- The token of the editor that reported a usage.
  ADD COLUMN token_id uuid,
  ADD COLUMN model usage_label,
  ADD COLUMN project usage_label,
  ADD COLUMN run usage_label;

-- Requests that failed and cost nothing. Such a report takes its idempotency key, but posts no transfer; its id
-- is of the transfers' sequence, so that both stand in one order.
ALTER TABLE ledger_keys ALTER COLUMN transfer_id DROP NOT NULL;
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

GRANT SELECT ON ledger_failures, ledger_usage_days TO tidemark_server, tidemark_worker;
