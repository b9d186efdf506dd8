import type { Router } from '@koa/router'
import type { BodyOf, Endpoint, QueryOf, ResponseOf } from '../schema/api/endpoint.ts'
import type { AppMiddleware, RequestState, Trace } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { matchesEtag, Tagged } from './etag.ts'
import { authenticate } from './middleware/authenticate.ts'
import { authenticateExtension } from './middleware/authenticate-extension.ts'
import { oauthErrors } from './middleware/oauth-errors.ts'
import { rateLimit } from './middleware/rate-limit.ts'
import { validate } from './middleware/validate.ts'

/** What a handler is given: parsed, and from somebody whose name is known where the endpoint asks for it. */
export interface RequestOf<E extends Endpoint> {
  readonly query: QueryOf<E>
  readonly body: BodyOf<E>
  readonly user_id: E['auth'] extends 'public' ? undefined : string
  readonly trace: Trace
}

export type Handler<E extends Endpoint> = (
  request: RequestOf<E>,
  deps: Dependencies,
) => Answer<E> | Promise<Answer<E>>

/** A Tagged answer has an ETag, and who holds it already gets a 304 instead. */
type Answer<E extends Endpoint> = ResponseOf<E> | Tagged<ResponseOf<E>>

/** Serves an endpoint of `schema/api`: who calls, how often, what they say, and only then the handler. */
export function mount<E extends Endpoint>(
  router: Router<RequestState>,
  deps: Dependencies,
  endpoint: E,
  handler: Handler<E>,
): void {
  router.register(
    endpoint.path,
    [endpoint.method],
    [
      ...(endpoint.errors === 'oauth' ? [oauthErrors] : []),
      ...(endpoint.auth === 'user' ? [authenticate(deps)] : []),
      ...(endpoint.auth === 'extension' ? [authenticateExtension(deps)] : []),
      rateLimit(deps, endpoint.limit),
      validate(endpoint),
      answer(endpoint, handler, deps),
    ],
  )
}

/** An answer that does not fit its own contract is our mistake: it is logged, and the caller gets a 500, not the answer. */
function answer<E extends Endpoint>(endpoint: E, handler: Handler<E>, deps: Dependencies): AppMiddleware {
  return async (ctx) => {
    const { query, body, user_id, trace } = ctx.state
    const result = await handler({ query, body, user_id, trace } as RequestOf<E>, deps)
    const { body: answered, etag } = result instanceof Tagged ? result : { body: result, etag: null }
    const parsed = endpoint.response.safeParse(answered)
    if (!parsed.success) {
      throw new Error(`The answer of ${endpoint.path} does not fit its schema`, { cause: parsed.error })
    }
    ctx.set('cache-control', etag === null ? 'no-store' : 'private, no-cache')
    if (etag !== null) {
      ctx.set('etag', etag)
      ctx.vary('authorization')
      if (matchesEtag(ctx.get('if-none-match'), etag)) {
        ctx.status = 304
        return
      }
    }
    ctx.body = parsed.data
  }
}
