import type { initializeUser } from '../../schema/api/users.ts'
import { ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import { refreshAccount, requireOwnId } from '../auth/own-account.ts'
import { initializeFailed } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { presentUser } from '../presenters/user.ts'

/**
 * The body names a plan and an e-mail address, and neither is believed: names and addresses are Clerk's, and a plan changes
 * when money has come in.
 */
export const handleInitializeUser: Handler<typeof initializeUser> = async ({ body, user_id }, deps) => {
  requireOwnId(body.clerkUser.id, { user_id })
  try {
    const { user, created } = await refreshAccount(deps, user_id)
    return { user: await presentUser(deps.db, user), created }
  } catch (error) {
    throw error instanceof ClerkUnavailableError ? initializeFailed(error) : error
  }
}
