-- Whether a user has ever bought a plan, for themselves or for an organization: trials are for people who never
-- have.
CREATE OR REPLACE FUNCTION has_ever_subscribed(buyer text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM checkout_intents
      WHERE user_id = buyer AND kind = 'subscription' AND state = 'settled' AND livemode = stripe_livemode())
    OR EXISTS (SELECT FROM subscriptions WHERE user_id = buyer AND livemode = stripe_livemode())
$$;

-- What an order costs and brings follows from the offer that it names, whatever the statement says. It may only
-- ask for less of a trial. The server orders what is sold now; the worker also orders what an owner was promised
-- before.
CREATE OR REPLACE FUNCTION checkout_intents_terms() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  offer offers;
BEGIN
  SELECT * INTO offer FROM offers WHERE id = NEW.offer_id;
  IF NEW.quantity NOT BETWEEN offer.minimum_quantity AND offer.maximum_quantity THEN
    RAISE EXCEPTION 'Offer % is not sold % times', offer.id, NEW.quantity USING ERRCODE = 'check_violation';
  END IF;
  -- Only a plan that is sold by the seat makes its organization when it is paid.
  IF NEW.owner_id IS NULL AND (offer.plan_type IS NULL OR offer.maximum_quantity = 1) THEN
    RAISE EXCEPTION 'Offer % needs a receiver', offer.id USING ERRCODE = 'check_violation', CONSTRAINT = 'checkout_intents_recipient';
  END IF;
  IF NOT pg_has_role('tidemark_worker', 'MEMBER') AND EXISTS (SELECT FROM offers later
      WHERE (later.plan_type, later.billing_frequency) IS NOT DISTINCT FROM (offer.plan_type, offer.billing_frequency)
        AND later.currency = offer.currency AND later.valid_from > offer.valid_from) THEN
    RAISE EXCEPTION 'Offer % is not sold any more', offer.id USING ERRCODE = 'check_violation';
  END IF;
  NEW.kind := CASE WHEN offer.plan_type IS NULL THEN 'credit_purchase' ELSE 'subscription' END;
  NEW.currency := offer.currency;
  NEW.credits := NEW.quantity * offer.credits / offer.units;
  NEW.amount_minor := round(NEW.quantity * offer.price_minor::numeric / offer.units);
  NEW.plan_type := offer.plan_type;
  NEW.billing_frequency := offer.billing_frequency;
  NEW.seats := CASE WHEN offer.plan_type IS NOT NULL THEN NEW.quantity END;
  NEW.credits_per_seat := CASE WHEN offer.plan_type IS NOT NULL THEN offer.credits END;
  NEW.trial_days := CASE WHEN has_ever_subscribed(NEW.user_id) THEN 0 ELSE greatest(0, least(NEW.trial_days, offer.trial_days)) END;
  RETURN NEW;
END
$$;

-- The terms of a checkout intent never change, a settled intent stays settled, and a session stays with its
-- intent.
CREATE OR REPLACE FUNCTION checkout_intents_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.offer_id, NEW.quantity, NEW.kind, NEW.user_id, NEW.credits, NEW.amount_minor,
      NEW.currency, NEW.plan_type, NEW.billing_frequency, NEW.seats, NEW.credits_per_seat, NEW.trial_days, NEW.organization_name)
     IS DISTINCT FROM
     (OLD.id, OLD.offer_id, OLD.quantity, OLD.kind, OLD.user_id, OLD.credits, OLD.amount_minor,
      OLD.currency, OLD.plan_type, OLD.billing_frequency, OLD.seats, OLD.credits_per_seat, OLD.trial_days, OLD.organization_name)
     OR (OLD.owner_id IS NOT NULL AND NEW.owner_id IS DISTINCT FROM OLD.owner_id)
     OR (OLD.session_params IS NOT NULL AND NEW.session_params IS DISTINCT FROM OLD.session_params) THEN
    RAISE EXCEPTION 'The terms of checkout intent % cannot change', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.state = 'settled' AND NEW.state <> 'settled' THEN
    RAISE EXCEPTION 'Checkout intent % is settled and stays settled', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.stripe_session_id IS NOT NULL AND NEW.stripe_session_id IS DISTINCT FROM OLD.stripe_session_id THEN
    RAISE EXCEPTION 'Checkout intent % belongs to another session', OLD.id USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END
$$;

REVOKE ALL ON FUNCTION checkout_intents_guard, checkout_intents_terms, has_ever_subscribed FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION has_ever_subscribed TO tidemark_server, tidemark_worker;
