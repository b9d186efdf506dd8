import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createCreditTopupSession, purchaseCredits } from '../schema/api/checkout.ts'
import type { Endpoint } from '../schema/api/endpoint.ts'
import { deleteOldRequests } from '../schema/inbox/idempotent-requests.ts'
import { buildUser } from '../tests/support/factories/users.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import type { TestServer } from '../tests/support/product/test-server.ts'
import { routes } from './routes.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'trusting' })
const { database, server, stripe, clock } = product

let user: string
beforeEach(async () => {
  user = await buildUser(database.server)
})
afterEach(async () => {
  clock.reset()
  await stripe.clear('faults')
})

interface Ask {
  readonly key?: string
  readonly body?: object
  readonly as?: string
  readonly on?: TestServer
}

async function ask(endpoint: Endpoint, { key, body, as = user, on = server }: Ask) {
  const answer = await on.api(endpoint, {
    token: as,
    body,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })
  return { ...answer, body: answer.body as Record<string, string> }
}
const buy = ({ as = user, body = {}, ...rest }: Ask = {}) =>
  ask(purchaseCredits, {
    as,
    body: { clerkUserId: as, credits: 500, amount: 7, currency: 'EUR', ...body },
    ...rest,
  })
const intents = (as = user) =>
  database.owner.selectFrom('checkout_intents').selectAll().where('user_id', '=', as).execute()
const sessionsOf = async (as = user) => {
  const { data } = await stripe.client.customers.list({ limit: 100 })
  const own = data.filter(({ metadata }) => metadata.clerkUserId === as)
  const lists = await Promise.all(
    own.map(({ id }) => stripe.client.checkout.sessions.list({ customer: id, limit: 100 })),
  )
  return { customers: own, sessions: lists.flatMap((list) => list.data) }
}

describe('the same Idempotency-Key', () => {
  test('a repeated Idempotency-Key with the same body is one checkout and one answer', async () => {
    const key = randomUUID()
    const first = await buy({ key })
    const second = await buy({ key })
    expect(first.status).toBe(200)
    expect(second).toMatchObject({ status: 200, body: first.body })
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(second.headers.get('idempotency-replayed')).toBe('true')
    expect(await intents()).toHaveLength(1)
    expect((await sessionsOf()).sessions).toHaveLength(1)
  })

  test('a repeated Idempotency-Key with another body, or for another call, is a 422 that says so', async () => {
    const key = randomUUID()
    await buy({ key })
    const other = { status: 422, body: { code: 'idempotency_key_reused', error: expect.any(String) } }
    expect(await buy({ key, body: { credits: 1000, amount: 14 } })).toMatchObject(other)
    const topUp = { clerkUserId: user, creditsAmount: 500 }
    expect(await ask(createCreditTopupSession, { key, body: topUp })).toMatchObject(other)
    expect(await intents()).toHaveLength(1)
  })

  test('an Idempotency-Key of another user is another request', async () => {
    const key = randomUUID()
    const eve = await buildUser(database.server)
    const [ours, theirs] = [await buy({ key }), await buy({ key, as: eve })]
    expect(theirs.status).toBe(200)
    expect(theirs.body.intentId).not.toBe(ours.body.intentId)
  })

  test('sent ten times at once is one checkout; who comes meanwhile is told to wait, and then gets its answer', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 10 }, () => buy({ key })))
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true)
    for (const waiting of answers.filter(({ status }) => status === 409)) {
      expect(waiting.body.code).toBe('request_in_progress')
      expect(waiting.headers.get('retry-after')).toBe('1')
    }
    const done = answers.filter(({ status }) => status === 200)
    expect(new Set(done.map(({ body }) => body.intentId)).size).toBe(1)
    expect((await buy({ key })).body).toEqual(done[0]?.body)
    expect(await intents()).toHaveLength(1)
    expect((await sessionsOf()).sessions).toHaveLength(1)
  })

  test('an Idempotency-Key is free again after a refusal', async () => {
    const key = randomUUID()
    expect((await buy({ key, body: { amount: 6 } })).status).toBe(400)
    expect((await buy({ key })).status).toBe(200)
  })

  test('a repeated Idempotency-Key ends in the same session when Stripe’s first answer was lost', async () => {
    const key = randomUUID()
    let isLost = true
    const sessions: unknown = new Proxy(stripe.client.checkout.sessions, {
      get: (target, name) =>
        name === 'create'
          ? async (...call: Parameters<typeof target.create>) => {
              const made = await target.create(...call)
              if (!isLost) return made
              isLost = false
              throw await connectionError()
            }
          : Reflect.get(target, name),
    })
    await using forgetful = await product.startServer({
      deps: { stripe: withSessions(stripe.client, sessions) },
    })
    expect((await buy({ key, on: forgetful })).status).toBe(503)
    const again = await buy({ key, on: forgetful })
    expect(again.status).toBe(200)
    expect(await intents()).toHaveLength(1)
    expect((await sessionsOf()).sessions.map(({ id }) => id)).toEqual([again.body.sessionId])
  })

  test('a request whose server was killed can be repeated after a minute and a half, with the same checkout', async () => {
    const key = randomUUID()
    const first = await buy({ key })
    await database.owner
      .updateTable('idempotent_requests')
      .set({ answer: null, locked_until: new Date(clock.now().getTime() + 90_000) })
      .where('key', '=', key)
      .execute()
    expect((await buy({ key })).status).toBe(409)
    clock.setAhead({ minutes: 2 })
    expect(await buy({ key })).toMatchObject({ status: 200, body: first.body })
    expect(await intents()).toHaveLength(1)
  })

  test('an Idempotency-Key is forgotten after a day', async () => {
    const key = randomUUID()
    await buy({ key })
    clock.setAhead({ minutes: 24 * 60 + 1 })
    expect((await buy({ key, body: { credits: 1000, amount: 14 } })).status).toBe(200)
    expect(await intents()).toHaveLength(2)
    clock.setAhead({ minutes: 3 * 24 * 60 })
    expect(await deleteOldRequests(database.worker, clock.now())).toBeGreaterThan(0)
  })

  test.each(['with a space', 'ü', 'x'.repeat(256)])('an Idempotency-Key with %s is refused', async (key) => {
    const headers = { 'idempotency-key': Buffer.from(key, 'utf8').toString('latin1') }
    const body = { clerkUserId: user, credits: 500, amount: 7, currency: 'EUR' }
    expect(await server.api(purchaseCredits, { token: user, body, headers })).toMatchObject({ status: 400 })
  })
})

test('every call that opens a checkout honours it', () => {
  const answerOf = ({ response }: Endpoint) =>
    JSON.stringify(z.toJSONSchema(response, { unrepresentable: 'any' }))
  const opening = routes
    .flatMap(({ endpoint }) => endpoint ?? [])
    .filter((endpoint) => answerOf(endpoint).includes('"intentId"'))
  expect(opening.length).toBeGreaterThanOrEqual(5)
  for (const { path, idempotent } of opening) expect([path, idempotent]).toEqual([path, true])
})

describe('a first purchase', () => {
  test('a first purchase that is made ten times at once makes one Stripe customer', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => buy()))
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const { customers, sessions } = await sessionsOf()
    expect(customers).toHaveLength(1)
    expect(sessions).toHaveLength(10)
    expect(await database.owner.selectFrom('customer_creations').selectAll().execute()).toEqual([])
  })

  test('a first purchase that Stripe refused once is not refused for a day', async () => {
    await stripe.knob('faults', { status: 500, count: 3, path_prefix: '/v1/customers' })
    expect((await buy()).status).toBeGreaterThanOrEqual(500)
    await stripe.clear('faults')
    expect((await buy()).status).toBe(200)
    expect((await sessionsOf()).customers).toHaveLength(1)
  })
})

function withSessions(client: Stripe, sessions: unknown): Stripe {
  const checkout: unknown = { sessions }
  return new Proxy(client, {
    get: (target, name) => (name === 'checkout' ? checkout : Reflect.get(target, name)),
  })
}

/** As the SDK throws it when no answer comes. */
async function connectionError(): Promise<Error> {
  const { default: SDK } = await import('stripe')
  return new SDK.errors.StripeConnectionError({ message: 'The connection was lost', type: 'api_error' })
}
