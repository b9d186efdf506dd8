import { type RawBuilder, sql } from 'kysely'
import { batchesOfRows } from '../../database/batches-of-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { GrantKind } from '../grants.ts'
import { planToLookUp, planToReadAll } from './planned.ts'
import type { ReportProblem } from './problems.ts'
import type { GrantOf } from './transfers.ts'

const batchSize = 1000

/** What transfers `t` come to by their entries `e` in the grant's account, of which each has one. */
const sums = sql`
  coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
  coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
  coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
  coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
  coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
  bool_or(e.amount IS NULL) AS moves_others`

const accountOfGrant = sql`(
  SELECT id FROM ledger_accounts WHERE owner_id = g.owner_id AND name = g.account)`

/**
 * The transfers of a grant `g`, summed by what they are, in the grant's account. Entries are found one by one
 * by their keys (OFFSET 0): before Postgres has statistics of new books it would read all entries for each
 * grant.
 */
export const sumsOfGrant = sql`(
    SELECT ${sums}
    FROM ledger_transfers t
    LEFT JOIN LATERAL (
      SELECT amount FROM ledger_entries
      WHERE owner_id = t.owner_id AND account_id = ${accountOfGrant} AND transfer_id = t.id OFFSET 0) e ON true
    WHERE t.owner_id = g.owner_id AND t.grant_id = g.id)`

/** The same of all grants at once: each table is read once. */
const sumsOfAllGrants = sql`(
    WITH account AS (
      SELECT g.owner_id, g.id AS grant_id, a.id FROM ledger_grants g
      JOIN ledger_accounts a ON a.owner_id = g.owner_id AND a.name = g.account)
    SELECT t.owner_id, t.grant_id, ${sums}
    FROM ledger_transfers t
    LEFT JOIN account ON account.owner_id = t.owner_id AND account.grant_id = t.grant_id
    LEFT JOIN ledger_entries e ON e.transfer_id = t.id AND e.account_id = account.id
    WHERE t.grant_id IS NOT NULL GROUP BY t.owner_id, t.grant_id)`

interface GrantRow {
  readonly owner_id: string
  readonly id: string
  /** Null when the grant does not exist, or is another owner's than its transfers. */
  readonly kind: GrantKind | null
  readonly stripe_subscription_id: string | null
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

/** What the later checks need of a set of grants. */
interface GrantsRead {
  /** How many there are. */
  readonly grants: number
  readonly subscriptionIds: ReadonlySet<string>
  /** Owners with grants on the plan account, of those that were chosen. */
  readonly planOwners: ReadonlySet<string>
}

/**
 * Checks of each grant that its transfers move credits of its account, that no more was taken back than it
 * brought, and that a purchase has its settled intent. Sums are computed here, not read from the view that
 * the product uses. `chosen`: those alone, or all.
 */
export async function checkGrants(
  trx: DatabaseTransaction,
  chosen: readonly GrantOf[] | 'all',
  problem: ReportProblem,
): Promise<GrantsRead> {
  const subscriptionIds = new Set<string>()
  const planOwners = new Set<string>()
  let count = 0
  const check = async (grantsAndSums: RawBuilder<unknown>) => {
    for await (const grants of batchesOfRows(trx, grantsWith(grantsAndSums))) {
      for (const grant of grants) {
        if (grant.kind !== null) count++
        if (grant.stripe_subscription_id) subscriptionIds.add(grant.stripe_subscription_id)
        if (chosen !== 'all' && (grant.kind === 'month' || grant.kind === 'seats')) {
          planOwners.add(grant.owner_id)
        }
        checkGrant(grant, problem)
      }
    }
  }
  if (chosen === 'all') {
    await planToReadAll(trx)
    await check(
      sql`FROM ledger_grants g FULL JOIN ${sumsOfAllGrants} sums ON sums.owner_id = g.owner_id AND sums.grant_id = g.id`,
    )
    await planToLookUp(trx)
  } else {
    for (let start = 0; start < chosen.length; start += batchSize) {
      const batch = chosen.slice(start, start + batchSize)
      const values = batch.map(({ owner_id, id }) => sql`(${sql.lit(owner_id)}, ${sql.lit(id)})`)
      await check(sql`
        FROM (VALUES ${sql.join(values)}) AS named (owner_id, grant_id)
        LEFT JOIN ledger_grants g ON g.owner_id = named.owner_id AND g.id = named.grant_id
        LEFT JOIN LATERAL (SELECT named.*, added.* FROM ${sumsOfGrant} added) sums ON true`)
    }
  }
  return { grants: count, subscriptionIds, planOwners }
}

const grantsWith = (grantsAndSums: RawBuilder<unknown>) => sql<GrantRow>`
  SELECT coalesce(g.id, sums.grant_id) AS id, g.kind, coalesce(g.owner_id, sums.owner_id) AS owner_id,
    g.stripe_subscription_id, i.state AS intent_state, coalesce(sums.gross, 0) AS gross, coalesce(sums.refunded, 0) AS refunded,
    coalesce(sums.disputed, 0) AS disputed, coalesce(sums.expired, 0) AS expired, coalesce(sums.written_off, 0) AS written_off,
    coalesce(sums.moves_others, false) AS moves_others
  ${grantsAndSums}
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
