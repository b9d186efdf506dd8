-- Stripe has two worlds, test mode and live mode: what exists in one does not exist in the other. A database that was used with test
-- keys may later be used with live ones (decision 073), so what is of one mode is kept apart from what is of the other.

-- The mode of the session: whoever connects says it by the setting `tidemark.livemode`, from the kind of the Stripe key.
CREATE FUNCTION stripe_livemode() RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE AS
  $$ SELECT coalesce(nullif(current_setting('tidemark.livemode', true), ''), 'off')::boolean $$;
GRANT EXECUTE ON FUNCTION stripe_livemode() TO tidemark_server, tidemark_worker;

ALTER TABLE checkout_intents ADD COLUMN livemode boolean NOT NULL DEFAULT stripe_livemode();
ALTER TABLE subscriptions ADD COLUMN livemode boolean NOT NULL DEFAULT stripe_livemode();
ALTER TABLE charges ADD COLUMN livemode boolean NOT NULL DEFAULT stripe_livemode();
ALTER TABLE stripe_customers ADD COLUMN livemode boolean NOT NULL DEFAULT stripe_livemode();

-- A session's id begins with `cs_test_` or `cs_live_`; what there is already says by it which mode it is of.
UPDATE checkout_intents SET livemode = coalesce(stripe_session_id LIKE 'cs\_live\_%', false);
UPDATE subscriptions s SET livemode = i.livemode FROM checkout_intents i WHERE i.id = s.intent_id;
UPDATE charges c SET livemode = i.livemode FROM checkout_intents i WHERE i.id = c.intent_id;
UPDATE charges c SET livemode = s.livemode
  FROM paid_invoice_lines l JOIN subscriptions s USING (stripe_subscription_id)
  WHERE l.stripe_invoice_id = c.stripe_invoice_id;
UPDATE stripe_customers c SET livemode = EXISTS (
  SELECT FROM checkout_intents i WHERE i.stripe_customer_id = c.customer_id AND i.livemode);

ALTER TABLE stripe_customers DROP CONSTRAINT stripe_customers_pkey, ADD PRIMARY KEY (owner_kind, owner_id, livemode);
DROP INDEX checkout_intents_one_subscription;
CREATE UNIQUE INDEX checkout_intents_one_subscription ON checkout_intents (coalesce(owner_id, user_id), livemode)
  WHERE kind = 'subscription' AND state IN ('created', 'open', 'awaiting_payment');
DROP INDEX subscriptions_one_live;
CREATE UNIQUE INDEX subscriptions_one_live ON subscriptions (owner_kind, owner_id, livemode)
  WHERE status IN ('trialing', 'active', 'past_due', 'unpaid', 'paused');
