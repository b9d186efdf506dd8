-- Events have a second source (decision 062): Stripe's own list. It brings those that never came, and confirms those that did.
ALTER TABLE inbox_events
  ADD COLUMN received_via text NOT NULL DEFAULT 'webhook' CHECK (received_via IN ('webhook', 'reader')),
  -- When the sender's own list was seen to hold the event; null while that is not known.
  ADD COLUMN confirmed_at timestamptz,
  -- The bytes of an event that cannot be stored as JSON. It is failed from the beginning.
  ADD COLUMN raw bytea,
  -- When what such an event is about is fetched; null when that is done, or was given up.
  ADD COLUMN object_sync_at timestamptz,
  -- Old payloads are removed; the rest of the row stays.
  ADD COLUMN payload_removed_at timestamptz,
  ALTER COLUMN payload DROP NOT NULL,
  ADD CONSTRAINT inbox_events_payload CHECK (payload IS NOT NULL OR raw IS NOT NULL OR payload_removed_at IS NOT NULL),
  ADD CONSTRAINT inbox_events_can_be_applied CHECK (state <> 'received' OR payload IS NOT NULL);

CREATE INDEX inbox_events_object_sync ON inbox_events (object_sync_at) WHERE object_sync_at IS NOT NULL;
CREATE INDEX inbox_events_old_payloads ON inbox_events (state, settled_at)
  WHERE payload_removed_at IS NULL AND settled_at IS NOT NULL;

GRANT INSERT ON inbox_events TO tidemark_worker;

-- How far a job has come that goes through a long list in portions, and begins anew when it has reached the end.
CREATE TABLE cursors (
  name text PRIMARY KEY CHECK (name IN ('stripe_events', 'seats')),
  position jsonb NOT NULL,
  -- When the last complete pass began: everything older has been seen.
  completed_at timestamptz,
  -- Counts the moves, so that of two workers at one cursor the slower one notices.
  revision integer NOT NULL CHECK (revision > 0)
);

GRANT SELECT ON cursors TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON cursors TO tidemark_worker;
