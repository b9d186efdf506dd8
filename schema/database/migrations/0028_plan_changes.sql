-- A change of the billing period that waits, beside the seats; and the price that the customer pays now, which
-- is no longer the one of the checkout when the period was changed. Null for a price without a fixed number.
ALTER TABLE subscriptions
  ADD COLUMN scheduled_frequency text CHECK (scheduled_frequency IN ('monthly', 'yearly')),
  ADD COLUMN price_minor integer CHECK (price_minor >= 0),
  ADD CONSTRAINT subscriptions_scheduled_frequency_has_a_moment
    CHECK ((scheduled_frequency IS NULL) = (scheduled_at IS NULL));
