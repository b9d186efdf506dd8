import { sql } from 'kysely'
import type { ReadDatabase } from '../../database/connect.ts'
import type { Owner } from '../accounts.ts'
import { withoutUnposted } from './balances.ts'

/** One report of usage of those that a transfer sums. */
export interface UsageReport {
  /** Within the sum, from 1, in the order in which they were decided. */
  readonly ordinal: number
  readonly credits: number
  readonly occurred_at: Date
  /** Who used the credits, and what for. */
  readonly actor: string
  readonly reason: string
}

/** Usage that is summed and not posted yet, as the transfer that it will be. */
export interface OpenSum {
  readonly transfer_id: number
  readonly account_ids: { readonly plan: number; readonly purchased: number }
  readonly reports: number
  /** When the last of them occurred. */
  readonly occurred_at: Date
  readonly reason: string
  /** Below zero. */
  readonly change: { readonly plan: number; readonly purchased: number }
  readonly after: { readonly plan: number; readonly purchased: number }
}

/** The owner's sum of this minute, or null when nothing waits to be posted. */
export async function findOpenSum(db: ReadDatabase, owner: Owner): Promise<OpenSum | null> {
  const { rows } = await sql<{
    transfer_id: number
    reports: number
    occurred_at: Date
    reason: string
    plan_account_id: number
    purchased_account_id: number
    plan_balance: number
    purchased_balance: number
    unposted_credits: number
  }>`
    SELECT o.unposted_transfer_id AS transfer_id, o.unposted_reports AS reports, latest.occurred_at, latest.reason,
      o.plan_account_id, o.purchased_account_id, o.plan_balance, o.purchased_balance, o.unposted_credits
    FROM ledger_owners o
    CROSS JOIN LATERAL (
      SELECT occurred_at, reason FROM ledger_reports
      WHERE owner_id = o.owner_id AND transfer_id = o.unposted_transfer_id AND ordinal = o.unposted_reports OFFSET 0) latest
    WHERE o.owner_id = ${owner.owner_id} AND o.owner_kind = ${owner.owner_kind} AND o.unposted_transfer_id IS NOT NULL`.execute(
    db,
  )
  const [row] = rows
  if (!row) return null
  const { transfer_id, reports, occurred_at } = row
  const after = withoutUnposted(row)
  return {
    transfer_id,
    account_ids: { plan: row.plan_account_id, purchased: row.purchased_account_id },
    reports,
    occurred_at,
    // As the transfer will say it.
    reason: reports === 1 ? row.reason : `${reports} reports of usage`,
    change: { plan: after.plan - row.plan_balance, purchased: after.purchased - row.purchased_balance },
    after,
  }
}

/** How many reports a transfer of the owner's sums, for a SELECT list; null when it is one by itself. One look-up in an index. */
export function countReports(owner: Owner, { id, key }: { readonly id: string; readonly key: string }) {
  return sql<number | null>`CASE WHEN starts_with(${sql.ref(key)}, 'usage_sums/') THEN (
    SELECT ordinal FROM ledger_reports WHERE owner_id = ${owner.owner_id} AND transfer_id = ${sql.ref(id)}
    ORDER BY ordinal DESC LIMIT 1) END`
}

/** The reports that a transfer sums, or will sum, in their order, after the given one. Of another owner's transfer there are none. */
export async function listReports(
  db: ReadDatabase,
  owner: Owner,
  page: { readonly transfer_id: number; readonly after?: number | undefined; readonly limit: number },
): Promise<UsageReport[]> {
  return db
    .selectFrom('ledger_reports')
    .select(['ordinal', 'credits', 'occurred_at', 'actor', 'reason'])
    .where('owner_id', '=', owner.owner_id)
    .where('transfer_id', '=', page.transfer_id)
    .where('ordinal', '>', page.after ?? 0)
    .orderBy('ordinal')
    .limit(page.limit)
    .execute()
}

/** From when on there may be usage that is summed and not posted yet, by the clock of those who reported it. Null when all is posted. */
export async function findFirstUnposted(db: ReadDatabase): Promise<Date | null> {
  const { rows } = await sql<{ first: Date | null }>`
    SELECT min(unposted_until) - interval '1 minute' AS first FROM ledger_owners WHERE unposted_since IS NOT NULL`.execute(
    db,
  )
  return rows[0]?.first ?? null
}

/** How long the oldest sum has waited to be posted; zero when none waits. Those that were set aside are counted by `countFailedSums`. */
export async function findOldestSumSeconds(db: ReadDatabase): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    SELECT coalesce(extract(epoch FROM clock_timestamp() - min(o.unposted_since)), 0)::double precision AS seconds
    FROM ledger_owners o WHERE o.unposted_since IS NOT NULL AND NOT EXISTS (
      SELECT FROM ledger_failed_sums f WHERE f.owner_id = o.owner_id AND f.transfer_id = o.unposted_transfer_id)`.execute(
    db,
  )
  return rows[0]?.seconds ?? 0
}
