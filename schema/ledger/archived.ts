import { sql } from 'kysely'
import type { ReadDatabase } from '../database/connect.ts'
import type { Owner } from './accounts.ts'
import { startOfMonth } from './archive/tables.ts'

/** The moment before which what was posted for an owner is not here any more but in archived months; null when nothing of theirs is. */
export async function findArchivedUntil(db: ReadDatabase, { owner_id }: Owner): Promise<Date | null> {
  const { rows } = await sql<{ end: number | null }>`
    SELECT max(end_transfer_id) AS end FROM ledger_archives
    WHERE EXISTS (SELECT FROM ledger_openings WHERE owner_id = ${owner_id})`.execute(db)
  const end = rows[0]?.end ?? null
  return end === null ? null : startOfMonth(end)
}
