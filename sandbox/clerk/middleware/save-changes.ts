import type { Middleware } from 'koa'
import type { Clerk } from '../clerk.ts'

/** An answer to anything but a read goes out when what it tells is on disk. */
export function saveChanges(clerk: Clerk): Middleware {
  return async (ctx, next) => {
    await next()
    // Tokens are asked for once a minute by every open page, and change nothing worth a write.
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD' || /\/tokens(\/[^/]+)?$/.test(ctx.path)
    if (!isRead) await clerk.store.save()
  }
}
