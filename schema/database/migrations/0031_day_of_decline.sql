-- When the latest attempt to charge the open invoice was declined; null when none was.
ALTER TABLE subscriptions ADD COLUMN unpaid_declined_at timestamptz;
