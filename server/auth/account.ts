import { retryTransaction } from '../../schema/database/retry.ts'
import { refreshPlanType } from '../../schema/people/users/plan-type.ts'
import { ensureUser, findUser, type UserRecord } from '../../schema/people/users/users.ts'
import type { Dependencies } from '../dependencies.ts'
import { refusal } from '../errors.ts'

/** Updates or creates the caller's row from Clerk's profile. Throws ClerkUnavailableError. */
export async function refreshAccount(
  deps: Pick<Dependencies, 'db' | 'clerk'>,
  userId: string,
): Promise<{ user: UserRecord; created: boolean }> {
  const profile = await deps.clerk.getProfile(userId)
  // The token outlives the account by up to a minute.
  if (!profile)
    throw refusal('unauthenticated', { cause: new Error(`Clerk does not know ${userId} any more`) })
  return retryTransaction(deps.db, async (trx) => {
    const account = await ensureUser(trx, profile)
    if (!account.created) return account
    // The user may have been given a seat before their first visit.
    await refreshPlanType(trx, [userId])
    return { created: true, user: (await findUser(trx, userId)) ?? account.user }
  })
}

/** The caller's row, created from Clerk's profile on the first call. Throws ClerkUnavailableError. */
export async function findOrCreateAccount(
  deps: Pick<Dependencies, 'db' | 'clerk'>,
  userId: string,
): Promise<UserRecord> {
  return (await findUser(deps.db, userId)) ?? (await refreshAccount(deps, userId)).user
}
