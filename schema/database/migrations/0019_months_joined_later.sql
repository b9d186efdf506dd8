-- A month keeps its name when an earlier one that is joined to it is paid later, so the number in an id may be
-- before the month's name: it is the start of the month that the grant's own invoice paid for.
ALTER TABLE ledger_grants DROP CONSTRAINT ledger_grants_id;
ALTER TABLE ledger_grants ADD CONSTRAINT ledger_grants_id CHECK (coalesce(
  CASE
    WHEN kind = 'purchase' THEN id = 'purchase/' || intent_id
    WHEN kind = 'month' THEN id = 'month/' || stripe_invoice_id || '/' || floor(extract(epoch FROM starts_at))
      AND month_starts_at IS NOT NULL
    WHEN kind = 'seats' THEN id = 'seats/' || stripe_invoice_id || '/' || substring(id FROM '\d+$')
      AND substring(id FROM '\d+$')::bigint
        BETWEEN floor(extract(epoch FROM starts_at - interval '31 days')) AND floor(extract(epoch FROM starts_at))
      AND month_starts_at IS NOT NULL
    WHEN kind = 'late_month' THEN starts_with(id, 'late_month/' || stripe_invoice_id || '/')
    ELSE starts_with(id, 'adjustment/')
  END, false));
