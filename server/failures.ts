import { invalidTeamEmailText } from '../schema/api/team-email.ts'
import { type ClerkRefusalError, ClerkUnavailableError } from '../schema/clerk/errors.ts'
import { checkoutUncertain, invalidTeamEmail, RouteFailedError, ServerError } from './errors.ts'

/** What a route answers when its handler fails for a reason that is not the caller's. `on-error` reads it. */
export interface Failure {
  /** What did not work, in the product's words. */
  readonly text: string
  /** What errors of Clerk's become; left out, they are told as everywhere else. */
  clerk?(error: ClerkUnavailableError | ClerkRefusalError): ServerError | RouteFailedError
  /** The same of Stripe's, StripeAnswerError included. */
  stripe?(error: Error): ServerError | RouteFailedError
  /** The same of all others, a database that does not answer included. */
  any?(error: unknown): RouteFailedError
}

/** An account cannot be made without the profile that Clerk has. */
export function accountFailure(text: string, code: string): Failure {
  return { text, clerk: (cause) => new RouteFailedError(502, code, { cause }) }
}

/** Purchases make the buyer's account too, when buying is the first thing that they do. */
const buyerFailed = (cause: unknown) =>
  new ServerError(502, 'initialize_failed', 'Failed to initialize user', { cause })

/** Nobody knows whether Stripe did what it was asked for. Where it said no, `checkoutRefused` is thrown instead. */
export function checkoutFailure(text: string): Failure {
  return { text, clerk: buyerFailed, stripe: checkoutUncertain }
}

export function portalFailure(text: string): Failure {
  return {
    text,
    clerk: buyerFailed,
    stripe: (cause) => new RouteFailedError(502, 'portal_failed', { cause }),
  }
}

/** Clerk did not do its part of a change in an organization; nothing has changed then. */
export function organizationFailure(text: string): Failure {
  return { text, clerk: organizationChangeFailed }
}

function organizationChangeFailed(
  error: ClerkUnavailableError | ClerkRefusalError,
): ServerError | RouteFailedError {
  const code = 'organization_change_failed'
  if (error instanceof ClerkUnavailableError) {
    return new RouteFailedError(503, code, { retry_after_s: 5, cause: error })
  }
  // Clerk's idea of an address is narrower than ours, and the address is all that people typed.
  if (error.code.startsWith('form_param_')) return invalidTeamEmail(invalidTeamEmailText, error)
  return new RouteFailedError(502, code, { cause: error })
}

/** Whatever goes wrong is told in the one sentence that the extension's pages have for it. */
export function anyFailure(text: string, code: string): Failure {
  return { text, any: (cause) => new RouteFailedError(503, code, { retry_after_s: 5, cause }) }
}
