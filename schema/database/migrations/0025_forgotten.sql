-- Erasure of a person (decision 112, docs/privacy.md). Their row stays, because money is recorded under their id, which Clerk made and which
-- says nothing once nobody has the profile any more. Name and address are gone, and nothing that comes later brings them back.
ALTER TABLE users
  ADD COLUMN forgotten_at timestamptz,
  ADD CONSTRAINT users_forgotten
    CHECK (forgotten_at IS NULL OR (first_name IS NULL AND last_name IS NULL AND email LIKE 'forgotten-%@tidemark.invalid'));

-- It cannot be undone, so a second person has agreed to it.
ALTER TABLE support_acts
  ADD CONSTRAINT support_acts_forget
    CHECK (kind <> 'forget' OR is_dry_run OR approved_by IS NOT NULL OR state IN ('waiting_for_approval', 'refused'));

GRANT DELETE ON extension_tokens TO tidemark_worker;
GRANT SELECT, DELETE ON customer_creations TO tidemark_worker;
