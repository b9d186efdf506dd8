import Stripe from 'stripe'
import { expect, test } from 'vitest'
import {
  listIntents,
  listPayableSessions,
  openPlanCheckout,
  planBuyer,
  requestPlan,
} from '../../tests/support/factories/plan-checkouts.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import type { TestServer } from '../../tests/support/product/test-server.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { stripe, server } = product
const { ada } = planBuyer(product)

type Create = Stripe['checkout']['sessions']['create']

/** A server whose calls for a session go through `create`. */
function serverThatCreates(create: (real: Create) => Create) {
  const { sessions } = stripe.client.checkout
  const replaced = new Proxy(sessions, {
    get: (target, name) => {
      const real = (Reflect.get(target, name) as (...a: unknown[]) => unknown).bind(target)
      return name === 'create' ? create(real as Create) : real
    },
  })
  const client = new Proxy(stripe.client, {
    get: (target, name) => (name === 'checkout' ? { sessions: replaced } : Reflect.get(target, name)),
  })
  return product.startServer({ deps: { stripe: client } })
}
const never = () => new Promise<never>(() => undefined)

const keyInUse = () =>
  new Stripe.errors.StripeIdempotencyError({
    type: 'idempotency_error',
    code: 'idempotency_key_in_use',
    message: 'There is currently another in-progress request using this idempotency key.',
    statusCode: 409,
  } as never)

/** Sends a request to a server that will be killed, and returns when `until` says that it has come so far. */
async function abandon(server: TestServer, until: Promise<unknown>): Promise<void> {
  void requestPlan(server, ada).catch(() => undefined)
  await until
}

/** Kills a server once Stripe has opened a session, before it answers. Returns the session's id. */
async function abandonAfterOpening(): Promise<string> {
  const opened = Promise.withResolvers<void>()
  let sessionId = ''
  const dying = await serverThatCreates(
    (real) =>
      (async (...request: Parameters<Create>) => {
        sessionId = (await real(...request)).id
        opened.resolve()
        return never()
      }) as Create,
  )
  await abandon(dying, opened.promise)
  return sessionId
}

test('a server that was killed after Stripe had opened the page: the next try gets that page', async () => {
  const sessionId = await abandonAfterOpening()
  expect(await listIntents(product)).toMatchObject([{ state: 'created', stripe_session_id: null }])
  const answer = await openPlanCheckout(server, ada)
  expect(answer.sessionId).toBe(sessionId)
  expect(await listIntents(product)).toMatchObject([{ state: 'open', stripe_session_id: sessionId }])
  expect(await listPayableSessions(product)).toMatchObject([{ id: sessionId }])
})

test.each<[string, (call: () => Promise<never>) => Promise<TestServer>]>([
  ['Stripe heard of it', (call) => serverThatCreates(() => call as unknown as Create)],
  [
    'the customer was there',
    (call) => {
      const customers = new Proxy(stripe.client.customers, { get: () => call })
      const client = new Proxy(stripe.client, {
        get: (target, name) => (name === 'customers' ? customers : Reflect.get(target, name)),
      })
      return product.startServer({ deps: { stripe: client } })
    },
  ],
])('a server that was killed before %s: the next try opens the page of the same intent', async (_, start) => {
  const called = Promise.withResolvers<void>()
  const dying = await start(() => {
    called.resolve()
    return never()
  })
  await abandon(dying, called.promise)
  const [intent] = await listIntents(product)
  const answer = await openPlanCheckout(server, ada)
  expect(answer.intentId).toBe(intent?.id)
  expect(await listIntents(product)).toMatchObject([{ state: 'open', amount_minor: intent?.amount_minor }])
  expect(await listPayableSessions(product)).toHaveLength(1)
})

test('another address to return to does not make it another page', async () => {
  const sessionId = await abandonAfterOpening()
  const page = await openPlanCheckout(server, ada, {
    successUrl: 'http://localhost:3000/payment/success?tab=2',
  })
  expect(page.sessionId).toBe(sessionId)
})

test('two tabs at once get one page, also when the first one is slow at Stripe', async () => {
  const called = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  const slow = await serverThatCreates(
    (real) =>
      (async (...request: Parameters<Create>) => {
        called.resolve()
        await answered.promise
        return real(...request)
      }) as Create,
  )
  const first = openPlanCheckout(slow, ada)
  await called.promise
  const second = await openPlanCheckout(server, ada)
  answered.resolve()
  expect((await first).sessionId).toBe(second.sessionId)
  expect(await listPayableSessions(product)).toMatchObject([{ id: second.sessionId }])
  await slow.close()
})

test('the second call waits while Stripe still works on the first one', async () => {
  const called = Promise.withResolvers<void>()
  const mayGoOn = Promise.withResolvers<void>()
  let isInUse = true
  const slow = await serverThatCreates(
    (real) =>
      (async (...request: Parameters<Create>) => {
        called.resolve()
        await mayGoOn.promise
        isInUse = false
        return real(...request)
      }) as Create,
  )
  let refused = 0
  const second = await serverThatCreates(
    (real) =>
      (async (...request: Parameters<Create>) => {
        if (!isInUse) return real(...request)
        refused += 1
        if (refused === 2) mayGoOn.resolve()
        throw keyInUse()
      }) as Create,
  )
  const first = openPlanCheckout(slow, ada)
  await called.promise
  const page = await openPlanCheckout(second, ada)
  expect(refused).toBeGreaterThanOrEqual(2)
  expect((await first).sessionId).toBe(page.sessionId)
  expect(await listPayableSessions(product)).toHaveLength(1)
  await Promise.all([slow.close(), second.close()])
})
