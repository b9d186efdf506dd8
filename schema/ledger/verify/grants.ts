import { sql } from 'kysely'
import { batchesOfRows } from '../../database/batches-of-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { GrantKind } from '../grants.ts'
import type { ReportProblem } from './problems.ts'

/**
 * What the transfers of each grant come to by their entries in the grant's account. Computed here, not read from
 * the view that the product uses.
 */
const sumsOfGrants = sql`(
  SELECT t.owner_id, t.grant_id,
    coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
    coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
    coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
    bool_or(e.amount IS NULL) AS moves_others
  FROM ledger_transfers t
  LEFT JOIN (
    SELECT g.owner_id, g.id AS grant_id, a.id FROM ledger_grants g
    JOIN ledger_accounts a ON a.owner_id = g.owner_id AND a.name = g.account) account USING (owner_id, grant_id)
  LEFT JOIN ledger_entries e ON e.transfer_id = t.id AND e.account_id = account.id
  WHERE t.grant_id IS NOT NULL GROUP BY t.owner_id, t.grant_id)`

interface GrantRow {
  readonly id: string
  /** Null when the grant does not exist, or is another owner's than its transfers. */
  readonly kind: GrantKind | null
  readonly gross: number
  readonly refunded: number
  readonly disputed: number
  readonly expired: number
  readonly written_off: number
  /** One of its transfers moves no credits of its account. */
  readonly moves_others: boolean
  /** Of a purchase: its intent. */
  readonly intent_state: string | null
}

/**
 * Checks of each grant that its transfers move credits of its account, that no more was taken back than it
 * brought, and that a purchase has its settled intent. Returns how many there are.
 */
export async function checkGrants(trx: DatabaseTransaction, problem: ReportProblem): Promise<number> {
  let count = 0
  for await (const grants of batchesOfRows(trx, grantRows)) {
    count += grants.filter(({ kind }) => kind !== null).length
    for (const grant of grants) checkGrant(grant, problem)
  }
  return count
}

const grantRows = sql<GrantRow>`
  SELECT coalesce(g.id, sums.grant_id) AS id, g.kind, i.state AS intent_state, coalesce(sums.gross, 0) AS gross,
    coalesce(sums.refunded, 0) AS refunded, coalesce(sums.disputed, 0) AS disputed, coalesce(sums.expired, 0) AS expired,
    coalesce(sums.written_off, 0) AS written_off, coalesce(sums.moves_others, false) AS moves_others
  FROM ledger_grants g
  FULL JOIN ${sumsOfGrants} sums ON sums.owner_id = g.owner_id AND sums.grant_id = g.id
  LEFT JOIN checkout_intents i ON i.owner_id = g.owner_id AND i.id = g.intent_id
  ORDER BY coalesce(g.id, sums.grant_id) COLLATE "C"`

function checkGrant(grant: GrantRow, problem: ReportProblem): void {
  const name = `grant ${grant.id}`
  if (grant.kind === null || grant.moves_others) {
    problem('every transfer moves credits of its grant’s account', name)
  }
  if (grant.kind === 'purchase' && grant.gross !== 0 && grant.intent_state !== 'settled') {
    problem('every purchase has its settled intent', name)
  }
  if (grant.kind === 'adjustment') return
  const { gross, refunded, disputed, expired, written_off } = grant
  if (refunded < 0 || disputed < 0 || refunded + disputed > gross) {
    problem('no more is taken back of a grant than it brought', name)
  }
  if (expired > 0 || written_off < 0 || (grant.kind !== 'month' && (expired !== 0 || written_off !== 0))) {
    problem('months alone are closed, by what expires or is written off', name)
  }
}

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
 */
export async function checkMonths(trx: DatabaseTransaction, problem: ReportProblem): Promise<void> {
  let months: MonthRow[] = []
  for await (const rows of batchesOfRows(trx, monthRows)) {
    for (const row of rows) {
      if (row.stripe_subscription_id !== months[0]?.stripe_subscription_id) {
        checkSubscription(months, problem)
        months = []
      }
      months.push(row)
    }
  }
  checkSubscription(months, problem)
}

const monthRows = sql<MonthRow>`
  SELECT stripe_subscription_id, month_starts_at AS starts_at, coalesce(granted.due, 0) AS due,
    coalesce(granted.expired, 0) AS expired, coalesce(granted.written_off, 0) AS written_off, closed.used,
    coalesce(outliving.credits, 0) AS held
  FROM (
    SELECT stripe_subscription_id, month_starts_at, sum(s.gross - s.refunded - s.disputed)::bigint AS due,
      sum(s.expired)::bigint AS expired, sum(s.written_off)::bigint AS written_off
    FROM ledger_grants g JOIN ${sumsOfGrants} s ON s.owner_id = g.owner_id AND s.grant_id = g.id
    WHERE g.kind IN ('month', 'seats') GROUP BY 1, 2) granted
  FULL JOIN ledger_months_used closed USING (stripe_subscription_id, month_starts_at)
  LEFT JOIN (
    SELECT owner_id, sum(credits)::bigint AS credits FROM ledger_holds WHERE outlives_month GROUP BY 1) outliving USING (owner_id)
  ORDER BY 1, 2`

function checkSubscription(months: readonly MonthRow[], problem: ReportProblem): void {
  let debt = 0
  let held = months.reduce((most, month) => Math.max(most, month.held), 0)
  for (const [index, month] of months.entries()) {
    const left = month.due - (month.used ?? 0) - debt
    const isClosed = month.used !== null
    if (isClosed) debt = Math.max(0, -left)
    const unexpired = (isClosed ? Math.max(0, left) : 0) + month.expired
    const mayBeWrittenOff = isClosed && index === months.length - 1 ? [0, debt] : [0]
    if (unexpired < 0 || unexpired > held || !mayBeWrittenOff.includes(month.written_off)) {
      problem(
        'what is left of a month pays debts, and the rest expires',
        `subscription ${month.stripe_subscription_id}, month ${month.starts_at.toISOString()}`,
      )
    }
    held -= unexpired
  }
}
