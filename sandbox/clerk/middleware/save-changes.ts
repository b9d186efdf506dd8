import type { Middleware } from 'koa'
import type { Service } from '../service.ts'

/** An answer to anything but a read goes out when what it tells is on disk. */
export function saveChanges(service: Service): Middleware {
  return async (ctx, next) => {
    await next()
    // Tokens are asked for once a minute by every open page, and change nothing worth a write.
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD' || /\/tokens(\/[^/]+)?$/.test(ctx.path)
    if (!isRead) await service.store.save()
  }
}
