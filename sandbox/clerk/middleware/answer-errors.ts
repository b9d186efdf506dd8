import { randomBytes } from 'node:crypto'
import type { Middleware } from 'koa'
import { ClerkError } from '../errors.ts'

/** Turns whatever is thrown below into the service's own error form. */
export const answerErrors: Middleware = async (ctx, next) => {
  try {
    await next()
    if (ctx.status === 404 && ctx.body === undefined) {
      throw new ClerkError(404, {
        code: 'resource_not_found',
        message: `The sandbox does not know ${ctx.method} ${ctx.path}`,
      })
    }
  } catch (error) {
    const known = toClerkError(error)
    // A fault that was asked for is no news.
    if (known !== error && known.status >= 500)
      console.error(`sandbox/clerk: ${ctx.method} ${ctx.path}`, error)
    ctx.status = known.status
    ctx.body = { errors: known.errors, clerk_trace_id: randomBytes(16).toString('hex') }
    // The backend SDK reads the errors only when the type is exactly this, without a charset.
    ctx.set('content-type', 'application/json')
  }
}

function toClerkError(error: unknown): ClerkError {
  if (error instanceof ClerkError) return error
  const status = (error as { status?: unknown }).status
  if (status === 413)
    return new ClerkError(413, { code: 'request_body_too_large', message: 'Request body too large' })
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ClerkError(status, { code: 'request_body_invalid', message: 'Request body invalid' })
  }
  return new ClerkError(500, {
    code: 'internal_clerk_error',
    message: 'There was an internal error on our servers.',
  })
}
