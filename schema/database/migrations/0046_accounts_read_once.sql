-- An owner's first transfer makes two accounts and the row that has them. The two were found by joining the table with itself: three ways down its index in place of one.
CREATE OR REPLACE FUNCTION ledger_take_rows(owner_kinds text[], owner_ids text[]) RETURNS ledger_owners[] LANGUAGE plpgsql AS $$
DECLARE
  -- Rows are locked after they were sorted, and an id never changes.
  owners ledger_owners[] := ARRAY(
    SELECT o FROM ledger_owners o
    WHERE o.owner_id = ANY (owner_ids)
      AND (SELECT count(*) FROM ledger_owners known WHERE known.owner_id = ANY (owner_ids)) = cardinality(owner_ids)
    ORDER BY o.owner_id FOR NO KEY UPDATE);
BEGIN
  IF cardinality(owners) < cardinality(owner_ids) THEN
    -- Before anything is locked, so that nobody who waits here is waited for by who locks there.
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT named.owner_kind, named.owner_id, account.name
    FROM unnest(owner_kinds, owner_ids) AS named (owner_kind, owner_id), unnest(ARRAY['plan', 'purchased']) AS account (name)
    WHERE NOT EXISTS (SELECT FROM ledger_owners o WHERE o.owner_id = named.owner_id)
    ORDER BY 2, 3
    ON CONFLICT DO NOTHING;
    INSERT INTO ledger_owners (owner_id, owner_kind, plan_account_id, purchased_account_id)
    SELECT a.owner_id, min(a.owner_kind), min(a.id) FILTER (WHERE a.name = 'plan'), min(a.id) FILTER (WHERE a.name = 'purchased')
    FROM ledger_accounts a
    WHERE a.owner_id = ANY (owner_ids) AND a.name IN ('plan', 'purchased')
    GROUP BY a.owner_id
    ORDER BY 1
    ON CONFLICT DO NOTHING;
    owners := ARRAY(SELECT o FROM ledger_owners o WHERE o.owner_id = ANY (owner_ids) ORDER BY o.owner_id FOR NO KEY UPDATE);
  END IF;
  RETURN owners;
END
$$;
