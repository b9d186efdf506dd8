-- What the server may insert is what it inserts, and no more: whoever takes it over must not be able to write that something was paid.

-- An event that it received is to be applied, or is kept as failed because it cannot be stored as JSON. That an event was applied, or
-- confirmed by its sender, is for the worker to say.
REVOKE INSERT ON inbox_events FROM tidemark_server;
GRANT INSERT (source, id, type, payload, raw, occurred_at, received_at, received_via, sweep_at, confirm_at, object_sync_at,
  state, reason, settled_at) ON inbox_events TO tidemark_server;
ALTER TABLE inbox_events ENABLE ROW LEVEL SECURITY;
CREATE POLICY inbox_events_read ON inbox_events FOR SELECT TO tidemark_server USING (true);
CREATE POLICY inbox_events_receive ON inbox_events FOR INSERT TO tidemark_server
  WITH CHECK (state IN ('received', 'failed') AND received_via = 'webhook');
CREATE POLICY inbox_events_worker ON inbox_events TO tidemark_worker USING (true) WITH CHECK (true);

-- A checkout begins as a promise. Of the columns that say what became of it the server may write none but those that 0003 lets it
-- update; without settled_at none of them can say that it was paid.
REVOKE INSERT ON checkout_intents FROM tidemark_server;
GRANT INSERT (id, kind, user_id, owner_kind, owner_id, credits, amount_minor, currency, plan_type, billing_frequency, seats,
  credits_per_seat, trial_days, session_params, created_at, sweep_at) ON checkout_intents TO tidemark_server;

-- The plan that is shown to a user follows from subscriptions and seats and is worked out anew by either process; credits do not depend
-- on it. A new account has none.
REVOKE INSERT, UPDATE ON users FROM tidemark_server;
GRANT INSERT (clerk_id, email, first_name, last_name, profile_updated_at),
  UPDATE (email, first_name, last_name, plan_type, profile_updated_at, updated_at) ON users TO tidemark_server;
