-- Settling an event writes its row and its checkout's. A column that is in an index, or in the condition of one, and changes, makes Postgres write the row into
-- every index of the table anew: four entries of each, in pages that nobody else has just used. So nothing that usual settling changes is in any index of the
-- two tables any more (decision 162): rows that wait are listed in tables of their own, and rows that a person has to see to have a column that says so.

-- In the order in which an event is applied. A row that came between the filling of the lists and their triggers would never be listed.
LOCK TABLE inbox_events, checkout_intents IN ACCESS EXCLUSIVE MODE;

CREATE TABLE inbox_waiting (
  received_at timestamptz NOT NULL,
  source text NOT NULL,
  id text NOT NULL,
  sweep_at timestamptz NOT NULL,
  PRIMARY KEY (received_at, source, id)
);

CREATE INDEX inbox_waiting_sweep ON inbox_waiting (sweep_at);

CREATE TABLE checkout_waiting (
  user_id text NOT NULL,
  id uuid NOT NULL,
  -- Who is to receive what is bought; for an organization that does not exist yet, the buyer.
  receiver_id text NOT NULL,
  kind text NOT NULL,
  livemode boolean NOT NULL,
  sweep_at timestamptz NOT NULL,
  PRIMARY KEY (user_id, id)
);
CREATE INDEX checkout_waiting_sweep ON checkout_waiting (sweep_at);
CREATE UNIQUE INDEX checkout_waiting_one_subscription ON checkout_waiting (receiver_id, livemode) WHERE kind = 'subscription';

-- Few rows for many that come and go.
ALTER TABLE inbox_waiting SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
ALTER TABLE checkout_waiting SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

GRANT SELECT ON inbox_waiting, checkout_waiting TO tidemark_server, tidemark_worker;

INSERT INTO inbox_waiting SELECT received_at, source, id, sweep_at FROM inbox_events WHERE state = 'received';
INSERT INTO checkout_waiting
SELECT user_id, id, coalesce(owner_id, user_id), kind, livemode, sweep_at FROM checkout_intents WHERE state IN ('created', 'open', 'awaiting_payment');

DROP INDEX inbox_events_waiting, inbox_events_set_aside;
DROP INDEX checkout_intents_sweep, checkout_intents_one_subscription, checkout_intents_stuck, checkout_intents_failed;

-- Null, and so unchanged, of an event that is received and then applied. The body of a function is planned once a session; an expression here would be for every statement.
CREATE FUNCTION inbox_set_aside(state text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE WHEN state IN ('failed', 'forged', 'ignored') THEN state END;
END
$$;
ALTER TABLE inbox_events ADD set_aside text GENERATED ALWAYS AS (inbox_set_aside(state)) STORED;
CREATE INDEX inbox_events_set_aside ON inbox_events (set_aside, received_at) WHERE set_aside IS NOT NULL;

-- Failed, unless the bank refused the payment, which is nobody's work; or stuck, while it is still tried.
CREATE FUNCTION checkout_trouble(state text, stripe_session_id text, failure_reason text, last_error text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE
    WHEN state = 'failed' AND stripe_session_id IS NOT NULL AND failure_reason NOT IN ('The payment failed', 'The first payment failed') THEN 'failed'
    WHEN state IN ('created', 'open', 'awaiting_payment') AND last_error IS NOT NULL THEN 'stuck'
  END;
END
$$;
ALTER TABLE checkout_intents ADD trouble text GENERATED ALWAYS AS (checkout_trouble(state, stripe_session_id, failure_reason, last_error)) STORED;
CREATE INDEX checkout_intents_trouble ON checkout_intents (trouble, created_at) WHERE trouble IS NOT NULL;

-- Room on each page for every row of it to change once.
ALTER TABLE inbox_events SET (fillfactor = 50);
ALTER TABLE checkout_intents SET (fillfactor = 50);

-- Whoever writes the rows, these keep the lists. Plans are made once for a connection, perhaps while the lists are empty. Each row is looked up, however they are joined: that stays right.
CREATE FUNCTION inbox_events_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  MERGE INTO inbox_waiting w
  USING (
    SELECT changed.received_at, changed.source, changed.id, changed.state, changed.sweep_at, listed.at
    FROM changed LEFT JOIN LATERAL (
      SELECT ctid AS at FROM inbox_waiting l
      WHERE l.received_at = changed.received_at AND l.source = changed.source AND l.id = changed.id OFFSET 0) listed ON true) e
    ON w.ctid = e.at
  WHEN MATCHED AND e.state <> 'received' THEN DELETE
  WHEN MATCHED AND w.sweep_at <> e.sweep_at THEN UPDATE SET sweep_at = e.sweep_at
  WHEN NOT MATCHED AND e.state = 'received' THEN INSERT VALUES (e.received_at, e.source, e.id, e.sweep_at);
  RETURN NULL;
END
$$;
CREATE FUNCTION inbox_events_wait_no_more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM inbox_waiting w USING gone e WHERE w.received_at = e.received_at AND w.source = e.source AND w.id = e.id;
  RETURN NULL;
END
$$;
-- Under another key: the statement's trigger lists it anew.
CREATE FUNCTION inbox_events_wait_elsewhere() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM inbox_waiting w WHERE w.received_at = OLD.received_at AND w.source = OLD.source AND w.id = OLD.id;
  RETURN NEW;
END
$$;
CREATE TRIGGER inbox_events_wait_elsewhere BEFORE UPDATE OF received_at, source, id ON inbox_events
  FOR EACH ROW EXECUTE FUNCTION inbox_events_wait_elsewhere();
CREATE TRIGGER inbox_events_wait_inserted AFTER INSERT ON inbox_events
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION inbox_events_wait();
CREATE TRIGGER inbox_events_wait_updated AFTER UPDATE ON inbox_events
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION inbox_events_wait();
CREATE TRIGGER inbox_events_wait_deleted AFTER DELETE ON inbox_events
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION inbox_events_wait_no_more();

CREATE FUNCTION checkout_intents_wait() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  MERGE INTO checkout_waiting w
  USING (
    SELECT changed.user_id, changed.id, changed.kind, changed.livemode, changed.sweep_at, coalesce(changed.owner_id, changed.user_id) AS receiver_id,
      changed.state IN ('created', 'open', 'awaiting_payment') AS waits, listed.at
    FROM changed LEFT JOIN LATERAL (
      SELECT ctid AS at FROM checkout_waiting l WHERE l.user_id = changed.user_id AND l.id = changed.id OFFSET 0) listed ON true) i
    ON w.ctid = i.at
  WHEN MATCHED AND NOT i.waits THEN DELETE
  WHEN MATCHED AND (w.sweep_at, w.receiver_id) <> (i.sweep_at, i.receiver_id) THEN UPDATE SET sweep_at = i.sweep_at, receiver_id = i.receiver_id
  WHEN NOT MATCHED AND i.waits THEN INSERT VALUES (i.user_id, i.id, i.receiver_id, i.kind, i.livemode, i.sweep_at);
  RETURN NULL;
END
$$;
CREATE FUNCTION checkout_intents_wait_no_more() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = public, pg_temp AS $$
BEGIN
  DELETE FROM checkout_waiting w USING gone i WHERE w.user_id = i.user_id AND w.id = i.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER checkout_intents_wait_inserted AFTER INSERT ON checkout_intents
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION checkout_intents_wait();
CREATE TRIGGER checkout_intents_wait_updated AFTER UPDATE ON checkout_intents
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION checkout_intents_wait();
CREATE TRIGGER checkout_intents_wait_deleted AFTER DELETE ON checkout_intents
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION checkout_intents_wait_no_more();

REVOKE ALL ON FUNCTION inbox_events_wait, inbox_events_wait_no_more, inbox_events_wait_elsewhere, checkout_intents_wait, checkout_intents_wait_no_more FROM PUBLIC;
