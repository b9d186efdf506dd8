import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import { attachSession, findIntent } from '../../schema/billing/checkout/intents.ts'
import { saveStripeCustomer } from '../../schema/billing/customers/customers.ts'
import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { findEvent } from '../../schema/inbox/events.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { eventOf, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buyPlan } from '../../tests/support/factories/paid-purchases.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { type Clockwork, startClockwork } from '../../tests/support/product/clockwork.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { reasonOf } from '../failures.ts'

const hourMs = 3_600_000

const product = testProduct({ stripe: 'empty' })
const { database, stripe } = product
let calls = 0
beforeAll(() => {
  stripe.client.on('request', () => {
    calls += 1
  })
})
beforeEach(async () => {
  await database.owner.deleteFrom('inbox_events').execute()
  await database.change('subscriptions', {}, { sync_failed_at: new Date(), last_error: 'Over' })
  await database.owner
    .updateTable('checkout_intents')
    .set({ state: 'expired' })
    .where('state', '<>', 'settled')
    .execute()
})

/** Lets a day pass and says how often Stripe was asked. */
async function callsInADay(worker: Clockwork): Promise<number> {
  calls = 0
  await worker.pass(24 * hourMs)
  return calls
}

async function receiveAll(events: readonly Stripe.Event[]): Promise<string[]> {
  const ids: string[] = []
  for (const event of events) {
    ids.push(await receiveStripeEvent(database.server, stripeEventSchema.parse(event)))
  }
  return ids
}
const eventsNow = () =>
  database.owner.selectFrom('inbox_events').select(['type', 'state', 'reason', 'attempts']).execute()

/** Stripe, but for subscriptions of ours that were changed in its dashboard. */
function withChangedSubscriptions(change: (subscription: Stripe.Subscription) => object): Stripe {
  const { subscriptions } = stripe.client
  const changed = new Proxy(subscriptions, {
    get: (target, name) =>
      name === 'retrieve'
        ? async (id: string) => ({ ...(await target.retrieve(id)), ...change(await target.retrieve(id)) })
        : Reflect.get(target, name),
  })
  return new Proxy(stripe.client, {
    get: (target, name) => (name === 'subscriptions' ? changed : Reflect.get(target, name)),
  })
}

describe('what contradicts what we know fails once, with its reason, and is not asked about again:', () => {
  test('credits that were sold for another amount', async () => {
    const intent = await buildPurchase(database.server)
    const metadata = { intentId: intent.id }
    const session = await stripe.client.checkout.sessions.create({
      mode: 'payment',
      client_reference_id: intent.id,
      metadata,
      payment_intent_data: { metadata },
      line_items: [
        {
          quantity: 1,
          price_data: { currency: 'eur', unit_amount: 100, product_data: { name: '500 credits' } },
        },
      ],
      success_url: 'http://localhost:3000/payment/success',
    })
    await attachSession(database.server, { id: intent.id, stripe_session_id: session.id })
    await stripe.knob(`sessions/${session.id}/pay`)
    const completed = (await stripe.takeEvents()).filter(({ type }) => type === 'checkout.session.completed')
    await receiveAll(completed)
    const worker = startClockwork(database, { stripe: stripe.client })
    // Once for the event, and once for the checkout.
    expect(await callsInADay(worker)).toBe(2)
    const reason = expect.stringContaining('"expected":"7.00 EUR"')
    expect(await eventsNow()).toMatchObject([{ state: 'failed', reason, attempts: 1 }])
    expect(await findIntent(database.owner, intent.id)).toMatchObject({
      state: 'failed',
      failure_reason: reason,
    })
    expect(await callsInADay(worker)).toBe(0)
  })

  test('a subscription of which two items could be the plan', async () => {
    const plan = await buyPlan(product)
    const id = plan.subscription_id ?? ''
    await database.change('subscriptions', { stripe_subscription_id: id }, { next_try_at: new Date() })
    const changed = withChangedSubscriptions(({ items }) => ({
      items: { ...items, data: [...items.data, ...items.data] },
    }))
    const worker = startClockwork(database, { stripe: changed })
    await stripe.client.subscriptions.update(id, { metadata: { note: 'a second item' } })
    const [eventId = ''] = await receiveAll(await stripe.takeEvents())
    expect(await callsInADay(worker)).toBeLessThanOrEqual(4)
    const reason = failureOf('not_one_plan', { id })
    expect(await findEvent(database.owner, { source: 'stripe', id: eventId })).toMatchObject({
      state: 'failed',
      reason,
    })
    expect(await findSubscription(database.owner, id)).toMatchObject({
      sync_failed_at: expect.any(Date),
      last_error: reason,
    })
    expect(await callsInADay(worker)).toBe(0)

    // It is corrected at Stripe, and Stripe sends an event.
    await stripe.client.subscriptions.update(id, { metadata: { note: 'one item' } })
    await receiveAll(await stripe.takeEvents())
    await startClockwork(database, { stripe: stripe.client }).pass(hourMs)
    expect(await findSubscription(database.owner, id)).toMatchObject({
      sync_failed_at: null,
      last_error: null,
      attempts: 0,
    })
  })
})

test('a defect has a day to be repaired, and then fails with what it said', async () => {
  const id = await receiveStripeEvent(
    database.server,
    eventOf('customer.subscription.updated', { id: 'sub_x', object: 'subscription' } as never),
  )
  const broken = new Proxy(stripe.client, {
    get: (target, name) => {
      if (name === 'subscriptions') throw new TypeError('undefined is not a function')
      return Reflect.get(target, name)
    },
  })
  const worker = startClockwork(database, { stripe: broken })
  const key = { source: 'stripe', id } as const
  await worker.pass(4 * hourMs)
  expect(await findEvent(database.owner, key)).toMatchObject({ state: 'received', attempts: 8 })
  await worker.pass(28 * hourMs)
  expect(await findEvent(database.owner, key)).toMatchObject({
    state: 'failed',
    attempts: 10,
    reason: 'given_up {"attempts":10,"reason":"undefined is not a function"}',
  })
  expect(await worker.deps.metrics.registry.getSingleMetricAsString('tidemark_failed_total')).toContain(
    'what="event"} 1',
  )
})

test('a customer that is known as another owner’s is a reason in words, not an error of the database', async () => {
  const customer_id = `cus_${randomUUID().slice(0, 8)}`
  await saveStripeCustomer(database.worker, { owner_id: await buildUser(database.server), customer_id })
  const failure = await saveStripeCustomer(database.worker, {
    owner_id: await buildUser(database.server),
    customer_id,
  }).catch(reasonOf)
  expect(failure).toMatch(/^contradicts_known .*stripe_customers_customer_id_key/)
})
