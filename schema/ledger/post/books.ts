import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { DatabaseTransaction } from '../../database/connect.ts'
import { prepared, preparedText } from '../../database/prepared.ts'
import type { DB } from '../../database/types.ts'
import { callLedger } from '../call.ts'
import { purchaseGrantId } from '../keys.ts'

// The rows arrive as JSON, where a number that does not fit must be an error too and not be rounded.
const credits = z.int()
const time = z.string().transform((text) => new Date(text))

/** A grant and the sums of its transfers in its account, in whole credits. */
const grantSchema = z.object({
  id: z.string(),
  kind: z.enum(['purchase', 'month', 'seats', 'late_month', 'adjustment']),
  owner_id: z.string(),
  account: z.enum(['plan', 'purchased']),
  intent_id: z.string().nullable(),
  stripe_subscription_id: z.string().nullable(),
  stripe_invoice_id: z.string().nullable(),
  month_starts_at: time.nullable(),
  starts_at: time.nullable(),
  ends_at: time.nullable(),
  /** What it brought. */
  gross: credits,
  /** What was taken back, above zero. */
  refunded: credits,
  disputed: credits,
  /** What usage that bought credits stood in for took of it (below zero). */
  returned: credits,
  /** How its month was closed: what expired (below zero) and was written off (above). Of `month` grants only. */
  expired: credits,
  written_off: credits,
  /** Adjustments, signed. */
  adjusted: credits,
  /** How many transfers it has. */
  transfers: credits,
})
export type GrantInBooks = Readonly<z.infer<typeof grantSchema>>

/** A month that was closed. `used` grows when a hold is settled that was open then. */
const closedMonthSchema = z.object({ stripe_subscription_id: z.string(), starts_at: time, used: credits })
export type ClosedMonth = Readonly<z.infer<typeof closedMonthSchema>>

const holdSchema = z.object({
  id: z.string(),
  opened_at: time,
  credits,
  is_open: z.boolean(),
  /** Its month was closed while it was open. */
  outlives_month: z.boolean(),
  /** What its settlement took of the plan account. */
  used: credits,
})
export type HoldInBooks = Readonly<z.infer<typeof holdSchema>>

/** `version` grows by one with every entry. */
const accountSchema = z.object({ balance: credits, version: credits })

/** Everything that the ledger has of one owner. */
const booksSchema = z.object({
  plan: accountSchema,
  purchased: accountSchema,
  grants: z.array(grantSchema).readonly(),
  closed_months: z.array(closedMonthSchema).readonly(),
  /** Those that are open, and those of closed months whose settlement is not counted to them yet. */
  holds: z.array(holdSchema).readonly(),
  /** Plan credits that were used and are in no closed month. */
  used_open: credits,
})
export type Books = Readonly<z.infer<typeof booksSchema>>

/**
 * Takes the same locks as posting, until the transaction ends, so what it reads of the owner's books cannot
 * change meanwhile.
 */
export async function lockOwner(trx: DatabaseTransaction, owner_id: string): Promise<void> {
  const call = sql`SELECT ledger_lock_owners(ARRAY[${owner_id}])`
  await callLedger(trx, prepared('ledger_lock_owners', call))
}

/**
 * The owner's books, in one round trip; its cost grows with the owner's grants, not with their usage. Lock
 * first, then read.
 */
export async function readBooks(trx: DatabaseTransaction, owner_id: string): Promise<Books> {
  const [row] = await callLedger(trx, sql<{ books: unknown }>`SELECT ledger_books(${owner_id}) AS books`)
  return booksSchema.parse(row?.books)
}

/**
 * The books of a purchase's grant, or null when nothing was ever posted to it. That is so of nearly all that are
 * asked for, and is known from the grants alone.
 */
export async function readPurchaseGrant(db: Kysely<DB>, intentId: string): Promise<GrantInBooks | null> {
  const id = purchaseGrantId(intentId)
  if ((await listPosted(db, [id])).length === 0) return null
  const { rows } = await sql<{ grant: unknown }>`
    SELECT to_jsonb(sums) AS "grant" FROM ledger_grant_sums sums WHERE sums.id = ${id}`.execute(db)
  return grantSchema.parse(rows[0]?.grant)
}

/** Of some checkouts of credits: the id of each one's grant, and whether the ledger has it. */
export async function listPurchaseGrants(
  db: Kysely<DB>,
  intentIds: readonly string[],
): Promise<Map<string, { readonly grant_id: string; readonly is_posted: boolean }>> {
  const posted = new Set(await listPosted(db, intentIds.map(purchaseGrantId)))
  return new Map(
    intentIds.map((id) => [
      id,
      { grant_id: purchaseGrantId(id), is_posted: posted.has(purchaseGrantId(id)) },
    ]),
  )
}

/**
 * Those of some grants that the ledger has. Each is looked up by itself: asked for together they may be
 * looked for in the whole table, by a plan that a connection made when that was small.
 */
async function listPosted(db: Kysely<DB>, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  return (await listPostedByIds(db, [ids])).map(({ id }) => id)
}

const listPostedByIds = preparedText<{ id: string }>(
  'posted_grants',
  `SELECT g.id FROM unnest((SELECT $1::text[])) AS asked (id)
   CROSS JOIN LATERAL (SELECT id FROM ledger_grants WHERE id = asked.id OFFSET 0) g`,
)

/** A month to be closed, and the holds of it that are open, or were resolved since it was closed. */
export interface MonthToClose extends ClosedMonth {
  readonly hold_ids?: readonly string[]
}

/**
 * Closes a month: writes down how many of its plan credits were used. Expiring or writing off what follows
 * from that is the caller's, in the same transaction. Doing it again with the same number does nothing; with
 * fewer it throws IdempotencyConflictError, and UnbalancedTransferError when that is more than
 * `Books.used_open`.
 */
export async function closeMonth(
  trx: DatabaseTransaction,
  owner_id: string,
  month: MonthToClose,
): Promise<void> {
  await callLedger(
    trx,
    sql`SELECT ledger_close_month(${owner_id}, ${month.stripe_subscription_id},
      ${month.starts_at}, ${month.used}, ${[...(month.hold_ids ?? [])]}::uuid[])`,
  )
}
