import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
import type { RateLimit } from '../schema/api/endpoint.ts'
import type { AppMiddleware } from './context.ts'
import { tooManyRequests } from './errors.ts'

/** Requests per minute that one caller may make. Generous: a person never reaches them, a loop does. */
const requestsPerMinute: Readonly<Record<RateLimit, number>> = {
  read: 300,
  write: 60,
  checkout: 20,
  auth: 30,
  /** Counted by address, and a whole company may sign in its editors from one address on the same morning. */
  sign_in: 60,
  /** An editor reports each request of its user and reads the balance in between. */
  extension: 600,
}

export interface RateLimits {
  /** Counts one request. Returns how long to wait when the budget is used up, in seconds; null when it is not. */
  consume(limit: RateLimit, caller: string): Promise<number | null>
  /** The same without counting. */
  peek(limit: RateLimit, caller: string): Promise<number | null>
}

/** Counts in Redis, shared by all servers, when there is one; otherwise in memory, each server separately. */
export function createRateLimits(
  options: { redis?: unknown; perMinute?: Readonly<Partial<Record<RateLimit, number>>> } = {},
): RateLimits {
  const perMinute = { ...requestsPerMinute, ...options.perMinute }
  const limiters = new Map(
    (Object.keys(perMinute) as RateLimit[]).map((limit) => {
      const budget = { keyPrefix: `limit_${limit}`, points: perMinute[limit], duration: 60 }
      const inMemory = new RateLimiterMemory(budget)
      return [
        limit,
        options.redis
          ? // Without Redis the limits get looser, they do not become an outage.
            new RateLimiterRedis({
              ...budget,
              storeClient: options.redis,
              rejectIfRedisNotReady: true,
              insuranceLimiter: inMemory,
            })
          : inMemory,
      ]
    }),
  )
  const limiterOf = (limit: RateLimit) => {
    const limiter = limiters.get(limit)
    if (!limiter) throw new Error(`There is no limit ${limit}`)
    return limiter
  }
  return {
    async consume(limit, caller) {
      try {
        await limiterOf(limit).consume(caller)
        return null
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return seconds(refusal)
        throw refusal
      }
    },
    async peek(limit, caller) {
      const spent = await limiterOf(limit).get(caller)
      return spent && spent.consumedPoints >= perMinute[limit] ? seconds(spent) : null
    },
  }
}

/**
 * One budget per user and group of calls. It runs after `authenticate`, so that people in one office, who share an address, do not
 * share a budget; only anonymous callers are counted by address.
 */
export function rateLimit({ limits }: { readonly limits: RateLimits }, limit: RateLimit): AppMiddleware {
  return async (ctx, next) => {
    const { user_id } = ctx.state
    const wait_s = await limits.consume(limit, user_id ? `user:${user_id}` : `ip:${ctx.ip}`)
    if (wait_s !== null) throw tooManyRequests(wait_s)
    await next()
  }
}

function seconds(refusal: RateLimiterRes): number {
  return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
}
