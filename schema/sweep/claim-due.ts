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
  // A row that was settled while this looked has left the list, but only the row says so.
  const source = list
    ? sql`${sql.table(list)} listed JOIN ${sql.table(table)} own USING (${keyColumns})`
    : sql`${sql.table(table)} own`
  const listedAt = sql.ref(list ? 'listed.sweep_at' : 'own.sweep_at')
  const { rows } = await sql<Claimed<Table>>`
    UPDATE ${sql.table(table)} SET
      sweep_at = ${due.now}::timestamptz
        + least(${due.first_wait_ms} * 2 ^ least(sweeps, 20), ${longestWaitMs}) * interval '1 millisecond',
      sweeps = sweeps + 1
    WHERE (${keyColumns}) IN (
      SELECT ${keyColumns} FROM ${source}
      WHERE ${isWaiting} ${due.source ? sql`AND source = ${due.source}` : sql``}
        AND ${listedAt} <= ${due.now} AND own.sweep_at <= ${due.now}
      ORDER BY ${listedAt} LIMIT ${due.limit} FOR UPDATE OF own SKIP LOCKED)
    RETURNING ${keyColumns}, sweeps AS claim`.execute(db)
  return rows
}
