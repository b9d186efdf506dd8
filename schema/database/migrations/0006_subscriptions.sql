-- Stripe's subscriptions as we last saw them. Everything but the promise (credits_per_seat) is Stripe's to say and is fetched
-- again at every event; `fetch_order` keeps an older look from replacing a newer one.
CREATE SEQUENCE stripe_fetches;

CREATE TABLE subscriptions (
  stripe_subscription_id text PRIMARY KEY,
  intent_id uuid NOT NULL UNIQUE REFERENCES checkout_intents (id),
  -- Who bought it.
  user_id text NOT NULL REFERENCES users (clerk_id),
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  owner_id text NOT NULL,
  plan_type text NOT NULL CHECK (plan_type IN ('pro', 'teams')),
  billing_frequency text NOT NULL CHECK (billing_frequency IN ('monthly', 'yearly')),
  currency text NOT NULL CHECK (currency IN ('EUR', 'USD', 'GBP')),
  -- What was promised when it was bought.
  credits_per_seat bigint NOT NULL CHECK (credits_per_seat > 0),
  status text NOT NULL CHECK (status IN (
    'incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused')),
  seats_total integer NOT NULL CHECK (seats_total >= 1),
  current_period_start timestamptz NOT NULL,
  current_period_end timestamptz NOT NULL,
  trial_end timestamptz,
  -- When it will end, if somebody cancelled it; when it did.
  cancel_at timestamptz,
  ended_at timestamptz,
  fetch_order bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- When it is to be looked at without an event: a new billing month of a yearly plan, or once a day.
  sweep_at timestamptz NOT NULL,
  sweeps integer NOT NULL DEFAULT 0,
  CHECK ((status = 'canceled') = (ended_at IS NOT NULL) OR status = 'incomplete_expired')
);

CREATE UNIQUE INDEX subscriptions_one_live ON subscriptions (owner_kind, owner_id)
  WHERE status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused');
CREATE INDEX subscriptions_sweep ON subscriptions (sweep_at)
  WHERE status NOT IN ('canceled', 'incomplete_expired');

-- What paid invoices paid for, which cannot change any more: a period with its seats, or seats added in the middle of one.
CREATE TABLE subscription_invoices (
  stripe_invoice_id text NOT NULL,
  stripe_subscription_id text NOT NULL REFERENCES subscriptions (stripe_subscription_id),
  kind text NOT NULL CHECK (kind IN ('period', 'seats')),
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  seats_before integer CHECK (seats_before >= 0),
  seats integer NOT NULL CHECK (seats >= 1),
  amount_paid_minor bigint NOT NULL CHECK (amount_paid_minor >= 0),
  paid_at timestamptz NOT NULL,
  PRIMARY KEY (stripe_invoice_id, kind, starts_at),
  CHECK (starts_at < ends_at),
  CHECK ((kind = 'seats') = (seats_before IS NOT NULL))
);

CREATE INDEX subscription_invoices_subscription ON subscription_invoices (stripe_subscription_id, starts_at);

-- The billing months that credits were granted for: one row, one grant.
CREATE TABLE subscription_months (
  stripe_subscription_id text NOT NULL REFERENCES subscriptions (stripe_subscription_id),
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  stripe_invoice_id text NOT NULL,
  seats integer NOT NULL CHECK (seats >= 1),
  credits bigint NOT NULL CHECK (credits >= 0),
  -- Granted later in the month for seats that were added.
  seat_credits bigint NOT NULL DEFAULT 0 CHECK (seat_credits >= 0),
  -- Set when the month is over: what of its credits was not used, expired or taken back as it may be.
  unused bigint CHECK (unused >= 0),
  PRIMARY KEY (stripe_subscription_id, starts_at),
  CHECK (starts_at < ends_at)
);

-- What was taken back of what one charge had brought, by refunds and disputes. Never more than `credits_granted`.
CREATE TABLE clawbacks (
  stripe_charge_id text PRIMARY KEY,
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  owner_id text NOT NULL,
  account text NOT NULL CHECK (account IN ('plan', 'purchased')),
  intent_id uuid REFERENCES checkout_intents (id),
  stripe_invoice_id text,
  -- What the charge took, and what of it went back or is in dispute, in minor units.
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  amount_returned_minor bigint NOT NULL CHECK (amount_returned_minor >= 0),
  credits_granted bigint NOT NULL CHECK (credits_granted >= 0),
  -- The billing month that brought them, for a subscription's charge.
  stripe_subscription_id text,
  month_starts_at timestamptz,
  credits_refunded bigint NOT NULL DEFAULT 0 CHECK (credits_refunded >= 0),
  credits_disputed bigint NOT NULL DEFAULT 0 CHECK (credits_disputed >= 0),
  -- What the ledger really took: less when some had expired unused before, more when a dispute was won too late to give back.
  credits_taken bigint NOT NULL DEFAULT 0 CHECK (credits_taken >= 0),
  -- Numbers the transfers, because a refund that fails and one that follows may take the same credits twice.
  transfers integer NOT NULL DEFAULT 0,
  fetch_order bigint NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK (credits_refunded + credits_disputed <= credits_granted),
  CHECK (credits_taken <= credits_granted),
  CHECK ((intent_id IS NULL) <> (stripe_invoice_id IS NULL)),
  CHECK ((month_starts_at IS NULL) OR (stripe_subscription_id IS NOT NULL))
);

CREATE INDEX clawbacks_invoice ON clawbacks (stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;

GRANT SELECT ON subscriptions, subscription_invoices, subscription_months, clawbacks TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON subscriptions, subscription_months, clawbacks TO tidemark_worker;
GRANT SELECT, INSERT ON subscription_invoices TO tidemark_worker;
GRANT USAGE ON SEQUENCE stripe_fetches TO tidemark_worker;
GRANT INSERT ON stripe_customers TO tidemark_worker;
