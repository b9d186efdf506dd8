import type { Context, Middleware } from 'koa'

/** Errors are sent in the format of the service that the sandbox replaces. */
export function answerErrors(
  toAnswer: (
    error: unknown,
    context: Context,
  ) => {
    status: number
    body: object
    headers?: Record<string, string>
  },
): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (error) {
      const { status, body, headers = {} } = toAnswer(error, context)
      context.set(headers)
      context.status = status
      context.body = body
    }
  }
}

/** The changes that an answer reports are written before it is sent, so they survive a `kill -9`. */
export function flushBeforeAnswering(store: { flush(): void }): Middleware {
  return async (_context, next) => {
    await next()
    store.flush()
  }
}
