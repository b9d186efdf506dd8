import { RateLimiterMemory, RateLimiterQueue, RateLimiterRedis } from 'rate-limiter-flexible'
import type Stripe from 'stripe'
import { withTimeLimit } from '../../time-limit.ts'

/** How long a call waits for its turn, or for as long as Stripe asks; what would take longer is refused. */
const longestWaitMs = 10_000

/** Our pause after a 429 without a `Retry-After`, and the longest pause for all calls. */
const retryAfterSeconds = { unsaid: 1, most: 60 } as const

export interface CallLimit {
  /** Waits for a turn; false when there is none in time. */
  take(): Promise<boolean>
  pause(seconds: number): Promise<void>
}

export interface CallLimitOptions {
  /** For all processes together. */
  readonly calls_per_second: number
  /** At checkouts people wait for the server; what the worker does can wait. */
  readonly process: 'server' | 'worker'
  /** Shared by all processes; left out, each process counts for itself. */
  readonly redis?: unknown
}

/**
 * With Redis all processes share one budget, of which the workers together use three quarters at most.
 * Without it there are one server and one worker, as a rule, and each has half (decision 063).
 */
export function createCallLimit({ calls_per_second, process, redis }: CallLimitOptions): CallLimit {
  const half = calls_per_second / 2
  if (!redis) return inTurn([memoryBudget('stripe_calls', half)])
  const shared = (name: string, points: number) =>
    new RateLimiterRedis({
      keyPrefix: name,
      points: atLeastOne(points),
      duration: 1,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      // While Redis is away each process keeps a limit of its own.
      insuranceLimiter: memoryBudget(name, half),
    })
  const all = shared('stripe_calls', calls_per_second)
  const budgets = process === 'worker' ? [shared('stripe_calls_worker', calls_per_second * 0.75), all] : [all]
  return inTurn(budgets)
}

type Budget = RateLimiterMemory | RateLimiterRedis

function memoryBudget(keyPrefix: string, points: number): RateLimiterMemory {
  return new RateLimiterMemory({ keyPrefix, points: atLeastOne(points), duration: 1 })
}

function atLeastOne(points: number): number {
  return Math.max(1, Math.floor(points))
}

/** The key that RateLimiterQueue counts under. */
const queueKey = 'limiter'

/** A call needs a turn of each budget; one that could not get it in time is refused without queueing. */
function inTurn(budgets: readonly Budget[]): CallLimit {
  const queues = budgets.map(
    (budget) => new RateLimiterQueue(budget, { maxQueueSize: (budget.points * longestWaitMs) / 1000 }),
  )
  let pausedUntilMs = 0
  return {
    async take() {
      if (pausedUntilMs - Date.now() > longestWaitMs) return false
      const until_s = Math.ceil((Date.now() + longestWaitMs) / 1000)
      const limit = { limit_ms: longestWaitMs, what: 'Waiting for a call to Stripe' }
      try {
        for (const queue of queues) await withTimeLimit(queue.removeTokens(1, queueKey, until_s), limit)
        return true
      } catch {
        return false
      }
    },
    async pause(seconds) {
      pausedUntilMs = Date.now() + seconds * 1000
      await Promise.all(budgets.map((budget) => budget.block(queueKey, seconds)))
    },
  }
}

/**
 * An HTTP client for Stripe's SDK whose calls wait for their turn. When Stripe limits our rate, all calls
 * pause for as long as it asks, and the one that was refused is made once more; refused again, or without a
 * turn in time, it ends in Stripe's own error for 429.
 */
export function limitCalls(client: Stripe.HttpClient, limit: CallLimit): Stripe.HttpClient {
  const pauseAfter = async (answer: Stripe.HttpClientResponse): Promise<number> => {
    const seconds = secondsToWait(answer.getHeaders()['retry-after'])
    await limit.pause(Math.min(seconds, retryAfterSeconds.most))
    return seconds
  }
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(...request) {
      if (!(await limit.take())) return refusal
      const answer = await client.makeRequest(...request)
      if (!isRateLimited(answer)) return answer
      const seconds = await pauseAfter(answer)
      if (seconds * 1000 > longestWaitMs) return answer
      // An unread body keeps its connection open.
      await answer.toJSON().catch(() => undefined)
      if (!(await limit.take())) return refusal
      const second = await client.makeRequest(...request)
      if (isRateLimited(second)) await pauseAfter(second)
      return second
    },
  }
}

/**
 * A 429 for a limited rate names it in this header (https://docs.stripe.com/rate-limits). Stripe also answers
 * 429, without the header, where another call holds the object (`lock_timeout`): that ends in an error, and
 * slows what was about the object alone.
 */
function isRateLimited(answer: Stripe.HttpClientResponse): boolean {
  return answer.getStatusCode() === 429 && Boolean(answer.getHeaders()['stripe-rate-limited-reason'])
}

/** `Retry-After` has seconds or a date. */
function secondsToWait(header: unknown): number {
  const text = typeof header === 'string' ? header.trim() : ''
  if (/^\d+$/.test(text)) return Math.max(1, Number(text))
  const date = Date.parse(text)
  return Number.isNaN(date) ? retryAfterSeconds.unsaid : Math.max(1, Math.ceil((date - Date.now()) / 1000))
}

/** As if Stripe had answered 429. */
const refusal: Stripe.HttpClientResponse = {
  getStatusCode: () => 429,
  getHeaders: () => ({ 'stripe-should-retry': 'false' }),
  getRawResponse: () => ({}),
  toStream: () => undefined,
  toJSON: async () => ({
    error: {
      type: 'invalid_request_error',
      code: 'rate_limit',
      message: 'Too many calls to Stripe are waiting already (STRIPE_CALLS_PER_SECOND).',
    },
  }),
}
