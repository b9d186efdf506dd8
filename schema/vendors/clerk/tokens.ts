import { verifyToken } from '@clerk/backend'
import { TokenVerificationError, TokenVerificationErrorReason } from '@clerk/backend/errors'
import { signedInAuthObject } from '@clerk/backend/internal'
import { decodeProtectedHeader } from 'jose'
import { withTimeLimit } from '../../time-limit.ts'
import { type ClerkAddress, callLimitMs, openClerk } from './client.ts'
import { ClerkUnavailableError } from './errors.ts'

export interface TokenOptions {
  /**
   * Also accepts a token that expired within this time. The caller checks the session by getAccountStatus.
   */
  readonly expired_for_ms?: number
}

/** Throws TokenRejectedError for a bad token and ClerkUnavailableError when it cannot be verified. */
export type VerifyToken = (token: string, options?: TokenOptions) => Promise<VerifiedToken>

export interface VerifiedToken {
  readonly user_id: string
  /** The session of the token; null in a token without one. */
  readonly session_id: string | null
  readonly issued_at: Date
  /** Minutes since the first and the second factor when it was issued, -1 for none (the claim `fva`). */
  readonly factor_ages: readonly [first: number, second: number] | null
}

/** The second factor within ten minutes; the first, where a person has no second one. */
export const freshFactor = 'strict'

/**
 * Whether the person had proved within minutes that it is them: a stolen session has no fresh factor
 * (https://clerk.com/docs/guides/secure/reverification). The factors have aged since the token was issued.
 */
export function hasFreshFactor({ user_id, issued_at, factor_ages }: VerifiedToken, at: Date): boolean {
  const aged_min = Math.max(0, at.getTime() - issued_at.getTime()) / 60_000
  const fva = factor_ages?.map((age) => (age < 0 ? age : age + aged_min))
  const claims = { sub: user_id, fva } as unknown as Parameters<typeof signedInAuthObject>[2]
  return signedInAuthObject({}, '', claims).has({ reverification: freshFactor })
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

export function createTokenVerifier(
  options: ClerkAddress & {
    /** Origins whose tokens are accepted; a token made for another site is refused. */
    readonly authorizedParties: readonly string[]
  },
): VerifyToken {
  const { secretKey, apiUrl, authorizedParties } = options
  const api = openClerk(options)
  const isKnownKey = createKeyList(async () => {
    const { keys } = await withTimeLimit(api.jwks.getJwks(), {
      limit_ms: callLimitMs,
      what: 'Reading the keys of tokens',
    })
    return (keys ?? []).map(({ kid }) => kid)
  })
  return async (token, { expired_for_ms = 0 } = {}) => {
    if (!(await isSignedByKnownKey(token, isKnownKey))) {
      throw new TokenRejectedError('Clerk has no such key', { is_expired: false })
    }
    const verification = verifyToken(token, {
      secretKey,
      authorizedParties: [...authorizedParties],
      clockSkewInMs: 5000 + expired_for_ms,
      ...(apiUrl && { apiUrl }),
    })
    try {
      const claims = await withTimeLimit(verification, { limit_ms: callLimitMs, what: 'Verifying a token' })
      // A user with open tasks after sign-in counts as signed out, as in the browser.
      if (claims.sts === 'pending') throw new TokenRejectedError('Pending session', { is_expired: false })
      return {
        user_id: claims.sub,
        session_id: claims.sid ?? null,
        issued_at: new Date(claims.iat * 1000),
        factor_ages: claims.fva ?? null,
      }
    } catch (error) {
      throw error instanceof TokenRejectedError ? error : tokenError(error)
    }
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
