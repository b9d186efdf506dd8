import type { Context, Middleware } from 'koa'

/** Failures leave in the form of the service that is stood in for. */
export function answerErrors(
  toAnswer: (error: unknown, context: Context) => { status: number; body: object },
): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (error) {
      const { status, body } = toAnswer(error, context)
      context.status = status
      context.body = body
    }
  }
}

/** What an answer tells is written before it is sent: it survives a `kill -9`. */
export function flushBeforeAnswering(store: { flush(): void }): Middleware {
  return async (_context, next) => {
    await next()
    store.flush()
  }
}
