import { createReadStream, type ReadStream } from 'node:fs'
import { access } from 'node:fs/promises'
import { extname, join } from 'node:path'
import send from 'koa-send'
import type { AppContext, AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { notFound, tooManyRequests } from '../errors.ts'
import { countNetworks } from '../rate-limits.ts'
import { type WebDocument, webSite } from '../web-site.ts'

/** File names in this folder contain a hash of the content, so a cached copy never goes stale. */
const hashedFolder = '/assets/'

/** Clerk's hint cookie: when this browser's sessions last changed, 0 without a session. */
const sessionHint = /(?:^|;\s*)__client_uat(?:_[\w-]+)?=[1-9]/

/** Serves the built web app: its files, and for every other address a document. */
export function webApp({ settings, limits }: Pick<Dependencies, 'settings' | 'limits'>): AppMiddleware {
  const root = settings.web_root
  const documentOf = webSite(settings)
  return async (ctx, next) => {
    const isPage = ctx.method === 'GET' || ctx.method === 'HEAD'
    if (!isPage || ctx.path === '/api' || ctx.path.startsWith('/api/')) return next()
    const spent = await countNetworks(limits, 'page', ctx.state.networks)
    if (spent.is_exceeded) throw tooManyRequests(spent.reset_s)
    if (await sendFile(ctx, ctx.path)) return
    if (extname(ctx.path) !== '' || !ctx.accepts('html')) throw notFound()
    const signed_in = sessionHint.test(ctx.get('cookie'))
    const document = await documentOf({ path: ctx.path, signed_in })
    if (document) return sendDocument(ctx, document)
    ctx.status = 503
    ctx.type = 'text/plain'
    ctx.body = 'The web app is not built yet. Run "npm run build" and reload this page.\n'
  }

  async function sendFile(ctx: AppContext, path: string): Promise<boolean> {
    try {
      const setHeaders = () =>
        ctx.set(
          'cache-control',
          path.startsWith(hashedFolder) ? 'public, max-age=31536000, immutable' : 'no-cache',
        )
      // The build has compressed what is worth it (scripts/build.ts).
      const sent = await send(ctx as never, path, { root, gzip: false, setHeaders })
      if (sent !== undefined && /\.(webm|mp4)$/.test(sent)) sendPart(ctx, sent)
      return sent !== undefined
    } catch (error) {
      if ((error as { status?: number }).status === 404) return false
      throw error
    }
  }
}

/** Safari plays a video only from a server that answers requests for a part of it. */
function sendPart(ctx: AppContext, file: string): void {
  const size = ctx.response.length ?? 0
  ctx.set('accept-ranges', 'bytes')
  const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(ctx.get('range')) ?? []
  const start = Number(first ?? size)
  const end = Math.min(last ? Number(last) : size - 1, size - 1)
  if (start > end) return
  ;(ctx.body as ReadStream).destroy()
  ctx.status = 206
  ctx.set('content-range', `bytes ${start}-${end}/${size}`)
  ctx.body = createReadStream(file, { start, end })
  ctx.length = end - start + 1
}

function sendDocument(ctx: AppContext, { status, html, brotli, etag }: WebDocument): void {
  ctx.status = status
  ctx.type = 'html'
  ctx.etag = etag
  ctx.vary('Cookie')
  ctx.set('cache-control', 'no-cache')
  if (ctx.fresh) ctx.status = 304
  else if (ctx.acceptsEncodings('br', 'identity') === 'br') {
    ctx.set('content-encoding', 'br')
    ctx.body = brotli
  } else ctx.body = html
}

/** Whether there is anything to serve; checked once when the server starts. */
export async function isWebAppBuilt(root: string): Promise<boolean> {
  return access(join(root, 'index.html')).then(
    () => true,
    () => false,
  )
}
