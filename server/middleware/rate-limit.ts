import type { RateLimit } from '../../schema/api/endpoint.ts'
import type { AppMiddleware } from '../context.ts'
import type { Dependencies } from '../dependencies.ts'
import { tooManyRequests } from '../errors.ts'

/**
 * One budget a person and group of calls. It stands behind `authenticate`, so that the people of one office, who share an
 * address, do not share a budget; only callers without a name are counted by address.
 */
export function rateLimit(deps: Pick<Dependencies, 'limits'>, limit: RateLimit): AppMiddleware {
  return async (ctx, next) => {
    const { user_id } = ctx.state
    const wait_s = await deps.limits.take(limit, user_id ? `user:${user_id}` : `ip:${ctx.ip}`)
    if (wait_s !== null) throw tooManyRequests(wait_s)
    await next()
  }
}
