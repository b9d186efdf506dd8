-- A transfer that counts usage to the plan credits of a month that had not begun in the books when purchased
-- credits paid for it.
ALTER DOMAIN transfer_kind DROP CONSTRAINT transfer_kind_check;
ALTER DOMAIN transfer_kind ADD CONSTRAINT transfer_kind_check CHECK (VALUE IN ('credit_purchase', 'withdrawal', 'plan_grant',
  'seat_grant', 'usage', 'usage_moved', 'expiry', 'write_off', 'refund', 'dispute', 'dispute_won', 'adjustment'));
