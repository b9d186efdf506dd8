-- Rows that are tried until they are settled are found by partial indexes on the time of their next try.

DROP TRIGGER inbox_events_wait_inserted ON inbox_events;
DROP TRIGGER inbox_events_wait_updated ON inbox_events;
DROP TRIGGER inbox_events_wait_deleted ON inbox_events;
DROP TRIGGER inbox_events_wait_elsewhere ON inbox_events;
DROP TRIGGER checkout_intents_wait_inserted ON checkout_intents;
DROP TRIGGER checkout_intents_wait_updated ON checkout_intents;
DROP TRIGGER checkout_intents_wait_deleted ON checkout_intents;
DROP FUNCTION inbox_events_wait, inbox_events_wait_no_more, inbox_events_wait_elsewhere, checkout_intents_wait, checkout_intents_wait_no_more;
DROP TABLE inbox_waiting, checkout_waiting;

ALTER TABLE inbox_events DROP COLUMN set_aside;
ALTER TABLE checkout_intents DROP COLUMN trouble;
DROP FUNCTION inbox_set_aside, checkout_trouble;

ALTER TABLE inbox_events RENAME COLUMN sweep_at TO next_try_at;
ALTER TABLE inbox_events RENAME COLUMN sweeps TO claims;
ALTER TABLE checkout_intents RENAME COLUMN sweep_at TO next_try_at;
ALTER TABLE checkout_intents RENAME COLUMN sweeps TO claims;
ALTER TABLE subscriptions RENAME COLUMN sweep_at TO next_try_at;
ALTER TABLE subscriptions RENAME COLUMN sweeps TO claims;
ALTER TABLE team_invitations RENAME COLUMN sweep_at TO next_try_at;
ALTER TABLE team_invitations RENAME COLUMN sweeps TO claims;
ALTER TABLE support_acts RENAME COLUMN sweep_at TO next_try_at;
ALTER TABLE support_acts RENAME COLUMN sweeps TO claims;
ALTER INDEX subscriptions_sweep RENAME TO subscriptions_due;
ALTER INDEX team_invitations_sweep RENAME TO team_invitations_due;
ALTER INDEX support_acts_sweep RENAME TO support_acts_due;

-- On `settled_at`, not on the state: by its key an event is looked up together with its state, and Postgres would look among all that wait where it
-- believes that there are none.
CREATE INDEX inbox_events_due ON inbox_events (next_try_at) WHERE settled_at IS NULL;
CREATE INDEX inbox_events_waiting ON inbox_events (received_at) WHERE settled_at IS NULL;
CREATE INDEX inbox_events_attention ON inbox_events (state, received_at) WHERE state IN ('failed', 'forged', 'ignored');

ALTER TABLE checkout_intents ADD is_unsettled boolean NOT NULL GENERATED ALWAYS AS (state IN ('created', 'open', 'awaiting_payment')) STORED;
CREATE INDEX checkout_intents_due ON checkout_intents (next_try_at) WHERE is_unsettled;
-- One open checkout of a plan for each receiver: the owner, or the buyer while the organization does not exist.
CREATE UNIQUE INDEX checkout_intents_one_subscription ON checkout_intents (coalesce(owner_id, user_id), livemode)
  WHERE kind = 'subscription' AND is_unsettled;
CREATE INDEX checkout_intents_stuck ON checkout_intents (created_at) WHERE is_unsettled AND last_error IS NOT NULL;
-- A payment that the bank refused needs no person.
CREATE INDEX checkout_intents_failed ON checkout_intents (created_at)
  WHERE state = 'failed' AND stripe_session_id IS NOT NULL AND failure_reason NOT IN ('The payment failed', 'The first payment failed');

-- Rules over several columns, in words of their own: as functions they were planned once a session, for a twentieth of a statement.
ALTER TABLE checkout_intents
  DROP CONSTRAINT checkout_intents_consistent,
  ADD CONSTRAINT checkout_intents_plan CHECK (CASE kind
    WHEN 'subscription' THEN num_nulls(plan_type, billing_frequency, seats, credits_per_seat) = 0 AND credits = credits_per_seat * seats
    ELSE num_nonnulls(plan_type, billing_frequency, seats, credits_per_seat) = 0
  END),
  -- An organization is created with its first plan.
  ADD CONSTRAINT checkout_intents_receiver CHECK (owner_id IS NOT NULL OR kind = 'subscription' AND owner_kind = 'organization'),
  ADD CONSTRAINT checkout_intents_settled CHECK ((state = 'settled') = (settled_at IS NOT NULL)),
  ADD CONSTRAINT checkout_intents_session CHECK (state NOT IN ('open', 'settled') OR stripe_session_id IS NOT NULL);
ALTER TABLE inbox_events
  DROP CONSTRAINT inbox_events_consistent,
  ADD CONSTRAINT inbox_events_settled CHECK ((state = 'received') = (settled_at IS NULL)),
  ADD CONSTRAINT inbox_events_reason CHECK (state NOT IN ('ignored', 'failed', 'forged') OR reason IS NOT NULL),
  ADD CONSTRAINT inbox_events_payload CHECK (state <> 'received' OR payload_filed_at IS NOT NULL),
  ADD CONSTRAINT inbox_events_removed CHECK ((payload_filed_at IS NULL) = (payload_removed_at IS NOT NULL)),
  ADD CONSTRAINT inbox_events_confirmed CHECK (confirmed_at IS NULL OR confirm_at IS NULL);
DROP FUNCTION checkout_intent_is_consistent, inbox_event_is_consistent;

-- What settled rows leave in the indexes of unsettled ones lies where every claim begins to read, until it is vacuumed. Half of a page stays free (0045): a
-- row's next version beside it is a sixth less WAL.
ALTER TABLE inbox_events SET (autovacuum_vacuum_scale_factor = 0.01, vacuum_index_cleanup = on);
ALTER TABLE checkout_intents SET (autovacuum_vacuum_scale_factor = 0.01, vacuum_index_cleanup = on);
