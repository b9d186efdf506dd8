import { timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import type { Clerk } from '../../clerk.ts'
import { invalidSecretKey } from '../../errors.ts'

export function requireSecretKey(clerk: Clerk): Middleware {
  return (ctx, next) => {
    const given = Buffer.from(ctx.get('authorization'))
    const expected = Buffer.from(`Bearer ${clerk.settings.secretKey}`)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidSecretKey()
    // The backend SDK reads an answer as JSON only when its type is exactly this, without a charset.
    ctx.set('content-type', 'application/json')
    return next()
  }
}
