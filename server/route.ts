import { randomUUIDv7 } from 'node:crypto'
import { z } from 'zod'
import type { Endpoint, RateLimit, ResponseOf } from '../schema/api/endpoint.ts'
import type { AppMiddleware, RequestOf } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { matchesEtag, Tagged } from './etag.ts'
import type { Failure } from './failures.ts'
import {
  authenticate,
  authenticateExtension,
  authenticateMeter,
  authenticateSupport,
  requireSupportStaff,
} from './middleware/authenticate.ts'
import { validate } from './middleware/validate.ts'
import { oncePerKey } from './once-per-key.ts'
import { rateLimit } from './rate-limits.ts'
import type { Rights, RightsRow } from './rights.ts'
import { TextFile } from './text-file.ts'

/** A call as `app.ts` mounts it. */
export interface Route {
  readonly method: string
  readonly path: string
  /** The contract; missing for probes, scrapers and webhooks. */
  readonly endpoint?: Endpoint
  readonly rights: readonly RightsRow[]
  readonly limit: RateLimit | null
  serve(deps: Dependencies): AppMiddleware[]
}

/** A Tagged answer has an ETag; a caller that already has it gets a 304 instead. */
type Answer<E extends Endpoint> = E extends { readonly file: string }
  ? TextFile
  : ResponseOf<E> | Tagged<ResponseOf<E>> | (E extends { readonly or_file: string } ? TextFile : never)

type Handler<E extends Endpoint, Found> = (
  request: RequestOf<E> & Found,
  deps: Dependencies,
) => Answer<E> | Promise<Answer<E>>

interface Terms<E extends Endpoint, Found> {
  readonly rights: Rights<Omit<RequestOf<E>, 'attempt_id'>, Found>
  /** How errors of the handler are reported; left out where the general texts of `on-error` are enough. */
  readonly failure?: Failure
}

/**
 * Serves an endpoint of `schema/api`: authenticates the caller, counts the request, parses it, checks the
 * rights, and only then runs the handler. `handle` is a separate call because the compiler can check literal
 * types in the handler's answer only after it has inferred the endpoint's type.
 */
export function route<E extends Endpoint, Found>(
  endpoint: E,
  terms: Terms<E, Found>,
): { handle(handler: Handler<E, Found>): Route } {
  return {
    handle: (handler) => ({
      method: endpoint.method,
      path: endpoint.path,
      endpoint,
      rights: terms.rights.rows,
      limit: endpoint.limit,
      serve: (deps) => [
        ...(endpoint.errors === 'oauth' ? [forOAuthClients] : []),
        ...(endpoint.auth === 'user' ? [authenticate(deps)] : []),
        ...(endpoint.auth === 'extension'
          ? [endpoint.meters ? authenticateMeter(deps) : authenticateExtension(deps)]
          : []),
        ...(endpoint.auth === 'support' ? [authenticateSupport(deps)] : []),
        rateLimit(deps, endpoint.limit),
        ...(endpoint.auth === 'support' ? [requireSupportStaff(deps)] : []),
        validate(endpoint),
        answer(endpoint, terms, handler, deps),
      ],
    }),
  }
}

/**
 * A route outside the API: it reads and answers in the form that its caller prescribes. Its limit is by address;
 * null where it counts its callers itself, or is a probe, which has to be answered without Redis.
 */
export function plainRoute(
  definition: Pick<Route, 'method' | 'path' | 'limit'> & {
    readonly rights: Pick<Rights<never, never>, 'rows'>
    serve(deps: Dependencies): AppMiddleware
  },
): Route {
  const { method, path, limit, rights } = definition
  const serve: Route['serve'] = (deps) => [...(limit ? [rateLimit(deps, limit)] : []), definition.serve(deps)]
  return { method, path, limit, rights: rights.rows, serve }
}

const forOAuthClients: AppMiddleware = (ctx, next) => {
  ctx.state.error_format = 'oauth'
  ctx.set('pragma', 'no-cache')
  return next()
}

/** An answer that does not match its contract is logged and becomes a 500. */
function answer<E extends Endpoint, Found>(
  endpoint: E,
  { rights, failure }: Terms<E, Found>,
  handler: Handler<E, Found>,
  deps: Dependencies,
): AppMiddleware {
  return async (ctx) => {
    const defaults = {
      ...(endpoint.meters && { user_id: null }),
      session_id: null,
      session_token: null,
      verified: null,
      editor_token_id: null,
      operator_key_id: null,
    }
    const asked = { ...defaults, ...ctx.state } as unknown as Omit<RequestOf<E>, 'attempt_id'>
    const found = rights.check && (await rights.check(asked, deps))
    if (failure) ctx.state.failure = failure
    const handle = async (attempt_id: string) =>
      handler({ ...asked, ...found, attempt_id } as RequestOf<E> & Found, deps)
    const result = await (endpoint.idempotent ? oncePerKey(ctx, deps, handle) : handle(randomUUIDv7()))
    const file = endpoint.file ?? endpoint.or_file
    if (file && result instanceof TextFile) return result.send(ctx, file)
    ctx.state.failure = undefined
    const { body: answered, etag } = result instanceof Tagged ? result : { body: result, etag: null }
    ctx.set('cache-control', etag === null ? 'no-store' : 'private, no-cache')
    if (etag !== null) {
      ctx.set('etag', etag)
      ctx.vary('authorization')
      if (matchesEtag(ctx.get('if-none-match'), etag)) {
        ctx.status = 304
        return
      }
    }
    // Fields that the contract does not have are left out, so a handler may hand on a whole row.
    const parsed = z.safeParse(endpoint.response, answered)
    if (!parsed.success) {
      throw new Error(`The answer of ${endpoint.path} does not match its schema`, { cause: parsed.error })
    }
    // Koa would make the text of an object twice: to see whether it is worth compressing, and to send it.
    ctx.type = 'json'
    ctx.body = JSON.stringify(parsed.data)
  }
}
