-- The account at Stripe to which this database belongs, in each mode.
CREATE TABLE stripe_accounts (
  livemode livemode PRIMARY KEY,
  account_id outside_id NOT NULL
);
GRANT SELECT, INSERT ON stripe_accounts TO tidemark_server, tidemark_worker;
