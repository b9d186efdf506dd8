import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { sumsOfGrant } from './grants.ts'
import type { ReportProblem } from './problems.ts'

const batchSize = 1000

interface MonthRow {
  readonly stripe_subscription_id: string
  readonly starts_at: Date
  readonly due: number
  readonly expired: number
  readonly written_off: number
  /** Null while the month is open. */
  readonly used: number | null
  /** Credits of its owner's holds that are not counted to their closed month yet. */
  readonly held: number
}

/**
 * Checks how months were closed: what is left of one pays what earlier ones of the subscription overused, and
 * the rest expired, but for what holds that outlive their month may take; what the last one overused may be
 * written off.
 * `ids`: those subscriptions.
 */
export async function checkMonths(
  trx: DatabaseTransaction,
  ids: ReadonlySet<string>,
  problem: ReportProblem,
): Promise<void> {
  const list = [...ids].sort()
  for (let start = 0; start < list.length; start += batchSize) {
    const batch = list.slice(start, start + batchSize)
    const { rows } = await sql<MonthRow>`
      SELECT coalesce(granted.stripe_subscription_id, closed.stripe_subscription_id) AS stripe_subscription_id,
        coalesce(granted.month_starts_at, closed.month_starts_at) AS starts_at, coalesce(granted.due, 0) AS due,
        coalesce(granted.expired, 0) AS expired, coalesce(granted.written_off, 0) AS written_off,
        closed.used, coalesce((SELECT sum(credits) FROM ledger_holds h
          WHERE h.owner_id = closed.owner_id AND h.outlives_month), 0)::bigint AS held
      FROM (
        SELECT g.stripe_subscription_id, g.month_starts_at, sum(s.gross - s.refunded - s.disputed)::bigint AS due,
          sum(s.expired)::bigint AS expired, sum(s.written_off)::bigint AS written_off
        FROM ledger_grants g CROSS JOIN LATERAL ${sumsOfGrant} s
        WHERE g.stripe_subscription_id = ANY(${batch}) AND g.kind IN ('month', 'seats')
        GROUP BY g.stripe_subscription_id, g.month_starts_at) granted
      FULL JOIN (
        SELECT owner_id, stripe_subscription_id, month_starts_at, used FROM ledger_months_used
        WHERE stripe_subscription_id = ANY(${batch})) closed USING (stripe_subscription_id, month_starts_at)
      ORDER BY 1, 2`.execute(trx)
    for (const [id, months] of Map.groupBy(rows, (month) => month.stripe_subscription_id)) {
      checkSubscription(id, months, problem)
    }
  }
}

function checkSubscription(id: string, months: readonly MonthRow[], problem: ReportProblem): void {
  let debt = 0
  let held = months.reduce((most, month) => Math.max(most, month.held), 0)
  for (const [index, month] of months.entries()) {
    const left = month.due - (month.used ?? 0) - debt
    const isClosed = month.used !== null
    if (isClosed) debt = Math.max(0, -left)
    const kept = (isClosed ? Math.max(0, left) : 0) + month.expired
    const mayBeWrittenOff = isClosed && index === months.length - 1 ? [0, debt] : [0]
    if (kept < 0 || kept > held || !mayBeWrittenOff.includes(month.written_off)) {
      problem(
        'what is left of a month pays debts, and the rest expires',
        `subscription ${id}, month ${month.starts_at.toISOString()}`,
      )
    }
    held -= kept
  }
}

/** Checks that months that are over do not claim more usage than there was. */
export async function checkUsage(
  trx: DatabaseTransaction,
  owners: ReadonlySet<string> | 'all',
  problem: ReportProblem,
): Promise<void> {
  const list = owners === 'all' ? await findOwnersOfPastMonths(trx) : [...owners]
  for (let start = 0; start < list.length; start += batchSize) {
    const batch = list.slice(start, start + batchSize)
    const { rows } = await sql<{ owner_id: string }>`
      SELECT owner.owner_id FROM unnest(${batch}::text[]) AS owner (owner_id)
      JOIN ledger_accounts a ON a.owner_id = owner.owner_id AND a.name = 'plan'
      WHERE coalesce((
          SELECT sum(e.amount) FROM ledger_grants g
          JOIN ledger_transfers t ON t.owner_id = g.owner_id AND t.grant_id = g.id
          JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.account_id = a.id AND e.transfer_id = t.id
          WHERE g.owner_id = owner.owner_id AND t.kind <> 'usage_moved'), 0)
        - coalesce((SELECT e.balance_after FROM ledger_entries e
          WHERE e.owner_id = a.owner_id AND e.account_id = a.id ORDER BY e.transfer_id DESC LIMIT 1), 0)
        < coalesce((SELECT sum(m.used) FROM ledger_months_used m WHERE m.owner_id = owner.owner_id), 0)`.execute(
      trx,
    )
    for (const { owner_id } of rows) problem('closed months used no more than was used', owner_id)
  }
}

async function findOwnersOfPastMonths(trx: DatabaseTransaction): Promise<string[]> {
  const { rows } = await sql<{ owner_id: string }>`
    SELECT owner_id FROM ledger_owners WHERE owner_id IN (SELECT owner_id FROM ledger_months_used)`.execute(
    trx,
  )
  return rows.map(({ owner_id }) => owner_id)
}
