-- An editor that runs in a browser is named by its host (vscode.dev), where another has its scheme.
ALTER TABLE extension_tokens
  DROP CONSTRAINT extension_tokens_scheme_check,
  ADD CONSTRAINT extension_tokens_scheme_check CHECK (scheme ~ '^[a-z0-9.-]{1,64}$');
