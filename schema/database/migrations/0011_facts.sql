-- What Stripe says is kept as facts; what follows from them is worked out anew each time (decision 061). `clawbacks` and
-- `subscription_months` held results of earlier steps instead; what they led to stands in the ledger's grants since 0010.

-- What a charge took, and what of it went back. `refunded_minor` and `disputed_minor` change, the rest does not.
CREATE TABLE charges (
  stripe_charge_id text PRIMARY KEY CHECK (length(stripe_charge_id) BETWEEN 1 AND 255),
  -- What it paid for: a purchase of credits, or an invoice.
  intent_id uuid REFERENCES checkout_intents (id),
  stripe_invoice_id text,
  amount_minor bigint NOT NULL CHECK (amount_minor > 0),
  refunded_minor bigint NOT NULL CHECK (refunded_minor >= 0),
  -- Held by disputes that are open or lost.
  disputed_minor bigint NOT NULL CHECK (disputed_minor >= 0),
  snapshot_order bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CHECK ((intent_id IS NULL) <> (stripe_invoice_id IS NULL))
);

CREATE INDEX charges_intent ON charges (intent_id) WHERE intent_id IS NOT NULL;
CREATE INDEX charges_invoice ON charges (stripe_invoice_id) WHERE stripe_invoice_id IS NOT NULL;

-- The split into refunds and disputes was kept in credits only; the next snapshot of the charge writes Stripe's own figures.
INSERT INTO charges (stripe_charge_id, intent_id, stripe_invoice_id, amount_minor, refunded_minor, disputed_minor, snapshot_order)
SELECT stripe_charge_id, intent_id, stripe_invoice_id, amount_minor,
  CASE WHEN credits_disputed = 0 THEN amount_returned_minor
    ELSE least(amount_returned_minor, ceil(amount_minor::numeric * credits_refunded / greatest(credits_granted, 1))::bigint) END,
  CASE WHEN credits_disputed = 0 THEN 0
    ELSE amount_returned_minor
      - least(amount_returned_minor, ceil(amount_minor::numeric * credits_refunded / greatest(credits_granted, 1))::bigint) END,
  snapshot_order
FROM clawbacks;

-- A line of a paid invoice. `total_minor` is the whole invoice's, `amount_minor` this line's before discounts.
ALTER TABLE subscription_invoices RENAME TO paid_invoice_lines;
ALTER INDEX subscription_invoices_subscription RENAME TO paid_invoice_lines_subscription;
ALTER TABLE paid_invoice_lines ADD COLUMN total_minor bigint, ADD COLUMN amount_minor bigint;
UPDATE paid_invoice_lines SET total_minor = amount_paid_minor, amount_minor = amount_paid_minor;
ALTER TABLE paid_invoice_lines ALTER COLUMN total_minor SET NOT NULL, ALTER COLUMN amount_minor SET NOT NULL;
-- Where the lines of a change do not say what was there before it, nothing is made up.
ALTER TABLE paid_invoice_lines DROP CONSTRAINT subscription_invoices_check1;
ALTER TABLE paid_invoice_lines ADD CONSTRAINT paid_invoice_lines_seats_before
  CHECK (kind = 'seats' OR seats_before IS NULL);

DROP TABLE clawbacks, subscription_months;

GRANT SELECT ON charges TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON charges TO tidemark_worker;
