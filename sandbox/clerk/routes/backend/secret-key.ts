import { timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import { invalidSecretKey } from '../../errors.ts'
import type { Service } from '../../service.ts'

export function requireSecretKey(service: Service): Middleware {
  return (ctx, next) => {
    const given = Buffer.from(ctx.get('authorization'))
    const expected = Buffer.from(`Bearer ${service.settings.secretKey}`)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidSecretKey()
    // The backend SDK reads an answer as JSON only when its type is exactly this, without a charset.
    ctx.set('content-type', 'application/json')
    return next()
  }
}
