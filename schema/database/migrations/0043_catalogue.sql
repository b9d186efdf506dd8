-- The catalogue as it is and was (schema/catalogue). Only the migrator writes these tables, and it only adds.
CREATE TABLE plans (
  plan_type text PRIMARY KEY CHECK (length(plan_type) BETWEEN 1 AND 32)
);

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
GRANT SELECT ON plans, offers TO tidemark_server, tidemark_worker;

-- An order names an offer and a quantity; its trigger writes the terms that follow.
ALTER TABLE checkout_intents
  DROP CONSTRAINT checkout_intents_terms,
  ADD COLUMN offer_id integer NOT NULL REFERENCES offers,
  ADD COLUMN quantity integer NOT NULL,
  ALTER COLUMN credits TYPE bigint,
  ALTER COLUMN amount_minor TYPE bigint,
  ALTER COLUMN plan_type TYPE text,
  ALTER COLUMN seats TYPE integer,
  ALTER COLUMN credits_per_seat TYPE bigint,
  ALTER COLUMN trial_days TYPE integer;
REVOKE INSERT (kind, credits, amount_minor, currency, plan_type, billing_frequency, seats, credits_per_seat)
  ON checkout_intents FROM tidemark_server;
GRANT INSERT (offer_id, quantity) ON checkout_intents TO tidemark_server;

ALTER TABLE users DROP CONSTRAINT users_plan_type_check, ADD FOREIGN KEY (plan_type) REFERENCES plans;
ALTER TABLE subscriptions ALTER COLUMN plan_type TYPE text, ADD FOREIGN KEY (plan_type) REFERENCES plans;
DROP DOMAIN paid_plan, seat_count, trial_days, positive_amount;
-- Made of the terms, so after them.
REVOKE INSERT (session_params) ON checkout_intents FROM tidemark_server;
GRANT UPDATE (session_params) ON checkout_intents TO tidemark_server;
