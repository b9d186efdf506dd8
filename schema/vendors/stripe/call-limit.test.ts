import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CallLimit, createCallLimit } from './call-limit.ts'
import { createStripe } from './client.ts'

interface Answer {
  readonly status: number
  readonly retryAfter?: string
  /** Another call holds the object: our rate has nothing to do with it. */
  readonly isLocked?: true
}

let server: Server
/** What the server answers next; afterwards, that all is well. */
let answers: Answer[]
let arrived: number
beforeEach(async () => {
  answers = []
  arrived = 0
  server = createServer((_request, response) => {
    arrived += 1
    const { status, retryAfter, isLocked }: Answer = answers.shift() ?? { status: 200 }
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(retryAfter && { 'retry-after': retryAfter }),
      ...(status === 429 && !isLocked && { 'stripe-rate-limited-reason': 'global-rate' }),
    })
    const code = isLocked ? 'lock_timeout' : 'rate_limit'
    const error = { type: 'invalid_request_error', code, message: 'Slow down' }
    response.end(JSON.stringify(status === 200 ? { id: 'cus_1', object: 'customer' } : { error }))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

/** A server process without Redis: half of the calls are its own. */
function open(
  calls_per_second: number,
  callLimit = createCallLimit({ calls_per_second, process: 'server' }),
): Stripe {
  return createStripe({
    secretKey: 'sk_test_limited',
    apiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callLimit,
  })
}
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  )

describe('by a clock that the test moves', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** How many of the calls have had their turn after each of these times. */
  async function turnsAfter(limit: CallLimit, calls: number, waits_ms: readonly number[]): Promise<number[]> {
    let turns = 0
    for (let call = 0; call < calls; call += 1)
      void limit.take().then((isTaken) => (turns += Number(isTaken)))
    const counted = []
    for (const wait_ms of waits_ms) {
      await vi.advanceTimersByTimeAsync(wait_ms)
      counted.push(turns)
    }
    return counted
  }

  test('calls over the limit wait for their turn, and all have one', async () => {
    const limit = createCallLimit({ calls_per_second: 10, process: 'server' })
    expect(await turnsAfter(limit, 11, [1, 1000, 1000])).toEqual([5, 10, 11])
  })

  test('no call has its turn during a pause, and each afterwards', async () => {
    const limit = createCallLimit({ calls_per_second: 1000, process: 'server' })
    await limit.pause(2)
    expect(await turnsAfter(limit, 3, [1990, 20])).toEqual([0, 3])
  })
})

test('a 429 makes all calls wait for as long as Stripe asks, and the call is made again', async () => {
  const [begun, over] = [Promise.withResolvers<number>(), Promise.withResolvers<void>()]
  let pause = Promise.resolve()
  const stripe = open(1000, {
    take: () => pause.then(() => true),
    async pause(seconds) {
      pause = over.promise
      begun.resolve(seconds)
    },
  })
  answers = [{ status: 429, retryAfter: '7' }]
  const refused = stripe.customers.retrieve('cus_1')
  expect(await begun.promise).toBe(7)
  const other = stripe.customers.retrieve('cus_1')
  expect(arrived).toBe(1)
  over.resolve()
  await Promise.all([refused, other])
  expect(arrived).toBe(3)
})

test('a 429 for an object that is locked is an error at once, and slows no other call', async () => {
  const stripe = open(1000)
  answers = [{ status: 429, isLocked: true, retryAfter: '60' }]
  expect(await errorOf(stripe.customers.retrieve('cus_1'))).toMatchObject({ code: 'lock_timeout' })
  expect(await stripe.customers.retrieve('cus_1')).toMatchObject({ id: 'cus_1' })
  expect(arrived).toBe(2)
})

test('a second 429 in a row is an error of Stripe’s own', async () => {
  const stripe = open(1000)
  answers = [{ status: 429, retryAfter: '1' }, { status: 429 }]
  const error = await errorOf(stripe.customers.retrieve('cus_1'))
  expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError)
  expect(error).toMatchObject({ statusCode: 429 })
  expect(arrived).toBe(2)
})

test('a 429 with a longer pause than any caller waits is an error at once, and so is every call until it ends', async () => {
  const stripe = open(1000)
  answers = [{ status: 429, retryAfter: new Date(Date.now() + 45_000).toUTCString() }]
  for (let call = 0; call < 3; call += 1) {
    expect(await errorOf(stripe.customers.retrieve('cus_1'))).toBeInstanceOf(
      Stripe.errors.StripeRateLimitError,
    )
  }
  expect(arrived).toBe(1)
})

test('a call that could not have its turn in time is refused at once, and Stripe is not asked', async () => {
  const stripe = open(2)
  const refused: unknown[] = []
  // One goes, ten may wait.
  for (let call = 0; call < 14; call += 1) {
    void errorOf(stripe.customers.retrieve('cus_1')).then((error) => error && refused.push(error))
  }
  await expect.poll(() => refused.length).toBe(3)
  for (const error of refused) expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError)
  expect(arrived).toBeLessThan(5)
})
