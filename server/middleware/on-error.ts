import Stripe from 'stripe'
import type { ApiError } from '../../schema/api/error.ts'
import { isDatabaseUnavailable } from '../../schema/database/unavailable.ts'
import { IdempotencyConflictError } from '../../schema/ledger/errors.ts'
import { withoutAddresses } from '../../schema/mail-addresses.ts'
import { ClerkRefusalError, ClerkUnavailableError } from '../../schema/vendors/clerk/errors.ts'
import type { AppMiddleware } from '../context.ts'
import {
  invalidRequest,
  notFound,
  RouteFailedError,
  refusal,
  ServerError,
  StripeAnswerError,
} from '../errors.ts'
import type { Failure } from '../failures.ts'

/** Turns every error into one response format, with the texts of `errors.ts` and the routes only. */
export const onError: AppMiddleware = async (ctx, next) => {
  try {
    await next()
    if (ctx.body == null && ctx.respond !== false) refuseUnanswered(ctx.status)
  } catch (thrown) {
    const error = toServerError(thrown, ctx.state.failure)
    const { requestLog, request_id, error_format } = ctx.state
    requestLog.note({ error_code: error.code })
    const text = withoutAddresses(error.message)
    if (error.status >= 500) requestLog.log.error({ err: error.cause ?? error }, text)
    else if (error.cause) requestLog.log.info({ err: error.cause }, text)
    ctx.status = error.status
    ctx.remove('cache-control')
    ctx.set('cache-control', 'no-store')
    if (error.status === 401) ctx.set('www-authenticate', 'Bearer')
    if (error.retry_after_s !== undefined) ctx.set('retry-after', String(error.retry_after_s))
    ctx.body = {
      error: error.message,
      code: error.code,
      message: error.message,
      request_id,
      ...(error.fields && { fields: error.fields }),
      ...error.details,
      ...(error_format === 'oauth' && oauthFields(error)),
    } satisfies ApiError
  }
}

/** Where no route matched, the router sets only a status and an Allow header. */
function refuseUnanswered(status: number): void {
  if (status === 404) throw notFound()
  if (status === 405) throw refusal('method_not_allowed')
  if (status === 501) throw refusal('method_not_implemented')
}

function toServerError(thrown: unknown, failure: Failure | undefined): ServerError {
  const error = translate(thrown, failure)
  if (!(error instanceof RouteFailedError)) return error
  const { status, code } = error
  return failure
    ? new ServerError(status, code, failure.text, error)
    : refusal('internal_error', { cause: error })
}

/** The failure of the route goes before the general errors. */
function translate(thrown: unknown, failure: Failure | undefined): ServerError {
  if (thrown instanceof ServerError) return thrown
  if (failure?.clerk && isClerkError(thrown)) return failure.clerk(thrown)
  if (failure?.stripe && isStripeError(thrown)) return failure.stripe(thrown)
  if (failure?.any) return failure.any(thrown)
  if (thrown instanceof ClerkUnavailableError) {
    const text = 'Sign-in is not available right now. Please try again later.'
    return new ServerError(503, 'sign_in_unavailable', text, { retry_after_s: 5, cause: thrown })
  }
  if (thrown instanceof IdempotencyConflictError) {
    const text = 'This idempotency_key was used before for a different request'
    const fields = [{ path: 'idempotency_key', message: 'Was used before' }]
    return new ServerError(409, 'idempotency_conflict', text, { fields, cause: thrown })
  }
  const refused = statusOfHttpError(thrown)
  if (refused === 404) return notFound()
  if (refused) {
    return new ServerError(refused, 'bad_request', 'The server cannot read this request', { cause: thrown })
  }
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  if (unstorableText.has(code)) return invalidRequest('The request contains text that cannot be stored')
  if (isDatabaseUnavailable(thrown) || code === tookTooLong) {
    const text = failure?.database ?? 'An unexpected error occurred. Please try again later.'
    return new ServerError(503, 'temporarily_unavailable', text, { retry_after_s: 5, cause: thrown })
  }
  return refusal('internal_error', { cause: thrown })
}

function isClerkError(thrown: unknown): thrown is ClerkUnavailableError | ClerkRefusalError {
  return thrown instanceof ClerkUnavailableError || thrown instanceof ClerkRefusalError
}

function isStripeError(thrown: unknown): thrown is Error {
  return thrown instanceof Stripe.errors.StripeError || thrown instanceof StripeAnswerError
}

/**
 * Koa's errors for bad addresses and missing files, by their properties: the class exists in several copies.
 */
function statusOfHttpError(thrown: unknown): number | null {
  if (!(thrown instanceof Error) || !('expose' in thrown) || !('status' in thrown)) return null
  const { status } = thrown
  return typeof status === 'number' && status >= 400 && status < 500 ? status : null
}

/** A statement cancelled by its timeout, mostly waiting for a lock; other members of a batch proceed. */
const tookTooLong = '57014'

/** Postgres keeps no NUL characters: 22021 in text, 22P05 in JSON. */
const unstorableText = new Set(['22021', '22P05'])

/**
 * The fields that OAuth clients read (RFC 6749, section 5.2). There `error` is a code, so the sentence for
 * people is in `error_description` and `message`. The RFC has no code for a server error: clients use its
 * status.
 */
function oauthFields(error: ServerError): Record<string, string> {
  if (error.status >= 500) return {}
  return { error: oauthCode(error), error_description: describable(error.message) }
}

function oauthCode({ status, code }: ServerError): string {
  if (code === 'invalid_grant' || code === 'unsupported_grant_type') return code
  return status === 429 ? 'temporarily_unavailable' : 'invalid_request'
}

/** The characters that error_description may have. */
function describable(text: string): string {
  return text.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "'")
}
