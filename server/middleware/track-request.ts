import { randomUUID } from 'node:crypto'
import type { Next } from 'koa'
import { withoutAddresses } from '../../schema/mail-addresses.ts'
import { inSpan, noteInSpan } from '../../schema/tracing.ts'
import { type AppContext, type AppMiddleware, createRequestLog } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'

/** A request id from outside is used when it has this form; anything else could forge lines in the log. */
const requestIdPattern = /^[\w.-]{8,64}$/

/** Calls that machines make all the time: not worth a line in the log. */
const quietRoutes = new Set(['/healthz', '/readyz', 'web', 'clerk-proxy'])

/** Gives the request its id, logger and span; at the end writes one log line and records the duration. */
export function trackRequest(deps: Pick<Dependencies, 'log' | 'metrics'>): AppMiddleware {
  return async (ctx, next) => {
    const given = ctx.get('x-request-id')
    const request_id = requestIdPattern.test(given) ? given : randomUUID()
    ctx.state.request_id = request_id
    ctx.state.requestLog = createRequestLog(deps.log, request_id)
    ctx.set('x-request-id', request_id)
    if (!ctx.path.startsWith('/api/')) return track(deps, ctx, next)
    // A caller's traceparent is not trusted: it could attach foreign requests to one of our traces.
    const attributes = () => ({ 'http.request.method': ctx.method, 'tidemark.request_id': request_id })
    await inSpan(ctx.method, { kind: 'server', attributes }, () => track(deps, ctx, next))
  }
}

async function track({ metrics }: Pick<Dependencies, 'metrics'>, ctx: AppContext, next: Next): Promise<void> {
  const startedAt = performance.now()
  try {
    await next()
  } finally {
    const duration_ms = Math.round(performance.now() - startedAt)
    const { method, status } = ctx
    const route = routeOf(ctx)
    metrics.httpSeconds.observe({ method, route, status: String(status) }, duration_ms / 1000)
    noteInSpan({ 'http.route': route, 'http.response.status_code': status }, `${method} ${route}`)
    const level = status < 500 && quietRoutes.has(route) ? 'debug' : 'info'
    // A caller may have an address in it.
    const path = withoutAddresses(ctx.path)
    ctx.state.requestLog.end(level, { method, path, route, status, duration_ms })
  }
}

/** The route's pattern: addresses contain ids, and a metric label needs few values. */
function routeOf(ctx: AppContext): string {
  if (typeof ctx._matchedRoute === 'string') return ctx._matchedRoute
  if (ctx.path.startsWith('/__clerk')) return 'clerk-proxy'
  return ctx.path.startsWith('/api/') || ctx.path === '/api' ? 'none' : 'web'
}
