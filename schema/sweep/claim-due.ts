import { type Selectable, sql } from 'kysely'
import type { Database } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import type { EventSource } from '../inbox/events.ts'
import { type SweptTable, sweptTables } from './swept-tables.ts'

type KeyOf<Table extends SweptTable> = Pick<
  Selectable<DB[Table]>,
  keyof Selectable<DB[Table]> & (typeof sweptTables)[Table]['key'][number]
>

/** A row that is to be tried now, and the number of this claim: the try is void once the row has been claimed again. */
export type Claimed<Table extends SweptTable> = KeyOf<Table> & { readonly claim: number }

/** Until the outcome is recorded, the wait doubles with every claim, up to ten minutes. */
const longestWaitMs = 10 * 60 * 1000

/**
 * Claims up to `limit` rows that are due, the longest overdue first. Whoever tries a claimed row records when it is tried next; one
 * of which nothing is heard (its worker was killed, the queue was lost) is due again after `first_wait_ms`, then after twice as
 * long. Sweeps that run at once share the rows. A claim is no attempt.
 */
export async function claimDue<Table extends SweptTable>(
  db: Database,
  table: Table,
  due: {
    readonly now: Date
    readonly first_wait_ms: number
    readonly limit: number
    /** Of the inbox: only events of this sender. */
    readonly source?: EventSource
  },
): Promise<Claimed<Table>[]> {
  const { key, isWaiting, list } = sweptTables[table]
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  // Of rows of a list only the row itself says, when it is changed, whether it was settled while this looked. Asked for here, Postgres would
  // expect to find none of them until a burst has been counted, and read the whole table.
  const waits = list ? sql`` : sql`${isWaiting} AND`
  const source = list
    ? sql`(SELECT * FROM ${sql.table(list)} WHERE sweep_at <= ${due.now} ORDER BY sweep_at OFFSET 0) listed JOIN ${sql.table(table)} own USING (${keyColumns})`
    : sql`${sql.table(table)} own`
  const listedAt = sql.ref(list ? 'listed.sweep_at' : 'own.sweep_at')
  // Materialized, or Postgres might look anew for each row of a table that it believes to be empty, and claim more than the limit.
  const { rows } = await sql<Claimed<Table>>`
    WITH due AS MATERIALIZED (
      SELECT ${keyColumns} FROM ${source}
      WHERE ${waits} ${listedAt} <= ${due.now} AND own.sweep_at <= ${due.now}
        ${due.source ? sql`AND source = ${due.source}` : sql``}
      ORDER BY ${listedAt} LIMIT ${due.limit} FOR UPDATE OF own SKIP LOCKED)
    UPDATE ${sql.table(table)} SET
      sweep_at = ${due.now}::timestamptz
        + least(${due.first_wait_ms} * 2 ^ least(sweeps, 20), ${longestWaitMs}) * interval '1 millisecond',
      sweeps = sweeps + 1
    WHERE (${keyColumns}) IN (SELECT ${keyColumns} FROM due) AND ${isWaiting}
    RETURNING ${keyColumns}, sweeps AS claim`.execute(db)
  return rows
}
