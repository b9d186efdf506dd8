-- Transfers and entries are partitioned by the month of posting, which is the upper part of a transfer's id.
-- Ids come from one sequence and never go back, whatever the clock does.

-- Months since January 2000, in UTC.
CREATE OR REPLACE FUNCTION ledger_month_of(moment timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT 12 * (date_part('year', moment AT TIME ZONE 'UTC')::bigint - 2000) + date_part('month', moment AT TIME ZONE 'UTC')::bigint - 1
$$;

-- The lowest id that a transfer of a month can have.
CREATE OR REPLACE FUNCTION ledger_first_id(month bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT month << 40
$$;

-- The name of a month's partition: ledger_entries_2026_11.
CREATE OR REPLACE FUNCTION ledger_partition_of(parent text, month bigint) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT parent || '_' || (2000 + month / 12)::text || '_' || lpad((month % 12 + 1)::text, 2, '0')
$$;

-- The id of a transfer that is posted in a month. The first one moves the sequence there, if the month has
-- its partitions; without them the previous month goes on.
CREATE OR REPLACE FUNCTION ledger_draw_id(month bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  id bigint := nextval('ledger_transfers_id_seq');
BEGIN
  IF id >> 40 >= month OR to_regclass(ledger_partition_of('public.ledger_entries', month)) IS NULL THEN
    RETURN id;
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('ledger_draw_id', 0));
  IF (SELECT last_value FROM ledger_transfers_id_seq) < ledger_first_id(month) THEN
    PERFORM setval('ledger_transfers_id_seq', ledger_first_id(month));
  END IF;
  RETURN nextval('ledger_transfers_id_seq');
END
$$;

-- Makes the partitions of this month and of `ahead` months after it, where they are missing.
CREATE OR REPLACE FUNCTION ledger_make_months(ahead integer) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  parent text;
  month bigint;
  name text;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('ledger_make_months', 0));
  -- Entries last: ledger_draw_id begins a month when they are there.
  FOREACH parent IN ARRAY ARRAY['ledger_transfers', 'ledger_entries'] LOOP
    FOR month IN SELECT generate_series(ledger_month_of(now()), ledger_month_of(now()) + ahead) LOOP
      name := ledger_partition_of(parent, month);
      CONTINUE WHEN to_regclass('public.' || name) IS NOT NULL;
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', name, parent);
      EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I EXECUTE FUNCTION ledger_refuse_change()', parent || '_no_truncate', name);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)', parent, name,
        ledger_first_id(month), ledger_first_id(month + 1));
    END LOOP;
  END LOOP;
END
$$;

REVOKE ALL ON FUNCTION ledger_month_of, ledger_first_id, ledger_partition_of, ledger_draw_id, ledger_make_months
  FROM PUBLIC, tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_month_of, ledger_first_id TO tidemark_server, tidemark_worker;
GRANT EXECUTE ON FUNCTION ledger_make_months TO tidemark_worker;
