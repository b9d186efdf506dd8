-- An event is inserted together with its payload.
CREATE OR REPLACE FUNCTION inbox_events_have_payloads() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  without text;
BEGIN
  SELECT e.id INTO without FROM received e
  LEFT JOIN LATERAL (SELECT 1 AS found FROM inbox_payloads p
    WHERE p.source = e.source AND p.id = e.id AND p.filed_at = e.payload_filed_at OFFSET 0) filed ON true
  WHERE filed.found IS NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Event % was inserted without its payload', without USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;

-- Whether an event may still be applied, confirmed or replayed from its payload. Failed events keep theirs
-- until `failed_since`.
CREATE OR REPLACE FUNCTION inbox_needs_payload(event inbox_events, failed_since timestamptz) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT event.state = 'received' OR event.confirm_at IS NOT NULL OR event.object_sync_at IS NOT NULL
    OR (event.state IN ('failed', 'forged') AND event.finished_at >= failed_since)
$$;

-- Makes the partitions for payloads that are filed from `first` to `last`, where they are missing.
CREATE OR REPLACE FUNCTION inbox_make_months(first timestamptz, last timestamptz) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  month timestamp := date_trunc('month', first AT TIME ZONE 'UTC');
  name text;
BEGIN
  IF last > first + interval '10 years' THEN
    RAISE EXCEPTION 'More than ten years of months' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Of two calls the second waits and finds the partition. Attaching takes this lock anyway; reads and writes
  -- go on.
  LOCK TABLE ONLY inbox_payloads IN SHARE UPDATE EXCLUSIVE MODE;
  WHILE month <= last AT TIME ZONE 'UTC' LOOP
    name := 'inbox_payloads_' || to_char(month, 'YYYY_MM');
    IF to_regclass(name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I (LIKE inbox_payloads INCLUDING ALL)', name);
      EXECUTE format('ALTER TABLE inbox_payloads ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name,
        month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
    END IF;
    month := month + interval '1 month';
  END LOOP;
END
$$;

-- Drops the oldest month of payloads if it ended before `until` and no event needs a payload of it. Returns
-- the name of the partition, or NULL.
CREATE OR REPLACE FUNCTION inbox_drop_month(until timestamptz, failed_since timestamptz) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp SET "TimeZone" = 'UTC' SET lock_timeout = '100ms' AS $$
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
  -- No payload is filed there while this looks at it.
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

REVOKE ALL ON FUNCTION inbox_events_have_payloads, inbox_needs_payload, inbox_make_months, inbox_drop_month
  FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION inbox_make_months TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION inbox_needs_payload, inbox_drop_month TO tidemark_worker;
