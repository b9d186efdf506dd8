-- The worker applies several purchases in one transaction. It locks all their owners with one call, before it reads their books, in the
-- same order as posting does.
ALTER FUNCTION ledger_lock_owners(jsonb) SECURITY DEFINER SET search_path = public, pg_temp;
GRANT EXECUTE ON FUNCTION ledger_lock_owners(jsonb) TO tidemark_worker;
