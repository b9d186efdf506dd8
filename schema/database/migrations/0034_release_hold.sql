-- Support finds a hold by its id, of any person, and may release it.
ALTER TABLE support_acts DROP CONSTRAINT support_acts_kind_check, ADD CONSTRAINT support_acts_kind_check CHECK (kind IN
  ('replay', 'resync', 'adjust', 'cancel_intent', 'cancel_subscription', 'invoice_changes', 'resend_invitation', 'release_hold', 'forget'));
ALTER TABLE support_acts DROP CONSTRAINT support_acts_target_kind_check, ADD CONSTRAINT support_acts_target_kind_check CHECK (target_kind IN
  ('event', 'intent', 'subscription', 'invitation', 'charge', 'hold', 'user', 'organization'));
