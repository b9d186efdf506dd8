import { type RawBuilder, sql } from 'kysely'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import type { TestDatabase } from '../database/test-database.ts'

/** Runs a statement as somebody does who has a database administrator's powers and switches the triggers off. */
export async function tamper({ owner }: Pick<TestDatabase, 'owner'>, statement: string): Promise<void> {
  await sql
    .raw(`SET session_replication_role = replica; ${statement}; RESET session_replication_role`)
    .execute(owner)
}

/** Changes a table of the ledger that is append-only, as somebody does who has all rights. */
export async function changeBehindTheLedger(
  { owner: db }: Pick<TestDatabase, 'owner'>,
  table: string,
  change: RawBuilder<unknown>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`ALTER TABLE ${sql.table(table)} DISABLE TRIGGER USER`.execute(trx)
    await change.execute(trx)
    await sql`ALTER TABLE ${sql.table(table)} ENABLE TRIGGER USER`.execute(trx)
  })
}

/** Gives the first of an owner's summed reports other credits, so that their sum cannot be posted, or the right ones again. */
export function changeFirstReports(
  database: Pick<TestDatabase, 'owner'>,
  owners: readonly Owner[],
  credits: number,
): Promise<void> {
  const ids = owners.map(({ owner_id }) => owner_id)
  return changeBehindTheLedger(
    database,
    'ledger_reports',
    sql`UPDATE ledger_reports SET credits = ${credits} WHERE ordinal = 1 AND owner_id = ANY(${ids})`,
  )
}
