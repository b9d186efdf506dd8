import type { Middleware } from 'koa'
import { StripeFault } from '../errors.ts'

/** Failures leave as Stripe's error body. What nobody foresaw is a 500, and is printed, for it is a bug of the sandbox. */
export const onError: Middleware = async (context, next) => {
  try {
    await next()
  } catch (error) {
    const fault = error instanceof StripeFault ? error : unforeseen(error)
    context.status = fault.status
    context.body = { error: fault.body }
  }
}

function unforeseen(error: unknown): StripeFault {
  if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
    return new StripeFault(413, { type: 'invalid_request_error', message: 'The request body is too large.' })
  }
  console.error(error)
  return new StripeFault(500, { type: 'api_error', message: 'An unexpected error occurred in the sandbox.' })
}
