-- Domains of several tables.
-- Clerk's id of a user or an organization, which says what it is.
CREATE DOMAIN owner_id AS text CHECK (length(VALUE) <= 64 AND (starts_with(VALUE, 'user_') OR starts_with(VALUE, 'org_')));
-- An id that Stripe or Clerk made.
CREATE DOMAIN outside_id AS text CHECK (length(VALUE) BETWEEN 1 AND 255);
CREATE DOMAIN currency AS text CHECK (VALUE IN ('EUR', 'USD', 'GBP'));
-- Whether the process that inserts the row has a live key of Stripe.
CREATE DOMAIN livemode AS boolean DEFAULT coalesce(nullif(current_setting('tidemark.livemode', true), ''), 'off')::boolean;

-- Numbers the snapshots of objects at Stripe and Clerk: an older snapshot never replaces a newer one.
CREATE SEQUENCE snapshot_orders;
GRANT USAGE, SELECT ON SEQUENCE snapshot_orders TO tidemark_server;
GRANT USAGE ON SEQUENCE snapshot_orders TO tidemark_worker;

-- The plans of the catalogue (schema/catalogue/plans.ts). Only the migrator writes this table and `offers`, and
-- it only adds.
CREATE TABLE plans (
  plan_type text PRIMARY KEY CHECK (length(plan_type) BETWEEN 1 AND 32)
);
GRANT SELECT ON plans TO tidemark_server, tidemark_worker;

CREATE TABLE users (
  clerk_id text PRIMARY KEY CHECK (length(clerk_id) BETWEEN 1 AND 64),
  email text NOT NULL CHECK (length(email) <= 320),
  first_name text,
  last_name text,
  plan_type text NOT NULL DEFAULT 'starter' REFERENCES plans,
  -- When the identity provider last changed e-mail or name: an older copy never replaces a newer one.
  profile_updated_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  -- When support erased the person: name and address are pseudonyms since then.
  forgotten_at timestamptz,
  CONSTRAINT users_forgotten CHECK (forgotten_at IS NULL OR (first_name IS NULL AND last_name IS NULL AND (email LIKE 'forgotten-%@tidemark.invalid')))
);
CREATE INDEX users_email ON users (lower(email));
-- What comes about a person who was forgotten is looked for by this.
CREATE INDEX users_forgotten ON users (forgotten_at) WHERE forgotten_at IS NOT NULL;
GRANT SELECT ON users TO tidemark_server;
GRANT INSERT (clerk_id, email, first_name, last_name, profile_updated_at) ON users TO tidemark_server;
GRANT UPDATE (email, first_name, last_name, plan_type, profile_updated_at) ON users TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON users TO tidemark_worker;
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
-- By the real time, as Clerk's dates are: a profile of a later day would keep out all that follow.
CREATE POLICY users_server ON users TO tidemark_server USING (true) WITH CHECK (profile_updated_at < now() + interval '1 day');
CREATE POLICY users_worker ON users TO tidemark_worker USING (true) WITH CHECK (true);

-- Users and organizations of which a signed event said that they were deleted at Clerk. Their subscriptions
-- end, also one whose first payment is heard afterwards.
CREATE TABLE deleted_owners (
  owner_id owner_id PRIMARY KEY
);
GRANT SELECT ON deleted_owners TO tidemark_server;
GRANT SELECT, INSERT ON deleted_owners TO tidemark_worker;

-- What a caller named with an Idempotency-Key, for a day.
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
  CHECK (answer IS NULL OR locked_until IS NULL),
  CONSTRAINT idempotent_requests_lock CHECK (locked_until <= created_at + interval '25 hours')
);
CREATE INDEX idempotent_requests_old ON idempotent_requests (created_at);
GRANT SELECT, INSERT, DELETE ON idempotent_requests TO tidemark_server;
GRANT UPDATE (request_hash, attempt_id, locked_until, answer, created_at) ON idempotent_requests TO tidemark_server;
GRANT SELECT, DELETE ON idempotent_requests TO tidemark_worker;
