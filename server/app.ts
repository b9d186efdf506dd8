import { Router } from '@koa/router'
import Koa from 'koa'
import compress from 'koa-compress'
import type { AppMiddleware, RequestState } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { clerkProxy } from './middleware/clerk-proxy.ts'
import { clientAddress } from './middleware/client-address.ts'
import { onError } from './middleware/on-error.ts'
import { refuseForeignHost } from './middleware/refuse-foreign-host.ts'
import { sandboxControls } from './middleware/sandbox-controls.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { trackRequest } from './middleware/track-request.ts'
import { webApp } from './middleware/web-app.ts'
import { routes } from './routes.ts'
import { queueBoard } from './support/queue-board.ts'

/** The whole server: every middleware in its order, and every route. */
export function createApp(deps: Dependencies): Koa<RequestState> {
  const { settings } = deps
  const app = new Koa<RequestState>()
  app.on('error', (error: Error) => deps.log.debug({ err: error }, 'A connection was closed early'))

  const router = new Router<RequestState>()
  const byAddress = new Map<string, AppMiddleware>()
  for (const { method, path, serve } of routes) {
    const handle = inOrder([namedRoute(path), ...serve(deps)])
    router.register(path.replace(/\{(\w+)\}/g, ':$1'), [method], handle)
    byAddress.set(`${method} ${path}`, handle)
  }

  app.use(trackRequest(deps))
  app.use(onError)
  app.use(clientAddress(settings))
  app.use(refuseForeignHost(settings))
  app.use(securityHeaders(settings))
  if (settings.clerk_proxy_target) app.use(clerkProxy(settings.clerk_proxy_target))
  if (settings.sandbox) app.use(sandboxControls(deps))
  app.use(compress())
  app.use(queueBoard(deps))
  app.use(findByAddress(byAddress))
  app.use(router.routes())
  app.use(router.allowedMethods())
  app.use(webApp(deps))
  return app
}

/** A map by path. Those with parameters and other methods are left to the router. */
function findByAddress(byAddress: ReadonlyMap<string, AppMiddleware>): AppMiddleware {
  return (ctx, next) => {
    const handle = byAddress.get(`${ctx.method} ${ctx.path}`)
    return handle ? handle(ctx, next) : next()
  }
}

/** The name by which logs and metrics know a route, as the contract writes it. */
function namedRoute(path: string): AppMiddleware {
  return (ctx, next) => {
    ctx._matchedRoute = path
    return next()
  }
}

function inOrder([first, ...rest]: readonly AppMiddleware[]): AppMiddleware {
  if (!first) return (_, next) => next()
  const following = inOrder(rest)
  return (ctx, next) => first(ctx, () => following(ctx, next))
}
