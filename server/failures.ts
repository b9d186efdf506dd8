import { invalidTeamEmailText } from '../schema/api/team-email.ts'
import { type ClerkRefusalError, ClerkUnavailableError } from '../schema/vendors/clerk/errors.ts'
import { checkoutUncertain, RouteFailedError, ServerError } from './errors.ts'

/** How a route reports errors that are not the caller's fault. `on-error` applies it. */
export interface Failure {
  /** What did not work, in the product's wording. */
  readonly text: string
  /** Translates Clerk's errors; by default `on-error` does. */
  clerk?(error: ClerkUnavailableError | ClerkRefusalError): ServerError
  /** What Stripe's errors become, including StripeAnswerError. */
  stripe?(error: Error): ServerError
  /** The text when the database is unavailable; by default that of `on-error`. */
  readonly database?: string
  /** What all other errors become, including an unavailable database. */
  any?(error: unknown): RouteFailedError
}

/** An account cannot be created without the profile from Clerk. */
export function accountFailure(text: string, code: string): Failure {
  return { text, clerk: (cause) => new RouteFailedError(502, code, { cause }) }
}

/** A purchase also creates the buyer's account when it is their first action. */
const buyerFailed = (cause: unknown) =>
  new ServerError(502, 'initialize_failed', 'Failed to initialize user', { cause })

/** A Stripe error may leave a session behind; for a refusal `openSession` throws `checkoutRefused`. */
export function checkoutFailure(text: string): Failure {
  return { text, clerk: buyerFailed, stripe: checkoutUncertain }
}

export function portalFailure(text: string): Failure {
  return { ...stripeFailure(text, 'portal_failed'), clerk: buyerFailed }
}

/** Stripe did not do its part, or cannot be asked. */
export function stripeFailure(text: string, code: string): Failure {
  return { text, stripe: (cause) => new RouteFailedError(502, code, { cause }) }
}

/** Stripe cannot be asked for its invoices. Nothing depends on it. */
export function invoicesFailure(text: string): Failure {
  return {
    text,
    stripe: (cause) => new RouteFailedError(503, 'invoices_unavailable', { retry_after_s: 5, cause }),
  }
}

/** Stripe did not change the subscription, or only in part; the same call again does the rest. */
export function subscriptionFailure(text: string): Failure {
  return stripeFailure(text, 'subscription_change_failed')
}

/** Clerk did not make its part of a change in an organization; then nothing has changed. */
export function organizationFailure(text: string): Failure {
  return { text, clerk: organizationChangeFailed }
}

function organizationChangeFailed(error: ClerkUnavailableError | ClerkRefusalError): ServerError {
  const code = 'organization_change_failed'
  if (error instanceof ClerkUnavailableError) {
    return new RouteFailedError(503, code, { retry_after_s: 5, cause: error })
  }
  // Clerk accepts fewer e-mail addresses than we do, and the address is the only thing that the caller typed.
  if (error.code.startsWith('form_param_')) {
    const fields = [{ path: 'email', message: invalidTeamEmailText }]
    return new ServerError(400, 'invalid_request', invalidTeamEmailText, { fields, cause: error })
  }
  return new RouteFailedError(502, code, { cause: error })
}

/** A call that reads and writes our own rows only, and has one text for when that does not work. */
export function rowsFailure(text: string): Failure {
  return { text, database: text }
}

/** The extension's pages have one text for every failure. */
export function anyFailure(text: string, code: string): Failure {
  return { text, any: (cause) => new RouteFailedError(503, code, { retry_after_s: 5, cause }) }
}
