import { sql } from 'kysely'
import { isAboveHold } from '../hold-keys.ts'

/**
 * What Postgres proves of the books by comparing whole tables, in the order in which problems are listed. Each
 * query returns what is wrong, by a `subject`. Nothing is read from the views and functions that the product uses.
 */
export const comparisons: readonly (readonly [check: string, wrong: ReturnType<typeof sql>])[] = [
  [
    'entries of a transfer sum to zero',
    sql`SELECT 'transfer ' || idempotency_key AS subject FROM ledger_transfers
      WHERE id NOT IN (SELECT transfer_id FROM ledger_entries)`,
  ],
  [
    'every intent that a transfer names is there',
    sql`SELECT 'transfer ' || idempotency_key AS subject FROM ledger_transfers t
      WHERE intent_id IS NOT NULL AND NOT EXISTS (SELECT FROM checkout_intents i WHERE i.id = t.intent_id)`,
  ],
  [
    // A text that was erased is NULL with its salt.
    'the text of a transfer has the hash that is kept of it',
    sql`SELECT 'transfer ' || idempotency_key AS subject FROM ledger_transfers
      WHERE NOT coalesce(sha256(reason_salt || convert_to(reason, 'UTF8')) = reason_hash, reason IS NULL AND reason_salt IS NULL)`,
  ],
  [
    // A transfer without its key would be posted again.
    'every transfer is kept under its key',
    sql`SELECT 'transfer ' || transfer.idempotency_key AS subject FROM ledger_transfers transfer
      LEFT JOIN ledger_keys key ON key.transfer_id = transfer.id AND key.owner_id = transfer.owner_id
        AND key.idempotency_key = transfer.idempotency_key
      WHERE key.input_hash IS DISTINCT FROM transfer.input_hash`,
  ],
  [
    // A key without its transfer would make the ledger believe that something was posted.
    'every key has its transfer',
    sql`SELECT 'transfer ' || key.idempotency_key AS subject FROM ledger_keys key
      LEFT JOIN ledger_transfers transfer ON key.transfer_id = transfer.id AND key.owner_id = transfer.owner_id
        AND key.idempotency_key = transfer.idempotency_key
      WHERE key.transfer_id IS NOT NULL AND transfer.id IS NULL`,
  ],
  [
    'every key without a transfer has its failure',
    sql`SELECT 'key ' || key.idempotency_key AS subject
      FROM ledger_keys key
      LEFT JOIN (SELECT *, 0 AS credits FROM ledger_failures) failure USING (owner_id, idempotency_key)
      WHERE key.transfer_id IS NULL AND key.input_hash IS DISTINCT FROM ${usageInput('failure')}`,
  ],
  [
    'every failure is kept under its key',
    sql`SELECT 'key ' || idempotency_key AS subject FROM ledger_failures failure
      WHERE NOT EXISTS (SELECT FROM ledger_keys key WHERE key.owner_id = failure.owner_id
        AND key.idempotency_key = failure.idempotency_key AND key.transfer_id IS NULL)`,
  ],
  [
    // A key says how many credits were asked for under it, or what they cost exactly, which is what its transfer took. The part of
    // a credit that is not whole, or is of an earlier rest, is in the first transfer.
    'every hold was charged what was posted for it',
    sql`WITH settled AS (
        SELECT h.*, CASE h.state WHEN 'settled' THEN least(h.settled_credits, h.credits) ELSE h.charged END AS reserved,
          h.state = 'settled' AND h.settled_credits = 0 AND h.cost > 0 AS is_part, h.cost - 1000 * h.settled_credits AS beyond
        FROM ledger_holds h WHERE h.charged IS NOT NULL)
      SELECT DISTINCT 'hold ' || split_part(idempotency_key, '/', 2) AS subject
      FROM (
        SELECT owner_id, 'hold/' || id AS idempotency_key, reserved AS credits, 1000 * reserved + beyond AS cost FROM settled
        WHERE reserved <> 0 OR failure IS NOT NULL OR is_part
        UNION ALL
        SELECT owner_id, 'hold/' || id || '/above', charged - reserved, NULL FROM settled WHERE charged <> reserved) part
      FULL JOIN (SELECT * FROM ledger_keys WHERE starts_with(idempotency_key, 'hold/')) key USING (owner_id, idempotency_key)
      WHERE key.input_hash IS DISTINCT FROM ${usageInput('part')}
        OR (key.transfer_id IS NULL) <> (part.credits = 0)`,
  ],
  [
    'every owner’s row has what is held',
    sql`SELECT 'owner ' || owner_id AS subject FROM (
        SELECT owner_id, held, plan_held FROM ledger_owners
        UNION ALL SELECT owner_id, -credits, -plan_credits FROM ledger_holds WHERE state = 'open') counted
      GROUP BY owner_id HAVING (sum(held), sum(plan_held)) <> (0, 0)`,
  ],
  [
    // By person and editor: labels may be erased.
    'the sums of a day are what was posted',
    sql`SELECT 'owner ' || owner_id || ', day ' || day || ', person ' || actor AS subject
      FROM (
        SELECT owner_id, day, actor, token_id, requests, failed, credits, first_id AS counted_from, NULL AS posted_from FROM ledger_usage_days
        UNION ALL
        SELECT t.owner_id, (t.occurred_at AT TIME ZONE 'UTC')::date, t.actor, t.token_id,
          CASE WHEN ${isAboveHold(sql`t.idempotency_key`)} THEN 0 ELSE -1 END, 0, -e.amount, NULL, t.id
        FROM ledger_transfers t
        JOIN ledger_entries e ON e.transfer_id = t.id AND e.owner_id = t.owner_id
          AND e.account_id = (SELECT id FROM ledger_accounts WHERE owner_id = 'house' AND name = 'used')
        WHERE t.kind = 'usage'
        UNION ALL
        SELECT owner_id, (occurred_at AT TIME ZONE 'UTC')::date, actor, token_id, -1, -num_nonnulls(failure), 0, NULL, id
        FROM ledger_failures) compared
      GROUP BY owner_id, day, actor, token_id
      HAVING (sum(requests), sum(failed), sum(credits)) <> (0, 0, 0) OR min(counted_from) IS DISTINCT FROM min(posted_from)`,
  ],
  [
    'every period of a budget has what was used in its days',
    sql`SELECT 'owner ' || p.owner_id || ', budget ' || p.budget_id || ', from ' || p.starts_on AS subject FROM ledger_budget_periods p
      WHERE p.used <> coalesce((
        SELECT sum(-e.amount) FROM ledger_transfers t
        JOIN ledger_entries e ON e.transfer_id = t.id AND e.owner_id = t.owner_id AND e.account_id <> (
          SELECT id FROM ledger_accounts WHERE owner_id = 'house' AND name = 'used')
        WHERE t.owner_id = p.owner_id AND t.kind = 'usage' AND p.actor IN ('', t.actor)
          AND (t.occurred_at AT TIME ZONE 'UTC')::date >= p.starts_on AND (t.occurred_at AT TIME ZONE 'UTC')::date < p.ends_on), 0)`,
  ],
  [
    'what was used by tokens is charged, but for the rest of a credit in the owner’s row',
    sql`SELECT 'owner ' || owner_id AS subject FROM (
        SELECT owner_id, rest AS thousandths FROM ledger_owners WHERE rest <> 0
        UNION ALL SELECT owner_id, -cost FROM ledger_failures WHERE cost IS NOT NULL
        UNION ALL SELECT t.owner_id, 1000 * e.amount - t.cost FROM ledger_transfers t
        JOIN ledger_entries e ON e.transfer_id = t.id AND e.owner_id = t.owner_id
          AND e.account_id = (SELECT id FROM ledger_accounts WHERE owner_id = 'house' AND name = 'used')
        WHERE t.cost IS NOT NULL) counted
      GROUP BY owner_id HAVING sum(thousandths) <> 0`,
  ],
  [
    'every owner’s row has the latest entry of each account',
    sql`SELECT 'account ' || account.id AS subject FROM ledger_accounts account
      LEFT JOIN ledger_owners owner ON owner.owner_id = account.owner_id
      LEFT JOIN LATERAL (
        SELECT version, balance_after, hash FROM ledger_entries
        WHERE owner_id = account.owner_id AND account_id = account.id ORDER BY transfer_id DESC LIMIT 1) latest ON true
      CROSS JOIN LATERAL (SELECT CASE account.name
        WHEN 'plan' THEN ROW(owner.plan_account_id, owner.plan_version, owner.plan_balance, owner.plan_hash)
        ELSE ROW(owner.purchased_account_id, owner.purchased_version, owner.purchased_balance, owner.purchased_hash) END AS known) row
      WHERE account.owner_id <> 'house'
        AND row.known IS DISTINCT FROM ROW(account.id, coalesce(latest.version, 0), coalesce(latest.balance_after, 0), latest.hash)`,
  ],
  [
    'closed months used no more than was used',
    sql`SELECT owner.owner_id AS subject
      FROM (SELECT owner_id, sum(used) AS used FROM ledger_months_used GROUP BY owner_id) owner
      JOIN ledger_accounts a ON a.owner_id = owner.owner_id AND a.name = 'plan'
      WHERE coalesce((
          SELECT sum(e.amount) FROM ledger_transfers t
          JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.account_id = a.id AND e.transfer_id = t.id
          WHERE t.owner_id = owner.owner_id AND t.grant_id IS NOT NULL AND t.kind <> 'usage_moved'), 0)
        - coalesce((SELECT e.balance_after FROM ledger_entries e
          WHERE e.owner_id = a.owner_id AND e.account_id = a.id ORDER BY e.transfer_id DESC LIMIT 1), 0) < owner.used`,
  ],
  [
    'every settled intent has its grant, with the credits of its terms',
    sql`SELECT 'intent ' || i.id AS subject FROM checkout_intents i
      WHERE i.state = 'settled' AND i.kind = 'credit_purchase' AND i.credits IS DISTINCT FROM (
        SELECT sum(e.amount)
        FROM ledger_transfers t
        JOIN ledger_accounts a ON a.owner_id = t.owner_id AND a.name = 'purchased'
        JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.account_id = a.id AND e.transfer_id = t.id
        WHERE t.owner_id = i.owner_id AND t.grant_id = 'purchase/' || i.id AND t.kind IN ('credit_purchase', 'withdrawal')
        HAVING bool_or(t.kind = 'credit_purchase'
          AND t.idempotency_key = 'checkout/' || coalesce(i.stripe_session_id, i.stripe_invoice_id)))`,
  ],
  [
    'every settled intent of a plan has its subscription',
    sql`SELECT 'intent ' || i.id AS subject FROM checkout_intents i
      LEFT JOIN subscriptions s ON s.owner_id = i.owner_id AND s.intent_id = i.id
      WHERE i.kind = 'subscription' AND (i.state = 'settled') <> (s.intent_id IS NOT NULL)`,
  ],
]

/** What is kept under the key of a usage: the hash of what was asked for, by a row with `owner_id`, `cost` and `credits`. */
function usageInput(row: string) {
  return sql`sha256(convert_to('["usage",' || to_json(${sql.ref('owner_id')}) || ',"'
    || coalesce(${sql.ref(`${row}.cost`)} || '/1000', ${sql.ref(`${row}.credits`)}::text) || '"]', 'UTF8'))`
}
