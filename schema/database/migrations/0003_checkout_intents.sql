-- What somebody set out to buy, written down before Stripe hears of it. Credits, amount and currency are the promise made at
-- that moment: a later change of the catalogue does not touch them.
CREATE TABLE checkout_intents (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('credit_purchase', 'subscription')),
  -- Who pays and may watch it land.
  user_id text NOT NULL REFERENCES users (clerk_id),
  -- Who receives it. A Teams plan bought at sign-up makes its organization when it is paid, so there the id comes later.
  owner_kind text NOT NULL CHECK (owner_kind IN ('user', 'organization')),
  owner_id text,
  -- Bought once, or for a subscription granted every billing month: credits_per_seat times seats.
  credits bigint NOT NULL CHECK (credits > 0),
  -- What the checkout costs, or for a subscription one period of it, trial or not.
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  currency text NOT NULL CHECK (currency IN ('EUR', 'USD', 'GBP')),
  plan_type text CHECK (plan_type IN ('pro', 'teams')),
  billing_frequency text CHECK (billing_frequency IN ('monthly', 'yearly')),
  seats integer CHECK (seats BETWEEN 1 AND 100),
  credits_per_seat bigint CHECK (credits_per_seat > 0),
  trial_days integer NOT NULL DEFAULT 0 CHECK (trial_days >= 0),
  state text NOT NULL DEFAULT 'created'
    CHECK (state IN ('created', 'open', 'awaiting_payment', 'settled', 'failed', 'expired')),
  failure_reason text,
  stripe_customer_id text,
  stripe_session_id text UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  -- When the sweep looks at it next, and how often it has.
  sweep_at timestamptz NOT NULL DEFAULT now(),
  sweeps integer NOT NULL DEFAULT 0,
  CHECK (owner_id IS NOT NULL OR (kind = 'subscription' AND owner_kind = 'organization')),
  CHECK ((kind = 'subscription') = (plan_type IS NOT NULL)),
  CHECK ((kind = 'subscription') = (billing_frequency IS NOT NULL)),
  CHECK ((kind = 'subscription') = (seats IS NOT NULL)),
  CHECK ((kind = 'subscription') = (credits_per_seat IS NOT NULL)),
  CHECK (kind <> 'subscription' OR credits = credits_per_seat * seats),
  CHECK ((state = 'settled') = (settled_at IS NOT NULL)),
  CHECK (state <> 'settled' OR stripe_session_id IS NOT NULL),
  CHECK (state <> 'open' OR stripe_session_id IS NOT NULL)
);

CREATE INDEX checkout_intents_sweep ON checkout_intents (sweep_at)
  WHERE state IN ('created', 'open', 'awaiting_payment');
CREATE INDEX checkout_intents_user ON checkout_intents (user_id, created_at DESC);

-- One checkout of a plan at a time for whoever is to receive it: two open pages could both be paid.
CREATE UNIQUE INDEX checkout_intents_one_subscription ON checkout_intents (coalesce(owner_id, user_id))
  WHERE kind = 'subscription' AND state IN ('created', 'open', 'awaiting_payment');

-- What was promised may not change afterwards, and a settled intent stays settled: money that came in is never forgotten.
CREATE FUNCTION checkout_intents_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.kind, NEW.user_id, NEW.owner_kind, NEW.credits, NEW.amount_minor, NEW.currency, NEW.plan_type,
      NEW.billing_frequency, NEW.seats, NEW.credits_per_seat, NEW.trial_days)
     IS DISTINCT FROM
     (OLD.id, OLD.kind, OLD.user_id, OLD.owner_kind, OLD.credits, OLD.amount_minor, OLD.currency, OLD.plan_type,
      OLD.billing_frequency, OLD.seats, OLD.credits_per_seat, OLD.trial_days)
     OR (OLD.owner_id IS NOT NULL AND NEW.owner_id IS DISTINCT FROM OLD.owner_id) THEN
    RAISE EXCEPTION 'What checkout intent % promises may not change', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'settled' AND NEW.state <> 'settled' THEN
    RAISE EXCEPTION 'Checkout intent % is settled and stays so', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.stripe_session_id IS NOT NULL AND NEW.stripe_session_id IS DISTINCT FROM OLD.stripe_session_id THEN
    RAISE EXCEPTION 'Checkout intent % belongs to another session', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

CREATE TRIGGER checkout_intents_guard BEFORE UPDATE ON checkout_intents
  FOR EACH ROW EXECUTE FUNCTION checkout_intents_guard();

GRANT SELECT, INSERT ON checkout_intents TO tidemark_server;
GRANT UPDATE (state, failure_reason, stripe_customer_id, stripe_session_id, updated_at) ON checkout_intents TO tidemark_server;
GRANT SELECT, UPDATE ON checkout_intents TO tidemark_worker;
