-- Who pays for the calls of an editor that name no payer. It is chosen with the consent, kept with the token,
-- and may be changed. It gives no right: the seat is looked up at every use.
ALTER TABLE extension_tokens ADD COLUMN payer text NOT NULL DEFAULT 'personal'
  CHECK (payer ~ '^(personal|org_\w+)$' AND length(payer) <= 64);
GRANT UPDATE (payer) ON extension_tokens TO tidemark_server;
ALTER TABLE extension_sign_ins ADD COLUMN payer text NOT NULL DEFAULT 'personal'
  CHECK (payer ~ '^(personal|org_\w+)$' AND length(payer) <= 64);
GRANT UPDATE (payer) ON extension_sign_ins TO tidemark_server;
