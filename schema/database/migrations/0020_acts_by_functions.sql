-- The server asks for acts of support, and agrees to them, through functions alone (decision 106): they write
-- the entry of the audit log in the same transaction, and keep what proves who asked.
REVOKE INSERT (id, batch_id, finding_id, kind, target_kind, target_id, owner_kind, owner_id, params, reason,
  is_dry_run, requested_by, requested_at, state, next_try_at) ON support_acts FROM tidemark_server;
REVOKE UPDATE (approved_by, approved_at, refused_by, state, error, finished_at, next_try_at) ON support_acts FROM tidemark_server;
DROP POLICY support_acts_decide ON support_acts;
DROP POLICY support_acts_request ON support_acts;
DROP POLICY audit_log_request ON audit_log;
-- What the server logs without these functions: refusals, and what support staff look at.
CREATE POLICY audit_log_request ON audit_log FOR INSERT TO tidemark_server
  WITH CHECK (outcome IN ('refused', 'denied') OR (outcome = 'requested' AND act_id IS NULL
    AND what IN ('open_case', 'search', 'statement', 'export_statement', 'reconcile', 'queue_job')));

-- The session tokens with which people asked for an act and agreed to it, for the worker alone, until the act
-- has ended.
CREATE TABLE support_act_tokens (
  act_id uuid NOT NULL REFERENCES support_acts,
  step text NOT NULL CHECK (step IN ('requested', 'approved')),
  token text NOT NULL CHECK (length(token) BETWEEN 1 AND 8000),
  -- The database's time: the server may not say when it was.
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (act_id, step)
);
GRANT SELECT, DELETE ON support_act_tokens TO tidemark_worker;
-- Each entry of the audit log is chained to the one before. Its free text may be erased: the hash covers a
-- salted hash of it. Entries that were written before this migration have none.
ALTER TABLE audit_log ADD COLUMN salt bytea, ADD COLUMN text_hash bytea, ADD COLUMN hash bytea;
GRANT UPDATE (reason, detail, salt) ON audit_log TO tidemark_worker;
CREATE INDEX audit_log_searches ON audit_log (actor, at) WHERE what = 'search';
CREATE INDEX support_acts_adjusted ON support_acts (requested_at)
  WHERE kind = 'adjust' AND (NOT is_dry_run) AND approved_by IS NULL AND state IN ('queued', 'done');
-- The digest of the last proof leaves the database as a metric.
GRANT SELECT ON ledger_proofs TO tidemark_server;
