-- Rows of the ledger are never changed or deleted, but for an owner's latest balances.
CREATE OR REPLACE TRIGGER ledger_owners_identity BEFORE UPDATE OF owner_id, owner_kind, plan_account_id, purchased_account_id
  ON ledger_owners FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_owners_no_delete BEFORE DELETE ON ledger_owners FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_owners_no_truncate BEFORE TRUNCATE ON ledger_owners EXECUTE FUNCTION ledger_refuse_change();
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['ledger_accounts', 'ledger_grants', 'ledger_keys', 'ledger_transfers', 'ledger_entries',
    'ledger_months_used'] LOOP
    EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE UPDATE OR DELETE ON %I FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change()',
      name || '_append_only', name);
    EXECUTE format('CREATE OR REPLACE TRIGGER %I BEFORE TRUNCATE ON %I EXECUTE FUNCTION ledger_refuse_change()',
      name || '_no_truncate', name);
  END LOOP;
END
$$;
