-- A person has one token that they generated and one for each editor that they signed in. The older tokens
-- count as generated: how they came about is known for a day only.
ALTER TABLE extension_tokens
  -- The scheme of the address that the sign-in went to, which names the editor; NULL: generated.
  ADD COLUMN scheme text CHECK (scheme ~ '^[a-z-]{1,32}$'),
  -- What the program of the sign-in calls itself; not verified.
  ADD COLUMN editor_name text CHECK (length(editor_name) BETWEEN 1 AND 64),
  ADD CONSTRAINT extension_tokens_named CHECK (scheme IS NOT NULL OR editor_name IS NULL);
DROP INDEX extension_tokens_one_active;
CREATE UNIQUE INDEX extension_tokens_one_generated ON extension_tokens (user_id)
  WHERE revoked_at IS NULL AND scheme IS NULL;

ALTER TABLE extension_sign_ins ADD COLUMN editor_name text CHECK (length(editor_name) BETWEEN 1 AND 64);
GRANT UPDATE (editor_name) ON extension_sign_ins TO tidemark_server;
