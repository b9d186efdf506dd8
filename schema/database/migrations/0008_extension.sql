-- Long-lived tokens of the editor extension. Only the SHA-256 is kept: a copy of this table opens nothing.
CREATE TABLE extension_tokens (
  id uuid PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (clerk_id),
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz,
  CHECK (created_at < expires_at)
);

CREATE UNIQUE INDEX extension_tokens_one_active ON extension_tokens (user_id) WHERE revoked_at IS NULL;

-- One browser sign-in of the extension, from its start to the exchange of its code. There are two kinds. With a
-- code_challenge (PKCE, S256) a user is bound later, together with a code of ours. Without one (the alternative page of the
-- specification, /extension-signin) the row begins with its user, whose id is the code, and the state is the secret. The
-- checks keep a row from changing its kind.
CREATE TABLE extension_sign_ins (
  -- SHA-256 of the state that the extension made up.
  state_hash bytea PRIMARY KEY CHECK (length(state_hash) = 32),
  redirect_uri text NOT NULL,
  code_challenge text CHECK (length(code_challenge) = 43),
  user_id text REFERENCES users (clerk_id),
  code_hash bytea UNIQUE CHECK (length(code_hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- A code is good for one exchange; the token it gave is remembered, because a second use of the code revokes it.
  exchanged_at timestamptz,
  token_id uuid REFERENCES extension_tokens (id),
  CHECK (created_at < expires_at),
  CHECK (CASE WHEN code_challenge IS NULL
    THEN user_id IS NOT NULL AND code_hash IS NULL
    ELSE (code_hash IS NULL) = (user_id IS NULL)
  END),
  CHECK ((exchanged_at IS NULL) = (token_id IS NULL)),
  CHECK (exchanged_at IS NULL OR user_id IS NOT NULL)
);

CREATE INDEX extension_sign_ins_expiry ON extension_sign_ins (expires_at);

GRANT SELECT, INSERT ON extension_tokens, extension_sign_ins TO tidemark_server;
GRANT UPDATE (last_used_at, revoked_at) ON extension_tokens TO tidemark_server;
GRANT UPDATE (user_id, code_hash, exchanged_at, token_id), DELETE ON extension_sign_ins TO tidemark_server;
-- For people who leave: whose account is closed at the sign-in provider, their tokens end.
GRANT SELECT, UPDATE (revoked_at) ON extension_tokens TO tidemark_worker;
GRANT SELECT, DELETE ON extension_sign_ins TO tidemark_worker;
