import { sql } from 'kysely'
import type { ReadDatabase } from '../../database/connect.ts'
import type { Owner } from '../accounts.ts'
import { startOfMonth } from '../months.ts'

/**
 * The moment before which what was posted for an owner is not here any more but in archived months; null when
 * nothing of theirs is.
 */
export async function findArchivedUntil(db: ReadDatabase, { owner_id }: Owner): Promise<Date | null> {
  const { rows } = await sql<{ end: number | null }>`
    SELECT max(end_transfer_id) AS end FROM ledger_archives
    WHERE EXISTS (SELECT FROM ledger_openings WHERE owner_id = ${owner_id})`.execute(db)
  const end = rows[0]?.end ?? null
  return end === null ? null : startOfMonth(end)
}

/**
 * The archive in which a transfer with that number is, if there was one, of which months it is, and when its
 * own began; null when that is in the ledger.
 */
export async function findArchiveOf(
  db: ReadDatabase,
  transferId: number,
): Promise<{ readonly id: number; readonly months: string; readonly month_starts_at: Date } | null> {
  const archive = await db
    .selectFrom('ledger_archives')
    .select(['id', 'months'])
    .where('first_transfer_id', '<=', transferId)
    .where('end_transfer_id', '>', transferId)
    .executeTakeFirst()
  if (!archive) return null
  const [first = '', last = first] = [archive.months.at(0), archive.months.at(-1)].map((month) =>
    month?.replace('_', '-'),
  )
  const months = first === last ? first : `${first} to ${last}`
  return { id: archive.id, months, month_starts_at: startOfMonth(transferId) }
}

/**
 * For a union of entries: what was the latest one of an owner's account when it was archived. `account` is a
 * row of ledger_accounts.
 */
export function latestOpeningOf(account: string) {
  return sql`(
    SELECT o.transfer_id, o.balance FROM ledger_openings o
    WHERE o.owner_id = ${sql.ref(`${account}.owner_id`)} AND o.account_id = ${sql.ref(`${account}.id`)}
    ORDER BY o.archive_id DESC LIMIT 1)`
}
