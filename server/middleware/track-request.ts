import { randomUUID } from 'node:crypto'
import { type AppContext, type AppMiddleware, createTrace } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'

/** A request id from outside is used when it has this form; anything else could forge lines in the log. */
const requestIdPattern = /^[\w.-]{8,64}$/

/** Calls that machines make all the time: not worth a line in the log. */
const quietRoutes = new Set(['/healthz', '/readyz', 'web', 'clerk-proxy'])

/** Gives the request its id and logger; at the end writes one log line and records the duration. */
export function trackRequest(deps: Pick<Dependencies, 'log' | 'metrics'>): AppMiddleware {
  return async (ctx, next) => {
    const given = ctx.get('x-request-id')
    const request_id = requestIdPattern.test(given) ? given : randomUUID()
    ctx.state.request_id = request_id
    ctx.state.trace = createTrace(deps.log.child({ request_id }))
    ctx.set('x-request-id', request_id)
    const startedAt = performance.now()
    try {
      await next()
    } finally {
      const duration_ms = Math.round(performance.now() - startedAt)
      const route = routeOf(ctx)
      deps.metrics.httpSeconds.observe(
        { method: ctx.method, route, status: String(ctx.status) },
        duration_ms / 1000,
      )
      const level = ctx.status < 500 && quietRoutes.has(route) ? 'debug' : 'info'
      ctx.state.trace.log[level](
        { method: ctx.method, path: ctx.path, route, status: ctx.status, duration_ms },
        'Request',
      )
    }
  }
}

/** The route's pattern rather than the address: addresses contain ids, and a metric label must have few values. */
function routeOf(ctx: AppContext): string {
  if (typeof ctx._matchedRoute === 'string') return ctx._matchedRoute
  if (ctx.path.startsWith('/__clerk')) return 'clerk-proxy'
  return ctx.path.startsWith('/api/') || ctx.path === '/api' ? 'none' : 'web'
}
