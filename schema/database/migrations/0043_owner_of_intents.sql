-- What is said of a checkout has the checkout's owner (decision 139): charges and subscriptions name both, so none can be another owner's.

CREATE UNIQUE INDEX IF NOT EXISTS checkout_intents_owner ON checkout_intents (owner_id, id);
ALTER TABLE charges DROP CONSTRAINT charges_intent_id_fkey,
  ADD FOREIGN KEY (owner_id, intent_id) REFERENCES checkout_intents (owner_id, id);
ALTER TABLE subscriptions DROP CONSTRAINT subscriptions_intent_id_fkey,
  ADD FOREIGN KEY (owner_id, intent_id) REFERENCES checkout_intents (owner_id, id);

-- Seats are found with their organization.
DROP INDEX seats_invitation;
