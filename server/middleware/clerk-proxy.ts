import { createProxyServer } from 'httpxy'
import type { AppMiddleware } from '../context.ts'
import { notFound, refusal } from '../errors.ts'

const prefix = '/__clerk'

/**
 * The paths that a browser needs: the API, Clerk's scripts, images. An allow-list compared with the raw path,
 * so that no other spelling (encoded, capitals, double slashes or dots) reaches the knobs under `/_sandbox`
 * or the backend API under `/bapi`.
 */
const forwarded = /^(\/v1(\/[\w-]+)+|\/npm\/@clerk(\/@?[\w-]+([.@][\w-]+)*)+|\/avatars\/[\w-]+\.svg)$/

/**
 * Forwards `/__clerk/*` to the sandbox, for first-party cookies. Bodies are streamed: no parser may run
 * before.
 */
export function clerkProxy(target: string): AppMiddleware {
  const proxy = createProxyServer({ target, xfwd: true, proxyTimeout: 30_000 })
  return async (ctx, next) => {
    if (ctx.path !== prefix && !ctx.path.startsWith(`${prefix}/`)) return next()
    const { url } = ctx
    const path = ctx.path.slice(prefix.length)
    if (!forwarded.test(path)) throw notFound()
    ctx.req.url = path + ctx.search
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
      throw refusal('upstream_unavailable', { cause: error })
    } finally {
      ctx.req.url = url
    }
  }
}
