import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCallLimit } from './call-limit.ts'
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
let arrivedAtMs: number[]
beforeEach(async () => {
  answers = []
  arrivedAtMs = []
  server = createServer((_request, response) => {
    arrivedAtMs.push(Date.now())
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
function open(calls_per_second: number): Stripe {
  return createStripe({
    secretKey: 'sk_test_limited',
    apiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    callLimit: createCallLimit({ calls_per_second, process: 'server' }),
  })
}
const errorOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => error,
  )

test('calls over the limit wait for their turn, and all are made', async () => {
  const stripe = open(10)
  const beganMs = Date.now()
  await Promise.all(Array.from({ length: 11 }, () => stripe.customers.retrieve('cus_1')))
  expect(arrivedAtMs).toHaveLength(11)
  expect(arrivedAtMs.filter((ms) => ms - beganMs < 900).length).toBeLessThanOrEqual(5)
  expect(arrivedAtMs.filter((ms) => ms - beganMs < 1900).length).toBeLessThanOrEqual(10)
})

describe('429', () => {
  test('a 429 is waited out for as long as Stripe asks, by all calls, and the call is made again', async () => {
    const stripe = open(1000)
    answers = [{ status: 429, retryAfter: '1' }]
    const refused = stripe.customers.retrieve('cus_1')
    await expect.poll(() => arrivedAtMs.length).toBe(1)
    // The answer has to come back before the other call is made.
    await expect.poll(() => answers.length).toBe(0)
    await Promise.all([refused, stripe.customers.retrieve('cus_1')])
    const after = arrivedAtMs.map((ms) => ms - (arrivedAtMs[0] ?? 0))
    expect(after).toHaveLength(3)
    expect(after[2]).toBeGreaterThanOrEqual(900)
  })

  test('a 429 for an object that is locked is an error at once, and slows no other call', async () => {
    const stripe = open(1000)
    answers = [{ status: 429, isLocked: true, retryAfter: '60' }]
    expect(await errorOf(stripe.customers.retrieve('cus_1'))).toMatchObject({ code: 'lock_timeout' })
    expect(await stripe.customers.retrieve('cus_1')).toMatchObject({ id: 'cus_1' })
    expect(arrivedAtMs).toHaveLength(2)
  })

  test('a second 429 in a row is an error of Stripe’s own', async () => {
    const stripe = open(1000)
    answers = [{ status: 429, retryAfter: '1' }, { status: 429 }]
    const error = await errorOf(stripe.customers.retrieve('cus_1'))
    expect(error).toBeInstanceOf(Stripe.errors.StripeRateLimitError)
    expect(error).toMatchObject({ statusCode: 429 })
    expect(arrivedAtMs).toHaveLength(2)
  })

  test('a 429 with a longer pause than any caller waits is an error at once, and so is every call until it ends', async () => {
    const stripe = open(1000)
    answers = [{ status: 429, retryAfter: new Date(Date.now() + 45_000).toUTCString() }]
    for (let call = 0; call < 3; call += 1) {
      expect(await errorOf(stripe.customers.retrieve('cus_1'))).toBeInstanceOf(
        Stripe.errors.StripeRateLimitError,
      )
    }
    expect(arrivedAtMs).toHaveLength(1)
  })
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
  expect(arrivedAtMs.length).toBeLessThan(5)
})
