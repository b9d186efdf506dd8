-- Months no longer leave the ledger (docs/scaling.md). The view that read what was kept of them is made again
-- with the functions.
DROP VIEW IF EXISTS ledger_grant_sums;
DROP TABLE ledger_archives, ledger_openings, ledger_archived_sums;
