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

REVOKE ALL ON FUNCTION inbox_events_have_payloads, inbox_needs_payload FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION inbox_needs_payload TO tidemark_worker;
