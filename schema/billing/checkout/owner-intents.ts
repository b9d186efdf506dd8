import type { Kysely } from 'kysely'
import type { DB } from '../../database/types.ts'
import { kindOf } from '../../ledger/accounts.ts'
import { inThisMode } from '../../vendors/stripe/mode.ts'
import type { CheckoutIntent } from './intents.ts'

/**
 * An owner's checkouts from which nothing was granted, those that failed or expired included, newest first.
 */
export async function listUnfinishedIntents(
  db: Kysely<DB>,
  owner_id: string,
  { limit }: { readonly limit: number },
): Promise<CheckoutIntent[]> {
  return intentsOf(db, owner_id).where('state', '<>', 'settled').limit(limit).execute()
}

/** All of an owner's checkouts, newest first. */
export async function listIntentsOfOwner(
  db: Kysely<DB>,
  owner_id: string,
  { limit }: { readonly limit: number },
): Promise<CheckoutIntent[]> {
  return intentsOf(db, owner_id).limit(limit).execute()
}

/** The user is named too, because a person's checkouts are found by who pays. */
function intentsOf(db: Kysely<DB>, owner_id: string) {
  const query = db
    .selectFrom('checkout_intents')
    .selectAll()
    .where('owner_id', '=', owner_id)
    .where(inThisMode('checkout_intents'))
    .orderBy('created_at', 'desc')
  return kindOf(owner_id) === 'user' ? query.where('user_id', '=', owner_id) : query
}
