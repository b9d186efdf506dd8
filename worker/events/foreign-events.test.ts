import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { failureOf } from '../../schema/api/failures.ts'
import { findEvent } from '../../schema/inbox/events.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../../tests/support/factories/events.ts'
import { startClockwork } from '../../tests/support/product/clockwork.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

/**
 * One Stripe account often serves several products: events of the others come to us as well, and their
 * objects may be gone.
 */

const dayMs = 24 * 3_600_000
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
  calls = 0
})

/** Lets one event arrive and a day pass; returns what became of it and what was logged about it. */
async function dayWith(type: string, object: { object: string } & Record<string, unknown>) {
  const lines: { level: string; fields: object; text: string }[] = []
  const record =
    (level: string) =>
    (fields: object, text = '') =>
      lines.push({ level, fields, text })
  const log = Object.assign(Object.create(product.worker.deps.log), {
    ...Object.fromEntries(['info', 'warn', 'error'].map((level) => [level, record(level)])),
    child: () => log,
  })
  const worker = startClockwork(database, { stripe: stripe.client, log })
  const id = await receiveStripeEvent(database.server, eventOf(type, object))
  await worker.pass(dayMs)
  const event = await findEvent(database.owner, { source: 'stripe', id })
  const about = lines.filter(({ text }) => /event/i.test(text))
  return { event, about, tries: worker.runs.filter(({ queue }) => queue === 'stripe-events').length }
}

const subscriptionDetails = { subscription_details: { subscription: 'sub_gone' } }

test.each([
  ['checkout.session.completed', sessionOf(randomUUID(), { id: 'cs_gone' }), 'cs_gone'],
  ['customer.subscription.updated', { object: 'subscription', id: 'sub_gone' }, 'sub_gone'],
  [
    'subscription_schedule.updated',
    { object: 'subscription_schedule', subscription: 'sub_gone' },
    'sub_gone',
  ],
  ['invoice.paid', { object: 'invoice', id: 'in_1', parent: subscriptionDetails }, 'sub_gone'],
  ['charge.refunded', { object: 'charge', id: 'ch_gone' }, 'ch_gone'],
  ['refund.updated', { object: 'refund', id: 're_1', charge: 'ch_gone' }, 'ch_gone'],
  ['charge.dispute.closed', { object: 'dispute', id: 'dp_1', charge: 'ch_gone' }, 'ch_gone'],
])('%s of a foreign object that is gone is ignored at once, in one line', async (type, object, gone) => {
  const { event, about, tries } = await dayWith(type, object)
  expect(event).toMatchObject({
    state: 'ignored',
    reason: failureOf('not_sold', { id: gone }),
  })
  expect(about).toEqual([
    { level: 'info', fields: expect.objectContaining({ outcome: 'ignored' }), text: 'Event processed' },
  ])
  expect(JSON.stringify(about)).not.toContain('stack')
  expect({ tries, calls }).toEqual({ tries: 1, calls: 1 })
})

test('a foreign subscription that is there is ignored in the same way', async () => {
  const customer = await stripe.client.customers.create({ email: 'other@example.com' })
  const method = await stripe.client.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  const price = await stripe.client.prices.create({
    product_data: { name: 'Something else' },
    currency: 'eur',
    unit_amount: 100,
    recurring: { interval: 'week' },
  })
  const { id } = await stripe.client.subscriptions.create({
    customer: customer.id,
    default_payment_method: method.id,
    items: [{ price: price.id }],
  })
  const { event, about } = await dayWith('customer.subscription.updated', { object: 'subscription', id })
  expect(event).toMatchObject({ state: 'ignored', reason: failureOf('not_sold', { id }) })
  expect(about.map(({ level }) => level)).toEqual(['info'])
})
