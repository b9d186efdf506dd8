-- The owner is in every key of subscriptions, what was paid for them, seats and invitations, and in what joins them (decision 139). An id
-- of Stripe's or Clerk's that comes without its owner is found by an index that is not unique.

ALTER TABLE charges ADD COLUMN owner_kind text CHECK (owner_kind IN ('user', 'organization')), ADD COLUMN owner_id text;
UPDATE charges c SET owner_kind = i.owner_kind, owner_id = i.owner_id FROM checkout_intents i WHERE i.id = c.intent_id;
UPDATE charges c SET owner_kind = s.owner_kind, owner_id = s.owner_id
FROM paid_invoice_lines line JOIN subscriptions s USING (stripe_subscription_id)
WHERE line.stripe_invoice_id = c.stripe_invoice_id;
-- Of an invoice that no subscription has. Should it be one of ours after all, the comparison with Stripe finds what was refunded.
DELETE FROM charges WHERE owner_id IS NULL;

ALTER TABLE paid_invoice_lines ADD COLUMN owner_kind text CHECK (owner_kind IN ('user', 'organization')), ADD COLUMN owner_id text;
UPDATE paid_invoice_lines line SET owner_kind = s.owner_kind, owner_id = s.owner_id
FROM subscriptions s WHERE s.stripe_subscription_id = line.stripe_subscription_id;

ALTER TABLE paid_invoice_lines DROP CONSTRAINT subscription_invoices_stripe_subscription_id_fkey;
ALTER TABLE team_invitations DROP CONSTRAINT team_invitations_subscription_id_fkey;
ALTER TABLE seats DROP CONSTRAINT seats_invitation_id_fkey;

ALTER TABLE subscriptions
  DROP CONSTRAINT subscriptions_pkey, ADD PRIMARY KEY (owner_id, stripe_subscription_id),
  DROP CONSTRAINT subscriptions_intent_id_key, ADD UNIQUE (owner_id, intent_id);
CREATE INDEX subscriptions_id ON subscriptions (stripe_subscription_id);
CREATE INDEX subscriptions_intent ON subscriptions (intent_id);

ALTER TABLE charges
  ALTER COLUMN owner_kind SET NOT NULL, ALTER COLUMN owner_id SET NOT NULL,
  DROP CONSTRAINT charges_pkey, ADD PRIMARY KEY (owner_id, stripe_charge_id);
DROP INDEX charges_intent, charges_invoice;
CREATE INDEX charges_id ON charges (stripe_charge_id);
CREATE INDEX charges_intent ON charges (owner_id, intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX charges_invoice ON charges (owner_id, stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;

ALTER TABLE paid_invoice_lines
  ALTER COLUMN owner_kind SET NOT NULL, ALTER COLUMN owner_id SET NOT NULL,
  DROP CONSTRAINT subscription_invoices_pkey, ADD PRIMARY KEY (owner_id, stripe_invoice_id, kind, starts_at),
  ADD FOREIGN KEY (owner_id, stripe_subscription_id) REFERENCES subscriptions (owner_id, stripe_subscription_id);
DROP INDEX paid_invoice_lines_subscription;
CREATE INDEX paid_invoice_lines_subscription ON paid_invoice_lines (owner_id, stripe_subscription_id, starts_at);
CREATE INDEX paid_invoice_lines_invoice ON paid_invoice_lines (stripe_invoice_id);

ALTER TABLE team_invitations
  DROP CONSTRAINT team_invitations_pkey, ADD PRIMARY KEY (organization_id, id),
  DROP CONSTRAINT team_invitations_clerk_invitation_id_key, ADD UNIQUE (organization_id, clerk_invitation_id),
  ADD FOREIGN KEY (organization_id, subscription_id) REFERENCES subscriptions (owner_id, stripe_subscription_id);
CREATE INDEX team_invitations_id ON team_invitations (id);
CREATE INDEX team_invitations_clerk ON team_invitations (clerk_invitation_id);

ALTER TABLE seats
  DROP CONSTRAINT seats_pkey, ADD PRIMARY KEY (organization_id, id),
  DROP CONSTRAINT seats_invitation_id_key, ADD UNIQUE (organization_id, invitation_id),
  ADD FOREIGN KEY (organization_id, invitation_id) REFERENCES team_invitations (organization_id, id);
CREATE INDEX seats_id ON seats (id);
CREATE INDEX seats_invitation ON seats (invitation_id) WHERE invitation_id IS NOT NULL;
