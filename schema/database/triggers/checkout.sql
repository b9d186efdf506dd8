CREATE OR REPLACE TRIGGER checkout_intents_terms BEFORE INSERT ON checkout_intents
  FOR EACH ROW EXECUTE FUNCTION checkout_intents_terms();
CREATE OR REPLACE TRIGGER checkout_intents_guard BEFORE UPDATE ON checkout_intents
  FOR EACH ROW EXECUTE FUNCTION checkout_intents_guard();
