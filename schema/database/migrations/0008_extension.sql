-- Long-lived tokens of editors: one that its user generated, and one for each editor that they signed in. Only the SHA-256 is kept: a copy of this table opens nothing.
CREATE TABLE extension_tokens (
  id uuid NOT NULL,
  user_id text NOT NULL REFERENCES users (clerk_id),
  token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- To the minute.
  last_used_at timestamptz,
  revoked_at timestamptz,
  -- The scheme of the address that the sign-in went to, which names the editor; of an editor in a browser its host
  -- (vscode.dev). Null: generated.
  scheme text CHECK (scheme ~ '^[a-z0-9.-]{1,64}$'),
  -- What the program of the sign-in calls itself; not verified.
  editor_name text CHECK (length(editor_name) BETWEEN 1 AND 64),
  -- Who pays for calls that name no payer. It is chosen with the consent, and may be changed. It gives no right:
  -- the seat is looked up at every use.
  payer text NOT NULL DEFAULT 'personal' CHECK (payer ~ '^(personal|org_\w+)$' AND length(payer) <= 64),
  PRIMARY KEY (user_id, id),
  CHECK (created_at < expires_at),
  -- For every login that writes the row, as `tokenExpiry` has it. A token works only after its beginning.
  CONSTRAINT extension_tokens_lifetime
    CHECK (expires_at AT TIME ZONE 'UTC' <= created_at AT TIME ZONE 'UTC' + interval '4 months'),
  CONSTRAINT extension_tokens_named CHECK (scheme IS NOT NULL OR editor_name IS NULL)
);
CREATE INDEX extension_tokens_hash ON extension_tokens (token_hash);
CREATE UNIQUE INDEX extension_tokens_one_generated ON extension_tokens (user_id) WHERE revoked_at IS NULL AND scheme IS NULL;
GRANT SELECT, INSERT ON extension_tokens TO tidemark_server;
GRANT UPDATE (last_used_at, revoked_at, payer) ON extension_tokens TO tidemark_server;
GRANT SELECT, DELETE ON extension_tokens TO tidemark_worker;
GRANT UPDATE (revoked_at) ON extension_tokens TO tidemark_worker;

-- One browser sign-in of the extension, from when its user agrees to the exchange of its code; what it began with
-- travels signed until then. There are two kinds: with a code_challenge (PKCE, S256), and without one (the
-- alternative page of the specification, /extension-signin), where the code comes with the click. The checks keep a
-- row from changing its kind.
CREATE TABLE extension_sign_ins (
  -- SHA-256 of the state that the extension made up.
  state_hash bytea PRIMARY KEY CHECK (length(state_hash) = 32),
  redirect_uri text NOT NULL,
  code_challenge text CHECK (length(code_challenge) = 43),
  user_id text NOT NULL REFERENCES users (clerk_id),
  code_hash bytea CHECK (length(code_hash) = 32) UNIQUE,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- A code is good for one exchange; the token it gave is remembered, because a second use of the code
  -- revokes it.
  exchanged_at timestamptz,
  token_id uuid,
  confirmation_hash bytea CHECK (length(confirmation_hash) = 32) UNIQUE,
  confirmation_expires_at timestamptz,
  -- The session at the sign-in provider in which the user agreed: when it has ended, the sign-in gives no
  -- token.
  clerk_session_id text,
  -- Both become those of the token.
  editor_name text CHECK (length(editor_name) BETWEEN 1 AND 64),
  payer text NOT NULL DEFAULT 'personal' CHECK (payer ~ '^(personal|org_\w+)$' AND length(payer) <= 64),
  FOREIGN KEY (user_id, token_id) REFERENCES extension_tokens (user_id, id),
  CHECK (created_at < expires_at),
  CONSTRAINT extension_sign_ins_lifetime CHECK (expires_at <= created_at + interval '24 hours'),
  CHECK (code_challenge IS NULL OR code_hash IS NOT NULL),
  CHECK ((exchanged_at IS NULL) = (token_id IS NULL)),
  CONSTRAINT extension_sign_ins_confirmation CHECK ((confirmation_hash IS NULL) = (confirmation_expires_at IS NULL)),
  CONSTRAINT extension_sign_ins_kind CHECK (code_challenge IS NULL OR confirmation_hash IS NULL)
);
CREATE INDEX extension_sign_ins_expiry ON extension_sign_ins (expires_at);
CREATE INDEX extension_sign_ins_user ON extension_sign_ins (user_id);
GRANT SELECT, INSERT, DELETE ON extension_sign_ins TO tidemark_server;
GRANT UPDATE (code_hash, exchanged_at, token_id, confirmation_hash, confirmation_expires_at,
  clerk_session_id, editor_name, payer) ON extension_sign_ins TO tidemark_server;
GRANT SELECT, DELETE ON extension_sign_ins TO tidemark_worker;

-- Keys of the operator's own services, such as a model gateway, which report what people used. Only the operator makes
-- and revokes them (npm run operator-key). As of tokens, only the SHA-256 is kept.
CREATE TABLE operator_keys (
  id uuid PRIMARY KEY,
  name text NOT NULL CHECK (name ~ '^[\w.-]{1,64}$'),
  key_hash bytea NOT NULL UNIQUE CHECK (length(key_hash) = 32),
  created_at timestamptz NOT NULL,
  -- To five minutes.
  last_used_at timestamptz,
  revoked_at timestamptz
);
GRANT SELECT, UPDATE (last_used_at) ON operator_keys TO tidemark_server;
-- What support's timeline shows of one.
GRANT SELECT (id, name) ON operator_keys TO tidemark_worker;
