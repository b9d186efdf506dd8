-- What an event says lies apart from the event, by months (decision 133): a month that is over is dropped with its payloads, while the row
-- that says what became of the event stays for good.
CREATE TABLE inbox_payloads (
  source text NOT NULL,
  id text NOT NULL,
  -- When it was received; later when it was carried over because it was still needed. Says the month.
  filed_at timestamptz NOT NULL,
  payload jsonb,
  -- The bytes of an event that cannot be stored as JSON.
  raw bytea,
  PRIMARY KEY (source, id, filed_at),
  CONSTRAINT inbox_payloads_one_form CHECK (num_nonnulls(payload, raw) = 1)
) PARTITION BY RANGE (filed_at);

-- The server keeps what it receives. What is there is moved and removed by the worker.
GRANT SELECT ON inbox_payloads TO tidemark_server, tidemark_worker;
GRANT INSERT ON inbox_payloads TO tidemark_server;
GRANT INSERT, UPDATE, DELETE ON inbox_payloads TO tidemark_worker;

-- Makes the months from the first moment to the last, in UTC, that are not there.
CREATE FUNCTION inbox_make_months(first timestamptz, last timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  month timestamp := date_trunc('month', first AT TIME ZONE 'UTC');
  months timestamp[] := '{}';
  name text;
BEGIN
  IF last > first + interval '10 years' THEN
    RAISE EXCEPTION 'That is too many months' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  WHILE month <= last AT TIME ZONE 'UTC' LOOP
    IF to_regclass('inbox_payloads_' || to_char(month, 'YYYY_MM')) IS NULL THEN
      months := months || month;
    END IF;
    month := month + interval '1 month';
  END LOOP;
  IF cardinality(months) = 0 THEN
    RETURN;
  END IF;
  -- Whoever wants the same waits and finds it made. Attaching takes this lock anyway, which lets everybody read and write.
  LOCK TABLE ONLY inbox_payloads IN SHARE UPDATE EXCLUSIVE MODE;
  FOREACH month IN ARRAY months LOOP
    name := 'inbox_payloads_' || to_char(month, 'YYYY_MM');
    IF to_regclass(name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE inbox_payloads INCLUDING ALL)', name);
      EXECUTE format('ALTER TABLE inbox_payloads ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
        month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END IF;
  END LOOP;
END
$$;

ALTER TABLE inbox_events
  -- Where the payload is, as long as its month is kept; null once it was removed by itself.
  ADD COLUMN payload_filed_at timestamptz,
  -- The checkout that a session of Stripe's names.
  ADD COLUMN client_reference_id text CHECK (length(client_reference_id) BETWEEN 1 AND 255);

-- What is there is carried over.
SELECT inbox_make_months(month, month) FROM (
  SELECT DISTINCT date_trunc('month', received_at, 'UTC') AS month FROM inbox_events WHERE payload IS NOT NULL OR raw IS NOT NULL) there;
INSERT INTO inbox_payloads (source, id, filed_at, payload, raw)
  SELECT source, id, received_at, payload, CASE WHEN payload IS NULL THEN raw END
  FROM inbox_events WHERE payload IS NOT NULL OR raw IS NOT NULL;
UPDATE inbox_events SET payload_filed_at = received_at,
  client_reference_id = CASE WHEN payload #>> '{data,object,client_reference_id}' ~ '^[\w-]{1,255}$'
    THEN payload #>> '{data,object,client_reference_id}' END
  WHERE payload IS NOT NULL OR raw IS NOT NULL;

-- With the columns go the constraints and the index that read them.
ALTER TABLE inbox_events DROP COLUMN payload, DROP COLUMN raw;
ALTER TABLE inbox_events
  ADD CONSTRAINT inbox_events_payload CHECK ((payload_filed_at IS NULL) = (payload_removed_at IS NOT NULL)),
  ADD CONSTRAINT inbox_events_can_be_applied CHECK (state <> 'received' OR payload_filed_at IS NOT NULL);
GRANT INSERT (payload_filed_at, client_reference_id) ON inbox_events TO tidemark_server;

-- No event without its payload, whoever inserts it: both are inserted by one statement.
CREATE FUNCTION inbox_events_have_payloads() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  without text;
BEGIN
  SELECT e.id INTO without FROM received e
  WHERE NOT EXISTS (SELECT FROM inbox_payloads p
    WHERE p.source = e.source AND p.id = e.id AND p.filed_at = e.payload_filed_at) LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Event % was inserted without its payload', without USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER inbox_events_have_payloads AFTER INSERT ON inbox_events
  REFERENCING NEW TABLE AS received FOR EACH STATEMENT EXECUTE FUNCTION inbox_events_have_payloads();

-- Whether something may still follow from what an event says. One that failed or was forged is kept for a person.
CREATE FUNCTION inbox_needs_payload(event inbox_events, failed_since timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT event.state = 'received' OR event.confirm_at IS NOT NULL OR event.object_sync_at IS NOT NULL
    OR (event.state IN ('failed', 'forged') AND event.settled_at >= failed_since)
$$;

-- Drops the oldest month that ended by `until`, unless something in it is still needed, and says which; null when there is none. Whoever
-- reads or writes at that moment is waited for, and makes way, for a tenth of a second at most; then it is left to the next time.
CREATE FUNCTION inbox_drop_month(until timestamptz, failed_since timestamptz) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp SET timezone = 'UTC'
SET lock_timeout = '100ms' AS $$
DECLARE
  name text;
  month timestamptz;
BEGIN
  SELECT c.relname, to_timestamp(right(c.relname, 7), 'YYYY_MM') INTO name, month
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'inbox_payloads'::regclass ORDER BY c.relname COLLATE "C" LIMIT 1;
  IF name IS NULL OR month + interval '1 month' > until THEN
    RETURN NULL;
  END IF;
  -- Nothing is filed there any more while it is looked at.
  EXECUTE format('LOCK TABLE ONLY %I IN SHARE ROW EXCLUSIVE MODE', name);
  IF EXISTS (SELECT FROM inbox_events e WHERE e.payload_filed_at >= month AND e.payload_filed_at < month + interval '1 month'
    AND inbox_needs_payload(e, failed_since)) THEN
    RETURN NULL;
  END IF;
  EXECUTE format('DROP TABLE %I', name);
  RETURN name;
EXCEPTION WHEN lock_not_available THEN
  RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION inbox_make_months(timestamptz, timestamptz), inbox_drop_month(timestamptz, timestamptz) FROM PUBLIC;
-- An event must not be refused because nobody has made its month.
GRANT EXECUTE ON FUNCTION inbox_make_months(timestamptz, timestamptz) TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION inbox_drop_month(timestamptz, timestamptz) TO tidemark_worker;

-- Each event that comes is written into an index of those below when it waits or is of that kind, and into no other.
-- Old payloads go by months.
DROP INDEX inbox_events_old_payloads;
-- The checkout is a column now.
CREATE INDEX inbox_events_completed_checkout ON inbox_events (client_reference_id)
  WHERE client_reference_id IS NOT NULL AND type IN ('checkout.session.completed', 'checkout.session.async_payment_succeeded');
-- The oldest that waits, and what is due: few rows wait, and what is due is found among them without reading the rows.
DROP INDEX inbox_events_oldest, inbox_events_sweep;
CREATE INDEX inbox_events_waiting ON inbox_events (received_at, sweep_at) WHERE state = 'received';
-- What a person sees to, or may look at: one list each, newest or oldest first.
DROP INDEX inbox_events_failed, inbox_events_forged, inbox_events_ignored;
CREATE INDEX inbox_events_set_aside ON inbox_events (state, received_at) WHERE state IN ('failed', 'forged', 'ignored');
