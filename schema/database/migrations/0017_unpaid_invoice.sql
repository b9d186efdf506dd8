-- The page at Stripe on which an open invoice is paid, and whether that payment waits for its customer to
-- confirm it with their bank (3D Secure).
ALTER TABLE subscriptions ADD COLUMN unpaid_invoice_url text,
  ADD COLUMN needs_confirmation boolean NOT NULL DEFAULT false;
