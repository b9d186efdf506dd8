import { type RawBuilder, sql } from 'kysely'
import type { TestDatabase } from '../database/test-database.ts'

/** Changes the books, in one statement or several, as a database administrator can who switches the triggers off. */
export async function tamper(
  { owner }: Pick<TestDatabase, 'owner'>,
  change: string | RawBuilder<unknown>,
): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(trx)
    await (typeof change === 'string' ? sql.raw(change) : change).execute(trx)
  })
}
