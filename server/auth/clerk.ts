import { verifyToken } from '@clerk/backend'
import {
  isClerkAPIResponseError,
  TokenVerificationError,
  TokenVerificationErrorReason,
} from '@clerk/backend/errors'
import { decodeProtectedHeader } from 'jose'
import { askClerk, openClerk } from '../../schema/clerk/client.ts'
import { type ClerkDirectory, createClerkDirectory } from '../../schema/clerk/directory.ts'
import { ClerkUnavailableError } from '../../schema/clerk/errors.ts'
import {
  findUserIdsByEmail,
  type Identity,
  identifyOrganization,
  identifyUser,
} from '../../schema/clerk/people.ts'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { withTimeLimit } from '../../schema/time-limit.ts'
import type { UserProfile } from '../../schema/users/users.ts'

/** What the server needs of the sign-in provider. */
export interface Clerk extends ClerkDirectory {
  /** Throws TokenRejectedError for a bad token and ClerkUnavailableError when it cannot be verified. */
  verifyToken(token: string, options?: TokenOptions): Promise<VerifiedToken>
  /** How a person, and their session if it is known, stand at this moment. Throws ClerkUnavailableError. */
  getAccountStatus(who: SignedIn): Promise<AccountStatus>
  /**
   * Whether the person is on the support staff: `role` is `support` in their public metadata, which only the
   * operator of the product can write, and they may sign in. Throws ClerkUnavailableError.
   */
  isSupportStaff(userId: string): Promise<boolean>
  /** Null when Clerk does not know the person or organization (any more). Throws ClerkUnavailableError. */
  identify(owner: Owner): Promise<Identity | null>
  findUserIdsByEmail(email: string): Promise<string[]>
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

interface TokenOptions {
  /**
   * Also accepts a token that expired within this time. The caller checks the session by getAccountStatus.
   */
  readonly expired_for_ms?: number
}

export interface VerifiedToken {
  readonly user_id: string
  /** The session of the token; null in a token without one. */
  readonly session_id: string | null
}

export class TokenRejectedError extends Error {
  override readonly name = 'TokenRejectedError'
  readonly is_expired: boolean
  constructor(reason: string, options: { is_expired: boolean; cause?: unknown }) {
    super(reason, options)
    this.is_expired = options.is_expired
  }
}

/** Reasons that lie with our keys or with Clerk, not with the token. */
const reasonsOnOurSide: readonly string[] = [
  TokenVerificationErrorReason.InvalidSecretKey,
  TokenVerificationErrorReason.LocalJWKMissing,
  TokenVerificationErrorReason.RemoteJWKFailedToLoad,
  TokenVerificationErrorReason.RemoteJWKInvalid,
  TokenVerificationErrorReason.RemoteJWKMissing,
  TokenVerificationErrorReason.JWKFailedToResolve,
]

function tokenError(error: unknown): TokenRejectedError | ClerkUnavailableError {
  if (!(error instanceof TokenVerificationError) || reasonsOnOurSide.includes(error.reason)) {
    return new ClerkUnavailableError('A token could not be verified', { cause: error })
  }
  const is_expired = error.reason === TokenVerificationErrorReason.TokenExpired
  return new TokenRejectedError(error.message, { is_expired, cause: error })
}

const clerkLimitMs = 10_000

export function createClerk(options: {
  secretKey: string
  apiUrl: string | undefined
  /** Origins whose tokens are accepted; a token made for another site is refused. */
  authorizedParties: readonly string[]
}): Clerk {
  const address = options.apiUrl ? { apiUrl: options.apiUrl } : {}
  const api = openClerk(options)
  const isKnownKey = createKeyList(async () => {
    const { keys } = await withTimeLimit(api.jwks.getJwks(), {
      limit_ms: clerkLimitMs,
      what: 'Reading the keys of tokens',
    })
    return (keys ?? []).map(({ kid }) => kid)
  })
  return {
    ...createClerkDirectory(api),
    async verifyToken(token, { expired_for_ms = 0 } = {}) {
      if (!(await isSignedByKnownKey(token, isKnownKey))) {
        throw new TokenRejectedError('Clerk has no such key', { is_expired: false })
      }
      const verification = verifyToken(token, {
        secretKey: options.secretKey,
        authorizedParties: [...options.authorizedParties],
        clockSkewInMs: 5000 + expired_for_ms,
        ...address,
      })
      try {
        const claims = await withTimeLimit(verification, {
          limit_ms: clerkLimitMs,
          what: 'Verifying a token',
        })
        // A user with open tasks after sign-in counts as signed out, as in the browser.
        if (claims.sts === 'pending') throw new TokenRejectedError('Pending session', { is_expired: false })
        return { user_id: claims.sub, session_id: claims.sid ?? null }
      } catch (error) {
        throw error instanceof TokenRejectedError ? error : tokenError(error)
      }
    },
    async getAccountStatus({ user_id, session_id }) {
      const user = await askClerk('Reading a person', api.users.getUser(user_id))
      if (!user) return 'gone'
      if (user.banned) return 'banned'
      if (user.locked) return 'locked'
      if (session_id === null) return 'good'
      const session = await askClerk('Reading a session', api.sessions.getSession(session_id))
      return session?.status === 'active' && session.userId === user_id ? 'good' : 'signed_out'
    },
    async isSupportStaff(userId) {
      const user = await askClerk('Reading a role', api.users.getUser(userId))
      return user?.publicMetadata.role === 'support' && !user.banned && !user.locked
    },
    identify: ({ owner_kind, owner_id }) =>
      owner_kind === 'user' ? identifyUser(api, owner_id) : identifyOrganization(api, owner_id),
    findUserIdsByEmail: (email) => findUserIdsByEmail(api, email),
    async getProfile(userId) {
      try {
        const user = await withTimeLimit(api.users.getUser(userId), {
          limit_ms: clerkLimitMs,
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

/** At most one call a second, however many tokens name keys that do not exist. */
const keysCooldownMs = 1000

/** Whether Clerk has a key of this name. The SDK would ask Clerk for every forged name. */
function createKeyList(list: () => Promise<readonly string[]>): (kid: string) => Promise<boolean> {
  let known: ReadonlySet<string> = new Set()
  let askedAtMs = Number.NEGATIVE_INFINITY
  let asked = Promise.resolve()
  return async (kid) => {
    if (known.has(kid)) return true
    if (performance.now() - askedAtMs >= keysCooldownMs) {
      askedAtMs = performance.now()
      asked = list().then(
        (kids) => {
          known = new Set(kids)
        },
        (cause: unknown) => {
          throw new ClerkUnavailableError('The keys of tokens could not be read', { cause })
        },
      )
    }
    await asked
    return known.has(kid)
  }
}

async function isSignedByKnownKey(
  token: string,
  isKnownKey: (kid: string) => Promise<boolean>,
): Promise<boolean> {
  let kid: unknown
  try {
    kid = decodeProtectedHeader(token).kid
  } catch (cause) {
    throw new TokenRejectedError('It is no token', { is_expired: false, cause })
  }
  return typeof kid === 'string' && isKnownKey(kid)
}
