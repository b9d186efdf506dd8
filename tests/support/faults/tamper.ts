import { type RawBuilder, sql } from 'kysely'
import type { TestDatabase } from '../database/test-database.ts'

/**
 * Changes the books, in one statement or several, as a database administrator can who switches the triggers
 * off.
 */
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
 * A statement that drops the CHECK of `ledger_transfers` whose definition contains a text: `tamper` switches
 * triggers off, and no CHECK.
 */
export function dropCheckOf(text: string): string {
  return `
    DO $$ BEGIN
      EXECUTE (SELECT format('ALTER TABLE ledger_transfers DROP CONSTRAINT %I', conname) FROM pg_constraint
        WHERE conrelid = 'ledger_transfers'::regclass AND contype = 'c' AND position('${text}' IN pg_get_constraintdef(oid)) > 0);
    END $$`
}
