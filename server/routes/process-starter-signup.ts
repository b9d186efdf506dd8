import type { processStarterSignup } from '../../schema/api/users.ts'
import { ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import { refreshAccount, requireOwnId } from '../auth/own-account.ts'
import { starterSignupFailed } from '../errors.ts'
import type { Handler } from '../mount.ts'
import { presentUser } from '../presenters/user.ts'

export const handleProcessStarterSignup: Handler<typeof processStarterSignup> = async (
  { body, user_id },
  deps,
) => {
  requireOwnId(body.clerkUserId, { user_id })
  try {
    const { user } = await refreshAccount(deps, user_id)
    return { message: 'Starter plan activated', data: await presentUser(deps.db, user) }
  } catch (error) {
    throw error instanceof ClerkUnavailableError ? starterSignupFailed(error) : error
  }
}
