import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { DB } from '../database/types.ts'
import { type SweptTable, sweptTables } from './swept-tables.ts'

/** A try at a row, by the number of the claim that it was made under. */
export interface Try {
  readonly table: SweptTable
  /** The row's key, column by column. */
  readonly key: Readonly<Record<string, string>>
  readonly claim: number
}

/**
 * Records that a try failed and when the row is tried next; nothing else schedules it. Does nothing when the row was claimed again
 * meanwhile, or waits for nothing any more; false then.
 */
export async function recordFailedTry(
  db: Kysely<DB>,
  { table, key, claim }: Try,
  failure: {
    readonly last_error: string
    readonly sweep_at: Date
    /** Null for a failure that counts as an attempt. */
    readonly unavailable_at: Date | null
  },
): Promise<boolean> {
  const { last_error, sweep_at, unavailable_at } = failure
  const { rows } = await sql`
    UPDATE ${sql.table(table)} SET
      last_error = ${last_error},
      sweep_at = ${sweep_at},
      sweeps = sweeps + 1,
      attempts = attempts + ${unavailable_at ? 0 : 1},
      unavailable_since = ${
        unavailable_at ? sql`coalesce(unavailable_since, ${unavailable_at}::timestamptz)` : sql`NULL`
      }
    WHERE ${isStillOurs({ table, key, claim })}
    RETURNING 1`.execute(db)
  return rows.length > 0
}

/** Records that a try went well but settled nothing, and when the row is looked at again. */
export async function recordFruitlessTry(db: Kysely<DB>, tried: Try, sweep_at: Date): Promise<void> {
  await sql`
    UPDATE ${sql.table(tried.table)} SET
      last_error = NULL, attempts = 0, unavailable_since = NULL, sweeps = sweeps + 1, sweep_at = ${sweep_at}
    WHERE ${isStillOurs(tried)}`.execute(db)
}

function isStillOurs({ table, key, claim }: Try): RawBuilder<unknown> {
  const columns = Object.entries(key).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  return sql`${sql.join(columns, sql` AND `)} AND sweeps = ${claim} AND ${sweptTables[table].isWaiting}`
}
