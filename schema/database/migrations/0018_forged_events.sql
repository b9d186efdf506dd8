-- An event that was signed with our secret, but that Stripe does not know, is taken back (decision 080).
ALTER TABLE inbox_events
  -- When Stripe is asked for the event by its id, unless its list has shown it by then. Null for what is confirmed, for what has
  -- been asked for, and for what came before there was this column: Stripe keeps events for thirty days only.
  ADD COLUMN confirm_at timestamptz,
  DROP CONSTRAINT inbox_events_state_check,
  DROP CONSTRAINT inbox_events_check1,
  ADD CONSTRAINT inbox_events_state_check CHECK (state IN ('received', 'applied', 'ignored', 'failed', 'forged')),
  ADD CONSTRAINT inbox_events_has_reason CHECK (state NOT IN ('ignored', 'failed', 'forged') OR reason IS NOT NULL),
  ADD CONSTRAINT inbox_events_confirmed CHECK (confirmed_at IS NULL OR confirm_at IS NULL);

CREATE INDEX inbox_events_confirm ON inbox_events (confirm_at) WHERE confirm_at IS NOT NULL;
-- What needs a person.
CREATE INDEX inbox_events_forged ON inbox_events (received_at) WHERE state = 'forged';

-- When a settlement was taken back, because the event that told of the payment was forged. It may be paid, and settled, afterwards.
ALTER TABLE checkout_intents ADD COLUMN withdrawn_at timestamptz;

-- As in 0003, but for the one way back.
CREATE OR REPLACE FUNCTION checkout_intents_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_withdrawn boolean := NEW.withdrawn_at IS DISTINCT FROM OLD.withdrawn_at;
BEGIN
  IF (NEW.id, NEW.kind, NEW.user_id, NEW.owner_kind, NEW.credits, NEW.amount_minor, NEW.currency, NEW.plan_type,
      NEW.billing_frequency, NEW.seats, NEW.credits_per_seat, NEW.trial_days)
     IS DISTINCT FROM
     (OLD.id, OLD.kind, OLD.user_id, OLD.owner_kind, OLD.credits, OLD.amount_minor, OLD.currency, OLD.plan_type,
      OLD.billing_frequency, OLD.seats, OLD.credits_per_seat, OLD.trial_days)
     OR (OLD.owner_id IS NOT NULL AND NEW.owner_id IS DISTINCT FROM OLD.owner_id) THEN
    RAISE EXCEPTION 'What checkout intent % promises may not change', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'settled' AND NEW.state <> 'settled' AND NOT is_withdrawn THEN
    RAISE EXCEPTION 'Checkout intent % is settled and stays so', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.stripe_session_id IS NOT NULL AND NEW.stripe_session_id IS DISTINCT FROM OLD.stripe_session_id AND NOT is_withdrawn THEN
    RAISE EXCEPTION 'Checkout intent % belongs to another session', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

-- A withdrawal is what a purchase brought, taken back because it was never paid. It may leave a debt, as every correction may.
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_kind_check;
ALTER TABLE ledger_transfers ADD CONSTRAINT ledger_transfers_kind_check CHECK (kind IN (
  'credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant', 'usage', 'expiry', 'write_off', 'refund', 'dispute', 'dispute_won',
  'settlement', 'adjustment'));

CREATE OR REPLACE VIEW ledger_grant_sums AS
SELECT g.*, sums.gross, sums.refunded, sums.disputed, sums.expired, sums.written_off, sums.adjusted, sums.transfers
FROM ledger_grants g
LEFT JOIN ledger_accounts a ON a.owner_kind = g.owner_kind AND a.owner_id = g.owner_id AND a.name = g.account
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('adjustment', 'settlement')), 0)::bigint AS adjusted,
    count(t.id) AS transfers
  FROM ledger_transfers t
  LEFT JOIN ledger_entries e ON e.transfer_id = t.id AND e.account_id = a.id
  WHERE t.grant_id = g.id
) sums;
