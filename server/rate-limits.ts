import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible'
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
  /** Of a key of the operator, which reports for everybody; each person's budget as an editor counts beside it. */
  operator: 60_000,
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

/** A server takes a thirtieth of a budget at once, so that not every request asks Redis. */
const portionOf = (limit: number) => Math.max(1, Math.floor(limit / 30))

/** Callers of the last minute that are remembered; some 10 MB. */
const callersMax = 50_000

/** What a server has taken of a caller's budget and not given out yet. */
interface Portion {
  left: number
  /** The rest of the budget for all servers, when the portion was taken. */
  untaken: number
  readonly until_ms: number
}

/**
 * Counts in Redis, shared by all servers, when there is one; otherwise in memory, each server separately. A
 * server takes portions of a budget, so a caller never gets more than the limit; one whose calls are spread
 * over several servers may be refused by one while another has the rest of a portion: at most a thirtieth of
 * the budget less for each further server (decision 126).
 */
export function createRateLimits(
  options: { redis?: unknown; perMinute?: Readonly<Partial<Record<RateLimit, number>>> } = {},
): RateLimits {
  const perMinute = { ...requestsPerMinute, ...options.perMinute }
  const portions = new Map<string, Portion>()
  const limiters = new Map(
    (Object.keys(perMinute) as RateLimit[]).map((limit) => {
      const budget = { keyPrefix: `limit_${limit}`, points: pointsMax, duration: windowSeconds }
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

  /** Takes a portion of the budget, or its rest, which may be zero. */
  async function take(limit: RateLimit, caller: string, most: number): Promise<Portion> {
    const asked = portionOf(most)
    const taken = await limiterOf(limit)
      .consume(caller, asked)
      .catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal
        throw refusal
      })
    const before = taken.consumedPoints - asked
    return {
      left: Math.max(0, Math.min(asked, most - before)),
      untaken: Math.max(0, most - taken.consumedPoints),
      until_ms: performance.now() + taken.msBeforeNext,
    }
  }

  function remember(key: string, portion: Portion): void {
    const other = portions.get(key)
    // Two requests may have taken one each at the same moment.
    if (other && other.until_ms > performance.now()) portion.left += other.left
    portions.delete(key)
    for (const oldest of portions.keys()) {
      if (portions.size < callersMax) break
      portions.delete(oldest)
    }
    portions.set(key, portion)
  }

  const count: RateLimits['count'] = async (limit, caller, budgets = 1) => {
    const most = perMinute[limit] * budgets
    const key = `${limit}/${caller}`
    let portion = portions.get(key)
    const isOver = portion !== undefined && portion.until_ms <= performance.now()
    // Once no portion is left, Redis need not be asked again before the window ends.
    if (!portion || isOver || (portion.left === 0 && portion.untaken > 0)) {
      const taken = await take(limit, caller, most)
      remember(key, taken)
      portion = taken
    }
    const is_exceeded = portion.left === 0
    if (!is_exceeded) portion.left -= 1
    const reset_s = Math.max(1, Math.ceil((portion.until_ms - performance.now()) / 1000))
    return { limit: most, remaining: portion.untaken + portion.left, reset_s, is_exceeded }
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
 * One budget per user, or key of the operator, and group of calls. Runs after `authenticate`, so that people who share an address do
 * not share a budget; only anonymous callers are counted by address. Each answer has the rest (decision 082).
 */
export function rateLimit({ limits }: { readonly limits: RateLimits }, limit: RateLimit): AppMiddleware {
  return async (ctx, next) => {
    const { user_id, operator_key_id, networks } = ctx.state
    const counted = operator_key_id ? 'operator' : limit
    const caller = operator_key_id ? `key:${operator_key_id}` : user_id && `user:${user_id}`
    const spent = caller ? await limits.count(counted, caller) : await countNetworks(limits, limit, networks)
    ctx.set('ratelimit-policy', `"${counted}";q=${spent.limit};w=${windowSeconds}`)
    ctx.set('ratelimit', `"${counted}";r=${spent.remaining};t=${spent.reset_s}`)
    if (spent.is_exceeded) throw tooManyRequests(spent.reset_s)
    await next()
  }
}
