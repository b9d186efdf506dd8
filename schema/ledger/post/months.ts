import { type Kysely, sql } from 'kysely'
import type { DB } from '../../database/types.ts'

/**
 * Makes the partitions of this month and of so many after it, where they are missing. Real time decides which
 * month it is: it is the database that says when something was posted.
 */
export async function makeLedgerMonths(db: Kysely<DB>, ahead: number): Promise<void> {
  await sql`SELECT ledger_make_months(${ahead})`.execute(db)
}
