import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** Changes the books with triggers off, as a database administrator could. */
export async function tamper(
  { owner }: Pick<TestDatabase, 'owner'>,
  change: string | RawBuilder<unknown>,
): Promise<void> {
  await owner.transaction().execute(async (trx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(trx)
    await (typeof change === 'string' ? sql.raw(change) : change).execute(trx)
  })
}

/**
 * Gives the first of an owner's summed reports other credits, so that their sum cannot be posted, or the
 * right ones again.
 */
export function changeFirstReports(
  database: Pick<TestDatabase, 'owner'>,
  owners: readonly Owner[],
  credits: number,
): Promise<void> {
  const ids = owners.map(({ owner_id }) => owner_id)
  return tamper(
    database,
    sql`UPDATE ledger_reports SET credits = ${credits} WHERE ordinal = 1 AND owner_id = ANY(${ids})`,
  )
}
