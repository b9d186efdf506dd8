import { type ClerkClient, createClerkClient } from '@clerk/backend'
import { isClerkAPIResponseError } from '@clerk/backend/errors'
import { withTimeLimit } from '../../time-limit.ts'
import { ClerkRateLimitError, ClerkRefusalError, ClerkUnavailableError } from './errors.ts'

export interface ClerkAddress {
  readonly secretKey: string
  /** Undefined for Clerk's own address. */
  readonly apiUrl: string | undefined
}

export function openClerk(address: ClerkAddress): ClerkClient {
  return createClerkClient({
    secretKey: address.secretKey,
    telemetry: { disabled: true },
    ...(address.apiUrl && { apiUrl: address.apiUrl }),
  })
}

export const callLimitMs = 10_000
/** For a 429 that does not say how long to wait. */
const defaultRetryAfterMs = 60_000

/**
 * Waits for Clerk's answer. Null when the object does not exist. Throws ClerkRefusalError when Clerk refuses
 * the request, and ClerkUnavailableError for timeouts, failures, a rejected key or a missing set-up.
 */
export async function askClerk<T>(what: string, call: Promise<T>): Promise<T | null> {
  try {
    return await withTimeLimit(call, { limit_ms: callLimitMs, what })
  } catch (error) {
    if (!isClerkAPIResponseError(error)) throw new ClerkUnavailableError(`${what} failed`, { cause: error })
    // As the SDK calls a connection that failed; the reason is in its list.
    if (error.status === undefined) {
      const reason = error.errors[0]?.message ?? 'no reason given'
      throw new ClerkUnavailableError(`${what} failed: Clerk does not answer (${reason})`, { cause: error })
    }
    if (error.status === 404) return null
    if (error.status === 429) {
      const retry_after_ms = error.retryAfter ? error.retryAfter * 1000 : defaultRetryAfterMs
      throw new ClerkRateLimitError(`${what} was refused for now`, { retry_after_ms, cause: error })
    }
    const code = error.errors[0]?.code ?? 'unknown'
    if (code === 'organization_not_enabled_in_instance') {
      throw new ClerkUnavailableError('Organizations are not enabled in the Clerk dashboard', {
        cause: error,
      })
    }
    // 402: the plan of the application does not allow it, for organizations and invitations too
    // (https://github.com/clerk/openapi-specs/blob/main/bapi/2026-05-12.yml, `PaymentRequired`). A status that
    // we do not know is read by its class.
    const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 401
    if (!isRefusal) throw new ClerkUnavailableError(`${what} failed with ${error.status}`, { cause: error })
    throw new ClerkRefusalError(code, { cause: error })
  }
}
