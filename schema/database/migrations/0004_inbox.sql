CREATE DOMAIN event_source AS text CHECK (VALUE IN ('stripe', 'clerk'));
CREATE DOMAIN event_state AS text CHECK (VALUE IN ('received', 'applied', 'ignored', 'failed'));
CREATE DOMAIN received_via AS text CHECK (VALUE IN ('webhook', 'reader'));

-- Every signed event as it came. A row that is `received` still has to be applied; a job in the queue is only
-- a hint.
CREATE TABLE inbox_events (
  source event_source NOT NULL,
  id outside_id NOT NULL,
  type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now(),
  state event_state NOT NULL DEFAULT 'received',
  reason text,
  finished_at timestamptz,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  next_try_at timestamptz NOT NULL DEFAULT now(),
  claims integer NOT NULL DEFAULT 0,
  -- The row alone says when it is tried next and why the last try failed. `attempts` counts
  -- the tries that failed by our own doing; when Stripe, Clerk or the database is unavailable none is
  -- counted, and `unavailable_since` says since when.
  unavailable_since timestamptz,
  received_via received_via NOT NULL DEFAULT 'webhook',
  -- Whom the event is about, as its sender names them: for Stripe the customer, where the object has none the
  -- charge or the checkout; for Clerk the organization, else the user. It stays when the payload is removed.
  subject outside_id,
  -- What the event says, which names what is fetched; removed when it is old, while the rest of the row stays.
  payload jsonb,
  -- The checkout that a session of Stripe's names.
  client_reference_id outside_id,
  PRIMARY KEY (source, id),
  CONSTRAINT inbox_events_finished CHECK ((state = 'received') = (finished_at IS NULL)),
  CONSTRAINT inbox_events_reason CHECK (state NOT IN ('ignored', 'failed') OR reason IS NOT NULL),
  CONSTRAINT inbox_events_payload CHECK (state <> 'received' OR payload IS NOT NULL)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, vacuum_index_cleanup = on); -- see checkout_intents
-- The condition is on `finished_at` for the same reason as `is_unfinished` of checkout_intents: events are
-- looked up by key and state.
CREATE INDEX inbox_events_due ON inbox_events (next_try_at) WHERE finished_at IS NULL;
CREATE INDEX inbox_events_away ON inbox_events (unavailable_since) WHERE finished_at IS NULL AND unavailable_since IS NOT NULL;
CREATE INDEX inbox_events_waiting ON inbox_events (received_at) WHERE finished_at IS NULL;
CREATE INDEX inbox_events_attention ON inbox_events (state, received_at) WHERE state IN ('failed', 'ignored');
CREATE INDEX inbox_events_completed_checkout ON inbox_events (client_reference_id)
  WHERE client_reference_id IS NOT NULL AND type IN ('checkout.session.completed', 'checkout.session.async_payment_succeeded');
-- Payloads that may become old.
CREATE INDEX inbox_events_payload_kept ON inbox_events (finished_at) WHERE payload IS NOT NULL;
CREATE INDEX inbox_events_subject ON inbox_events (subject, received_at) WHERE subject IS NOT NULL;
GRANT SELECT ON inbox_events TO tidemark_server;
GRANT INSERT (source, id, type, occurred_at, received_at, next_try_at, subject, client_reference_id, payload)
  ON inbox_events TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON inbox_events TO tidemark_worker;

-- Failed tries of a row, one line for each error that came again and again.
CREATE TABLE failed_tries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  table_name text NOT NULL
    CHECK (table_name IN ('inbox_events', 'checkout_intents', 'subscriptions', 'team_invitations', 'support_acts')),
  row_id text NOT NULL CHECK (length(row_id) BETWEEN 1 AND 255),
  -- Whom it was about: the subject of an event, the owner of everything else.
  subject text CHECK (length(subject) BETWEEN 1 AND 255),
  -- As worker/failures.ts tells failures apart.
  kind text NOT NULL CHECK (kind IN ('unavailable', 'not_yet', 'contradiction', 'defect')),
  error text NOT NULL,
  tries integer NOT NULL DEFAULT 1 CHECK (tries > 0),
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL,
  CHECK (last_at >= first_at)
);
CREATE INDEX failed_tries_old ON failed_tries (last_at);
CREATE INDEX failed_tries_row ON failed_tries (row_id, id);
CREATE INDEX failed_tries_subject ON failed_tries (subject, first_at) WHERE subject IS NOT NULL;
GRANT SELECT ON failed_tries TO tidemark_server;
GRANT SELECT, INSERT, DELETE, UPDATE ON failed_tries TO tidemark_worker;

-- How far a job has come that goes through a long list in portions, and begins anew when it has reached the
-- end. `worker` goes through none: it says when a worker has last done a job, by the database's clock.
CREATE TABLE cursors (
  name text PRIMARY KEY CHECK (name IN ('stripe_events', 'seats', 'worker')),
  "position" jsonb NOT NULL,
  -- When the last complete pass began: everything older has been seen.
  completed_at timestamptz,
  -- Counts the moves, so that of two workers at one cursor the slower one notices.
  revision integer NOT NULL CHECK (revision > 0)
);
GRANT SELECT ON cursors TO tidemark_server;
GRANT SELECT, INSERT, UPDATE ON cursors TO tidemark_worker;
