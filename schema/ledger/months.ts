import { type Kysely, sql } from 'kysely'
import type { DB } from '../database/types.ts'

/** How many months the ledger's partitions are made ahead, so that a job that fails for weeks stops nobody. */
const monthsAhead = 3

/**
 * Makes the partitions of this month and the next ones, where they are missing; nobody who posts or reads waits for it. Returns how many of the
 * months to come are there. Real time decides: it is the database that says when something was posted.
 */
export async function makeMonths(db: Kysely<DB>): Promise<number> {
  const { rows } = await sql<{ ahead: number }>`SELECT ledger_make_months(${monthsAhead}) AS ahead`.execute(
    db,
  )
  return rows[0]?.ahead ?? 0
}
