-- What support staff do is a row first (decision 106): the server writes down what is asked for, the worker does it, in one transaction
-- with what came of it. Who asked, who agreed and what changed is in the audit log, which nobody can change.

CREATE TABLE support_acts (
  -- Made by the caller, so that asking twice is asking once.
  id uuid PRIMARY KEY,
  -- Of acts that were asked for together.
  batch_id uuid,
  -- Of reconciliation, when the act mends one.
  finding_id text CHECK (length(finding_id) BETWEEN 1 AND 200),
  kind text NOT NULL CHECK (kind IN ('replay', 'resync', 'adjust', 'cancel_intent', 'resend_invitation', 'forget')),
  target_kind text NOT NULL
    CHECK (target_kind IN ('event', 'intent', 'subscription', 'invitation', 'charge', 'user', 'organization')),
  target_id text NOT NULL CHECK (length(target_id) BETWEEN 1 AND 255),
  -- Null when it was not known whose the target is.
  owner_kind text CHECK (owner_kind IN ('user', 'organization')),
  owner_id text CHECK (length(owner_id) BETWEEN 1 AND 64),
  params jsonb NOT NULL DEFAULT '{}',
  -- For colleagues only. A dry run changes nothing and needs none.
  reason text NOT NULL CHECK (is_dry_run OR length(trim(reason)) >= 10),
  is_dry_run boolean NOT NULL,
  -- A user's id, or `cli:` and the name of whoever ran the command.
  requested_by text NOT NULL CHECK (length(requested_by) BETWEEN 1 AND 100),
  requested_at timestamptz NOT NULL,
  approved_by text CHECK (approved_by <> requested_by),
  approved_at timestamptz,
  refused_by text,
  state text NOT NULL CHECK (state IN ('waiting_for_approval', 'queued', 'done', 'failed', 'refused')),
  outcome jsonb,
  -- Why it failed, or why a person refused it.
  error text,
  finished_at timestamptz,
  sweep_at timestamptz NOT NULL,
  sweeps integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  unavailable_since timestamptz,
  CHECK ((owner_kind IS NULL) = (owner_id IS NULL)),
  CHECK ((approved_by IS NULL) = (approved_at IS NULL)),
  CHECK ((state IN ('done', 'failed', 'refused')) = (finished_at IS NOT NULL)),
  CHECK ((state IN ('failed', 'refused')) = (error IS NOT NULL)),
  CHECK ((state = 'done') = (outcome IS NOT NULL)),
  CHECK ((state = 'refused') = (refused_by IS NOT NULL))
);

-- Of two people who act on the same thing the second is told who the first is.
CREATE UNIQUE INDEX support_acts_under_way ON support_acts (target_kind, target_id)
  WHERE state IN ('waiting_for_approval', 'queued') AND NOT is_dry_run;
CREATE INDEX support_acts_sweep ON support_acts (sweep_at) WHERE state = 'queued';
CREATE INDEX support_acts_waiting ON support_acts (requested_at) WHERE state = 'waiting_for_approval';
CREATE INDEX support_acts_batch ON support_acts (batch_id, id) WHERE batch_id IS NOT NULL;
CREATE INDEX support_acts_owner ON support_acts (owner_kind, owner_id, requested_at DESC) WHERE owner_id IS NOT NULL;
CREATE INDEX support_acts_target ON support_acts (target_kind, target_id, requested_at DESC);

-- What was asked for may not change, and what is finished stays finished.
CREATE FUNCTION support_acts_guard() RETURNS trigger LANGUAGE plpgsql AS $$
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

CREATE TRIGGER support_acts_guard BEFORE UPDATE ON support_acts FOR EACH ROW EXECUTE FUNCTION support_acts_guard();

CREATE TABLE audit_log (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- A user's id, or `cli:` and the name of whoever ran the command.
  actor text NOT NULL CHECK (length(actor) BETWEEN 1 AND 100),
  -- Of an act that has a row; what was refused at once has none.
  act_id uuid,
  -- The kind of act, or what else was tried, such as `access`.
  what text NOT NULL CHECK (length(what) BETWEEN 1 AND 60),
  outcome text NOT NULL CHECK (outcome IN ('requested', 'approved', 'refused', 'denied', 'done', 'failed')),
  target_kind text,
  target_id text CHECK (length(target_id) <= 255),
  owner_kind text,
  owner_id text,
  reason text,
  -- Why it was refused, why it failed, or what came of it: a sentence.
  detail text,
  before jsonb,
  after jsonb,
  CHECK ((owner_kind IS NULL) = (owner_id IS NULL)),
  CHECK ((target_kind IS NULL) = (target_id IS NULL))
);

CREATE INDEX audit_log_owner ON audit_log (owner_kind, owner_id, id DESC) WHERE owner_id IS NOT NULL;
CREATE INDEX audit_log_actor ON audit_log (actor, id DESC);
CREATE INDEX audit_log_act ON audit_log (act_id, id) WHERE act_id IS NOT NULL;

CREATE FUNCTION audit_log_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse_change();

-- The server writes down what is asked for, who agreed, and who opened a case; that an act was done is for the worker to say. The time of
-- an entry is the database's.
GRANT SELECT ON support_acts, audit_log TO tidemark_server, tidemark_worker;
GRANT INSERT (id, batch_id, finding_id, kind, target_kind, target_id, owner_kind, owner_id, params, reason, is_dry_run, requested_by,
  requested_at, state, sweep_at) ON support_acts TO tidemark_server;
GRANT UPDATE (state, approved_by, approved_at, refused_by, error, finished_at, sweep_at) ON support_acts TO tidemark_server;
GRANT UPDATE (owner_kind, owner_id, state, outcome, error, finished_at, sweep_at, sweeps, attempts, last_error, unavailable_since)
  ON support_acts TO tidemark_worker;
GRANT INSERT (actor, act_id, what, outcome, target_kind, target_id, owner_kind, owner_id, reason, detail, before, after)
  ON audit_log TO tidemark_server, tidemark_worker;

ALTER TABLE support_acts ENABLE ROW LEVEL SECURITY;
CREATE POLICY support_acts_read ON support_acts FOR SELECT TO tidemark_server USING (true);
CREATE POLICY support_acts_request ON support_acts FOR INSERT TO tidemark_server
  WITH CHECK (state IN ('waiting_for_approval', 'queued'));
CREATE POLICY support_acts_decide ON support_acts FOR UPDATE TO tidemark_server
  USING (state = 'waiting_for_approval') WITH CHECK (state IN ('queued', 'refused'));
CREATE POLICY support_acts_worker ON support_acts TO tidemark_worker USING (true) WITH CHECK (true);

ALTER TABLE audit_log ENABLE ROW LEVEL SECURITY;
CREATE POLICY audit_log_read ON audit_log FOR SELECT TO tidemark_server USING (true);
CREATE POLICY audit_log_request ON audit_log FOR INSERT TO tidemark_server
  WITH CHECK (outcome IN ('requested', 'approved', 'refused', 'denied') OR (what = 'open_case' AND act_id IS NULL));
CREATE POLICY audit_log_worker ON audit_log TO tidemark_worker USING (true) WITH CHECK (true);

-- The act that posted a transfer, by a setting of its transaction: which transfers followed from it is then no guess.
ALTER TABLE ledger_transfers ADD COLUMN act_id uuid;
ALTER TABLE ledger_transfers ALTER COLUMN act_id SET DEFAULT nullif(current_setting('tidemark.act_id', true), '')::uuid;
CREATE INDEX ledger_transfers_act ON ledger_transfers (act_id) WHERE act_id IS NOT NULL;
