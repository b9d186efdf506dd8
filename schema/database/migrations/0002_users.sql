-- Domains of several tables.
CREATE DOMAIN owner_kind AS text CHECK (VALUE IN ('user', 'organization'));
CREATE DOMAIN owner_id AS text CHECK (length(VALUE) BETWEEN 1 AND 64);
-- An id that Stripe or Clerk made.
CREATE DOMAIN outside_id AS text CHECK (length(VALUE) BETWEEN 1 AND 255);
CREATE DOMAIN currency AS text CHECK (VALUE IN ('EUR', 'USD', 'GBP'));
-- Whether the process that inserts the row has a live key of Stripe.
CREATE DOMAIN livemode AS boolean DEFAULT coalesce(nullif(current_setting('tidemark.livemode', true), ''), 'off')::boolean;

-- Numbers the snapshots of objects at Stripe and Clerk: an older snapshot never replaces a newer one.
CREATE SEQUENCE snapshot_orders;
GRANT USAGE ON SEQUENCE snapshot_orders TO tidemark_server, tidemark_worker;

CREATE TABLE users (
  clerk_id text PRIMARY KEY CHECK (length(clerk_id) BETWEEN 1 AND 64),
  email text NOT NULL,
  first_name text,
  last_name text,
  plan_type text NOT NULL DEFAULT 'starter' CHECK (plan_type IN ('starter', 'pro', 'teams')),
  -- When the identity provider last changed e-mail or name: an older copy never replaces a newer one.
  profile_updated_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  forgotten_at timestamptz,
  CONSTRAINT users_forgotten CHECK (forgotten_at IS NULL OR (first_name IS NULL AND last_name IS NULL AND (email LIKE 'forgotten-%@tidemark.invalid')))
);
CREATE INDEX users_email ON users (lower(email));
GRANT SELECT ON users TO tidemark_server;
GRANT INSERT (clerk_id, email, first_name, last_name, profile_updated_at) ON users TO tidemark_server;
GRANT UPDATE (email, first_name, last_name, plan_type, profile_updated_at, updated_at) ON users TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON users TO tidemark_worker;

-- Stripe's customer of a payer. One a payer, so that cards, invoices and the portal stay in one place.
CREATE TABLE stripe_customers (
  owner_kind owner_kind NOT NULL,
  owner_id text NOT NULL,
  customer_id text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  livemode livemode NOT NULL,
  PRIMARY KEY (owner_kind, owner_id, livemode)
);
GRANT SELECT, INSERT ON stripe_customers TO tidemark_server;
GRANT UPDATE (customer_id) ON stripe_customers TO tidemark_server;
GRANT SELECT, INSERT ON stripe_customers TO tidemark_worker;

-- A customer that is being made at Stripe: purchases for the same payer at that moment use the same key
-- and parameters, so that one customer is made. Deleted when the customer is stored, or when Stripe refused.
CREATE TABLE customer_creations (
  owner_kind owner_kind NOT NULL,
  owner_id owner_id NOT NULL,
  creation_key uuid NOT NULL,
  -- What Stripe is asked for, as JSON: the same key must come with the same parameters.
  params text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (owner_kind, owner_id)
);
GRANT SELECT, INSERT, DELETE ON customer_creations TO tidemark_server;
GRANT SELECT, DELETE ON customer_creations TO tidemark_worker;

-- What a caller named with an Idempotency-Key (decision 051), for a day.
CREATE TABLE idempotent_requests (
  user_id text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 64),
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256 of the call and its body.
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  -- Names what the request does, so that a second try after a crash does not do it twice.
  attempt_id uuid NOT NULL,
  -- Until when the process that answers it holds it; null while no process does.
  locked_until timestamptz,
  -- Null until it has succeeded.
  answer jsonb,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, key),
  CHECK (answer IS NULL OR locked_until IS NULL)
);
CREATE INDEX idempotent_requests_old ON idempotent_requests (created_at);
GRANT SELECT, INSERT, DELETE ON idempotent_requests TO tidemark_server;
GRANT UPDATE (request_hash, attempt_id, locked_until, answer, created_at) ON idempotent_requests TO tidemark_server;
GRANT SELECT, DELETE ON idempotent_requests TO tidemark_worker;
