import type { UserProfile } from '../../schema/people/users/users.ts'
import { askClerk, openClerk } from '../../schema/vendors/clerk/client.ts'
import { createClerkDirectory } from '../../schema/vendors/clerk/directory.ts'
import { listMembershipsOf } from '../../schema/vendors/clerk/memberships.ts'
import { findMembershipMaximum } from '../../schema/vendors/clerk/organizations.ts'
import { findOwnersByName, findUserIdsByEmail } from '../../schema/vendors/clerk/people.ts'
import { createTokenVerifier } from '../../schema/vendors/clerk/tokens.ts'

/** What the server needs of the sign-in provider. Its calls throw ClerkUnavailableError. */
export type Clerk = ReturnType<typeof createClerk>

/**
 * The state of a Clerk account whose owner asks for a token that outlives their session. `gone`: the account
 * was closed. `locked`: temporarily, after too many wrong passwords. `signed_out`: the session of the
 * request, or the one in which the user agreed, has ended.
 */
export type AccountStatus = 'good' | 'gone' | 'banned' | 'locked' | 'signed_out'

/** The user, and the session that must be alive; null when it is unknown. */
export interface SignedIn {
  readonly user_id: string
  readonly session_id: string | null
}

export function createClerk(options: {
  secretKey: string
  apiUrl: string | undefined
  /** Origins whose tokens are accepted; a token made for another site is refused. */
  authorizedParties: readonly string[]
}) {
  const api = openClerk(options)
  return {
    ...createClerkDirectory(api),
    verifyToken: createTokenVerifier(options),
    /** How a person, and their session if it is known, stand at this moment. */
    async getAccountStatus({ user_id, session_id }: SignedIn): Promise<AccountStatus> {
      const user = await askClerk('Reading a person', api.users.getUser(user_id))
      if (!user) return 'gone'
      if (user.banned) return 'banned'
      if (user.locked) return 'locked'
      if (session_id === null) return 'good'
      const session = await askClerk('Reading a session', api.sessions.getSession(session_id))
      return session?.status === 'active' && session.userId === user_id ? 'good' : 'signed_out'
    },
    findUserIdsByEmail: (email: string) => findUserIdsByEmail(api, email),
    findOwnersByName: (text: string) => findOwnersByName(api, text),
    findMembershipMaximum: () => findMembershipMaximum(api),
    listMembershipsOf: (userId: string) => listMembershipsOf(api, userId),
    /** Null when Clerk does not know the person (any more). */
    async getProfile(userId: string): Promise<UserProfile | null> {
      const user = await askClerk('Reading a profile', api.users.getUser(userId))
      if (!user) return null
      const email = user.primaryEmailAddress ?? user.emailAddresses[0]
      return {
        clerk_id: user.id,
        // As in `profileOf`: a user who signed up with a phone number has none.
        email: email?.emailAddress ?? '',
        first_name: user.firstName,
        last_name: user.lastName,
        profile_updated_at: new Date(user.updatedAt),
      }
    },
  }
}
