import { type ClerkClient, createClerkClient } from '@clerk/backend'
import { isClerkAPIResponseError } from '@clerk/backend/errors'
import { withTimeLimit } from '../time-limit.ts'
import { ClerkRefusalError, ClerkUnavailableError } from './errors.ts'

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

const callLimitMs = 10_000

/**
 * Waits for Clerk's answer. Null when the object does not exist. Throws ClerkRefusalError when Clerk refuses, and
 * ClerkUnavailableError when it does not answer in time, is broken, or rejects our key.
 */
export async function askClerk<T>(what: string, call: Promise<T>): Promise<T | null> {
  try {
    return await withTimeLimit(call, { limit_ms: callLimitMs, what })
  } catch (error) {
    if (!isClerkAPIResponseError(error)) throw new ClerkUnavailableError(`${what} failed`, { cause: error })
    if (error.status === 404) return null
    const isRefusal = [400, 403, 409, 422].includes(error.status)
    if (!isRefusal) throw new ClerkUnavailableError(`${what} failed with ${error.status}`, { cause: error })
    throw new ClerkRefusalError(error.errors[0]?.code ?? 'unknown', { cause: error })
  }
}
