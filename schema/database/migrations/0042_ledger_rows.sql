-- The ledger's functions decide, append and write one request after the other.
DROP FUNCTION IF EXISTS ledger_enter, ledger_write, ledger_write_holds, ledger_count_usage, ledger_settle,
  ledger_lock_owners, ledger_spend, ledger_reason_hash, ledger_free_hold, ledger_end_holds, ledger_keep_month, ledger_close_month;
DROP VIEW IF EXISTS ledger_grant_sums;

-- A hold belongs to the month in which it was opened, and reserves of each account what a usage would take of it.
DROP TABLE ledger_months_kept;
ALTER TABLE ledger_owners
  DROP COLUMN kept,
  DROP COLUMN expiring,
  ADD COLUMN plan_held bigint NOT NULL DEFAULT 0 CHECK (plan_held BETWEEN 0 AND held);
ALTER TABLE ledger_holds
  DROP COLUMN kind,
  DROP COLUMN stripe_subscription_id,
  DROP COLUMN month_starts_at,
  ALTER COLUMN expires_at SET NOT NULL,
  ADD COLUMN plan_credits bigint NOT NULL DEFAULT 0 CHECK (plan_credits BETWEEN 0 AND credits),
  ADD COLUMN outlives_month boolean NOT NULL DEFAULT false;
DROP INDEX ledger_holds_expiry;
CREATE INDEX ledger_holds_expiry ON ledger_holds (expires_at) WHERE state = 'open';
CREATE INDEX ledger_holds_outlived ON ledger_holds (owner_id) WHERE outlives_month;

-- A plan that Teams takes the place of is not finished before what it gives back is decided, which waits for its holds.
ALTER TABLE subscriptions DROP COLUMN is_unfinished;
ALTER TABLE subscriptions
  ADD COLUMN is_unfinished boolean NOT NULL GENERATED ALWAYS AS (
    status NOT IN ('canceled', 'incomplete_expired')
    OR replaced_by IS NOT NULL AND unused_refund_id IS NULL AND coalesce(unused_refund_minor, 1) > 0) STORED;
CREATE INDEX subscriptions_due ON subscriptions (next_try_at) WHERE is_unfinished AND sync_failed_at IS NULL;
CREATE INDEX subscriptions_stuck ON subscriptions (created_at)
  WHERE is_unfinished AND sync_failed_at IS NULL AND last_error IS NOT NULL;
