import { type RawBuilder, sql } from 'kysely'
import { BinaryRows } from '../../database/binary-rows.ts'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { copyOut } from '../../database/copy-out.ts'
import type { Owner } from '../accounts.ts'
import type { GrantKind } from '../grants.ts'
import { archivedEnd } from './archives.ts'
import type { GrantOf } from './entries.ts'
import { planToLookUp, planToReadAll } from './planned.ts'

type Problem = (check: string, subject: string) => void

const batchSize = 1000

const sums = sql`
  coalesce(sum(e.amount) FILTER (WHERE t.kind IN ('credit_purchase', 'withdrawal', 'plan_grant', 'seat_grant')), 0)::bigint AS gross,
  coalesce(-sum(e.amount) FILTER (WHERE t.kind = 'refund'), 0)::bigint AS refunded,
  coalesce(-sum(e.amount) FILTER (WHERE t.kind IN ('dispute', 'dispute_won')), 0)::bigint AS disputed,
  coalesce(sum(e.amount) FILTER (WHERE t.kind = 'expiry'), 0)::bigint AS expired,
  coalesce(sum(e.amount) FILTER (WHERE t.kind = 'write_off'), 0)::bigint AS written_off,
  coalesce(bool_or(t.format = 1), false) AS is_early, min(t.id) AS first_id,
  min(e.account_id) FILTER (WHERE t.kind <> 'settlement') AS lowest_account_id,
  max(e.account_id) FILTER (WHERE t.kind <> 'settlement') AS highest_account_id`

/** What is kept of a grant's transfers in months that left the ledger, beside `sums` of the others. */
const keptSums = sql`gross, refunded, disputed, expired, written_off, is_early, NULL::bigint AS first_id,
  account_id AS lowest_account_id, account_id AS highest_account_id FROM ledger_archived_sums`

/** Both together. */
const added = sql`
  sum(gross)::bigint AS gross, sum(refunded)::bigint AS refunded, sum(disputed)::bigint AS disputed, sum(expired)::bigint AS expired,
  sum(written_off)::bigint AS written_off, bool_or(is_early) AS is_early, min(first_id) AS first_id, count(*) FILTER (WHERE first_id IS NULL) AS kept,
  min(lowest_account_id) AS lowest_account_id, max(highest_account_id) AS highest_account_id`

/**
 * The transfers of a grant `g`, summed by what they are, in the grant's account. Entries are found one by one by their keys (OFFSET 0, and
 * the account in a subquery of its own): before Postgres has statistics of new books it would read all entries for each grant.
 */
export const sumsOfGrant = sql`(
    SELECT ${added} FROM (
    SELECT ${sums}
    FROM ledger_transfers t
    CROSS JOIN LATERAL (
      SELECT entry.amount, entry.account_id FROM ledger_accounts account
      CROSS JOIN LATERAL (
        SELECT amount, account_id FROM ledger_entries
        WHERE owner_id = account.owner_id AND account_id = account.id AND transfer_id = t.id OFFSET 0) entry
      WHERE account.owner_id = t.owner_id OFFSET 0) e
    WHERE t.owner_id = g.owner_id AND t.grant_id = g.id AND t.id >= ${archivedEnd}
    HAVING count(*) > 0
    UNION ALL SELECT ${keptSums} WHERE owner_id = g.owner_id AND grant_id = g.id) parts)`

/**
 * The same of all grants at once: everything is read once. Which entries are owners', and that they are those of the transfer's owner, is checked while they
 * are read one by one.
 */
const sumsOfAllGrants = sql`(
    SELECT owner_id, grant_id, ${added} FROM (
    SELECT t.owner_id, t.grant_id, ${sums}
    FROM ledger_transfers t
    LEFT JOIN ledger_entries e ON e.transfer_id = t.id AND e.version IS NOT NULL
    WHERE t.grant_id IS NOT NULL AND t.id >= ${archivedEnd} GROUP BY t.owner_id, t.grant_id
    UNION ALL SELECT owner_id, grant_id, ${keptSums}) parts GROUP BY owner_id, grant_id)`

interface GrantRow extends Owner {
  readonly id: string
  /** Null when the grant does not exist, or is another owner's than its transfers. */
  readonly kind: GrantKind | null
  readonly stripe_subscription_id: string | null
  readonly gross: number
  readonly refunded: number
  readonly disputed: number
  readonly expired: number
  readonly written_off: number
  /** Has transfers from before there were grants, which were linked to it later. */
  readonly is_early: boolean
  /** One of its transfers would be overlooked by who reads from its first one on. */
  readonly begins_earlier: boolean
  /** Its transfers move credits of another account than its own. */
  readonly moves_others: boolean
  /** Of a purchase: its intent. */
  readonly intent_state: string | null
}

/** What the later checks need of a set of grants. */
interface GrantsRead {
  readonly subscriptionIds: ReadonlySet<string>
  /** Owners with grants on the plan account, of those that were chosen. */
  readonly planOwners: ReadonlyMap<string, Owner>
}

/**
 * Checks of each grant that its transfers move credits of its account, that no more was taken back than it brought, and that a purchase has its settled
 * intent. Sums are computed here, not read from the view that the product uses. `chosen`: those alone, or all.
 */
export async function checkGrants(
  trx: DatabaseTransaction,
  chosen: readonly GrantOf[] | 'all',
  problem: Problem,
  onProgress: (count: number) => void,
): Promise<GrantsRead> {
  const subscriptionIds = new Set<string>()
  const planOwners = new Map<string, Owner>()
  let count = 0
  const check = async (grantsAndSums: RawBuilder<unknown>) => {
    const rows = new BinaryRows(copyOut(trx, grantsWith(grantsAndSums)), grantColumnCount)
    while (await rows.receive()) {
      while (rows.next()) {
        const grant = readGrant(rows)
        if (grant.kind !== null) count++
        if (grant.stripe_subscription_id) subscriptionIds.add(grant.stripe_subscription_id)
        if (chosen !== 'all' && (grant.kind === 'month' || grant.kind === 'seats')) {
          const { owner_kind, owner_id } = grant
          planOwners.set(`${owner_kind} ${owner_id}`, { owner_kind, owner_id })
        }
        checkGrant(grant, problem)
      }
      onProgress(count)
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
  return { subscriptionIds, planOwners }
}

const grantsWith = (grantsAndSums: RawBuilder<unknown>) => sql`
  SELECT coalesce(g.id, sums.grant_id), g.kind, coalesce(g.owner_kind, ''), coalesce(g.owner_id, sums.owner_id), g.stripe_subscription_id, i.state,
    coalesce(sums.gross, 0), coalesce(sums.refunded, 0), coalesce(sums.disputed, 0), coalesce(sums.expired, 0), coalesce(sums.written_off, 0),
    coalesce(sums.is_early, false),
    coalesce(sums.first_id < g.first_transfer_id OR (sums.kept > 0 AND g.first_transfer_id >= ${archivedEnd}), false),
    sums.lowest_account_id IS NOT NULL
      AND (sums.lowest_account_id IS DISTINCT FROM account.id OR sums.highest_account_id IS DISTINCT FROM account.id)
  ${grantsAndSums}
  LEFT JOIN checkout_intents i ON i.owner_id = g.owner_id AND i.id = g.intent_id
  LEFT JOIN ledger_accounts account ON account.owner_id = g.owner_id AND account.name = g.account AND account.owner_kind = g.owner_kind
  ORDER BY coalesce(g.id, sums.grant_id) COLLATE "C"`

const grantColumnCount = 14

function readGrant(rows: BinaryRows): GrantRow {
  return {
    id: rows.text(0),
    kind: rows.textOrNull(1) as GrantKind | null,
    owner_kind: rows.text(2) as Owner['owner_kind'],
    owner_id: rows.text(3),
    stripe_subscription_id: rows.textOrNull(4),
    intent_state: rows.textOrNull(5),
    gross: rows.integer(6),
    refunded: rows.integer(7),
    disputed: rows.integer(8),
    expired: rows.integer(9),
    written_off: rows.integer(10),
    is_early: rows.boolean(11),
    begins_earlier: rows.boolean(12),
    moves_others: rows.boolean(13),
  }
}

function checkGrant(grant: GrantRow, problem: Problem): void {
  const name = `grant ${grant.id}`
  if (grant.kind === null || grant.moves_others) {
    problem('every transfer moves credits of its grant’s account', name)
  }
  if (grant.kind === 'purchase' && grant.gross !== 0 && grant.intent_state !== 'settled') {
    problem('every purchase has its settled intent', name)
  }
  if (grant.begins_earlier) problem('no transfer of a grant is before its first one', name)
  if (grant.kind === 'adjustment' || grant.kind === 'legacy') return
  // What was posted before there were grants was linked afterwards, seats to the likeliest invoice.
  if (grant.is_early && grant.kind !== 'purchase') return
  const { gross, refunded, disputed, expired, written_off } = grant
  if (refunded < 0 || disputed < 0 || refunded + disputed > gross) {
    problem('no more is taken back of a grant than it brought', name)
  }
  if (expired > 0 || written_off < 0 || (grant.kind !== 'month' && (expired !== 0 || written_off !== 0))) {
    problem('months alone are closed, by what expires or is written off', name)
  }
}
