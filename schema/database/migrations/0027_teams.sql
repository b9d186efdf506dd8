-- An invitation that was sent from Clerk's own settings takes a seat too, and Clerk's library does not say who
-- sent it.
ALTER TABLE team_invitations ALTER COLUMN inviter_id DROP NOT NULL;

-- What the buyer calls the organization that a Teams plan creates when it is paid.
ALTER TABLE checkout_intents
  ADD COLUMN organization_name text,
  ADD CONSTRAINT checkout_intents_organization_name CHECK (organization_name IS NULL
    OR owner_kind = 'organization' AND kind = 'subscription' AND length(organization_name) BETWEEN 1 AND 100);
GRANT INSERT (organization_name) ON checkout_intents TO tidemark_server;
