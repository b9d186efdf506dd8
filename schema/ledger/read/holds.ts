import type { Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'
import type { Owner } from '../accounts.ts'

/** When the owner's next open hold expires; null when none does. */
export async function findNextExpiry(db: Kysely<DB>, { owner_id }: Owner): Promise<Date | null> {
  const { expires_at } = await db
    .selectFrom('ledger_holds')
    .select(({ fn }) => fn.min('expires_at').as('expires_at'))
    .where('owner_id', '=', owner_id)
    .where('state', '=', 'open')
    .executeTakeFirstOrThrow()
  return expires_at
}
