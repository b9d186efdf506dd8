-- Money for the rest of a period went back.
ALTER TABLE paid_invoice_lines DROP CONSTRAINT paid_invoice_lines_kind_check;
ALTER TABLE paid_invoice_lines ADD CONSTRAINT paid_invoice_lines_kind_check CHECK (kind IN ('period', 'seats', 'cut'));

-- Changes of seats, and periods that were cut, of which the amount waits for an invoice or its payment.
ALTER TABLE subscriptions ADD COLUMN pending_lines jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(pending_lines) = 'array');

-- A month that is joined to an earlier one has grants of its own, whose ids name when it began itself.
ALTER TABLE ledger_grants DROP CONSTRAINT ledger_grants_id;
ALTER TABLE ledger_grants ADD CONSTRAINT ledger_grants_id CHECK (coalesce(
  CASE
    WHEN kind = 'purchase' THEN id = 'purchase/' || intent_id
    WHEN kind IN ('month', 'seats') THEN id = kind || '/' || stripe_invoice_id || '/' || substring(id FROM '\d+$')
      AND substring(id FROM '\d+$')::bigint
        BETWEEN floor(extract(epoch FROM month_starts_at)) AND floor(extract(epoch FROM starts_at))
    WHEN kind = 'late_month' THEN starts_with(id, 'late_month/' || stripe_invoice_id || '/')
    ELSE starts_with(id, 'adjustment/')
  END, false));
