-- Why an invitation was never sent: `unavailable`, or the code of Clerk's refusal. Never Clerk's text, which
-- may have the address.
ALTER TABLE team_invitations
  ADD COLUMN refusal_code text,
  ADD CONSTRAINT team_invitations_refusal_code_check CHECK (length(refusal_code) BETWEEN 1 AND 100);
