import { type Kysely, sql } from 'kysely'
import type { DatabaseTransaction } from '../../database/connect.ts'
import type { DB } from '../../database/types.ts'
import { callLedger } from '../call.ts'

/** Owners at a time: each is locked until the transaction ends. */
const ownersMax = 100

/**
 * Ends the holds of some owners that have expired by `now` of the product's clock. Returns how many ended; 0
 * when there is none any more.
 */
export async function endExpiredHolds(db: Kysely<DB>, now: Date): Promise<number> {
  const expired = await db
    .selectFrom('ledger_holds')
    .select('owner_id')
    .where('state', '=', 'open')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(ownersMax)
    .execute()
  const owners = [...new Set(expired.map(({ owner_id }) => owner_id))]
  if (owners.length === 0) return 0
  return endHolds(db, owners, { now, released: null })
}

/** Releases open holds of some owners, and leaves alone those that are not open. Returns how many. */
export async function releaseHolds(
  trx: DatabaseTransaction,
  owners: readonly string[],
  { ids, now }: { readonly ids: readonly string[]; readonly now: Date },
): Promise<number> {
  return endHolds(trx, owners, { now, released: ids })
}

/** The same for all of a person, also those of organizations of which they are or were a member. */
export async function releaseHoldsOf(
  trx: DatabaseTransaction,
  person: { readonly user_id: string; readonly organizations: readonly string[]; readonly now: Date },
): Promise<number> {
  const { user_id, organizations, now } = person
  const holds = await trx
    .selectFrom('ledger_holds')
    .select(['owner_id', 'id'])
    .where('owner_id', 'in', [user_id, ...organizations])
    .where('actor', '=', user_id)
    .where('state', '=', 'open')
    .execute()
  const owners = [...new Set(holds.map(({ owner_id }) => owner_id))]
  return owners.length === 0 ? 0 : releaseHolds(trx, owners, { ids: holds.map(({ id }) => id), now })
}

/** Owners of holds that were resolved after their month was closed, and are not counted to it yet. */
export async function listOwnersOfOutlivingHolds(db: Kysely<DB>): Promise<string[]> {
  const rows = await db
    .selectFrom('ledger_holds')
    .select('owner_id')
    .distinct()
    .where('outlives_month', '=', true)
    .where('state', '<>', 'open')
    .limit(ownersMax)
    .execute()
  return rows.map(({ owner_id }) => owner_id)
}

/** Ends the open holds that are `released`, or with null those that have expired. Returns how many. */
async function endHolds(
  db: Kysely<DB>,
  owners: readonly string[],
  { now, released }: { readonly now: Date; readonly released: readonly string[] | null },
): Promise<number> {
  const [row] = await callLedger(
    db,
    sql<{
      ended: number
    }>`SELECT ledger_end_holds_of(${owners}::text[], ${now}, ${released}::uuid[]) AS ended`,
  )
  return row?.ended ?? 0
}
