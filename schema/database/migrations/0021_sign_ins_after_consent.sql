-- A sign-in of an editor is stored when its user agrees; what it began with travels signed until then.
DELETE FROM extension_sign_ins WHERE user_id IS NULL;
DROP INDEX extension_sign_ins_open;
ALTER TABLE extension_sign_ins DROP COLUMN client_network;
ALTER TABLE extension_sign_ins ALTER COLUMN user_id SET NOT NULL;
-- user_id is set when the row is made.
REVOKE UPDATE (user_id) ON extension_sign_ins FROM tidemark_server;
