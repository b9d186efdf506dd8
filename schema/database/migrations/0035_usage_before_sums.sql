-- Usage from before it was counted: the sums of days are those of the ledger. It had no labels.
INSERT INTO ledger_usage_days AS d (owner_id, day, actor, requests, failed, credits, first_id)
SELECT t.owner_id, (t.occurred_at AT TIME ZONE 'UTC')::date, t.actor, count(*), 0, sum(e.amount), min(t.id)
FROM ledger_transfers t
JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.transfer_id = t.id
  AND e.account_id = (SELECT id FROM ledger_accounts WHERE owner_id = 'house' AND name = 'used')
WHERE t.kind = 'usage' AND t.id < (SELECT coalesce(min(first_id), 9223372036854775807) FROM ledger_usage_days)
GROUP BY 1, 2, 3
ON CONFLICT (owner_id, day, actor, token_id, model, project) DO UPDATE
SET requests = d.requests + EXCLUDED.requests, credits = d.credits + EXCLUDED.credits, first_id = EXCLUDED.first_id;
