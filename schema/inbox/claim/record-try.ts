import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../../database/types.ts'
import type { Claimable } from './claimable.ts'

/** A try at a row, by the number of the claim that it was made under. */
export interface Try {
  readonly rows: Claimable
  /** The row's key, column by column. */
  readonly key: Readonly<Record<string, string>>
  readonly claim: number
}

/**
 * Records that a try failed and when the row is tried next; nothing else schedules it. Does nothing and
 * returns false when the row was claimed again meanwhile, or is finished.
 */
export async function recordFailedTry(
  db: Kysely<DB>,
  tried: Try,
  failure: {
    readonly last_error: string
    readonly next_try_at: Date
    /** Null for a failure that counts as an attempt. */
    readonly unavailable_at: Date | null
  },
): Promise<boolean> {
  const { last_error, next_try_at, unavailable_at } = failure
  const { rows } = await sql`
    UPDATE ${sql.table(tried.rows.table)} SET
      last_error = ${last_error},
      next_try_at = ${next_try_at},
      claims = claims + 1,
      attempts = attempts + ${unavailable_at ? 0 : 1},
      unavailable_since = ${
        unavailable_at ? sql`coalesce(unavailable_since, ${unavailable_at}::timestamptz)` : sql`NULL`
      }
    WHERE ${isStillOurs(tried)}
    RETURNING 1`.execute(db)
  return rows.length > 0
}

/**
 * How many unfinished rows have waited for Stripe, Clerk or the database since before a moment, however few
 * tries that were.
 */
export async function countAway(
  db: Kysely<DB>,
  { table, unfinished }: Claimable,
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*) AS count FROM ${sql.table(table)} WHERE ${unfinished} AND unavailable_since < ${since}`.execute(
    db,
  )
  return Number(rows[0]?.count)
}

/** Records that a try went well but finished nothing, and when the row is looked at again. */
export async function recordNoChange(db: Kysely<DB>, tried: Try, next_try_at: Date): Promise<void> {
  await sql`
    UPDATE ${sql.table(tried.rows.table)} SET
      last_error = NULL, attempts = 0, unavailable_since = NULL, claims = claims + 1, next_try_at = ${next_try_at}
    WHERE ${isStillOurs(tried)}`.execute(db)
}

function isStillOurs({ rows, key, claim }: Try): RawBuilder<unknown> {
  const columns = Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  return sql`${sql.join(columns, sql` AND `)} AND claims = ${claim} AND ${byKey(rows)}`
}

/**
 * The condition of a row that is found by its key. As a CASE it keeps the planner off the partial index of
 * unfinished rows.
 */
function byKey({ unfinished }: Claimable): RawBuilder<unknown> {
  return sql`CASE WHEN ${unfinished} THEN true END`
}
