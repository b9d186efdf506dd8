import type { Kysely } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'

/**
 * Records that Clerk told of an owner's deletion. The caller holds the owner's lock, as every caller does who
 * asks `isDeleted` before it writes: so none of them misses the other.
 */
export async function markDeleted(trx: DatabaseTransaction, owner_id: string): Promise<void> {
  await trx
    .insertInto('deleted_owners')
    .values({ owner_id })
    .onConflict((conflict) => conflict.column('owner_id').doNothing())
    .execute()
}

export async function isDeleted(db: Kysely<DB>, owner_id: string): Promise<boolean> {
  const row = await db
    .selectFrom('deleted_owners')
    .select('owner_id')
    .where('owner_id', '=', owner_id)
    .executeTakeFirst()
  return row !== undefined
}
