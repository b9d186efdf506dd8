-- Long-lived tokens of the editor extension. Only the SHA-256 is kept: a copy of this table opens nothing.
CREATE TABLE extension_tokens (
  id uuid PRIMARY KEY,
  user_id text NOT NULL REFERENCES users (clerk_id),
  token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  last_used_at timestamptz,
  revoked_at timestamptz
);

CREATE UNIQUE INDEX extension_tokens_one_active ON extension_tokens (user_id) WHERE revoked_at IS NULL;

-- One browser sign-in of the extension, from its start to the exchange of its code.
CREATE TABLE extension_sign_ins (
  -- SHA-256 of the state that the extension made up.
  state_hash bytea PRIMARY KEY CHECK (length(state_hash) = 32),
  redirect_uri text NOT NULL,
  -- PKCE with S256; the alternative page (specification, /extension-signin) has none, and there the state is the secret.
  code_challenge text,
  user_id text REFERENCES users (clerk_id),
  code_hash bytea UNIQUE CHECK (length(code_hash) = 32),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  exchanged_at timestamptz,
  CHECK ((code_hash IS NULL) = (user_id IS NULL))
);

CREATE INDEX extension_sign_ins_expiry ON extension_sign_ins (expires_at);

GRANT SELECT, INSERT, UPDATE ON extension_tokens, extension_sign_ins TO tidemark_server;
GRANT SELECT, DELETE ON extension_sign_ins TO tidemark_worker;
