-- The terms of a checkout intent never change, a settled intent stays settled, and a session stays with its
-- intent.
CREATE OR REPLACE FUNCTION checkout_intents_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.id, NEW.kind, NEW.user_id, NEW.owner_kind, NEW.credits, NEW.amount_minor, NEW.currency, NEW.plan_type,
      NEW.billing_frequency, NEW.seats, NEW.credits_per_seat, NEW.trial_days, NEW.organization_name)
     IS DISTINCT FROM
     (OLD.id, OLD.kind, OLD.user_id, OLD.owner_kind, OLD.credits, OLD.amount_minor, OLD.currency, OLD.plan_type,
      OLD.billing_frequency, OLD.seats, OLD.credits_per_seat, OLD.trial_days, OLD.organization_name)
     OR (OLD.owner_id IS NOT NULL AND NEW.owner_id IS DISTINCT FROM OLD.owner_id) THEN
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

REVOKE ALL ON FUNCTION checkout_intents_guard FROM PUBLIC, tidemark_server, tidemark_worker;
