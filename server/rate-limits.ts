import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import type { RateLimit } from '../schema/api/endpoint.ts'
import type { AppMiddleware } from './context.ts'
import { tooManyRequests } from './errors.ts'
import type { Network } from './networks.ts'

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
  /** A page with its files is a few dozen, and a whole company may open it from one address. */
  page: 3000,
}

export interface SpentBudget {
  readonly limit: number
  readonly remaining: number
  /** Until it is whole again. */
  readonly reset_s: number
  readonly is_exceeded: boolean
}

export interface RateLimits {
  /** A caller that is many has as many budgets. */
  count(limit: RateLimit, caller: string, budgets?: number): Promise<SpentBudget>
  /** The same; returns how long to wait when the budget is used up, in seconds, and null when it is not. */
  consume(limit: RateLimit, caller: string): Promise<number | null>
}

const windowSeconds = 60
/** Budgets are compared here, because those of wider networks are larger. */
const pointsMax = Number.MAX_SAFE_INTEGER

/** Counts in Redis, shared by all servers, when there is one; otherwise in memory, each server separately. */
export function createRateLimits(
  options: { redis?: unknown; perMinute?: Readonly<Partial<Record<RateLimit, number>>> } = {},
): RateLimits {
  const perMinute = { ...requestsPerMinute, ...options.perMinute }
  const budget = { keyPrefix: 'limit', points: pointsMax, duration: windowSeconds }
  const inMemory = new RateLimiterMemory(budget)
  const limiter = options.redis
    ? // Without Redis the limits get looser, they do not become an outage.
      new RateLimiterRedis({
        ...budget,
        storeClient: options.redis,
        rejectIfRedisNotReady: true,
        insuranceLimiter: inMemory,
      })
    : inMemory

  const count: RateLimits['count'] = async (limit, caller, budgets = 1) => {
    const most = perMinute[limit] * budgets
    const { consumedPoints, msBeforeNext } = await limiter.consume(`${limit}/${caller}`)
    return {
      limit: most,
      remaining: Math.max(0, most - consumedPoints),
      reset_s: Math.max(1, Math.ceil(msBeforeNext / 1000)),
      is_exceeded: consumedPoints > most,
    }
  }
  return {
    count,
    async consume(limit, caller) {
      const { is_exceeded, reset_s } = await count(limit, caller)
      return is_exceeded ? reset_s : null
    },
  }
}

/** The budget of the narrowest network, or of one around it that is used up. */
export async function countNetworks(
  limits: Pick<RateLimits, 'count'>,
  limit: RateLimit,
  networks: readonly Network[],
): Promise<SpentBudget> {
  const spent = await Promise.all(
    networks.map(({ name, budgets }) => limits.count(limit, `ip:${name}`, budgets)),
  )
  const [narrowest] = spent
  if (!narrowest) throw new Error('A request comes from nowhere')
  return spent.find(({ is_exceeded }) => is_exceeded) ?? narrowest
}

/**
 * One budget per user and group of calls. Runs after `authenticate`, so that people who share an address do
 * not share a budget; only anonymous callers are counted by address. Each answer has the rest, so that a client can wait before it is refused.
 */
export function rateLimit({ limits }: { readonly limits: RateLimits }, limit: RateLimit): AppMiddleware {
  return async (ctx, next) => {
    const { user_id, networks } = ctx.state
    const spent = user_id
      ? await limits.count(limit, `user:${user_id}`)
      : await countNetworks(limits, limit, networks)
    ctx.set('ratelimit-policy', `"${limit}";q=${spent.limit};w=${windowSeconds}`)
    ctx.set('ratelimit', `"${limit}";r=${spent.remaining};t=${spent.reset_s}`)
    if (spent.is_exceeded) throw tooManyRequests(spent.reset_s)
    await next()
  }
}
