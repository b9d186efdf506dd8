import { createProxyServer } from 'httpxy'
import type { AppMiddleware } from '../context.ts'
import { upstreamUnavailable } from '../errors.ts'

const prefix = '/__clerk'

/**
 * Forwards `/__clerk/*` to the Clerk sandbox, so that the browser sees one origin and its cookies are first-party. Bodies are
 * streamed, so no middleware before this one may read them.
 */
export function clerkProxy(target: string): AppMiddleware {
  const proxy = createProxyServer({ target, xfwd: true, proxyTimeout: 30_000 })
  return async (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next()
    const { url } = ctx
    ctx.req.url = url.slice(prefix.length) || '/'
    ctx.status = 200
    ctx.respond = false
    try {
      await proxy.web(ctx.req, ctx.res)
    } catch (error) {
      if (ctx.res.headersSent) {
        ctx.res.destroy()
        return
      }
      ctx.respond = true
      throw upstreamUnavailable(error)
    } finally {
      ctx.req.url = url
    }
  }
}
