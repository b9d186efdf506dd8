import { sql } from 'kysely'
import type { Database } from '../../database/connect.ts'
import type { Claimable, KeyOf } from './claimable.ts'

/**
 * A row that is to be tried now, and the number of this claim: the try is void once the row has been claimed
 * again.
 */
export type Claimed<Rows extends Claimable> = KeyOf<Rows> & { readonly claim: number }

/** Until the outcome is recorded, the wait doubles with every claim, up to ten minutes. */
const longestWaitMs = 10 * 60 * 1000

/**
 * Claims up to `limit` unfinished rows whose next try is due, the longest overdue first. Claims that run at
 * once share the rows. The worker that tries a claimed row records when it is tried next; a row without such
 * a record (the worker was killed, the queue was lost) is due again after `first_wait_ms`, then after twice
 * as long. A claim is no attempt.
 */
export async function claimDue<Rows extends Claimable>(
  db: Database,
  { table, key, unfinished }: Rows,
  due: {
    readonly now: Date
    readonly first_wait_ms: number
    readonly limit: number
    /** Only rows with these values in their key. */
    readonly only?: Partial<KeyOf<Rows>>
  },
): Promise<Claimed<Rows>[]> {
  const only = Object.entries(due.only ?? {}).map(([column, value]) => sql`AND ${sql.ref(column)} = ${value}`)
  // By ctid, only the locked rows are read, whatever the planner's statistics say.
  const { rows } = await sql<Claimed<Rows>>`
    UPDATE ${sql.table(table)} SET
      next_try_at = ${due.now}::timestamptz
        + least(${due.first_wait_ms} * 2 ^ least(claims, 20), ${longestWaitMs}) * interval '1 millisecond',
      claims = claims + 1
    WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${sql.table(table)}
      WHERE ${unfinished} AND next_try_at <= ${due.now} ${sql.join(only, sql` `)}
      ORDER BY next_try_at LIMIT ${due.limit} FOR UPDATE SKIP LOCKED))
    RETURNING ${sql.join(key.map((column) => sql.ref(column)))}, claims AS claim`.execute(db)
  return rows
}
