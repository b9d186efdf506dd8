-- Every event that is inserted has its payload, as before. Each is looked up by itself: joined with the payloads, it was compared with
-- all of their months, by a plan that a connection made when they were small.
CREATE OR REPLACE FUNCTION inbox_events_have_payloads() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  without text;
BEGIN
  SELECT e.id INTO without FROM received e
  LEFT JOIN LATERAL (SELECT 1 AS found FROM inbox_payloads p
    WHERE p.source = e.source AND p.id = e.id AND p.filed_at = e.payload_filed_at OFFSET 0) said ON true
  WHERE said.found IS NULL LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'Event % was inserted without its payload', without USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END
$$;

-- As before, except that whoever finds a month made waits for the lock, too. A month can be seen a moment before the other connections are
-- told that the table has it, and an event that was filed in that moment was refused although its month was there.
CREATE OR REPLACE FUNCTION inbox_make_months(first timestamptz, last timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  month timestamp := date_trunc('month', first AT TIME ZONE 'UTC');
  name text;
BEGIN
  IF last > first + interval '10 years' THEN
    RAISE EXCEPTION 'That is too many months' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Whoever wants the same waits and finds it made. Attaching takes this lock anyway, which lets everybody read and write.
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
