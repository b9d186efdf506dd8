-- What Stripe said of each subscription when it was last fetched, and when it is fetched again.
CREATE TABLE subscriptions (
  stripe_subscription_id text NOT NULL,
  intent_id uuid NOT NULL,
  -- Who bought it.
  user_id text NOT NULL REFERENCES users (clerk_id),
  owner_id owner_id NOT NULL,
  plan_type text NOT NULL REFERENCES plans,
  billing_frequency billing_frequency NOT NULL,
  currency currency NOT NULL,
  -- The terms of its checkout.
  credits_per_seat bigint NOT NULL CHECK (credits_per_seat > 0),
  status text NOT NULL
    CHECK (status IN ('incomplete', 'incomplete_expired', 'trialing', 'active', 'past_due', 'canceled', 'unpaid', 'paused')),
  seats_total integer NOT NULL CHECK (seats_total >= 0),
  current_period_start timestamptz NOT NULL,
  current_period_end timestamptz NOT NULL,
  trial_end timestamptz,
  -- When it will end, if it was cancelled; when it did.
  cancel_at timestamptz,
  ended_at timestamptz,
  -- From when on nothing is paid and Stripe plans no charge: its plan brings no credits.
  lapses_at timestamptz,
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
  -- A change of the seats or of the billing period that waits for the next period.
  scheduled_seats integer CHECK (scheduled_seats >= 0),
  scheduled_frequency text CHECK (scheduled_frequency IN ('monthly', 'yearly')),
  scheduled_at timestamptz,
  livemode livemode NOT NULL,
  -- Changes of seats, and periods that were cut, of which the amount waits for an invoice or its payment.
  pending_lines jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(pending_lines) = 'array'),
  -- The open invoice: its id, the page at Stripe on which it is paid, whether that payment waits for its customer to
  -- confirm it with their bank (3D Secure), what is to be paid, why the bank refused it and when, and when Stripe
  -- tries again.
  unpaid_invoice_id text,
  unpaid_invoice_url text,
  needs_confirmation boolean NOT NULL DEFAULT false,
  unpaid_minor bigint CHECK (unpaid_minor >= 0),
  unpaid_decline_code text,
  unpaid_declined_at timestamptz,
  unpaid_next_attempt_at timestamptz,
  -- Stripe cannot work out the tax: there is no address. Renewals go out without tax, or wait as drafts.
  lacks_tax_location boolean NOT NULL DEFAULT false,
  -- What the customer pays now, which is no longer the price of the checkout when the period was changed. Null for
  -- a price without a fixed number.
  price_minor integer CHECK (price_minor >= 0),
  -- The order that took its place, what is given back for its unused part once it has ended, and Stripe's refund
  -- of that. A plan that has ended is finished only then.
  replaced_by uuid,
  unused_refund_minor bigint CHECK (unused_refund_minor >= 0),
  unused_refund_invoice text,
  unused_refund_id text,
  -- The condition of indexes, as of checkout_intents.
  is_unfinished boolean NOT NULL GENERATED ALWAYS AS (
    status NOT IN ('canceled', 'incomplete_expired')
    -- What Teams gives back of it is not decided, or not refunded yet.
    OR replaced_by IS NOT NULL AND unused_refund_id IS NULL AND coalesce(unused_refund_minor, 1) > 0) STORED,
  PRIMARY KEY (owner_id, stripe_subscription_id),
  UNIQUE (owner_id, intent_id),
  FOREIGN KEY (owner_id, intent_id) REFERENCES checkout_intents (owner_id, id),
  CHECK (((status = 'canceled') = (ended_at IS NOT NULL)) OR (status = 'incomplete_expired')),
  CHECK (sync_failed_at IS NULL OR last_error IS NOT NULL),
  CHECK ((scheduled_seats IS NULL) = (scheduled_at IS NULL)),
  CONSTRAINT subscriptions_scheduled_frequency_has_a_moment CHECK ((scheduled_frequency IS NULL) = (scheduled_at IS NULL)),
  CONSTRAINT subscriptions_unused_refund CHECK (
    (unused_refund_minor IS NULL OR replaced_by IS NOT NULL AND ended_at IS NOT NULL)
    AND (unused_refund_minor IS NULL OR unused_refund_minor = 0 OR unused_refund_invoice IS NOT NULL)
    AND (unused_refund_id IS NULL OR unused_refund_minor > 0))
);
CREATE INDEX subscriptions_id ON subscriptions (stripe_subscription_id);
CREATE INDEX subscriptions_intent ON subscriptions (intent_id);
CREATE UNIQUE INDEX subscriptions_one_live ON subscriptions (owner_id, livemode)
  WHERE status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused');
CREATE INDEX subscriptions_owner ON subscriptions (owner_id, created_at);
CREATE INDEX subscriptions_stuck ON subscriptions (created_at)
  WHERE is_unfinished AND sync_failed_at IS NULL AND last_error IS NOT NULL;
CREATE INDEX subscriptions_due ON subscriptions (next_try_at)
  WHERE is_unfinished AND sync_failed_at IS NULL;
CREATE INDEX subscriptions_away ON subscriptions (unavailable_since) WHERE is_unfinished AND unavailable_since IS NOT NULL;
CREATE INDEX subscriptions_sync_failed ON subscriptions (sync_failed_at) WHERE sync_failed_at IS NOT NULL;
CREATE INDEX subscriptions_unpaid ON subscriptions (unpaid_invoice_id) WHERE unpaid_invoice_id IS NOT NULL;
CREATE INDEX subscriptions_user ON subscriptions (user_id);
GRANT SELECT ON subscriptions TO tidemark_server;
GRANT UPDATE (updated_at) ON subscriptions TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON subscriptions TO tidemark_worker;

-- The lines of paid invoices that bring credits: a period with its seats, or a change of seats within one; or that
-- cut a period, because money for the rest of it went back.
CREATE TABLE paid_invoice_lines (
  stripe_invoice_id text NOT NULL,
  stripe_subscription_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('period', 'seats', 'cut')),
  -- The period's start, or the moment of the change.
  starts_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  seats_before integer CHECK (seats_before >= 0),
  seats integer NOT NULL CHECK (seats >= 0),
  amount_paid_minor bigint NOT NULL CHECK (amount_paid_minor >= 0),
  paid_at timestamptz NOT NULL,
  total_minor bigint NOT NULL,
  amount_minor bigint NOT NULL,
  owner_id owner_id NOT NULL,
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
-- A line that was read with another item's seats is corrected by the next snapshot.
GRANT UPDATE (ends_at, seats, seats_before, amount_minor) ON paid_invoice_lines TO tidemark_worker;

-- What a charge took, and what of it went back.
CREATE TYPE dispute_state AS ENUM ('open', 'won', 'lost');
CREATE TABLE charges (
  stripe_charge_id text NOT NULL CHECK (length(stripe_charge_id) BETWEEN 1 AND 255),
  -- What it paid for: a purchase of credits, or an invoice.
  intent_id uuid,
  stripe_invoice_id text,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  refunded_minor bigint NOT NULL CHECK (refunded_minor >= 0),
  -- Held by disputes that are open or lost.
  disputed_minor bigint NOT NULL CHECK (disputed_minor >= 0),
  -- Of what was refunded, what was given back for the unused part of a plan, which takes no credits back, and what
  -- had been refunded before that: a later refund is one of a lower price.
  unused_refund_minor bigint NOT NULL DEFAULT 0 CHECK (unused_refund_minor >= 0),
  refunded_before_minor bigint NOT NULL DEFAULT 0 CHECK (refunded_before_minor >= 0),
  -- What became of the disputes: people are told "lost" and not for ever "held".
  dispute_state dispute_state,
  -- When we first saw it; Stripe does not say when a dispute was closed.
  dispute_state_at timestamptz,
  -- Until when Stripe takes evidence.
  dispute_due_at timestamptz,
  snapshot_order bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  livemode livemode NOT NULL,
  owner_id owner_id NOT NULL,
  PRIMARY KEY (owner_id, stripe_charge_id),
  FOREIGN KEY (owner_id, intent_id) REFERENCES checkout_intents (owner_id, id),
  CHECK ((intent_id IS NULL) <> (stripe_invoice_id IS NULL)),
  CONSTRAINT charges_dispute CHECK ((dispute_state IS NULL) = (dispute_state_at IS NULL)),
  CONSTRAINT charges_unused_refund CHECK (unused_refund_minor + refunded_before_minor <= refunded_minor)
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
