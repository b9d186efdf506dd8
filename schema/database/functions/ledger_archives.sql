-- What is kept of archived months is never changed. An archive goes on only in its state.
CREATE OR REPLACE TRIGGER ledger_archives_identity BEFORE UPDATE OF id, first_transfer_id, end_transfer_id, months, transfers, entries,
  keys, heads_digest_before, heads_digest, kept_digest, closed_at
  ON ledger_archives FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_archives_no_delete BEFORE DELETE ON ledger_archives
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_archives_no_truncate BEFORE TRUNCATE ON ledger_archives EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_openings_append_only BEFORE UPDATE OR DELETE ON ledger_openings
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_openings_no_truncate BEFORE TRUNCATE ON ledger_openings EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_archived_sums_append_only BEFORE UPDATE OR DELETE ON ledger_archived_sums
  FOR EACH ROW EXECUTE FUNCTION ledger_refuse_change();
CREATE OR REPLACE TRIGGER ledger_archived_sums_no_truncate BEFORE TRUNCATE ON ledger_archived_sums
  EXECUTE FUNCTION ledger_refuse_change();
