import type { Middleware } from 'koa'

const METHODS = new Set(['PATCH', 'PUT', 'DELETE'])

/** Browsers send only GET and POST, to be spared a preflight; the real verb is in the query. */
export const overrideMethod: Middleware = (ctx, next) => {
  const wanted = ctx.query._method
  if (ctx.method === 'POST' && typeof wanted === 'string' && METHODS.has(wanted)) ctx.method = wanted
  return next()
}
