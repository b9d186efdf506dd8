CREATE DOMAIN checkout_kind AS text CHECK (VALUE IN ('credit_purchase', 'subscription'));
CREATE DOMAIN checkout_state AS text
  CHECK (VALUE IN ('created', 'open', 'awaiting_payment', 'settled', 'failed', 'expired'));
CREATE DOMAIN checkout_failure_code AS text CHECK (VALUE IN
  ('payment_failed', 'first_payment_failed', 'trial_used', 'terms_mismatch', 'refused_by_stripe', 'no_answer', 'other_mode', 'contradiction'));
CREATE DOMAIN billing_frequency AS text CHECK (VALUE IN ('monthly', 'yearly'));

-- What an order can name. One that was replaced stays: what names it keeps its terms.
CREATE TABLE offers (
  id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null for credits.
  plan_type text REFERENCES plans,
  billing_frequency billing_frequency,
  currency currency NOT NULL,
  -- So many units, 1 seat or 500 credits, bring these credits and cost this price: of a plan, the credits in
  -- each billing month and the price in each period.
  units integer NOT NULL CHECK (units > 0),
  credits integer NOT NULL CHECK (credits > 0),
  price_minor integer NOT NULL CHECK (price_minor > 0),
  trial_days integer NOT NULL CHECK (trial_days >= 0),
  minimum_quantity integer NOT NULL CHECK (minimum_quantity > 0),
  maximum_quantity integer NOT NULL CHECK (maximum_quantity >= minimum_quantity),
  -- The latest of the same plan, period and currency is sold.
  valid_from timestamptz NOT NULL DEFAULT now(),
  CHECK ((plan_type IS NULL) = (billing_frequency IS NULL))
);
CREATE INDEX offers_latest ON offers (plan_type, billing_frequency, currency, valid_from DESC);
GRANT SELECT ON offers TO tidemark_server, tidemark_worker;

-- The account at Stripe to which this database belongs, in each mode.
CREATE TABLE stripe_accounts (
  livemode livemode PRIMARY KEY,
  account_id outside_id NOT NULL
);
GRANT SELECT, INSERT ON stripe_accounts TO tidemark_server, tidemark_worker;

-- Stripe's customer of a payer. One a payer, so that cards, invoices and the portal stay in one place.
CREATE TABLE stripe_customers (
  owner_id owner_id NOT NULL,
  customer_id outside_id NOT NULL UNIQUE,
  livemode livemode NOT NULL,
  PRIMARY KEY (owner_id, livemode)
);
GRANT SELECT, INSERT ON stripe_customers TO tidemark_server;
GRANT UPDATE (customer_id) ON stripe_customers TO tidemark_server;
GRANT SELECT, INSERT ON stripe_customers TO tidemark_worker;

-- A customer that is being made at Stripe: purchases for the same payer at that moment use the same key
-- and parameters, so that one customer is made. Deleted when the customer is stored, or when Stripe refused.
CREATE TABLE customer_creations (
  owner_id owner_id PRIMARY KEY,
  creation_key uuid NOT NULL,
  -- What Stripe is asked for, as JSON: the same key must come with the same parameters.
  params text NOT NULL CHECK (length(params) <= 65536)
);
GRANT SELECT, INSERT, DELETE ON customer_creations TO tidemark_server;
GRANT SELECT, DELETE ON customer_creations TO tidemark_worker;

-- The currency that a payer chose, on the pricing page or where they bought. The currency of a live plan wins.
CREATE TABLE payer_currencies (
  owner_id owner_id PRIMARY KEY,
  currency currency NOT NULL
);
GRANT SELECT, INSERT, UPDATE (currency) ON payer_currencies TO tidemark_server;

-- An order, committed before Stripe is called: an offer and a quantity. A trigger writes the terms that follow
-- from them, whatever the statement says.
CREATE TABLE checkout_intents (
  id uuid PRIMARY KEY,
  offer_id integer NOT NULL REFERENCES offers,
  -- Seats of a plan, else credits.
  quantity integer NOT NULL,
  kind checkout_kind NOT NULL,
  -- Who pays and may watch it land.
  user_id text NOT NULL REFERENCES users (clerk_id),
  -- Who receives it. A Teams plan bought at sign-up makes its organization when it is paid, so there the id
  -- comes later.
  owner_id owner_id,
  -- Bought once, or for a subscription granted every billing month: credits_per_seat times seats.
  credits bigint NOT NULL,
  -- What the checkout costs, or for a subscription one period of it, trial or not.
  amount_minor bigint NOT NULL,
  currency currency NOT NULL,
  plan_type text,
  billing_frequency billing_frequency,
  seats integer,
  credits_per_seat bigint,
  -- Asked for, as far as the offer and the buyer's past allow it.
  trial_days integer NOT NULL DEFAULT 0,
  -- What the buyer calls the organization that a Teams plan creates when it is paid.
  organization_name text,
  -- A Teams plan may take the place of the buyer's own plan: the subscription that ends when it is paid.
  ends_subscription_id text,
  state checkout_state NOT NULL DEFAULT 'created',
  -- Why it failed, for code to decide by; `failure_reason` is the detail for a person. `no_answer` is of one that
  -- is still `created`: whether Stripe has a session is unknown.
  failure_code checkout_failure_code,
  failure_reason text,
  stripe_customer_id text,
  -- What it was paid by: a checkout session, or the invoice of a subscription that was made at Stripe by hand. An
  -- order that an invoice pays was never opened as a checkout.
  stripe_session_id text UNIQUE,
  stripe_invoice_id outside_id,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  -- When it is claimed next, and how often it was.
  next_try_at timestamptz NOT NULL DEFAULT now(),
  claims integer NOT NULL DEFAULT 0,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  unavailable_since timestamptz,
  -- What Stripe was asked for, without the customer: the same idempotency key must come with the same
  -- parameters, also when another version of ours repeats the call. Null for credits, whose checkout is never
  -- opened again.
  session_params text,
  livemode livemode NOT NULL,
  -- The condition of the indexes below. With a condition on the state, Postgres would look up one intent by
  -- its id and state among all unfinished ones whenever its statistics say that there are none.
  is_unfinished boolean NOT NULL GENERATED ALWAYS AS (state IN ('created', 'open', 'awaiting_payment')) STORED,
  CONSTRAINT checkout_intents_settled CHECK ((state = 'settled') = (settled_at IS NOT NULL)),
  CONSTRAINT checkout_intents_source CHECK (CASE state
    WHEN 'settled' THEN num_nonnulls(stripe_session_id, stripe_invoice_id) = 1
    WHEN 'open' THEN stripe_session_id IS NOT NULL
    ELSE true
  END),
  CONSTRAINT checkout_intents_organization_name CHECK (organization_name IS NULL
    OR starts_with(owner_id, 'org_') IS NOT FALSE AND kind = 'subscription' AND length(organization_name) BETWEEN 1 AND 100),
  CONSTRAINT checkout_intents_ends_subscription
    CHECK (ends_subscription_id IS NULL OR kind = 'subscription' AND starts_with(owner_id, 'org_') IS NOT FALSE)
) WITH (
  -- Free space for HOT updates saves a sixth of the WAL.
  fillfactor = 50,
  -- Claims scan the dead entries at the start of the index of due rows until vacuum removes them.
  autovacuum_vacuum_scale_factor = 0.01,
  vacuum_index_cleanup = on
);
CREATE INDEX checkout_intents_due ON checkout_intents (next_try_at) WHERE is_unfinished;
CREATE INDEX checkout_intents_away ON checkout_intents (unavailable_since) WHERE is_unfinished AND unavailable_since IS NOT NULL;
-- For support's list of work. What was refused and cost nothing needs no person.
CREATE INDEX checkout_intents_failed ON checkout_intents (created_at)
  WHERE state = 'failed' AND stripe_session_id IS NOT NULL
    AND (failure_code IS NULL OR failure_code NOT IN ('payment_failed', 'first_payment_failed', 'trial_used'));
CREATE INDEX checkout_intents_stuck ON checkout_intents (created_at) WHERE is_unfinished AND last_error IS NOT NULL;
-- One open checkout of a plan for each receiver: the owner, or the buyer while the organization does not
-- exist.
CREATE UNIQUE INDEX checkout_intents_one_subscription ON checkout_intents (coalesce(owner_id, user_id), livemode)
  WHERE kind = 'subscription' AND is_unfinished;
CREATE INDEX checkout_intents_organization ON checkout_intents (owner_id, created_at DESC);
CREATE UNIQUE INDEX checkout_intents_invoice ON checkout_intents (stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;
CREATE UNIQUE INDEX checkout_intents_owner ON checkout_intents (owner_id, id);
CREATE INDEX checkout_intents_user ON checkout_intents (user_id, created_at DESC);
CREATE FUNCTION checkout_intents_terms() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER checkout_intents_terms BEFORE INSERT ON checkout_intents FOR EACH ROW EXECUTE FUNCTION checkout_intents_terms();
CREATE FUNCTION checkout_intents_guard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE TRIGGER checkout_intents_guard BEFORE UPDATE ON checkout_intents FOR EACH ROW EXECUTE FUNCTION checkout_intents_guard();
GRANT SELECT ON checkout_intents TO tidemark_server;
GRANT INSERT (id, offer_id, quantity, user_id, owner_id, trial_days, organization_name, ends_subscription_id,
  created_at, next_try_at) ON checkout_intents TO tidemark_server;
GRANT UPDATE (state, failure_code, failure_reason, stripe_customer_id, stripe_session_id, session_params, updated_at) ON checkout_intents TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON checkout_intents TO tidemark_worker;
