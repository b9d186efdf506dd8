-- Users and organizations of which a signed event said that they were deleted at Clerk. Their subscriptions
-- end, also one whose first payment is heard afterwards.
CREATE TABLE deleted_owners (
  owner_id owner_id PRIMARY KEY,
  owner_kind owner_kind NOT NULL,
  deleted_at timestamptz NOT NULL
);
GRANT SELECT ON deleted_owners TO tidemark_server;
GRANT SELECT, INSERT ON deleted_owners TO tidemark_worker;

ALTER TABLE support_acts DROP CONSTRAINT support_acts_kind_check;
ALTER TABLE support_acts ADD CONSTRAINT support_acts_kind_check CHECK (kind IN
  ('replay', 'resync', 'adjust', 'cancel_intent', 'cancel_subscription', 'resend_invitation', 'forget'));

-- What an order was paid by: a checkout session, or the invoice of a subscription that was made at Stripe by
-- hand. An order that an invoice pays was never opened as a checkout.
ALTER TABLE checkout_intents ADD COLUMN stripe_invoice_id outside_id;
CREATE UNIQUE INDEX checkout_intents_invoice ON checkout_intents (stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;
ALTER TABLE checkout_intents DROP CONSTRAINT checkout_intents_session;
ALTER TABLE checkout_intents ADD CONSTRAINT checkout_intents_source CHECK (CASE state
  WHEN 'settled' THEN num_nonnulls(stripe_session_id, stripe_invoice_id) = 1
  WHEN 'open' THEN stripe_session_id IS NOT NULL
  ELSE true
END);
GRANT INSERT ON checkout_intents TO tidemark_worker;
