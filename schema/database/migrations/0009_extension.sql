-- Long-lived tokens of the editor extension. Only the SHA-256 is kept: a copy of this table opens nothing.
CREATE TABLE extension_tokens (
  id uuid NOT NULL,
  user_id text NOT NULL REFERENCES users (clerk_id),
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz,
  PRIMARY KEY (user_id, id),
  CHECK (created_at < expires_at)
);
CREATE INDEX extension_tokens_hash ON extension_tokens (token_hash);
CREATE UNIQUE INDEX extension_tokens_one_active ON extension_tokens (user_id) WHERE revoked_at IS NULL;
GRANT SELECT, INSERT ON extension_tokens TO tidemark_server;
GRANT UPDATE (last_used_at, revoked_at) ON extension_tokens TO tidemark_server;
GRANT SELECT, DELETE ON extension_tokens TO tidemark_worker;
GRANT UPDATE (revoked_at) ON extension_tokens TO tidemark_worker;

-- One browser sign-in of the extension, from its start to the exchange of its code. There are two kinds. With
-- a code_challenge (PKCE, S256) a user is bound later, together with a code of ours. Without one (the
-- alternative page of the specification, /extension-signin) the row begins with its user, whose id is the
-- code, and the state is the secret. The checks keep a row from changing its kind.
CREATE TABLE extension_sign_ins (
  -- SHA-256 of the state that the extension made up.
  state_hash bytea PRIMARY KEY CHECK (length(state_hash) = 32),
  redirect_uri text NOT NULL,
  code_challenge text CHECK (length(code_challenge) = 43),
  user_id text REFERENCES users (clerk_id),
  code_hash bytea CHECK (length(code_hash) = 32) UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- A code is good for one exchange; the token it gave is remembered, because a second use of the code
  -- revokes it.
  exchanged_at timestamptz,
  token_id uuid,
  confirmation_hash bytea CHECK (length(confirmation_hash) = 32) UNIQUE,
  confirmation_expires_at timestamptz,
  confirmed_at timestamptz,
  -- The session at the sign-in provider in which the user agreed: when it has ended, the sign-in gives no
  -- token.
  clerk_session_id text,
  -- The network of a sign-in that was begun without an account; the number that a network may have open is
  -- limited.
  client_network text,
  FOREIGN KEY (user_id, token_id) REFERENCES extension_tokens (user_id, id),
  CHECK (created_at < expires_at),
  CHECK (CASE
    WHEN code_challenge IS NULL THEN user_id IS NOT NULL AND code_hash IS NULL
    ELSE (code_hash IS NULL) = (user_id IS NULL)
  END),
  CHECK ((exchanged_at IS NULL) = (token_id IS NULL)),
  CHECK (exchanged_at IS NULL OR user_id IS NOT NULL),
  CONSTRAINT extension_sign_ins_confirmation CHECK ((confirmation_hash IS NULL) = (confirmation_expires_at IS NULL)),
  CONSTRAINT extension_sign_ins_kind CHECK (code_challenge IS NULL OR (confirmation_hash IS NULL AND confirmed_at IS NULL))
);
CREATE INDEX extension_sign_ins_expiry ON extension_sign_ins (expires_at);
CREATE INDEX extension_sign_ins_open ON extension_sign_ins (client_network, expires_at) WHERE user_id IS NULL;
CREATE INDEX extension_sign_ins_user ON extension_sign_ins (user_id) WHERE user_id IS NOT NULL;
GRANT SELECT, INSERT, DELETE ON extension_sign_ins TO tidemark_server;
GRANT UPDATE (user_id, code_hash, exchanged_at, token_id, confirmation_hash, confirmation_expires_at,
  confirmed_at, clerk_session_id) ON extension_sign_ins TO tidemark_server;
GRANT SELECT, DELETE ON extension_sign_ins TO tidemark_worker;
