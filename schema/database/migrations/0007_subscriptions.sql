-- What Stripe said of each subscription when it was last fetched, and when it is fetched again.
CREATE TABLE subscriptions (
  stripe_subscription_id text NOT NULL,
  intent_id uuid NOT NULL,
  -- Who bought it.
  user_id text NOT NULL REFERENCES users (clerk_id),
  owner_kind owner_kind NOT NULL,
  owner_id text NOT NULL,
  plan_type paid_plan NOT NULL,
  billing_frequency billing_frequency NOT NULL,
  currency currency NOT NULL,
  -- The terms of its checkout.
  credits_per_seat bigint NOT NULL CHECK (credits_per_seat > 0),
  status text NOT NULL
    CHECK (status IN ('incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused')),
  seats_total integer NOT NULL CHECK (seats_total >= 1),
  current_period_start timestamptz NOT NULL,
  current_period_end timestamptz NOT NULL,
  trial_end timestamptz,
  -- When it will end, if it was cancelled; when it did.
  cancel_at timestamptz,
  ended_at timestamptz,
  snapshot_order bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When it is to be looked at without an event: a new billing month of a yearly plan, or once a week.
  next_try_at timestamptz NOT NULL,
  claims integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  unavailable_since timestamptz,
  sync_failed_at timestamptz,
  scheduled_seats integer CHECK (scheduled_seats >= 1),
  scheduled_at timestamptz,
  livemode livemode NOT NULL,
  PRIMARY KEY (owner_id, stripe_subscription_id),
  UNIQUE (owner_id, intent_id),
  FOREIGN KEY (owner_id, intent_id) REFERENCES checkout_intents (owner_id, id),
  CHECK (((status = 'canceled') = (ended_at IS NOT NULL)) OR (status = 'incomplete_expired')),
  CHECK (sync_failed_at IS NULL OR last_error IS NOT NULL),
  CHECK ((scheduled_seats IS NULL) = (scheduled_at IS NULL))
);
CREATE INDEX subscriptions_id ON subscriptions (stripe_subscription_id);
CREATE INDEX subscriptions_intent ON subscriptions (intent_id);
CREATE UNIQUE INDEX subscriptions_one_live ON subscriptions (owner_kind, owner_id, livemode)
  WHERE status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused');
CREATE INDEX subscriptions_owner ON subscriptions (owner_kind, owner_id, created_at);
CREATE INDEX subscriptions_stuck ON subscriptions (created_at)
  WHERE status NOT IN ('canceled', 'incomplete_expired') AND sync_failed_at IS NULL AND last_error IS NOT NULL;
CREATE INDEX subscriptions_due ON subscriptions (next_try_at)
  WHERE status NOT IN ('canceled', 'incomplete_expired') AND sync_failed_at IS NULL;
CREATE INDEX subscriptions_sync_failed ON subscriptions (sync_failed_at) WHERE sync_failed_at IS NOT NULL;
CREATE INDEX subscriptions_user ON subscriptions (user_id);
GRANT SELECT ON subscriptions TO tidemark_server;
GRANT UPDATE (updated_at) ON subscriptions TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON subscriptions TO tidemark_worker;

-- The lines of paid invoices that bring credits: a period with its seats, or a change of seats within one.
CREATE TABLE paid_invoice_lines (
  stripe_invoice_id text NOT NULL,
  stripe_subscription_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('period', 'seats')),
  -- The period's start, or the moment of the change.
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  seats_before integer CHECK (seats_before >= 0),
  seats integer NOT NULL CHECK (seats >= 1),
  amount_paid_minor bigint NOT NULL CHECK (amount_paid_minor >= 0),
  paid_at timestamptz NOT NULL,
  total_minor bigint NOT NULL,
  amount_minor bigint NOT NULL,
  owner_kind owner_kind NOT NULL,
  owner_id text NOT NULL,
  PRIMARY KEY (owner_id, stripe_invoice_id, kind, starts_at),
  FOREIGN KEY (owner_id, stripe_subscription_id) REFERENCES subscriptions (owner_id, stripe_subscription_id),
  CONSTRAINT paid_invoice_lines_seats_before CHECK (kind = 'seats' OR seats_before IS NULL),
  CHECK (starts_at < ends_at)
);
CREATE INDEX paid_invoice_lines_invoice ON paid_invoice_lines (stripe_invoice_id);
CREATE INDEX paid_invoice_lines_paid ON paid_invoice_lines (paid_at);
CREATE INDEX paid_invoice_lines_subscription ON paid_invoice_lines (owner_id, stripe_subscription_id, starts_at);
GRANT SELECT ON paid_invoice_lines TO tidemark_server;
GRANT SELECT, INSERT ON paid_invoice_lines TO tidemark_worker;

-- What a charge took, and what of it went back. `refunded_minor` and `disputed_minor` change, the rest does
-- not.
CREATE TABLE charges (
  stripe_charge_id text NOT NULL CHECK (length(stripe_charge_id) BETWEEN 1 AND 255),
  -- What it paid for: a purchase of credits, or an invoice.
  intent_id uuid,
  stripe_invoice_id text,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  refunded_minor bigint NOT NULL CHECK (refunded_minor >= 0),
  -- Held by disputes that are open or lost.
  disputed_minor bigint NOT NULL CHECK (disputed_minor >= 0),
  snapshot_order bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  livemode livemode NOT NULL,
  owner_kind owner_kind NOT NULL,
  owner_id text NOT NULL,
  PRIMARY KEY (owner_id, stripe_charge_id),
  FOREIGN KEY (owner_id, intent_id) REFERENCES checkout_intents (owner_id, id),
  CHECK ((intent_id IS NULL) <> (stripe_invoice_id IS NULL))
);
CREATE INDEX charges_id ON charges (stripe_charge_id);
CREATE INDEX charges_intent ON charges (owner_id, intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX charges_invoice ON charges (owner_id, stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;
GRANT SELECT ON charges TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON charges TO tidemark_worker;

-- What changed our balance at Stripe, as Stripe has it for its accounts. Never changes.
CREATE TABLE balance_transactions (
  stripe_balance_transaction_id text PRIMARY KEY CHECK (length(stripe_balance_transaction_id) BETWEEN 1 AND 255),
  livemode livemode NOT NULL,
  created_at timestamptz NOT NULL,
  -- Stripe's `reporting_category`.
  category text NOT NULL,
  -- In the currency that the balance is kept in: gross = net + fee.
  amount_minor bigint NOT NULL,
  fee_minor bigint NOT NULL,
  net_minor bigint NOT NULL,
  currency text NOT NULL CHECK (length(currency) = 3),
  source_id text,
  charge_id text,
  -- What the customer paid or got back, signed, in the currency of the payment; null for what no customer had
  -- a part in.
  paid_minor bigint,
  paid_currency text CHECK (length(paid_currency) = 3),
  -- What was paid for: one of the two, or neither when it is not ours.
  intent_id uuid,
  stripe_invoice_id text,
  CHECK ((paid_minor IS NULL) = (paid_currency IS NULL)),
  CHECK (intent_id IS NULL OR stripe_invoice_id IS NULL)
);
CREATE INDEX balance_transactions_charge ON balance_transactions (charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX balance_transactions_created ON balance_transactions (created_at);
CREATE INDEX balance_transactions_intent ON balance_transactions (intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX balance_transactions_invoice ON balance_transactions (stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;
GRANT SELECT ON balance_transactions TO tidemark_server;
GRANT SELECT, INSERT ON balance_transactions TO tidemark_worker;
