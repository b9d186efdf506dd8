-- When a hold was last extended, for support's timeline.
ALTER TABLE ledger_holds ADD COLUMN extended_at timestamptz;
