-- Acts on one target hold each other up only where they contradict each other (decision 106): two of one kind do.
DROP INDEX support_acts_under_way;
CREATE UNIQUE INDEX support_acts_under_way ON support_acts (target_kind, target_id, kind)
  WHERE state IN ('waiting_for_approval', 'queued') AND (NOT is_dry_run);

-- Acts of a batch that have not begun can be cancelled.
ALTER TABLE support_acts DROP CONSTRAINT support_acts_state_check, DROP CONSTRAINT support_acts_check4,
  ADD CONSTRAINT support_acts_state_check CHECK (state IN ('waiting_for_approval', 'queued', 'done', 'failed', 'refused', 'cancelled')),
  ADD CONSTRAINT support_acts_finished CHECK (state IN ('done', 'failed', 'refused', 'cancelled') = (finished_at IS NOT NULL));
ALTER TABLE audit_log DROP CONSTRAINT audit_log_outcome_check,
  ADD CONSTRAINT audit_log_outcome_check CHECK (outcome IN ('requested', 'approved', 'refused', 'cancelled', 'denied', 'done', 'failed'));

-- The acts that failed within the last day, for an alarm.
CREATE INDEX support_acts_failed ON support_acts (finished_at) WHERE state = 'failed' AND (NOT is_dry_run);
