-- The server invites, sends and ends invitations; whom one is for, with which role and into which organization stays
-- as it was written. One that Clerk has sent already is the worker's to write down, and none begins as accepted.
REVOKE INSERT, UPDATE ON team_invitations FROM tidemark_server;
GRANT INSERT (id, organization_id, subscription_id, inviter_id, email, role, status, expires_at, next_try_at)
  ON team_invitations TO tidemark_server;
GRANT UPDATE (clerk_invitation_id, status, expires_at, next_try_at, send_at, refusal_code, claims, attempts, last_error,
  unavailable_since, sync_failed_at, updated_at) ON team_invitations TO tidemark_server;
CREATE POLICY team_invitations_pending ON team_invitations AS RESTRICTIVE FOR INSERT TO tidemark_server
  WITH CHECK (status = 'pending');
