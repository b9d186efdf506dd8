-- The row alone says when it is tried next and why the last try failed (decision 064). `attempts` counts the tries that failed by
-- our own doing; when Stripe, Clerk or the database is unavailable none is counted, and `unavailable_since` says since when.
ALTER TABLE inbox_events ADD COLUMN unavailable_since timestamptz;

ALTER TABLE checkout_intents
  ADD COLUMN attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN last_error text,
  ADD COLUMN unavailable_since timestamptz,
  -- What Stripe was asked for, without the customer: the same idempotency key must come with the same parameters, also when another
  -- version of ours repeats the call. Null for credits, whose checkout nobody has to open again.
  ADD COLUMN session_params text;

-- `sync_failed_at` is set when no further try can help; `last_error` is the reason. An event about it tries once more.
ALTER TABLE subscriptions
  ADD COLUMN attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN last_error text,
  ADD COLUMN unavailable_since timestamptz,
  ADD COLUMN sync_failed_at timestamptz,
  ADD CHECK (sync_failed_at IS NULL OR last_error IS NOT NULL);

ALTER TABLE team_invitations
  ADD COLUMN attempts integer NOT NULL DEFAULT 0,
  ADD COLUMN last_error text,
  ADD COLUMN unavailable_since timestamptz,
  ADD COLUMN sync_failed_at timestamptz,
  ADD CHECK (sync_failed_at IS NULL OR last_error IS NOT NULL);

-- What has failed for good does not stand at the front of what is due.
DROP INDEX subscriptions_sweep;
CREATE INDEX subscriptions_sweep ON subscriptions (sweep_at)
  WHERE status NOT IN ('canceled', 'incomplete_expired') AND sync_failed_at IS NULL;
DROP INDEX team_invitations_sweep;
CREATE INDEX team_invitations_sweep ON team_invitations (sweep_at) WHERE sweep_at IS NOT NULL AND sync_failed_at IS NULL;

-- What needs a person.
CREATE INDEX subscriptions_sync_failed ON subscriptions (sync_failed_at) WHERE sync_failed_at IS NOT NULL;
CREATE INDEX team_invitations_sync_failed ON team_invitations (sync_failed_at) WHERE sync_failed_at IS NOT NULL;

-- A customer that was deleted at Stripe is replaced.
GRANT UPDATE (customer_id) ON stripe_customers TO tidemark_server;
