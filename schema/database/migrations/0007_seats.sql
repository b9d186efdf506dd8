-- Who belongs to which organization, as Clerk said when it was last asked.
CREATE TABLE organization_members (
  organization_id text NOT NULL CHECK (length(organization_id) BETWEEN 1 AND 64),
  user_id text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 64),
  -- Null: not a member, or not any more.
  role text CHECK (role IN ('admin', 'member')),
  snapshot_order bigint NOT NULL,
  PRIMARY KEY (organization_id, user_id)
);
CREATE INDEX organization_members_user ON organization_members (user_id);
GRANT SELECT, INSERT, UPDATE ON organization_members TO tidemark_server, tidemark_worker;
ALTER TABLE organization_members ENABLE ROW LEVEL SECURITY;
-- A number that was not drawn would keep out every later snapshot.
CREATE POLICY organization_members_server ON organization_members TO tidemark_server USING (true)
  WITH CHECK (snapshot_order BETWEEN 0 AND (SELECT last_value FROM snapshot_orders));
CREATE POLICY organization_members_worker ON organization_members TO tidemark_worker USING (true) WITH CHECK (true);

-- Invitations to an organization that hold a seat. Each is a real invitation of Clerk's, which is sent after
-- this row is committed: until then, and when sending came to nothing, `clerk_invitation_id` is null.
CREATE TABLE team_invitations (
  id uuid NOT NULL,
  organization_id text NOT NULL CHECK (length(organization_id) BETWEEN 1 AND 64),
  subscription_id text NOT NULL,
  -- Null for an invitation that was sent from Clerk's own settings, which takes a seat too: Clerk's library does
  -- not say who sent it.
  inviter_id text REFERENCES users (clerk_id),
  email text NOT NULL CHECK (email = lower(email) AND length(email) <= 320),
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  clerk_invitation_id outside_id,
  status text NOT NULL CHECK (status IN ('pending', 'accepted', 'expired', 'revoked')),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When the worker asks Clerk for its state: soon while sending is not confirmed, then at its expiry; null
  -- when it is over.
  next_try_at timestamptz,
  claims integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  unavailable_since timestamptz,
  sync_failed_at timestamptz,
  -- Clerk limits how many invitations an application may send in an hour. One that it asked us to send later
  -- keeps its seat; the worker sends it at `send_at`, and `next_try_at` is the same time then. Null for one
  -- that was sent or is being sent.
  send_at timestamptz,
  -- Why it was never sent: `unavailable`, or the code of Clerk's refusal. Never Clerk's text, which may have the
  -- address.
  refusal_code text CHECK (length(refusal_code) BETWEEN 1 AND 100),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, clerk_invitation_id),
  FOREIGN KEY (organization_id, subscription_id) REFERENCES subscriptions (owner_id, stripe_subscription_id),
  CHECK (status <> 'pending' OR next_try_at IS NOT NULL),
  CHECK (sync_failed_at IS NULL OR last_error IS NOT NULL)
);
CREATE INDEX team_invitations_clerk ON team_invitations (clerk_invitation_id);
CREATE INDEX team_invitations_email ON team_invitations (email);
CREATE INDEX team_invitations_id ON team_invitations (id);
CREATE UNIQUE INDEX team_invitations_one_pending ON team_invitations (organization_id, email) WHERE status = 'pending';
CREATE INDEX team_invitations_organization ON team_invitations (organization_id, created_at DESC);
CREATE INDEX team_invitations_stuck ON team_invitations (created_at)
  WHERE next_try_at IS NOT NULL AND sync_failed_at IS NULL AND last_error IS NOT NULL;
CREATE INDEX team_invitations_subscription ON team_invitations (subscription_id);
CREATE INDEX team_invitations_due ON team_invitations (next_try_at) WHERE next_try_at IS NOT NULL AND sync_failed_at IS NULL;
CREATE INDEX team_invitations_away ON team_invitations (unavailable_since) WHERE unavailable_since IS NOT NULL;
CREATE INDEX team_invitations_sync_failed ON team_invitations (sync_failed_at) WHERE sync_failed_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON team_invitations TO tidemark_server, tidemark_worker;
ALTER TABLE team_invitations ENABLE ROW LEVEL SECURITY;
-- Clerk's longest invitation lasts a year. The sandbox's clock may be years ahead of this one: long tests move it on.
CREATE POLICY team_invitations_server ON team_invitations TO tidemark_server USING (true)
  WITH CHECK (greatest(expires_at, next_try_at, send_at) < now() + interval '30 years');
CREATE POLICY team_invitations_worker ON team_invitations TO tidemark_worker USING (true) WITH CHECK (true);

-- Who uses an organization's subscription. `active` and `pending` seats together never exceed the
-- subscription's seats_total when one is assigned; the check is made under a lock of the subscription's row,
-- because it counts rows.
CREATE TABLE seats (
  id bigint GENERATED ALWAYS AS IDENTITY,
  organization_id text NOT NULL CHECK (length(organization_id) BETWEEN 1 AND 64),
  email text NOT NULL CHECK (email = lower(email) AND length(email) <= 320),
  -- Clerk's user; pending seats have none yet.
  user_id text CHECK (length(user_id) BETWEEN 1 AND 64),
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  status text NOT NULL CHECK (status IN ('active', 'pending', 'revoked', 'expired')),
  -- The invitation that holds or held it; null when a member was given the seat.
  invitation_id uuid,
  assigned_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, invitation_id),
  FOREIGN KEY (organization_id, invitation_id) REFERENCES team_invitations (organization_id, id),
  CHECK (status <> 'active' OR user_id IS NOT NULL),
  CHECK (status <> 'pending' OR (user_id IS NULL AND invitation_id IS NOT NULL))
);
CREATE INDEX seats_email ON seats (email);
CREATE INDEX seats_id ON seats (id);
CREATE UNIQUE INDEX seats_one_email ON seats (organization_id, email)
  WHERE status IN ('active', 'pending');
CREATE UNIQUE INDEX seats_one_user ON seats (organization_id, user_id) WHERE status = 'active';
CREATE INDEX seats_organization ON seats (organization_id, assigned_at);
CREATE INDEX seats_user ON seats (user_id) WHERE status = 'active';
GRANT SELECT, INSERT, UPDATE ON seats TO tidemark_worker;
GRANT SELECT ON seats TO tidemark_server;
GRANT INSERT (organization_id, email, user_id, role, status, invitation_id) ON seats TO tidemark_server;
GRANT UPDATE (status, user_id, role, updated_at) ON seats TO tidemark_server;
ALTER TABLE seats ENABLE ROW LEVEL SECURITY;
-- The server gives no more seats than are paid, and revives none.
CREATE POLICY seats_read ON seats FOR SELECT TO tidemark_server USING (true);
CREATE POLICY seats_give ON seats FOR INSERT TO tidemark_server WITH CHECK (
  (SELECT count(*) FROM seats s WHERE s.organization_id = seats.organization_id AND s.status IN ('active', 'pending'))
  < (SELECT max(p.seats_total) FROM subscriptions p
    WHERE p.owner_id = seats.organization_id AND p.status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused')));
CREATE POLICY seats_change ON seats FOR UPDATE TO tidemark_server USING (status IN ('active', 'pending')) WITH CHECK (true);
CREATE POLICY seats_worker ON seats TO tidemark_worker USING (true) WITH CHECK (true);
