-- What support staff do is a row first: the server writes down what is asked for, the worker does it, in one
-- transaction with what came of it. Who asked, who agreed and what changed is in the audit log, which is
-- append-only. The server asks and agrees through functions alone, which write the entry of the audit log in the
-- same transaction and keep what proves who asked.
CREATE TABLE support_acts (
  -- Made by the caller, so that asking twice is asking once.
  id uuid PRIMARY KEY,
  -- Of acts that were asked for together.
  batch_id uuid,
  -- Of reconciliation, when the act repairs one.
  finding_id text CHECK (length(finding_id) BETWEEN 1 AND 200),
  -- The worker does those that `schema/api/support-acts.ts` names, on the targets that it names, and fails any other.
  kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,40}$'),
  target_kind text NOT NULL CHECK (target_kind ~ '^[a-z_]{1,40}$'),
  target_id text NOT NULL CHECK (length(target_id) BETWEEN 1 AND 255),
  -- Null when it was not known whose the target is.
  owner_id owner_id,
  params jsonb NOT NULL DEFAULT '{}'::jsonb,
  -- For colleagues only. A dry run changes nothing and needs none.
  reason text NOT NULL,
  is_dry_run boolean NOT NULL,
  -- A user's id, or `cli:` and the name of the operator who ran the command.
  requested_by text NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 100),
  -- By the database's clock, like the approval: limits count by them.
  requested_at timestamptz NOT NULL,
  approved_by text,
  approved_at timestamptz,
  refused_by text,
  state text NOT NULL CHECK (state IN ('waiting_for_approval', 'queued', 'done', 'failed', 'refused', 'cancelled')),
  outcome jsonb,
  -- Why it failed, or why a person refused it.
  error text,
  finished_at timestamptz,
  next_try_at timestamptz NOT NULL,
  claims integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  unavailable_since timestamptz,
  CHECK (is_dry_run OR (length(TRIM(BOTH FROM reason)) >= 10)),
  CHECK (approved_by <> requested_by),
  CHECK ((approved_by IS NULL) = (approved_at IS NULL)),
  CONSTRAINT support_acts_finished CHECK (state IN ('done', 'failed', 'refused', 'cancelled') = (finished_at IS NOT NULL)),
  CHECK (state IN ('failed', 'refused') = (error IS NOT NULL)),
  CHECK ((state = 'done') = (outcome IS NOT NULL)),
  CHECK ((state = 'refused') = (refused_by IS NOT NULL)),
  CONSTRAINT support_acts_forget CHECK (kind <> 'forget' OR is_dry_run OR approved_by IS NOT NULL OR state IN ('waiting_for_approval', 'refused'))
);
CREATE INDEX support_acts_batch ON support_acts (batch_id, id) WHERE batch_id IS NOT NULL;
CREATE INDEX support_acts_owner ON support_acts (owner_id, requested_at DESC) WHERE owner_id IS NOT NULL;
CREATE INDEX support_acts_due ON support_acts (next_try_at) WHERE state = 'queued';
CREATE INDEX support_acts_target ON support_acts (target_kind, target_id, requested_at DESC);
-- Two acts of one kind on one target contradict each other.
CREATE UNIQUE INDEX support_acts_under_way ON support_acts (target_kind, target_id, kind)
  WHERE state IN ('waiting_for_approval', 'queued') AND (NOT is_dry_run);
CREATE INDEX support_acts_limited ON support_acts (requested_at)
  WHERE kind IN ('adjust', 'refund') AND (NOT is_dry_run) AND approved_by IS NULL AND state IN ('queued', 'done');
CREATE INDEX support_acts_given ON support_acts (coalesce(approved_at, requested_at))
  WHERE kind IN ('adjust', 'refund') AND (NOT is_dry_run) AND state IN ('queued', 'done');
-- The acts that failed within the last day, for an alarm.
CREATE INDEX support_acts_failed ON support_acts (finished_at) WHERE state = 'failed' AND (NOT is_dry_run);
CREATE INDEX support_acts_waiting ON support_acts (requested_at) WHERE state = 'waiting_for_approval';
CREATE FUNCTION support_acts_guard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER support_acts_guard BEFORE UPDATE ON support_acts FOR EACH ROW EXECUTE FUNCTION support_acts_guard();
GRANT SELECT ON support_acts TO tidemark_server;
GRANT SELECT ON support_acts TO tidemark_worker;
GRANT UPDATE (owner_id, state, outcome, error, finished_at, next_try_at, claims, attempts,
  last_error, unavailable_since) ON support_acts TO tidemark_worker;
ALTER TABLE support_acts ENABLE ROW LEVEL SECURITY;
CREATE POLICY support_acts_read ON support_acts FOR SELECT TO tidemark_server USING (true);
CREATE POLICY support_acts_worker ON support_acts TO tidemark_worker USING (true) WITH CHECK (true);

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

-- Each entry is chained to the one before. Its free text may be erased: the hash covers a salted hash of it.
CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- A user's id, or `cli:` and the name of the operator who ran the command.
  actor text NOT NULL CHECK (length(actor) BETWEEN 1 AND 100),
  -- Of an act that has a row; what was refused at once has none.
  act_id uuid,
  -- The kind of act, or what else was tried, such as `access`.
  what text NOT NULL CHECK (length(what) BETWEEN 1 AND 60),
  outcome text NOT NULL CHECK (outcome IN ('requested', 'approved', 'refused', 'cancelled', 'denied', 'done', 'failed')),
  target_kind text,
  target_id text CHECK (length(target_id) <= 255),
  owner_id owner_id,
  reason text,
  -- Why it was refused, why it failed, or what came of it: a sentence.
  detail text,
  before jsonb,
  after jsonb,
  -- Set by the trigger, like the id.
  salt bytea,
  text_hash bytea,
  hash bytea,
  CHECK ((target_kind IS NULL) = (target_id IS NULL))
);
CREATE INDEX audit_log_act ON audit_log (act_id, id) WHERE act_id IS NOT NULL;
CREATE INDEX audit_log_actor ON audit_log (actor, id DESC);
CREATE INDEX audit_log_owner ON audit_log (owner_id, id DESC) WHERE owner_id IS NOT NULL;
CREATE INDEX audit_log_searches ON audit_log (actor, at) WHERE what = 'search';
CREATE FUNCTION audit_log_chain() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION audit_log_refuse_change() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_chain();
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log EXECUTE FUNCTION audit_log_refuse_change();
GRANT SELECT ON audit_log TO tidemark_server;
GRANT INSERT (actor, act_id, what, outcome, target_kind, target_id, owner_id, reason, detail,
  before, after) ON audit_log TO tidemark_server;
GRANT SELECT ON audit_log TO tidemark_worker;
GRANT INSERT (actor, act_id, what, outcome, target_kind, target_id, owner_id, reason, detail,
  before, after) ON audit_log TO tidemark_worker;
GRANT UPDATE (reason, detail, salt) ON audit_log TO tidemark_worker;
ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_log_read ON audit_log FOR SELECT TO tidemark_server USING (true);
-- What the server logs without functions: refusals, and what support staff look at.
CREATE POLICY audit_log_request ON audit_log FOR INSERT TO tidemark_server
  WITH CHECK (outcome IN ('refused', 'denied') OR (outcome = 'requested' AND act_id IS NULL
    AND what IN ('open_case', 'search', 'statement', 'export_statement', 'reconcile', 'queue_job', 'acts', 'audit')));
CREATE POLICY audit_log_worker ON audit_log TO tidemark_worker USING (true) WITH CHECK (true);

-- Who of the support staff has which case open.
CREATE TABLE support_visits (
  owner_id owner_id NOT NULL,
  user_id text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 64),
  began_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (owner_id, user_id)
);
CREATE INDEX support_visits_old ON support_visits (seen_at);
GRANT SELECT, INSERT, DELETE, UPDATE ON support_visits TO tidemark_server;
