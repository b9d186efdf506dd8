CREATE OR REPLACE TRIGGER audit_log_chain BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_chain();
CREATE OR REPLACE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION audit_log_refuse_change();
CREATE OR REPLACE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log EXECUTE FUNCTION audit_log_refuse_change();
CREATE OR REPLACE TRIGGER support_acts_guard BEFORE UPDATE ON support_acts FOR EACH ROW EXECUTE FUNCTION support_acts_guard();
