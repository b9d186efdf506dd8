import { access } from 'node:fs/promises'
import { extname, join } from 'node:path'
import send from 'koa-send'
import type { AppMiddleware } from '../context.ts'
import { notFound } from '../errors.ts'

/** File names in this folder contain a hash of the content, so a cached copy never goes stale. */
const hashedFolder = '/assets/'

/** Serves the built web app. An address that is not a file gets index.html, and the app's router decides what to show. */
export function webApp(root: string): AppMiddleware {
  return async (ctx, next) => {
    const isPage = ctx.method === 'GET' || ctx.method === 'HEAD'
    if (!isPage || ctx.path === '/api' || ctx.path.startsWith('/api/')) return next()
    if (await sendFile(ctx, ctx.path)) return
    if (extname(ctx.path) !== '' || !ctx.accepts('html')) throw notFound()
    if (await sendFile(ctx, '/index.html')) return
    ctx.status = 503
    ctx.type = 'text/plain'
    ctx.body = 'The web app is not built yet. Run "npm run build" and reload this page.\n'
  }

  async function sendFile(ctx: Parameters<AppMiddleware>[0], path: string): Promise<boolean> {
    try {
      const setHeaders = () =>
        ctx.set(
          'cache-control',
          path.startsWith(hashedFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
        )
      const sent = await send(ctx as never, path, { root, gzip: false, brotli: false, setHeaders })
      return sent !== undefined
    } catch (error) {
      if ((error as { status?: number }).status === 404) return false
      throw error
    }
  }
}

/** Whether there is anything to serve; checked once when the server starts. */
export async function isWebAppBuilt(root: string): Promise<boolean> {
  return access(join(root, 'index.html')).then(
    () => true,
    () => false,
  )
}
