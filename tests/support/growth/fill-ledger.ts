import { sql } from 'kysely'
import type { Database } from '../../../schema/database/connect.ts'

/**
 * Fills a ledger with owners that have `transfers` each, set-based: credits by hand, one billing month, and from then on usage of
 * one plan credit at a time. The books are right, hashes included, and `ledger:verify` finds nothing. `db` is the tables' owner's.
 * May be called again with another `prefix`.
 */
export async function fillLedger(
  db: Database,
  {
    prefix,
    owners,
    transfers,
  }: { readonly prefix: string; readonly owners: number; readonly transfers: number },
): Promise<void> {
  await sql`
    INSERT INTO ledger_accounts (owner_kind, owner_id, name)
    SELECT 'user', ${prefix} || i, name FROM generate_series(1, ${sql.lit(owners)}) i, unnest(ARRAY['plan', 'purchased']) name
    ORDER BY i, name`.execute(db)
  await sql`
    INSERT INTO ledger_grants (id, kind, owner_kind, owner_id, account, stripe_subscription_id, stripe_invoice_id, month_starts_at,
      starts_at, ends_at)
    SELECT 'adjustment/user/' || owner_id || '/purchased', 'adjustment', 'user', owner_id, 'purchased', NULL, NULL, NULL, NULL, NULL
    FROM ledger_accounts WHERE starts_with(owner_id, ${prefix}) AND name = 'purchased'
    UNION ALL
    SELECT 'month/in_' || owner_id || '/' || extract(epoch FROM timestamptz '2026-09-01Z')::bigint, 'month', 'user', owner_id, 'plan',
      'sub_' || owner_id, 'in_' || owner_id, timestamptz '2026-09-01Z', timestamptz '2026-09-01Z', timestamptz '2026-10-01Z'
    FROM ledger_accounts WHERE starts_with(owner_id, ${prefix}) AND name = 'plan'`.execute(db)
  for (let number = 1; number <= transfers; number++) await postOneEach(db, { prefix, number })
  await sql`ANALYZE ledger_accounts, ledger_grants, ledger_transfers, ledger_entries`.execute(db)
}

/** One transfer more for each owner, in one statement. */
async function postOneEach(
  db: Database,
  { prefix, number }: { readonly prefix: string; readonly number: number },
): Promise<void> {
  const { kind, account, house, amount, grant } = transferNumber(number)
  await sql`
    WITH transfer AS (
      INSERT INTO ledger_transfers (idempotency_key, kind, input_hash, occurred_at, actor, reason, grant_id)
      SELECT 'fill/' || ${sql.lit(number)} || '/' || a.owner_id, ${kind}, sha256('filled'), now(), 'filler', 'Filled', ${grant}
      FROM ledger_accounts a WHERE starts_with(a.owner_id, ${prefix}) AND a.name = ${account} ORDER BY a.id
      RETURNING *
    ), posted AS (
      SELECT t.id, ledger_transfer_digest(ROW(t.*)::ledger_transfers) AS digest, a.id AS account_id,
        coalesce(head.version, 0) + 1 AS version, coalesce(head.balance_after, 0) + ${sql.lit(amount)} AS balance, head.hash AS previous
      FROM transfer t
      JOIN ledger_accounts a ON a.owner_kind = 'user' AND a.name = ${account}
        AND a.owner_id = substr(t.idempotency_key, length('fill/' || ${sql.lit(number)} || '/') + 1)
      LEFT JOIN LATERAL (
        SELECT e.version, e.balance_after, e.hash FROM ledger_entries e
        WHERE e.account_id = a.id AND e.version IS NOT NULL ORDER BY e.version DESC LIMIT 1) head ON true
    ), owners AS (
      INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, hash)
      SELECT id, account_id, ${sql.lit(amount)}, version, balance,
        ledger_entry_hash(previous, digest, account_id, ${sql.lit(amount)}, version, balance) FROM posted
      RETURNING transfer_id, hash
    )
    INSERT INTO ledger_entries (transfer_id, account_id, amount, hash)
    SELECT p.id, house.id, ${sql.lit(-amount)}, ledger_entry_hash(o.hash, p.digest, house.id, ${sql.lit(-amount)}, NULL, NULL)
    FROM posted p JOIN owners o ON o.transfer_id = p.id
    JOIN ledger_accounts house ON house.owner_kind = 'house' AND house.name = ${house}`.execute(db)
}

function transferNumber(number: number) {
  if (number === 1) {
    const grant = sql`'adjustment/user/' || a.owner_id || '/purchased'`
    return { kind: 'adjustment', account: 'purchased', house: 'adjusted', amount: 1000, grant }
  }
  if (number === 2) {
    const grant = sql`'month/in_' || a.owner_id || '/' || extract(epoch FROM timestamptz '2026-09-01Z')::bigint`
    return { kind: 'plan_grant', account: 'plan', house: 'granted', amount: 1_000_000, grant }
  }
  return { kind: 'usage', account: 'plan', house: 'used', amount: -1, grant: sql`NULL::text` }
}
