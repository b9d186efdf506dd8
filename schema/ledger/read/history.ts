import { type RawBuilder, sql } from 'kysely'
import type { ReadDatabase } from '../../database/connect.ts'
import type { Owner, OwnerAccount, TransferKind } from '../accounts.ts'

export interface HistoryEntry {
  readonly transfer_id: number
  readonly account_id: number
  readonly account: OwnerAccount
  readonly amount: number
  readonly balance_after: number
  readonly kind: TransferKind
  /** Null once it was erased. */
  readonly reason: string | null
  readonly occurred_at: Date
  readonly paid_by: string | null
}

/** The last entry that was read; what follows starts below it. */
export interface HistoryCursor {
  readonly transfer_id: number
  readonly account_id: number
}

export interface HistoryFilter {
  readonly kinds?: readonly TransferKind[] | undefined
  /** Part of the reason or the reference, or a whole number: the amount. */
  readonly text?: string | undefined
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  /** Null when there is nothing older. */
  readonly next: HistoryCursor | null
}

/**
 * Whether this database has a transfer, and with it all earlier ones of the same owner: they are committed in
 * the order of their ids.
 */
export async function hasTransfer(db: ReadDatabase, id: number): Promise<boolean> {
  const found = await db.selectFrom('ledger_transfers').select('id').where('id', '=', id).executeTakeFirst()
  return found !== undefined
}

/** Entries that one search reads at most, and how many in one statement. */
const searchLimit = 5000
const searchStep = 1000

/**
 * An owner's entries that match, newest first, `limit` at most, below the cursor when one is given. A search
 * stops after `searchLimit` entries, matching or not, and its page then has fewer entries than `limit` and
 * goes on where it stopped.
 */
export async function listHistory(
  db: ReadDatabase,
  owner: Owner,
  page: { limit: number; before?: HistoryCursor | undefined; filter?: HistoryFilter },
): Promise<HistoryPage> {
  const { limit, filter = {} } = page
  const isSearch = filter.kinds !== undefined || filter.text !== undefined
  // One entry more than requested shows whether there is a next page.
  const step = isSearch ? Math.max(searchStep, limit + 1) : limit + 1
  const entries: HistoryEntry[] = []
  let before = page.before
  for (let read = 0; read < searchLimit; read += step) {
    const { matching, end } = await readEntries(db, owner, {
      step,
      before,
      filter,
      limit: limit + 1 - entries.length,
    })
    entries.push(...matching)
    if (entries.length > limit) {
      const kept = entries.slice(0, limit)
      return { entries: kept, next: kept.at(-1) ?? null }
    }
    if (!end) return { entries, next: null }
    before = end
    if (!isSearch) break
  }
  return { entries, next: before ?? null }
}

interface ReadEntry extends HistoryEntry {
  readonly matches: boolean
  readonly is_end: boolean
}

/**
 * Looks at the next `step` entries and returns up to `limit` that match. `end` is the last of them, null when
 * there are no older ones. Reads as much of each account downwards from the cursor and merges them, and looks
 * up the rest by keys (OFFSET 0 keeps Postgres from joining whole tables), so that it costs the same however
 * long the history is and wherever in it the cursor is.
 */
async function readEntries(
  db: ReadDatabase,
  owner: Owner,
  page: { step: number; limit: number; before: HistoryCursor | undefined; filter: HistoryFilter },
): Promise<{ matching: HistoryEntry[]; end: HistoryCursor | null }> {
  const { transfer_id = Number.MAX_SAFE_INTEGER, account_id = 0 } = page.before ?? {}
  const { rows } = await sql<ReadEntry>`
    WITH entry AS MATERIALIZED (
      SELECT of_account.*, account.name AS account, row_number() OVER (
        ORDER BY of_account.transfer_id DESC, of_account.account_id DESC) AS place
      FROM ledger_accounts account
      CROSS JOIN LATERAL (
        SELECT e.transfer_id, e.account_id, e.amount, e.balance_after FROM ledger_entries e
        WHERE e.owner_id = account.owner_id AND e.account_id = account.id
          AND e.transfer_id <= ${transfer_id}::bigint - (account.id >= ${account_id}::bigint)::integer
        ORDER BY e.transfer_id DESC LIMIT ${page.step}) of_account
      WHERE account.owner_kind = ${owner.owner_kind} AND account.owner_id = ${owner.owner_id}
      ORDER BY place LIMIT ${page.step}),
    found AS (
      SELECT entry.*, transfer.kind, transfer.reason, transfer.occurred_at, intent.paid_by
      FROM entry
      CROSS JOIN LATERAL (
        SELECT * FROM ledger_transfers WHERE id = entry.transfer_id AND owner_id = ${owner.owner_id} OFFSET 0) transfer
      LEFT JOIN LATERAL (
        SELECT coalesce(stripe_session_id, stripe_invoice_id) AS paid_by FROM checkout_intents WHERE id = transfer.intent_id OFFSET 0) intent ON true)
    (SELECT found.*, true AS matches, false AS is_end FROM found WHERE ${matching(page.filter)}
      ORDER BY place LIMIT ${page.limit})
    UNION ALL
    (SELECT found.*, false, true FROM found WHERE place = ${page.step})
    ORDER BY is_end, place`.execute(db)
  const end = rows.find((row) => row.is_end)
  return { matching: rows.filter((row) => row.matches), end: end ?? null }
}

function matching({ kinds, text }: HistoryFilter): RawBuilder<boolean> {
  const conditions = [
    ...(kinds ? [sql`found.kind = ANY(${kinds})`] : []),
    ...(text === undefined ? [] : [containing(text)]),
  ]
  return conditions.length === 0 ? sql`true` : sql`(${sql.join(conditions, sql` AND `)})`
}

function containing(text: string): RawBuilder<unknown> {
  const isIn = (column: RawBuilder<unknown>) => sql`position(lower(${text}) IN lower(${column})) > 0`
  // As people write numbers: 1,500 and 1.500 are one amount, with a sign or without.
  const digits = /^[+−-]?\d{1,3}([.,'’\s]?\d{3})*$/.test(text) ? text.replaceAll(/\D/g, '') : null
  return sql`(${isIn(sql`coalesce(found.reason, '')`)} OR ${isIn(sql`coalesce(found.paid_by, '')`)}
    ${digits === null ? sql`` : sql`OR abs(found.amount) = ${digits}::numeric`})`
}

/** What of a period was used, and what was bought, included in a plan or given back. Both above zero. */
export interface PeriodSums {
  readonly used: number
  readonly granted: number
}

/** Entries that one statement of a sum reads. */
const sumStep = 5000

/**
 * The sums of each period between two of the times, which are in order, and of the last one until now. Reads
 * the owner's entries from the newest down, until a whole step of them is older than the first time: the cost
 * follows what the owner did since then, not the length of the history. Entries may have occurred in another
 * order than they were posted, but not by so many.
 */
export async function sumPeriods(
  db: ReadDatabase,
  owner: Owner,
  times: readonly Date[],
): Promise<PeriodSums[]> {
  const sums = times.map(() => ({ used: 0, granted: 0 }))
  let before: number | null = Number.MAX_SAFE_INTEGER
  while (before !== null) {
    const step = await sumEntries(db, owner, { times, before })
    for (const { period, used, granted } of step.periods) {
      const sum = sums[period - 1]
      if (sum) {
        sum.used += used
        sum.granted += granted
      }
    }
    before = step.periods.length === 0 ? null : step.end
  }
  return sums
}

async function sumEntries(
  db: ReadDatabase,
  owner: Owner,
  { times, before }: { times: readonly Date[]; before: number },
): Promise<{ periods: (PeriodSums & { period: number })[]; end: number | null }> {
  const { rows } = await sql<PeriodSums & { period: number | null; end: number | null }>`
    WITH entry AS MATERIALIZED (
      SELECT of_account.* FROM ledger_accounts account
      CROSS JOIN LATERAL (
        SELECT e.transfer_id, e.amount FROM ledger_entries e
        WHERE e.owner_id = account.owner_id AND e.account_id = account.id AND e.transfer_id < ${before}::bigint
        ORDER BY e.transfer_id DESC LIMIT ${sumStep}) of_account
      WHERE account.owner_kind = ${owner.owner_kind} AND account.owner_id = ${owner.owner_id}
      ORDER BY of_account.transfer_id DESC LIMIT ${sumStep}),
    -- A transfer may have an entry in each account, and is read whole: its second entry may be below the last one of the step.
    bounds AS (SELECT CASE WHEN count(*) = ${sumStep} THEN min(transfer_id) END AS "end" FROM entry),
    dated AS (
      SELECT entry.amount, transfer.kind, width_bucket(transfer.occurred_at, ${times}::timestamptz[]) AS period
      FROM entry CROSS JOIN LATERAL (
        SELECT kind, occurred_at FROM ledger_transfers
        WHERE id = entry.transfer_id AND owner_id = ${owner.owner_id} OFFSET 0) transfer
      WHERE entry.transfer_id <> coalesce((SELECT "end" FROM bounds), 0))
    -- What is written off was never there, and what moved between the accounts is nothing new.
    SELECT period, (SELECT "end" FROM bounds) AS "end",
      coalesce(-sum(amount) FILTER (WHERE kind = 'usage'), 0)::bigint AS used,
      coalesce(sum(amount) FILTER (WHERE amount > 0 AND kind NOT IN ('write_off', 'usage_moved')), 0)::bigint AS granted
    FROM dated GROUP BY period`.execute(db)
  const end = rows[0]?.end ?? null
  return {
    periods: rows.flatMap(({ period, used, granted }) => (period ? [{ period, used, granted }] : [])),
    end: end === null ? null : end + 1,
  }
}
