import { type Selectable, type SqlBool, sql } from 'kysely'
import { unsettledStates } from '../checkout/intents.ts'
import type { Database } from '../database/connect.ts'
import type { DB } from '../database/types.ts'
import { finalStatuses } from '../stripe/statuses.ts'

/** Every table with a `sweep_at`: its key, and which of its rows still wait for something. */
const sweptTables = {
  inbox_events: { key: ['source', 'id'], isWaiting: sql<SqlBool>`state = 'received'` },
  checkout_intents: { key: ['id'], isWaiting: sql<SqlBool>`state IN (${literals(unsettledStates)})` },
  subscriptions: {
    key: ['stripe_subscription_id'],
    isWaiting: sql<SqlBool>`status NOT IN (${literals(finalStatuses)})`,
  },
  team_invitations: { key: ['id'], isWaiting: sql<SqlBool>`sweep_at IS NOT NULL` },
} as const

type SweptTable = keyof typeof sweptTables
type KeyOf<Table extends SweptTable> = Pick<
  Selectable<DB[Table]>,
  keyof Selectable<DB[Table]> & (typeof sweptTables)[Table]['key'][number]
>

/** The wait doubles with every sweep that did not settle a row, up to an hour. */
const longestWaitMs = 3600 * 1000

/**
 * Claims up to `limit` rows that are due, the longest overdue first, and returns their keys. A claimed row is due again after
 * `first_wait_ms`, then after twice as long; sweeps that run at once share the rows. This is the only place that writes
 * `sweeps`, and it may write `sweep_at` of a table whose other columns belong to somebody else.
 */
export async function claimDue<Table extends SweptTable>(
  db: Database,
  table: Table,
  due: { readonly now: Date; readonly first_wait_ms: number; readonly limit: number },
): Promise<KeyOf<Table>[]> {
  const { key, isWaiting } = sweptTables[table]
  const keyColumns = sql.join(key.map((column) => sql.ref(column)))
  const { rows } = await sql<KeyOf<Table>>`
    UPDATE ${sql.table(table)} SET
      sweep_at = ${due.now}::timestamptz
        + least(${due.first_wait_ms} * 2 ^ least(sweeps, 20), ${longestWaitMs}) * interval '1 millisecond',
      sweeps = sweeps + 1
    WHERE (${keyColumns}) IN (
      SELECT ${keyColumns} FROM ${sql.table(table)}
      WHERE ${isWaiting} AND sweep_at <= ${due.now}
      ORDER BY sweep_at LIMIT ${due.limit} FOR UPDATE SKIP LOCKED)
    RETURNING ${keyColumns}`.execute(db)
  return rows
}

function literals(values: readonly string[]) {
  return sql.join(values.map((value) => sql.lit(value)))
}
