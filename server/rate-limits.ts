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

/** What is left of a budget after a request. */
export interface SpentBudget {
  readonly limit: number
  readonly remaining: number
  /** Until it is whole again. */
  readonly reset_s: number
  readonly is_exceeded: boolean
}

export interface RateLimits {
  /** Counts one request. */
  count(limit: RateLimit, caller: string): Promise<SpentBudget>
  /** The same; returns how long to wait when the budget is used up, in seconds, and null when it is not. */
  consume(limit: RateLimit, caller: string): Promise<number | null>
}

const windowSeconds = 60

/** Counts in Redis, shared by all servers, when there is one; otherwise in memory, each server separately. */
export function createRateLimits(
  options: { redis?: unknown; perMinute?: Readonly<Partial<Record<RateLimit, number>>> } = {},
): RateLimits {
  const perMinute = { ...requestsPerMinute, ...options.perMinute }
  const limiters = new Map(
    (Object.keys(perMinute) as RateLimit[]).map((limit) => {
      const budget = { keyPrefix: `limit_${limit}`, points: perMinute[limit], duration: windowSeconds }
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
  const count: RateLimits['count'] = async (limit, caller) => {
    const limiter = limiterOf(limit)
    const { spent, is_exceeded } = await limiter.consume(caller).then(
      (result) => ({ spent: result, is_exceeded: false }),
      (refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return { spent: refusal, is_exceeded: true }
        throw refusal
      },
    )
    const remaining = Math.max(0, spent.remainingPoints)
    return { limit: perMinute[limit], remaining, reset_s: seconds(spent), is_exceeded }
  }
  return {
    count,
    async consume(limit, caller) {
      const { is_exceeded, reset_s } = await count(limit, caller)
      return is_exceeded ? reset_s : null
    },
  }
}

/**
 * One budget per user and group of calls. It runs after `authenticate`, so that people in one office, who share an address, do not
 * share a budget; only anonymous callers are counted by address. Each answer says what is left (decision 082).
 */
export function rateLimit({ limits }: { readonly limits: RateLimits }, limit: RateLimit): AppMiddleware {
  return async (ctx, next) => {
    const { user_id, network } = ctx.state
    const spent = await limits.count(limit, user_id ? `user:${user_id}` : `ip:${network}`)
    ctx.set('ratelimit-policy', `"${limit}";q=${spent.limit};w=${windowSeconds}`)
    ctx.set('ratelimit', `"${limit}";r=${spent.remaining};t=${spent.reset_s}`)
    if (spent.is_exceeded) throw tooManyRequests(spent.reset_s)
    await next()
  }
}

function seconds(refusal: RateLimiterRes): number {
  return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000))
}
