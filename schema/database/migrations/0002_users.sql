CREATE TABLE users (
  clerk_id text PRIMARY KEY CHECK (length(clerk_id) BETWEEN 1 AND 64),
  email text NOT NULL,
  first_name text,
  last_name text,
  plan_type text NOT NULL DEFAULT 'starter' CHECK (plan_type IN ('starter', 'pro', 'teams')),
  -- When the identity provider last changed e-mail or name: an older copy never replaces a newer one.
  profile_updated_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX users_email ON users (lower(email));

-- Stripe's customer of a payer. One a payer, so that cards, invoices and the portal stay in one place.
CREATE TABLE stripe_customers (
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  owner_id text NOT NULL,
  customer_id text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_kind, owner_id)
);

GRANT SELECT, INSERT, UPDATE ON users TO tidemark_server, tidemark_worker;
GRANT SELECT, INSERT ON stripe_customers TO tidemark_server;
GRANT SELECT ON stripe_customers TO tidemark_worker;
