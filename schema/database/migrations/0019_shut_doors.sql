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
