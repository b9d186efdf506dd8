-- The ledger's functions decide, append and write one request after the other.
DROP FUNCTION IF EXISTS ledger_enter, ledger_write, ledger_write_holds, ledger_count_usage(ledger_usage_days[]), ledger_settle,
  ledger_lock_owners, ledger_free_hold, ledger_end_holds;
