import { isClerkAPIResponseError } from '@clerk/backend/errors'
import pg from 'pg'
import Stripe from 'stripe'
import { ZodError, z } from 'zod'
import { failureOf } from '../schema/api/failures.ts'
import { isDatabaseUnavailable } from '../schema/database/unavailable.ts'
import type { TryRecord } from '../schema/inbox/claim/claimable.ts'
import { IdempotencyConflictError, UnbalancedTransferError } from '../schema/ledger/errors.ts'
import { withoutAddresses } from '../schema/mail-addresses.ts'
import { ClerkRefusalError, ClerkUnavailableError } from '../schema/vendors/clerk/errors.ts'
import { CodedError, NotYetError, PermanentError } from './errors.ts'

/**
 * Why a try failed.
 * - `unavailable`: Stripe, Clerk or the database did not answer usefully. Costs no attempt.
 * - `not_yet`: something is not committed yet.
 * - `contradiction`: what we were told contradicts what we know, or Stripe or Clerk refuses what we ask. Every
 *   try would end like this one.
 * - `defect`: anything else. An operator may correct it within a day.
 */
export type FailureKind = 'unavailable' | 'not_yet' | 'contradiction' | 'defect'

/** What follows from a failure: the row is tried again, or a person has to see to it. */
export type Consequence =
  | { readonly kind: FailureKind; readonly next: 'retry'; readonly wait_ms: number }
  | { readonly kind: FailureKind; readonly next: 'give_up' }

export const maximumAttempts = 10

const minuteMs = 60_000
/**
 * Between two tries while the other side is unavailable; the wait grows with the time that it has been so.
 */
const unavailableWaitMs = { least: 15_000, most: 10 * minuteMs }
/** Caps Retry-After, so that everything is done within an hour of the sender's return. */
const longestRetryAfterMs = 30 * minuteMs

/** Says what follows from a failed try of a row, without doing it. `random` is at least 0 and below 1. */
export function consequenceOf(
  error: unknown,
  record: TryRecord,
  { now, random }: { readonly now: Date; readonly random: () => number },
): Consequence {
  const kind = kindOf(error)
  // Spreads the retries of rows that failed together.
  const jittered = (waitMs: number) => Math.round(waitMs * (0.75 + random() * 0.5))
  switch (kind) {
    case 'unavailable': {
      const lasted = now.getTime() - (record.unavailable_since ?? now).getTime()
      const wait = Math.min(Math.max(lasted, unavailableWaitMs.least), unavailableWaitMs.most)
      const asked = Math.min(retryAfterMs(error) ?? 0, longestRetryAfterMs)
      return { kind, next: 'retry', wait_ms: Math.max(jittered(wait), asked) }
    }
    case 'contradiction':
      return { kind, next: 'give_up' }
    case 'not_yet':
    case 'defect': {
      const attempts = record.attempts + 1
      if (attempts >= maximumAttempts) return { kind, next: 'give_up' }
      // 2 s, 4 s … are a quarter of an hour together; 1 s, 4 s, 16 s … a day.
      const wait = kind === 'not_yet' ? 1000 * 2 ** attempts : 1000 * 4 ** (attempts - 1)
      return { kind, next: 'retry', wait_ms: jittered(wait) }
    }
  }
}

export function kindOf(error: unknown): FailureKind {
  if (error instanceof NotYetError) return 'not_yet'
  if (isUnavailable(error)) return 'unavailable'
  return isContradiction(error) ? 'contradiction' : 'defect'
}

function isContradiction(error: unknown): boolean {
  return (
    error instanceof PermanentError ||
    error instanceof ZodError ||
    error instanceof IdempotencyConflictError ||
    error instanceof UnbalancedTransferError ||
    error instanceof ClerkRefusalError ||
    // What is not unavailable is a 4xx, known or not: an error "given the information provided"
    // (https://docs.stripe.com/api/errors), which is the same at every try.
    error instanceof Stripe.errors.StripeError
  )
}

/** The operator's key is wrong, or may not do this: waiting does not help. */
export function isRefusedKey(error: unknown): boolean {
  return (
    error instanceof Stripe.errors.StripeAuthenticationError ||
    error instanceof Stripe.errors.StripePermissionError
  )
}

/**
 * A rejected key (401, 403) is for the operator to correct, and no fault of the row; 409 says that the object
 * is in use, and 424 that someone behind Stripe does not answer. An answer without a status is none of Stripe's (the page of a proxy, say), and a limit may be a 400
 * (both in the SDK: `RequestSender`, `generateV1Error`).
 */
function isUnavailable(error: unknown): boolean {
  if (error instanceof ClerkUnavailableError || isDatabaseUnavailable(error)) return true
  if (error instanceof Stripe.errors.StripeRateLimitError) return true
  if (!(error instanceof Stripe.errors.StripeError)) return false
  const { statusCode } = error
  return statusCode === undefined || statusCode >= 500 || [401, 403, 409, 424].includes(statusCode)
}

/** What the sender asked for, in its answer's `Retry-After`. */
function retryAfterMs(error: unknown): number | undefined {
  if (error instanceof Stripe.errors.StripeError) {
    const seconds = Number(error.headers?.['retry-after'])
    return Number.isFinite(seconds) ? seconds * 1000 : undefined
  }
  const cause = error instanceof ClerkUnavailableError ? error.cause : undefined
  // The guard throws when it is given no object.
  return cause instanceof Error && isClerkAPIResponseError(cause) && cause.retryAfter !== undefined
    ? cause.retryAfter * 1000
    : undefined
}

/**
 * The failure as its row keeps it, a code and figures: without e-mail addresses, and without what the database
 * or a vendor that is away says, which is in the log; of Stripe's refusals with their text and code.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof pg.DatabaseError && error.code?.startsWith('23'))
    return failureOf('contradicts_known', { rule: error.constraint ?? error.code })
  if (error instanceof ClerkRefusalError) return failureOf('clerk_refuses', { code: error.code })
  if (isUnavailable(error) && !isRefusedKey(error)) return failureOf(`${senderOf(error)}_away`)
  if (error instanceof CodedError) return withoutAddresses(error.message)
  const plain = error instanceof ZodError ? z.prettifyError(error) : messageOf(error)
  const says = withoutAddresses(plain).slice(0, 1000)
  if (error instanceof ZodError) return failureOf('unknown_format', { says })
  if (!(error instanceof Stripe.errors.StripeError)) return says
  return failureOf(isRefusedKey(error) ? 'stripe_refuses_key' : 'stripe_refuses', {
    says: error.code ? `${says} (${error.code})` : says,
  })
}

function senderOf(error: unknown): 'stripe' | 'clerk' | 'database' {
  if (error instanceof Stripe.errors.StripeError) return 'stripe'
  return error instanceof ClerkUnavailableError ? 'clerk' : 'database'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}
