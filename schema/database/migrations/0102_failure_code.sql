-- Why a checkout failed, for code to decide by; `failure_reason` is the detail for a person.
CREATE DOMAIN checkout_failure_code AS text CHECK (VALUE IN
  ('payment_failed', 'first_payment_failed', 'terms_mismatch', 'refused_by_stripe', 'other_mode', 'contradiction'));
ALTER TABLE checkout_intents ADD failure_code checkout_failure_code;
GRANT UPDATE (failure_code) ON checkout_intents TO tidemark_server;

ALTER TABLE checkout_intents DROP COLUMN trouble;
DROP FUNCTION checkout_trouble(text, text, text, text);
-- Failed, unless the bank refused the payment, which needs no work by support; or stuck, while it is still tried.
CREATE FUNCTION checkout_trouble(state text, stripe_session_id text, failure_code text, last_error text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE
    WHEN state = 'failed' AND stripe_session_id IS NOT NULL
      AND failure_code IS DISTINCT FROM 'payment_failed' AND failure_code IS DISTINCT FROM 'first_payment_failed' THEN 'failed'
    WHEN state IN ('created', 'open', 'awaiting_payment') AND last_error IS NOT NULL THEN 'stuck'
  END;
END
$$;
ALTER TABLE checkout_intents ADD trouble text GENERATED ALWAYS AS (checkout_trouble(state, stripe_session_id, failure_code, last_error)) STORED;
CREATE INDEX checkout_intents_trouble ON checkout_intents (trouble, created_at) WHERE trouble IS NOT NULL;
