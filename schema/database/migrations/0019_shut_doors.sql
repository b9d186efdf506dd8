-- The alternative page asks before it signs an editor in (decision 081): its row begins unconfirmed, and only the page that was given
-- the confirmation, once, can confirm it.
ALTER TABLE extension_sign_ins
  ADD COLUMN confirmation_hash bytea UNIQUE CHECK (length(confirmation_hash) = 32),
  ADD COLUMN confirmation_expires_at timestamptz,
  ADD COLUMN confirmed_at timestamptz,
  -- The session at the sign-in provider in which the user agreed: when it has ended, the sign-in gives no token.
  ADD COLUMN clerk_session_id text,
  -- Of whoever began it without signing in; one network has so many open at once.
  ADD COLUMN client_network text,
  ADD CONSTRAINT extension_sign_ins_confirmation CHECK ((confirmation_hash IS NULL) = (confirmation_expires_at IS NULL)),
  ADD CONSTRAINT extension_sign_ins_kind CHECK (code_challenge IS NULL OR (confirmation_hash IS NULL AND confirmed_at IS NULL));

-- What nobody has signed in for yet.
CREATE INDEX extension_sign_ins_open ON extension_sign_ins (client_network, expires_at) WHERE user_id IS NULL;

GRANT UPDATE (confirmation_hash, confirmation_expires_at, confirmed_at, clerk_session_id) ON extension_sign_ins TO tidemark_server;

-- A customer that is being made at Stripe: whoever buys for the same payer at that moment uses the same key and the same words, so that one
-- customer is made. Gone when it is stored, or when Stripe refused.
CREATE TABLE customer_creations (
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  owner_id text NOT NULL CHECK (length(owner_id) BETWEEN 1 AND 64),
  creation_key uuid NOT NULL,
  -- What Stripe is asked for, as JSON: the same key must come with the same parameters.
  params text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (owner_kind, owner_id)
);

GRANT SELECT, INSERT, DELETE ON customer_creations TO tidemark_server;

-- What a caller named with an Idempotency-Key (decision 083), for a day.
CREATE TABLE idempotent_requests (
  user_id text NOT NULL CHECK (length(user_id) BETWEEN 1 AND 64),
  key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
  -- SHA-256 of the call and its body.
  request_hash bytea NOT NULL CHECK (length(request_hash) = 32),
  -- Names what the request does, so that a second try after a crash does not do it twice.
  attempt_id uuid NOT NULL,
  -- While somebody works on it; null when nobody does.
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
