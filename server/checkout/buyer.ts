import { ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import type { UserRecord } from '../../schema/users/users.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import type { Dependencies } from '../dependencies.ts'
import { initializeFailed } from '../errors.ts'

/** The caller's row, which every intent hangs on; made when this is the first thing they do. */
export async function findBuyer(
  deps: Pick<Dependencies, 'db' | 'clerk'>,
  userId: string,
): Promise<UserRecord> {
  return findOrCreateAccount(deps, userId).catch((error: unknown) => {
    throw error instanceof ClerkUnavailableError ? initializeFailed(error) : error
  })
}
