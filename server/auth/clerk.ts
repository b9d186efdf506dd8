import { isClerkAPIResponseError } from '@clerk/backend/errors'
import { kindOf } from '../../schema/ledger/accounts.ts'
import type { UserProfile } from '../../schema/people/users/users.ts'
import { withTimeLimit } from '../../schema/time-limit.ts'
import { askClerk, callLimitMs, openClerk } from '../../schema/vendors/clerk/client.ts'
import { type ClerkDirectory, createClerkDirectory } from '../../schema/vendors/clerk/directory.ts'
import { ClerkUnavailableError } from '../../schema/vendors/clerk/errors.ts'
import { listMembershipsOf, type Membership } from '../../schema/vendors/clerk/memberships.ts'
import {
  findOwnersByName,
  findUserIdsByEmail,
  type Identity,
  identifyOrganization,
  identifyUser,
} from '../../schema/vendors/clerk/people.ts'
import { createTokenVerifier, type VerifyToken } from '../../schema/vendors/clerk/tokens.ts'

/** What the server needs of the sign-in provider. */
export interface Clerk extends ClerkDirectory {
  readonly verifyToken: VerifyToken
  /** How a person, and their session if it is known, stand at this moment. Throws ClerkUnavailableError. */
  getAccountStatus(who: SignedIn): Promise<AccountStatus>
  /** Null when Clerk does not know the person or organization (any more). Throws ClerkUnavailableError. */
  identify(owner_id: string): Promise<Identity | null>
  findUserIdsByEmail(email: string): Promise<string[]>
  /** People and organizations whose name has all words of the text. Throws ClerkUnavailableError. */
  findOwnersByName(text: string): Promise<({ readonly owner_id: string } & { name: string })[]>
  /** The person's memberships. Throws ClerkUnavailableError. */
  listMembershipsOf(userId: string): Promise<Membership[]>
  /** Null when Clerk does not know the person (any more). Throws ClerkUnavailableError. */
  getProfile(userId: string): Promise<UserProfile | null>
}

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
}): Clerk {
  const api = openClerk(options)
  return {
    ...createClerkDirectory(api),
    verifyToken: createTokenVerifier(options),
    async getAccountStatus({ user_id, session_id }) {
      const user = await askClerk('Reading a person', api.users.getUser(user_id))
      if (!user) return 'gone'
      if (user.banned) return 'banned'
      if (user.locked) return 'locked'
      if (session_id === null) return 'good'
      const session = await askClerk('Reading a session', api.sessions.getSession(session_id))
      return session?.status === 'active' && session.userId === user_id ? 'good' : 'signed_out'
    },
    identify: (owner_id) =>
      kindOf(owner_id) === 'user' ? identifyUser(api, owner_id) : identifyOrganization(api, owner_id),
    findUserIdsByEmail: (email) => findUserIdsByEmail(api, email),
    findOwnersByName: (text) => findOwnersByName(api, text),
    listMembershipsOf: (userId) => listMembershipsOf(api, userId),
    async getProfile(userId) {
      try {
        const user = await withTimeLimit(api.users.getUser(userId), {
          limit_ms: callLimitMs,
          what: 'Reading a profile',
        })
        const email = user.primaryEmailAddress ?? user.emailAddresses[0]
        return {
          clerk_id: user.id,
          // As in `profileOf`: a user who signed up with a phone number has none.
          email: email?.emailAddress ?? '',
          first_name: user.firstName,
          last_name: user.lastName,
          profile_updated_at: new Date(user.updatedAt),
        }
      } catch (error) {
        if (isClerkAPIResponseError(error) && error.status === 404) return null
        throw new ClerkUnavailableError('A profile could not be read', { cause: error })
      }
    },
  }
}
