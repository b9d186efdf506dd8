-- The tables of the ledger: double entry, append-only, whole credits. `functions/ledger.sql` is all that
-- writes to them.

CREATE DOMAIN owner_account AS text CHECK (VALUE IN ('plan', 'purchased'));
CREATE DOMAIN transfer_kind AS text CHECK (VALUE IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant', 'usage',
  'expiry', 'write_off', 'refund', 'dispute', 'dispute_won', 'adjustment'));
CREATE DOMAIN entry_amount AS bigint CHECK (VALUE <> 0);
CREATE DOMAIN grant_id AS text CHECK (length(VALUE) BETWEEN 1 AND 200);
CREATE DOMAIN grant_kind AS text CHECK (VALUE IN ('purchase', 'month', 'seats', 'late_month', 'adjustment'));

-- The accounts and their ids. An owner has two; the house takes the other side of every transfer.
CREATE TABLE ledger_accounts (
  id bigint GENERATED ALWAYS AS IDENTITY,
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization', 'house')),
  owner_id owner_id NOT NULL,
  name text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (owner_id, name),
  UNIQUE (id, owner_id),
  CHECK ((owner_kind = 'house') = (owner_id = 'house')),
  CHECK (CASE owner_kind
    WHEN 'house' THEN name IN ('sold', 'granted', 'used', 'refunded', 'disputed', 'expired', 'written_off', 'adjusted')
    ELSE name IN ('plan', 'purchased')
  END)
);
GRANT SELECT ON ledger_accounts TO tidemark_server, tidemark_worker;
INSERT INTO ledger_accounts (owner_kind, owner_id, name)
SELECT 'house', 'house', unnest(ARRAY['sold', 'granted', 'used', 'refunded', 'disputed', 'expired', 'written_off', 'adjusted']);

-- One row an owner: the lock of everything that is posted for the owner, and the latest entry of both
-- accounts. Version 0 means that an account has no entry.
CREATE TABLE ledger_owners (
  owner_id text PRIMARY KEY,
  owner_kind owner_kind NOT NULL,
  last_transfer_id bigint NOT NULL DEFAULT 0,
  plan_account_id bigint NOT NULL,
  plan_version bigint NOT NULL DEFAULT 0,
  plan_balance bigint NOT NULL DEFAULT 0,
  plan_hash bytea,
  purchased_account_id bigint NOT NULL,
  purchased_version bigint NOT NULL DEFAULT 0,
  purchased_balance bigint NOT NULL DEFAULT 0,
  purchased_hash bytea
) WITH (fillfactor = 50);
CREATE INDEX ledger_owners_order ON ledger_owners (owner_kind, owner_id);
GRANT SELECT ON ledger_owners TO tidemark_server, tidemark_worker;

-- One thing that brought credits: a purchase, a billing month, seats added to a month. Every transfer but
-- usage belongs to one.
CREATE TABLE ledger_grants (
  -- Derived from what it stands for, so that two reports of the same thing name the same grant.
  id grant_id NOT NULL UNIQUE,
  owner_kind owner_kind NOT NULL,
  owner_id owner_id NOT NULL,
  account owner_account NOT NULL,
  kind grant_kind NOT NULL,
  -- From here on as it was when the grant was first posted. No foreign keys: they would share-lock the intent
  -- or the subscription while another transaction that holds it waits for this owner's row. ledger:verify
  -- compares both sides.
  intent_id uuid,
  stripe_subscription_id text,
  stripe_invoice_id text,
  -- The billing month that its credits end with: with the subscription, the key of ledger_months_used.
  month_starts_at timestamptz,
  starts_at timestamptz,
  ends_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- No partition before this transfer is read for the grant's others.
  first_transfer_id bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (owner_id, id),
  CONSTRAINT ledger_grants_period CHECK (starts_at < ends_at),
  CONSTRAINT ledger_grants_subscription CHECK ((kind IN ('month', 'seats', 'late_month')) = (stripe_subscription_id IS NOT NULL)),
  CONSTRAINT ledger_grants_invoice CHECK ((stripe_subscription_id IS NULL) = (stripe_invoice_id IS NULL)),
  CONSTRAINT ledger_grants_month_starts_at CHECK ((kind IN ('month', 'seats')) = (month_starts_at IS NOT NULL)),
  CONSTRAINT ledger_grants_account CHECK (CASE
    WHEN kind IN ('purchase', 'late_month') THEN account = 'purchased'
    WHEN kind IN ('month', 'seats') THEN account = 'plan'
    ELSE true
  END),
  CONSTRAINT ledger_grants_id CHECK (coalesce(CASE
    WHEN kind = 'purchase' THEN id = 'purchase/' || intent_id
    WHEN kind IN ('month', 'seats') THEN id = kind || '/' || stripe_invoice_id || '/' || extract(epoch FROM month_starts_at)::bigint
    WHEN kind = 'late_month' THEN starts_with(id, 'late_month/' || stripe_invoice_id || '/')
    ELSE starts_with(id, 'adjustment/')
  END, false))
);
CREATE INDEX ledger_grants_month ON ledger_grants (stripe_subscription_id, month_starts_at)
  WHERE stripe_subscription_id IS NOT NULL;
GRANT SELECT ON ledger_grants TO tidemark_server, tidemark_worker;

-- Which transfer was posted under which key. Keys stay when their month is archived, so a late repetition is
-- still recognized.
CREATE TABLE ledger_keys (
  owner_id text NOT NULL,
  idempotency_key text NOT NULL,
  transfer_id bigint NOT NULL,
  -- SHA-256 of what the caller asked for: the same key with another input is a conflict.
  input_hash bytea NOT NULL,
  PRIMARY KEY (owner_id, idempotency_key)
);
-- The key of a usage is unique for its payer, every other key in the whole ledger.
CREATE UNIQUE INDEX ledger_keys_over_owners ON ledger_keys (idempotency_key) WHERE NOT starts_with(idempotency_key, 'usage/');
GRANT SELECT ON ledger_keys TO tidemark_server, tidemark_worker;

-- One movement of credits and its cause.
CREATE TABLE ledger_transfers (
  -- The upper bits are the month of posting, counted from January 2000 (UTC), the lower 40 a number within
  -- it: a partition a month.
  id bigint NOT NULL,
  occurred_at timestamptz NOT NULL,
  posted_at timestamptz NOT NULL,
  intent_id uuid,
  -- The act of support that posted it, by the setting `tidemark.act_id` of its transaction.
  act_id uuid,
  owner_id text NOT NULL,
  idempotency_key text NOT NULL,
  kind transfer_kind NOT NULL,
  input_hash bytea NOT NULL,
  event_id text,
  actor text NOT NULL,
  grant_id text,
  -- Free text can be erased: the text and its salt become NULL, and the digest of the transfer covers their
  -- hash alone.
  reason text,
  reason_salt bytea,
  reason_hash bytea NOT NULL,
  PRIMARY KEY (id, owner_id),
  CHECK ((kind = 'usage') = (grant_id IS NULL))
) PARTITION BY RANGE (id);
CREATE SEQUENCE ledger_transfers_id_seq OWNED BY ledger_transfers.id;
CREATE INDEX ledger_transfers_act ON ledger_transfers (act_id) WHERE act_id IS NOT NULL;
CREATE INDEX ledger_transfers_grant ON ledger_transfers (owner_id, grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX ledger_transfers_occurred ON ledger_transfers USING brin (occurred_at)
  WITH (pages_per_range = 16, autosummarize = on);
GRANT SELECT ON ledger_transfers TO tidemark_server, tidemark_worker;

-- What a transfer does to an account. The entries of a transfer sum to zero.
CREATE TABLE ledger_entries (
  transfer_id bigint NOT NULL,
  -- No foreign key: it would share-lock the row of one house account in every transfer of the whole system.
  account_id bigint NOT NULL,
  amount entry_amount NOT NULL,
  -- House accounts have neither: a running balance that every purchase locks would cap the whole system.
  version bigint,
  balance_after bigint,
  -- Of an entry of the house: the owner of the transfer, so that both lie side by side.
  owner_id text NOT NULL,
  -- Chained to the account's previous entry; see ledger_entry_hash.
  hash bytea NOT NULL,
  PRIMARY KEY (owner_id, account_id, transfer_id)
) PARTITION BY RANGE (transfer_id);
GRANT SELECT ON ledger_entries TO tidemark_server, tidemark_worker;

-- How many plan credits were used in a billing month. Written once, when the month is closed.
CREATE TABLE ledger_months_used (
  stripe_subscription_id text NOT NULL,
  month_starts_at timestamptz NOT NULL,
  owner_kind owner_kind NOT NULL,
  owner_id text NOT NULL,
  used bigint NOT NULL CHECK (used >= 0),
  closed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (owner_id, stripe_subscription_id, month_starts_at),
  UNIQUE (stripe_subscription_id, month_starts_at)
);
GRANT SELECT ON ledger_months_used TO tidemark_server, tidemark_worker;

-- How far ledger:verify has proven the books. Only the owner of the tables reads and writes it.
CREATE TABLE ledger_proofs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  proven_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Every transfer up to this one was read and found right.
  transfer_id bigint NOT NULL CHECK (transfer_id >= 0),
  accounts bigint NOT NULL CHECK (accounts >= 0),
  -- SHA-256 over the latest entry of every owner's account up to that transfer.
  heads_digest bytea NOT NULL CHECK (length(heads_digest) = 32)
);
