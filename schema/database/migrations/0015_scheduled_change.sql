-- A change of seats that waits for the next period, as Stripe's schedule of the subscription has it.
ALTER TABLE subscriptions
  ADD COLUMN scheduled_seats integer CHECK (scheduled_seats >= 1),
  ADD COLUMN scheduled_at timestamptz,
  ADD CHECK ((scheduled_seats IS NULL) = (scheduled_at IS NULL));
