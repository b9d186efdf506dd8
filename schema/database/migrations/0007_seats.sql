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
  assigned_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (status <> 'active' OR user_id IS NOT NULL)
);

CREATE UNIQUE INDEX seats_one_email ON seats (organization_id, email) WHERE status IN ('active', 'pending');
CREATE UNIQUE INDEX seats_one_user ON seats (organization_id, user_id) WHERE status IN ('active', 'pending');
CREATE INDEX seats_user ON seats (user_id) WHERE status = 'active';

CREATE TABLE team_invitations (
  id uuid PRIMARY KEY,
  organization_id text NOT NULL,
  subscription_id text NOT NULL REFERENCES subscriptions (stripe_subscription_id),
  inviter_id text NOT NULL REFERENCES users (clerk_id),
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL CHECK (role IN ('admin', 'member')),
  clerk_invitation_id text UNIQUE,
  status text NOT NULL CHECK (status IN ('pending', 'accepted', 'expired', 'revoked')),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX team_invitations_one_pending ON team_invitations (organization_id, email) WHERE status = 'pending';
CREATE INDEX team_invitations_subscription ON team_invitations (subscription_id, created_at DESC);

GRANT SELECT, INSERT, UPDATE ON seats, team_invitations TO tidemark_server, tidemark_worker;
