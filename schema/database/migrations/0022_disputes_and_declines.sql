-- What became of the disputes of a charge: people are told "lost" and not for ever "held".
CREATE TYPE dispute_state AS ENUM ('open', 'won', 'lost');
ALTER TABLE charges ADD COLUMN dispute_state dispute_state;
-- When we first saw it; Stripe does not say when a dispute was closed.
ALTER TABLE charges ADD COLUMN dispute_state_at timestamptz;
-- Until when Stripe takes evidence.
ALTER TABLE charges ADD COLUMN dispute_due_at timestamptz;
ALTER TABLE charges ADD CONSTRAINT charges_dispute CHECK ((dispute_state IS NULL) = (dispute_state_at IS NULL));
-- The open invoice of a subscription: what is to be paid, why the bank refused it, and when Stripe tries again.
ALTER TABLE subscriptions ADD COLUMN unpaid_minor bigint CHECK (unpaid_minor >= 0),
  ADD COLUMN unpaid_decline_code text,
  ADD COLUMN unpaid_next_attempt_at timestamptz;
