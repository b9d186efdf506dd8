CREATE OR REPLACE TRIGGER inbox_events_have_payloads AFTER INSERT ON inbox_events REFERENCING NEW TABLE AS received
  FOR EACH STATEMENT EXECUTE FUNCTION inbox_events_have_payloads();
