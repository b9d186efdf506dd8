import { sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'

/**
 * Erases the free text that transfers have of a person, with its salt: what their editors wrote of usage,
 * also of an organization's pool, and the notes on adjustments of theirs, or of their organizations where
 * those name them. No hash covers it. Returns how many.
 */
export async function eraseTransferTexts(
  trx: DatabaseTransaction,
  person: {
    readonly user_id: string
    /** Where they are or were a member. */
    readonly organizations: readonly string[]
    /** In lower case. */
    readonly names: readonly string[]
  },
): Promise<number> {
  const { user_id, organizations, names } = person
  const { rows } = await sql<{ erased: number }>`
    SELECT ledger_erase_texts(${user_id}, ${organizations}::text[], ${names}::text[]) AS erased`.execute(trx)
  return rows[0]?.erased ?? 0
}
