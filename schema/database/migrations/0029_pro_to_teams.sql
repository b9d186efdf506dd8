-- A Teams plan may take the place of the buyer's own plan: the order names the subscription that ends when it is
-- paid (decision 054).
ALTER TABLE checkout_intents
  ADD COLUMN ends_subscription_id text,
  ADD CONSTRAINT checkout_intents_ends_subscription
    CHECK (ends_subscription_id IS NULL OR kind = 'subscription' AND owner_kind = 'organization');
GRANT INSERT (ends_subscription_id) ON checkout_intents TO tidemark_server;

-- The order that took its place, what is given back for its unused part once it has ended, and Stripe's refund of
-- that. A plan that has ended is finished only then.
ALTER TABLE subscriptions
  ADD COLUMN replaced_by uuid,
  ADD COLUMN unused_refund_minor bigint CHECK (unused_refund_minor >= 0),
  ADD COLUMN unused_refund_invoice text,
  ADD COLUMN unused_refund_id text,
  ADD CONSTRAINT subscriptions_unused_refund CHECK (
    (unused_refund_minor IS NULL OR replaced_by IS NOT NULL AND ended_at IS NOT NULL)
    AND (unused_refund_minor IS NULL OR unused_refund_minor = 0 OR unused_refund_invoice IS NOT NULL)
    AND (unused_refund_id IS NULL OR unused_refund_minor > 0));
ALTER TABLE subscriptions
  ADD COLUMN is_unfinished boolean NOT NULL GENERATED ALWAYS AS (
    status NOT IN ('canceled', 'incomplete_expired')
    OR unused_refund_id IS NULL AND coalesce(unused_refund_minor, 0) > 0) STORED;
DROP INDEX subscriptions_due, subscriptions_stuck;
CREATE INDEX subscriptions_due ON subscriptions (next_try_at) WHERE is_unfinished AND sync_failed_at IS NULL;
CREATE INDEX subscriptions_stuck ON subscriptions (created_at)
  WHERE is_unfinished AND sync_failed_at IS NULL AND last_error IS NOT NULL;

-- Of what was refunded, what was given back for the unused part of a plan, which takes no credits back, and what
-- had been refunded before that: a later refund is one of a lower price.
ALTER TABLE charges
  ADD COLUMN unused_refund_minor bigint NOT NULL DEFAULT 0 CHECK (unused_refund_minor >= 0),
  ADD COLUMN refunded_before_minor bigint NOT NULL DEFAULT 0 CHECK (refunded_before_minor >= 0),
  ADD CONSTRAINT charges_unused_refund CHECK (unused_refund_minor + refunded_before_minor <= refunded_minor);
