import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { findIntent } from '../../schema/checkout/intents.ts'
import { findEvent } from '../../schema/inbox/events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import type { StripeEvent } from '../../schema/stripe/events.ts'
import { eventOf } from '../../tests/support/factories/events.ts'
import {
  buildOpenCredits,
  buildPaidCredits,
  buildPaidPlan,
  type PaidPurchase,
} from '../../tests/support/factories/paid-purchases.ts'
import { spendOne } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { producerOf } from '../../tests/support/product/test-worker.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { tryEvent } from '../events/try-event.ts'
import { checkUnconfirmedEvents } from './check-unconfirmed-events.ts'
import { enqueueDueRows } from './enqueue-due-rows.ts'
import { runTask } from './schedule.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'trusting' })
const { database, server, stripe, clock } = product

let alarms: unknown[]
let enqueued: { readonly queue: string; readonly payload: object }[]
beforeEach(() => {
  alarms = []
  enqueued = []
  clock.reset()
})
afterEach(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const depsWith = (overrides: Partial<WorkerDependencies> = {}): WorkerDependencies => {
  const { log } = product.worker.deps
  const listening = Object.assign(Object.create(log), {
    error: (fields: unknown, text: string) => text.startsWith('A forged event') && alarms.push(fields),
  })
  return {
    ...product.worker.deps,
    log: listening,
    producer: producerOf(async (queue, _id, payload) => void enqueued.push({ queue, payload })),
    ...overrides,
  }
}

/** What the worker's clock starts every minute. */
async function afterMinutes(minutes: number, overrides?: Partial<WorkerDependencies>): Promise<void> {
  clock.setAhead({ minutes })
  await runTask(depsWith(overrides), 'read_stripe_events')
}

/** Posts an event signed with the webhook secret, and lets the worker apply it. */
async function deliver(event: StripeEvent | Stripe.Event): Promise<void> {
  const payload = JSON.stringify(event)
  const secret = server.deps.settings.stripe_webhook_secrets[0]
  const response = await fetch(`${server.url}/api/stripe/webhook`, {
    method: 'POST',
    headers: { 'stripe-signature': stripe.client.webhooks.generateTestHeaderString({ payload, secret }) },
    body: payload,
  })
  expect(response.status).toBe(200)
  await tryEvent(depsWith(), { source: 'stripe', id: event.id }).catch(() => undefined)
}

/** As if an open session had been paid. */
async function forgeCompleted(
  bought: Pick<PaidPurchase, 'session_id'>,
  fields: object = {},
): Promise<StripeEvent> {
  const session = await stripe.client.checkout.sessions.retrieve(bought.session_id)
  const paid = { ...session, status: 'complete', payment_status: 'paid', ...fields }
  return { ...eventOf('checkout.session.completed', paid), created: Math.floor(Date.now() / 1000) }
}

const rowOf = ({ id }: { id: string }) => findEvent(database.owner, { source: 'stripe', id })
const totalOf = async ({ owner }: Pick<PaidPurchase, 'owner'>) =>
  (await findBalance(database.owner, owner)).total
const intentOf = ({ intent_id }: Pick<PaidPurchase, 'intent_id'>) => findIntent(database.owner, intent_id)
const missing = Object.assign(new Error('Stripe is away'), { statusCode: 503 })
const away = () => Promise.reject(missing)

/** What really happened at Stripe for a purchase. */
async function completedEventOf(bought: PaidPurchase): Promise<Stripe.Event> {
  const { data } = await stripe.client.events.list({ type: 'checkout.session.completed', limit: 100 })
  const event = data.find(({ data: { object } }) => 'id' in object && object.id === bought.session_id)
  if (!event) throw new Error(`There is no payment of ${bought.session_id}`)
  return event
}

describe('a forged event of an unpaid session', () => {
  test('a forged event of an unpaid session mints 71 credits by its signature alone, which the reader takes back within minutes, with an alarm', async () => {
    const user_id = await buildUser(database.server)
    const opened = await server.ask(purchaseCredits, {
      token: user_id,
      body: { clerkUserId: user_id, credits: 71, amount: creditsCostMinor(71) / 100, currency: 'EUR' },
    })
    const owner = { owner_kind: 'user', owner_id: user_id } as const
    const forged = await forgeCompleted({ session_id: opened.sessionId })
    await deliver(forged)
    expect(await totalOf({ owner })).toBe(71)

    await afterMinutes(3)
    expect(await totalOf({ owner })).toBe(0)
    expect(await rowOf(forged)).toMatchObject({
      state: 'forged',
      reason:
        'Stripe does not know this event: it was signed by another party who has STRIPE_WEBHOOK_SECRET. 71 credits were taken back.',
      confirmed_at: null,
      confirm_at: null,
    })
    expect(alarms).toMatchObject([{ event_id: forged.id, intent_id: opened.intentId }])
    expect(await product.worker.deps.metrics.registry.metrics()).toMatch(
      /tidemark_events_forged_total\{type="checkout.session.completed"\} 1/,
    )
    expect(await intentOf({ intent_id: opened.intentId })).toMatchObject({
      state: 'open',
      stripe_session_id: opened.sessionId,
      settled_at: null,
    })
  })

  test('a forged event of an unpaid session is taken back once, however often it is sent and looked at', async () => {
    const opened = await buildOpenCredits(product)
    const forged = await forgeCompleted(opened)
    await deliver(forged)
    await afterMinutes(3)
    await deliver(forged)
    await Promise.all([afterMinutes(6), afterMinutes(6)])
    expect(await totalOf(opened)).toBe(0)
    expect(alarms).toHaveLength(1)
  })

  test('a forged event of an unpaid session leaves a debt when its credits were spent already', async () => {
    const opened = await buildOpenCredits(product)
    await deliver(await forgeCompleted(opened))
    const usage = { idempotency_key: randomUUID(), occurred_at: new Date(), actor: 'user', reason: 'Test' }
    await spendOne(database.server, { ...opened.owner, credits: 100, ...usage })
    await afterMinutes(3)
    expect(await totalOf(opened)).toBe(-100)
  })

  test('a forged event of an unpaid session ends with the credits exactly once when the session is really paid later', async () => {
    const opened = await buildOpenCredits(product)
    await deliver(await forgeCompleted(opened))
    await afterMinutes(3)
    const totals = [await totalOf(opened)]
    await stripe.knob(`sessions/${opened.session_id}/pay`)
    const genuine = await completedEventOf(opened)
    await deliver(genuine)
    await deliver(genuine)
    totals.push(await totalOf(opened))
    await afterMinutes(6)
    totals.push(await totalOf(opened))
    expect(totals).toEqual([0, 500, 500])
    expect(await rowOf(genuine)).toMatchObject({ state: 'applied', confirmed_at: expect.any(Date) })
  })

  test('a forged event of an unpaid session takes nothing back when the session was really paid before it was noticed', async () => {
    const opened = await buildOpenCredits(product)
    const forged = await forgeCompleted(opened)
    await deliver(forged)
    await stripe.knob(`sessions/${opened.session_id}/pay`)
    await deliver(await completedEventOf(opened))
    await afterMinutes(3)
    expect(await totalOf(opened)).toBe(500)
    expect(await rowOf(forged)).toMatchObject({
      state: 'forged',
      reason: expect.stringContaining('made all the same'),
    })
  })

  test('a forged event of an unpaid session is taken back too when the webhook of the real payment is lost, and the claim brings the credits', async () => {
    const opened = await buildOpenCredits(product)
    await deliver(await forgeCompleted(opened))
    await afterMinutes(3)
    await stripe.knob(`sessions/${opened.session_id}/pay`)
    clock.setAhead({ minutes: 10 })
    await enqueueDueRows(depsWith())
    expect(enqueued).toContainEqual({
      queue: 'checkout-completions',
      payload: expect.objectContaining({ intent_id: opened.intent_id }),
    })
  })

  test('a forged event of an unpaid session with a session that was made up gives way to the real one', async () => {
    const opened = await buildOpenCredits(product)
    await database.owner
      .updateTable('checkout_intents')
      .set({ state: 'created', stripe_session_id: null, withdrawn_at: new Date(0) })
      .where('id', '=', opened.intent_id)
      .execute()
    await deliver(await forgeCompleted(opened, { id: 'cs_test_made_up' }))
    expect(await totalOf(opened)).toBe(500)
    await afterMinutes(3)
    expect(await totalOf(opened)).toBe(0)
    expect(await intentOf(opened)).toMatchObject({ state: 'open', stripe_session_id: opened.session_id })
    await stripe.knob(`sessions/${opened.session_id}/pay`)
    await deliver(await completedEventOf(opened))
    expect(await totalOf(opened)).toBe(500)
  })
})

describe('while Stripe is away', () => {
  test('nothing is called forged, and it is asked again', async () => {
    const opened = await buildOpenCredits(product)
    const forged = await forgeCompleted(opened)
    await deliver(forged)
    const unavailable = { events: { list: async () => ({ data: [], has_more: false }), retrieve: away } }
    await afterMinutes(3, { stripe: unavailable as unknown as Stripe })
    expect(await totalOf(opened)).toBe(500)
    expect(await rowOf(forged)).toMatchObject({ state: 'applied', last_error: 'Stripe is away' })
    expect(alarms).toEqual([])
    await afterMinutes(5)
    expect(await totalOf(opened)).toBe(0)
  })

  test('between its answers about the event and about the session, nothing is decided', async () => {
    const opened = await buildOpenCredits(product)
    const forged = await forgeCompleted(opened)
    await deliver(forged)
    const halfway = {
      events: stripe.client.events,
      checkout: { sessions: { retrieve: away } },
    } as unknown as Stripe
    await afterMinutes(3, { stripe: halfway })
    expect(await rowOf(forged)).toMatchObject({ state: 'applied' })
    expect(await totalOf(opened)).toBe(500)
    await afterMinutes(5)
    expect(await rowOf(forged)).toMatchObject({ state: 'forged' })
  })

  test('while Stripe is away or the list cannot be read, events are asked for one by one all the same', async () => {
    const opened = await buildOpenCredits(product)
    await deliver(await forgeCompleted(opened))
    const events = { list: away, retrieve: (id: string) => stripe.client.events.retrieve(id) }
    const { checkout, customers } = stripe.client
    const listless = { events, checkout, customers } as unknown as Stripe
    await expect(afterMinutes(3, { stripe: listless })).rejects.toThrow('Stripe is away')
    expect(await totalOf(opened)).toBe(0)
  })
})

test('nothing is taken back with the key of another account, which knows neither event nor customer', async () => {
  const bought = await buildPaidCredits(product)
  const genuine = await completedEventOf(bought)
  await deliver(genuine)
  const unknown = () => stripe.client.events.retrieve('evt_nobodys')
  const other = {
    events: { list: async () => ({ data: [], has_more: false }), retrieve: unknown },
    checkout: { sessions: { retrieve: unknown } },
    customers: { retrieve: unknown },
  } as unknown as Stripe
  await afterMinutes(3, { stripe: other })
  expect(await totalOf(bought)).toBe(500)
  expect(await rowOf(genuine)).toMatchObject({
    state: 'applied',
    last_error: expect.stringContaining('another account'),
  })
})

test('a genuine event is confirmed by the list, without a call of its own', async () => {
  const bought = await buildPaidCredits(product)
  const genuine = await completedEventOf(bought)
  await deliver(genuine)
  const asked: string[] = []
  const events = {
    list: (params: Stripe.EventListParams) => stripe.client.events.list(params),
    retrieve: async (id: string) => void asked.push(id),
  }
  await afterMinutes(3, { stripe: { events } as unknown as Stripe })
  expect(await rowOf(genuine)).toMatchObject({ confirmed_at: expect.any(Date), confirm_at: null })
  expect(asked).toEqual([])
})

test('one that the list of that window leaves out is asked for by its id, and is genuine', async () => {
  const bought = await buildPaidCredits(product)
  const genuine = await completedEventOf(bought)
  await deliver(genuine)
  clock.setAhead({ minutes: 3 })
  expect(await checkUnconfirmedEvents(depsWith())).toBe(0)
  expect(await rowOf(genuine)).toMatchObject({ state: 'applied', confirmed_at: expect.any(Date) })
})

test('other words under the id of a real event are forged, and the real event is applied in their place', async () => {
  const [opened, bought] = [await buildOpenCredits(product), await buildPaidCredits(product)]
  const genuine = await completedEventOf(bought)
  await deliver({ ...(await forgeCompleted(opened)), id: genuine.id })
  expect([await totalOf(opened), await totalOf(bought)]).toEqual([500, 0])
  await afterMinutes(3)
  expect([await totalOf(opened), await totalOf(bought)]).toEqual([0, 500])
  expect(await rowOf(genuine)).toMatchObject({
    state: 'forged',
    reason: expect.stringContaining('applied in its place'),
  })
})

test('a forged failure of a session that is open is taken back as well', async () => {
  const opened = await buildOpenCredits(product)
  const failed = await forgeCompleted(opened, { payment_status: 'unpaid' })
  await deliver({ ...failed, type: 'checkout.session.async_payment_failed' })
  expect(await intentOf(opened)).toMatchObject({ state: 'failed' })
  await afterMinutes(3)
  expect(await intentOf(opened)).toMatchObject({ state: 'open', failure_reason: null })
})

test('forged events of invoices, subscriptions and charges mint nothing, because what they name is fetched', async () => {
  const plan = await buildPaidPlan(product)
  const subscription = plan.subscription_id ?? ''
  const credits = await buildOpenCredits(product)
  const parent = { subscription_details: { subscription } }
  const invoice = { object: 'invoice', id: 'in_forged', parent, amount_paid: 1e9, status: 'paid' }
  const charge = { object: 'charge', id: 'ch_forged', paid: true, metadata: { intentId: credits.intent_id } }
  const forged = [
    eventOf('invoice.paid', invoice),
    eventOf('customer.subscription.updated', {
      object: 'subscription',
      id: subscription,
      quantity: 99,
    } as never),
    eventOf('customer.subscription.created', { object: 'subscription', id: 'sub_forged' } as never),
    eventOf('charge.refunded', charge),
  ]
  for (const event of forged) await deliver({ ...event, created: Math.floor(Date.now() / 1000) })
  // The plan was really paid: its 500 credits come with whatever names it first, and no more.
  expect([await totalOf(plan), await totalOf(credits)]).toEqual([500, 0])
  await afterMinutes(3)
  expect([await totalOf(plan), await totalOf(credits)]).toEqual([500, 0])
  for (const event of forged) expect(await rowOf(event), event.type).toMatchObject({ state: 'forged' })
  expect(alarms).toHaveLength(forged.length)
})
