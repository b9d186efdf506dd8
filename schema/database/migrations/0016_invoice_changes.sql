-- An act bills changes of a subscription now that Stripe would bill with its renewal.
ALTER TABLE support_acts DROP CONSTRAINT support_acts_kind_check;
ALTER TABLE support_acts ADD CONSTRAINT support_acts_kind_check CHECK (kind IN
  ('replay', 'resync', 'adjust', 'cancel_intent', 'cancel_subscription', 'invoice_changes', 'resend_invitation', 'forget'));
