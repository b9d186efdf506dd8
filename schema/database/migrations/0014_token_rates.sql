-- Usage that is priced by its tokens: what it costs exactly, in thousandths of a credit, beside the whole credits that it is charged.

-- What of a credit was used and is not charged yet. The next usage is charged with it.
ALTER TABLE ledger_owners ADD COLUMN rest integer NOT NULL DEFAULT 0 CHECK (rest BETWEEN 0 AND 999);
-- NULL where whole credits were reported. Not in the hashes of entries but in that of the input, which they have.
ALTER TABLE ledger_transfers ADD COLUMN cost bigint CHECK (cost > 0);
-- The table has requests that moved no credits: they failed, or cost less than a credit together with the rest before them.
ALTER TABLE ledger_failures ALTER COLUMN failure DROP NOT NULL, ADD COLUMN cost bigint CHECK (cost BETWEEN 1 AND 999),
  ADD CHECK ((failure IS NULL) = (cost IS NOT NULL));
-- `rates`: the credits for a million tokens of each sort that its model had when it was opened. `cost`: of its settlement by tokens.
ALTER TABLE ledger_holds ADD COLUMN rates jsonb, ADD COLUMN cost bigint CHECK (cost >= 0);

-- They have more parameters now. An older server’s calls of ledger_spend mean the new one, whose additional parameters have defaults.
DROP FUNCTION IF EXISTS ledger_spend(text[], text[], bigint[], text[], timestamptz[], text[], text[], uuid[], text[], text[], text[], text[],
  uuid[], bigint[], integer[], boolean[], uuid[], bigint[], boolean);
DROP PROCEDURE IF EXISTS ledger_settle(ledger_owners, ledger_holds, bigint, text, timestamptz, boolean, bigint);
