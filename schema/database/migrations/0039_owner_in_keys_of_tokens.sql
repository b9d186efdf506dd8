-- The owner is in the keys of editors' tokens too (decision 139). A token that is presented comes without its owner: it is found by an index
-- that is not unique, and need not be, as its hash is of 256 random bits.

ALTER TABLE extension_sign_ins DROP CONSTRAINT extension_sign_ins_token_id_fkey;
ALTER TABLE extension_tokens
  DROP CONSTRAINT extension_tokens_pkey, ADD PRIMARY KEY (user_id, id),
  DROP CONSTRAINT extension_tokens_token_hash_key;
CREATE INDEX extension_tokens_hash ON extension_tokens (token_hash);
ALTER TABLE extension_sign_ins ADD FOREIGN KEY (user_id, token_id) REFERENCES extension_tokens (user_id, id);
