-- The currency that a payer chose, on the pricing page or where they bought. The currency of a live plan wins.
CREATE TABLE payer_currencies (
  owner_kind owner_kind NOT NULL,
  owner_id owner_id NOT NULL,
  currency currency NOT NULL,
  PRIMARY KEY (owner_kind, owner_id)
);
GRANT SELECT, INSERT, UPDATE (currency) ON payer_currencies TO tidemark_server;
