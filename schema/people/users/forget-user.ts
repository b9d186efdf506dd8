import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'

/**
 * What stands in place of a forgotten person's address. It follows from Clerk's id and not from the address,
 * which could be found again by trying addresses; `.invalid` receives no mail (RFC 2606).
 */
export function pseudonymOf(userId: string): string {
  const hash = createHash('sha256').update(userId).digest('hex').slice(0, 16)
  return `forgotten-${hash}@tidemark.invalid`
}

/**
 * Takes name and address out of a person's row, for good. False when there is none, or it was done before.
 */
export async function forgetUser(
  trx: DatabaseTransaction,
  { user_id, now }: { readonly user_id: string; readonly now: Date },
): Promise<boolean> {
  const forgotten = await trx
    .updateTable('users')
    .set({
      email: pseudonymOf(user_id),
      first_name: null,
      last_name: null,
      no_mail_of: [],
      forgotten_at: now,
    })
    .where('clerk_id', '=', user_id)
    .where('forgotten_at', 'is', null)
    .returning('clerk_id')
    .executeTakeFirst()
  return forgotten !== undefined
}

/** Everyone who was forgotten, by Clerk's ids. */
export async function listForgotten(db: Kysely<DB>): Promise<string[]> {
  const rows = await db
    .selectFrom('users')
    .select('clerk_id')
    .where('forgotten_at', 'is not', null)
    .orderBy('forgotten_at')
    .execute()
  return rows.map(({ clerk_id }) => clerk_id)
}
