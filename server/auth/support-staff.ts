import type { Clerk } from './clerk.ts'

/** Whether the user is on the support staff. Throws ClerkUnavailableError. */
export type SupportStaff = (userId: string) => Promise<boolean>

/**
 * Asks Clerk at each call, so that a removed role ends the access at the next one. Calls that come while
 * Clerk is being asked share its answer, since a page makes several together.
 */
export function createSupportStaff({ isSupportStaff }: Pick<Clerk, 'isSupportStaff'>): SupportStaff {
  const asked = new Map<string, Promise<boolean>>()
  return (userId) => {
    const known = asked.get(userId)
    if (known) return known
    const isStaff = isSupportStaff(userId).finally(() => asked.delete(userId))
    asked.set(userId, isStaff)
    return isStaff
  }
}
