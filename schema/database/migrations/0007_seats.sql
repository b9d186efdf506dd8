-- Memberships as we last saw them at Clerk. `look_order` is taken before Clerk is asked, and keeps an older look from replacing
-- a newer one, so that neither the order of webhooks nor a request that runs beside them matters.
CREATE SEQUENCE clerk_looks;

CREATE TABLE organization_members (
  organization_id text NOT NULL CHECK (length(organization_id) BETWEEN 1 AND 64),
  user_id text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 64),
  -- Null: not a member, or not any more.
  role text CHECK (role IN ('admin', 'member')),
  look_order bigint NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, user_id)
);

-- Invitations to an organization that hold a seat. Each is a real invitation of Clerk's, which is sent after this row is
-- committed: until then, and when sending came to nothing, `clerk_invitation_id` is null.
CREATE TABLE team_invitations (
  id uuid PRIMARY KEY,
  organization_id text NOT NULL CHECK (length(organization_id) BETWEEN 1 AND 64),
  subscription_id text NOT NULL REFERENCES subscriptions (stripe_subscription_id),
  inviter_id text NOT NULL REFERENCES users (clerk_id),
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  clerk_invitation_id text UNIQUE,
  status text NOT NULL CHECK (status IN ('pending', 'accepted', 'expired', 'revoked')),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When the sweep asks Clerk how it stands: soon while sending is not confirmed, then at its expiry; null when it is over.
  sweep_at timestamptz,
  sweeps integer NOT NULL DEFAULT 0,
  CHECK (status <> 'pending' OR sweep_at IS NOT NULL)
);

CREATE UNIQUE INDEX team_invitations_one_pending ON team_invitations (organization_id, email) WHERE status = 'pending';
CREATE INDEX team_invitations_organization ON team_invitations (organization_id, created_at DESC);
CREATE INDEX team_invitations_sweep ON team_invitations (sweep_at) WHERE sweep_at IS NOT NULL;

-- Who uses an organization's subscription. `active` and `pending` seats together never exceed the subscription's seats_total
-- when one is assigned; the check is made under a lock of the subscription's row, because it counts rows.
CREATE TABLE seats (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  organization_id text NOT NULL CHECK (length(organization_id) BETWEEN 1 AND 64),
  email text NOT NULL CHECK (email = lower(email)),
  -- Clerk's user; pending seats have none yet.
  user_id text,
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  status text NOT NULL CHECK (status IN ('active', 'pending', 'revoked', 'expired')),
  -- The invitation that holds or held it; null when a member was given the seat.
  invitation_id uuid UNIQUE REFERENCES team_invitations (id),
  assigned_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (status <> 'active' OR user_id IS NOT NULL),
  CHECK (status <> 'pending' OR (user_id IS NULL AND invitation_id IS NOT NULL))
);

CREATE UNIQUE INDEX seats_one_email ON seats (organization_id, email) WHERE status IN ('active', 'pending');
CREATE UNIQUE INDEX seats_one_user ON seats (organization_id, user_id) WHERE status = 'active';
CREATE INDEX seats_user ON seats (user_id) WHERE status = 'active';
CREATE INDEX seats_organization ON seats (organization_id, assigned_at);

GRANT SELECT, INSERT, UPDATE ON seats, team_invitations, organization_members TO tidemark_server, tidemark_worker;
GRANT USAGE ON SEQUENCE clerk_looks TO tidemark_server, tidemark_worker;
-- Whoever locks a row must be allowed to change something of it.
GRANT UPDATE (updated_at) ON subscriptions TO tidemark_server;
