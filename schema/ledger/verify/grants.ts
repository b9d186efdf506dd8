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
const sumsOfGrant = sql`(
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
  LEFT JOIN checkout_intents i ON i.id = g.intent_id
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

interface MonthRow {
  readonly stripe_subscription_id: string
  readonly starts_at: Date
  readonly due: number
  readonly expired: number
  readonly written_off: number
  readonly is_early: boolean
  /** Null while the month is open. */
  readonly used: number | null
}

/**
 * Checks how months were closed: what is left of one pays what earlier ones of the subscription overused, and the rest expired;
 * what the last one overused may be written off. `ids`: those subscriptions.
 */
export async function checkMonths(
  trx: DatabaseTransaction,
  ids: ReadonlySet<string>,
  problem: Problem,
): Promise<void> {
  const list = [...ids].sort()
  for (let start = 0; start < list.length; start += batchSize) {
    const batch = list.slice(start, start + batchSize)
    const { rows } = await sql<MonthRow>`
      SELECT coalesce(granted.stripe_subscription_id, closed.stripe_subscription_id) AS stripe_subscription_id,
        coalesce(granted.month_starts_at, closed.month_starts_at) AS starts_at, coalesce(granted.due, 0) AS due,
        coalesce(granted.expired, 0) AS expired, coalesce(granted.written_off, 0) AS written_off,
        coalesce(granted.is_early, false) AS is_early, closed.used
      FROM (
        SELECT g.stripe_subscription_id, g.month_starts_at, sum(s.gross - s.refunded - s.disputed)::bigint AS due,
          sum(s.expired)::bigint AS expired, sum(s.written_off)::bigint AS written_off, bool_or(s.is_early) AS is_early
        FROM ledger_grants g CROSS JOIN LATERAL ${sumsOfGrant} s
        WHERE g.stripe_subscription_id = ANY(${batch}) AND g.kind IN ('month', 'seats')
        GROUP BY g.stripe_subscription_id, g.month_starts_at) granted
      FULL JOIN (
        SELECT stripe_subscription_id, month_starts_at, used FROM ledger_months_used
        WHERE stripe_subscription_id = ANY(${batch})) closed USING (stripe_subscription_id, month_starts_at)
      ORDER BY 1, 2`.execute(trx)
    for (const [id, months] of Map.groupBy(rows, (month) => month.stripe_subscription_id)) {
      // Its months were closed by another rule, until they are next reconciled.
      if (!months.some((month) => month.is_early)) checkSubscription(id, months, problem)
    }
  }
}

function checkSubscription(id: string, months: readonly MonthRow[], problem: Problem): void {
  let debt = 0
  for (const [index, month] of months.entries()) {
    const left = month.due - (month.used ?? 0) - debt
    const isClosed = month.used !== null
    if (isClosed) debt = Math.max(0, -left)
    const mayExpire = isClosed ? Math.max(0, left) : 0
    const mayBeWrittenOff = isClosed && index === months.length - 1 ? [0, debt] : [0]
    if (month.expired !== -mayExpire || !mayBeWrittenOff.includes(month.written_off)) {
      problem(
        'what is left of a month pays debts, and the rest expires',
        `subscription ${id}, month ${month.starts_at.toISOString()}`,
      )
    }
  }
}

/** Checks that closed months do not claim more usage than there was. */
export async function checkUsage(
  trx: DatabaseTransaction,
  owners: ReadonlyMap<string, Owner> | 'all',
  problem: Problem,
): Promise<void> {
  const list = owners === 'all' ? await findOwnersOfClosedMonths(trx) : [...owners.values()]
  for (let start = 0; start < list.length; start += batchSize) {
    const batch = list.slice(start, start + batchSize)
    const { rows } = await sql<Owner>`
      SELECT owner.owner_kind, owner.owner_id
      FROM unnest(${batch.map((owner) => owner.owner_kind)}::text[], ${batch.map((owner) => owner.owner_id)}::text[])
        AS owner (owner_kind, owner_id)
      JOIN ledger_accounts a ON a.owner_kind = owner.owner_kind AND a.owner_id = owner.owner_id AND a.name = 'plan'
      LEFT JOIN LATERAL (SELECT balance, used FROM ledger_openings o WHERE o.owner_id = a.owner_id AND o.account_id = a.id
        ORDER BY o.archive_id DESC LIMIT 1) opening ON true
      WHERE coalesce((
          SELECT sum(e.amount) FROM ledger_grants g
          JOIN ledger_transfers t ON t.owner_id = g.owner_id AND t.grant_id = g.id
          JOIN ledger_entries e ON e.owner_id = t.owner_id AND e.account_id = a.id AND e.transfer_id = t.id
          WHERE g.owner_kind = owner.owner_kind AND g.owner_id = owner.owner_id AND t.id >= ${archivedEnd}), 0)
        + coalesce(opening.balance + opening.used, 0)
        - coalesce((SELECT e.balance_after FROM ledger_entries e
          WHERE e.owner_id = a.owner_id AND e.account_id = a.id AND e.transfer_id >= ${archivedEnd}
          ORDER BY e.transfer_id DESC LIMIT 1), opening.balance, 0)
        < coalesce((SELECT sum(m.used) FROM ledger_months_used m
          WHERE m.owner_kind = owner.owner_kind AND m.owner_id = owner.owner_id), 0)`.execute(trx)
    for (const owner of rows) {
      problem('closed months used no more than was used', `${owner.owner_kind} ${owner.owner_id}`)
    }
  }
}

async function findOwnersOfClosedMonths(trx: DatabaseTransaction): Promise<Owner[]> {
  return trx.selectFrom('ledger_months_used').select(['owner_kind', 'owner_id']).distinct().execute()
}

/**
 * Checks intents: every settled purchase has its grant, every settled plan its subscription. Returns how many are settled.
 * `changedSince`: only those that changed since an hour before, or all.
 */
export async function checkIntents(
  trx: DatabaseTransaction,
  changedSince: Date | null,
  problem: Problem,
): Promise<number> {
  let settled = 0
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<{
      id: string
      state: string
      is_purchase: boolean
      has_grant: boolean
      has_subscription: boolean
    }>`
      SELECT i.id, i.state, i.kind = 'credit_purchase' AS is_purchase, s.intent_id IS NOT NULL AS has_subscription,
        coalesce(g.owner_kind = i.owner_kind AND g.owner_id = i.owner_id AND sums.gross = i.credits
          AND (i.withdrawn_at IS NOT NULL
            OR EXISTS (SELECT FROM ledger_transfers t WHERE t.owner_id = g.owner_id AND t.grant_id = g.id
              AND t.idempotency_key = 'checkout/' || i.stripe_session_id AND t.kind = 'credit_purchase')
            OR EXISTS (SELECT FROM ledger_keys k WHERE k.owner_id = g.owner_id
              AND k.idempotency_key = 'checkout/' || i.stripe_session_id AND k.transfer_id < ${archivedEnd})), false) AS has_grant
      FROM (SELECT * FROM checkout_intents WHERE id > ${last} AND (state = 'settled' OR kind = 'subscription')
        AND (${changedSince}::timestamptz IS NULL OR updated_at >= ${changedSince}::timestamptz - interval '1 hour') ORDER BY id LIMIT ${sql.lit(batchSize)}) i
      LEFT JOIN subscriptions s ON s.intent_id = i.id
      LEFT JOIN ledger_grants g ON g.id = 'purchase/' || i.id::text
      LEFT JOIN LATERAL ${sumsOfGrant} sums ON true
      ORDER BY i.id`.execute(trx)
    for (const intent of rows) {
      const isSettled = intent.state === 'settled'
      if (isSettled) settled++
      if (intent.is_purchase) {
        if (isSettled && !intent.has_grant) {
          problem(
            'every settled intent has its grant, with the credits that were promised',
            `intent ${intent.id}`,
          )
        }
      } else if (isSettled !== intent.has_subscription) {
        problem('every settled intent of a plan has its subscription', `intent ${intent.id}`)
      }
    }
    const end = rows.at(-1)
    if (!end || rows.length < batchSize) return settled
    last = end.id
  }
}
