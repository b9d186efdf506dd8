-- Rows of the audit log are never changed or deleted.
CREATE OR REPLACE FUNCTION audit_log_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The audit log is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

-- What an act of support does never changes, and its state only moves forward.
CREATE OR REPLACE FUNCTION support_acts_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.batch_id, NEW.finding_id, NEW.kind, NEW.target_kind, NEW.target_id, NEW.params, NEW.reason, NEW.is_dry_run,
      NEW.requested_by, NEW.requested_at)
     IS DISTINCT FROM
     (OLD.id, OLD.batch_id, OLD.finding_id, OLD.kind, OLD.target_kind, OLD.target_id, OLD.params, OLD.reason, OLD.is_dry_run,
      OLD.requested_by, OLD.requested_at) THEN
    RAISE EXCEPTION 'The task of act % cannot change', OLD.id USING ERRCODE = 'check_violation';
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

REVOKE ALL ON FUNCTION audit_log_refuse_change, support_acts_guard FROM PUBLIC, tidemark_server, tidemark_worker;
