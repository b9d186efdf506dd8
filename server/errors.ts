import type { ApiError } from '../schema/api/error.ts'

/**
 * A failure that the caller is told about: `message` is a sentence for people, `code` is for programs and never changes.
 * What went wrong behind it travels as `cause` and ends in the log, never in the answer.
 */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly status: number
  readonly code: string
  readonly fields: ApiError['fields']
  readonly retry_after_s: number | undefined

  constructor(
    status: number,
    code: string,
    text: string,
    more: { fields?: ApiError['fields']; retry_after_s?: number; cause?: unknown } = {},
  ) {
    super(text, 'cause' in more ? { cause: more.cause } : undefined)
    this.status = status
    this.code = code
    this.fields = more.fields
    this.retry_after_s = more.retry_after_s
  }
}

export const unauthenticated = (cause?: unknown) =>
  new ServerError(401, 'unauthenticated', 'User not authenticated', { cause })

export const signInAway = (cause: unknown) =>
  new ServerError(503, 'sign_in_unavailable', 'Sign-in is not available right now. Please try again later.', {
    retry_after_s: 5,
    cause,
  })

export const forbidden = () => new ServerError(403, 'forbidden', 'You can only do this for your own account')

export const tooManyRequests = (retry_after_s: number) =>
  new ServerError(429, 'too_many_requests', 'Too many requests. Please wait a moment and try again.', {
    retry_after_s,
  })

export const notFound = () => new ServerError(404, 'not_found', 'There is nothing at this address')
export const methodNotAllowed = () =>
  new ServerError(405, 'method_not_allowed', 'This address does not take that method')
export const notImplemented = () =>
  new ServerError(501, 'method_not_implemented', 'The server does not know that method')

export const invalidContentType = () =>
  new ServerError(400, 'invalid_content_type', 'The request must have the content type application/json')
export const invalidJson = (cause?: unknown) =>
  new ServerError(400, 'invalid_json', 'The request body is not valid JSON', { cause })
export const bodyTooLarge = (limit_bytes: number) =>
  new ServerError(413, 'body_too_large', `The request body is larger than ${limit_bytes} bytes`)
export const unreadableBody = (cause: unknown) =>
  new ServerError(400, 'unreadable_body', 'The request body could not be read', { cause })
export const invalidRequest = (text: string, fields?: ApiError['fields']) =>
  new ServerError(400, 'invalid_request', text, fields ? { fields } : {})

export const amountMismatch = (credits: number) =>
  new ServerError(
    400,
    'amount_mismatch',
    `The amount is not the price of ${credits.toLocaleString('en-US')} credits. Please reload the page.`,
    { fields: [{ path: 'amount', message: 'Not the catalogue’s price' }] },
  )
export const foreignReturnAddress = (path: 'successUrl' | 'cancelUrl') =>
  new ServerError(400, 'foreign_return_address', `${path} must be an address of this application`, {
    fields: [{ path, message: 'Must be on the application’s own origin' }],
  })
export const invalidCursor = () =>
  new ServerError(400, 'invalid_cursor', 'This page of the history does not exist', {
    fields: [{ path: 'cursor', message: 'Not a cursor of this list' }],
  })

export const checkoutRefused = (cause: unknown) =>
  new ServerError(502, 'checkout_failed', 'Failed to create checkout session', { cause })
/** Nobody knows whether Stripe opened a session. Nothing is charged either way before the customer pays. */
export const checkoutUncertain = (cause: unknown) =>
  new ServerError(503, 'checkout_failed', 'Failed to create checkout session', { retry_after_s: 5, cause })
export const noCheckoutUrl = () => new ServerError(502, 'checkout_failed', 'No checkout URL received')
export const sessionNotFound = () => new ServerError(404, 'session_not_found', 'Session not found')
export const paymentStatusAway = (cause: unknown) =>
  new ServerError(502, 'payment_status_unavailable', 'Failed to verify payment status', { cause })

/** Also for organizations that exist: whoever is not a member does not learn of them. */
export const organizationNotFound = () =>
  new ServerError(404, 'organization_not_found', 'Organization not found')
export const notAdmin = (doing: string) =>
  new ServerError(403, 'not_admin', `Only organization administrators can ${doing}.`)

export const userNotFound = () => new ServerError(404, 'user_not_found', 'User not found')
export const initializeFailed = (cause: unknown) =>
  new ServerError(502, 'initialize_failed', 'Failed to initialize user', { cause })
export const starterSignupFailed = (cause: unknown) =>
  new ServerError(502, 'starter_signup_failed', 'Failed to process starter signup', { cause })

export const invalidSignature = (cause?: unknown) =>
  new ServerError(400, 'invalid_signature', 'The webhook’s signature is not valid', { cause })
export const invalidEvent = (cause?: unknown) =>
  new ServerError(400, 'invalid_event', 'The webhook’s body is not an event', { cause })

export const databaseAway = (cause: unknown) =>
  new ServerError(503, 'temporarily_unavailable', 'An unexpected error occurred. Please try again later.', {
    retry_after_s: 5,
    cause,
  })
export const upstreamAway = (cause: unknown) =>
  new ServerError(502, 'upstream_unavailable', 'A service behind this address does not answer', { cause })
export const unexpected = (cause: unknown) =>
  new ServerError(500, 'internal_error', 'An unexpected error occurred', { cause })
