-- A sum of usage that cannot be posted is set aside, so that it is in nobody's way and a person can read why (decision 152).

-- What kept a sum from being posted. Rows stay when it has been posted: they say that somebody changed rows by hand, and when. The sum is
-- still set aside while its owner's row has it open.
CREATE TABLE ledger_failed_sums (
  owner_id text NOT NULL,
  transfer_id bigint NOT NULL,
  reason text NOT NULL,
  tries integer NOT NULL,
  first_failed_at timestamptz NOT NULL,
  last_failed_at timestamptz NOT NULL,
  try_at timestamptz NOT NULL,
  PRIMARY KEY (owner_id, transfer_id)
);

-- Posts the sum of an owner, whose row is locked, or sets it aside. What passes by itself, such as a deadlock or a full disk, is the caller's.
CREATE FUNCTION ledger_post_sum_or_set_aside(owner ledger_owners) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_post_sum(owner);
EXCEPTION WHEN internal_error OR data_exception OR integrity_constraint_violation THEN
  RAISE WARNING '%', SQLERRM;
  INSERT INTO ledger_failed_sums AS failed (owner_id, transfer_id, reason, tries, first_failed_at, last_failed_at, try_at)
  SELECT owner.owner_id, owner.unposted_transfer_id, left(SQLERRM, 500), 1, now, now, now + interval '2 minutes' FROM clock_timestamp() now
  ON CONFLICT (owner_id, transfer_id) DO UPDATE SET reason = excluded.reason, tries = failed.tries + 1, last_failed_at = excluded.last_failed_at,
    try_at = excluded.last_failed_at + least(interval '1 hour', interval '2 minutes' * 2 ^ least(failed.tries, 10));
END
$$;

-- As before, except that a sum that cannot be posted is set aside, and counted as well. Those that are tried again come after all others.
CREATE OR REPLACE FUNCTION ledger_post_sums(older_than interval, sums_max integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  owners ledger_owners[] := ARRAY(
    SELECT o FROM ledger_owners o
    WHERE o.unposted_since <= clock_timestamp() - older_than AND NOT EXISTS (
      SELECT FROM ledger_failed_sums f WHERE f.owner_id = o.owner_id AND f.transfer_id = o.unposted_transfer_id)
    ORDER BY o.unposted_since LIMIT sums_max FOR NO KEY UPDATE OF o SKIP LOCKED);
BEGIN
  IF cardinality(owners) < sums_max THEN
    owners := owners || ARRAY(
      SELECT o FROM ledger_failed_sums f JOIN ledger_owners o ON o.owner_id = f.owner_id AND o.unposted_transfer_id = f.transfer_id
      WHERE f.try_at <= clock_timestamp()
      ORDER BY f.try_at LIMIT sums_max - cardinality(owners) FOR NO KEY UPDATE OF o SKIP LOCKED);
  END IF;
  FOR i IN 1..cardinality(owners) LOOP
    PERFORM ledger_post_sum_or_set_aside(owners[i]);
  END LOOP;
  RETURN cardinality(owners);
END
$$;

REVOKE ALL ON FUNCTION ledger_post_sum_or_set_aside(ledger_owners) FROM PUBLIC;
GRANT SELECT ON ledger_failed_sums TO tidemark_server, tidemark_worker;
