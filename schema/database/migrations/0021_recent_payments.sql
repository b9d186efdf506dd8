-- What an account shows of its latest payments: the checkouts of an organization, which many people may have opened, and what has come
-- in for a checkout that is not settled yet. Both are found without reading the rows of others.
CREATE INDEX checkout_intents_organization ON checkout_intents (owner_id, created_at DESC) WHERE owner_kind = 'organization';
CREATE INDEX inbox_events_completed_checkout ON inbox_events ((payload #>> '{data,object,client_reference_id}'))
  WHERE type IN ('checkout.session.completed', 'checkout.session.async_payment_succeeded');
