import type Stripe from 'stripe'
import { beforeEach, expect, test } from 'vitest'
import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { findCursor } from '../../schema/inbox/cursors/cursors.ts'
import { listedEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import { eventOf, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildPaidCredits, buildPaidPlan } from '../../tests/support/factories/paid-purchases.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { producerOf } from '../../tests/support/product/test-worker.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { tryEvent } from '../events/try-event.ts'
import { readStripeEvents } from './read-stripe-events.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, clock } = product

let enqueued: string[]
beforeEach(async () => {
  enqueued = []
  await database.owner.deleteFrom('inbox_events').execute()
  await database.owner.deleteFrom('cursors').execute()
  await stripe.knob('reset')
  // The webhooks of what happens now would have come by then.
  clock.setAhead({ minutes: 2 })
})

const depsWith = (overrides: Partial<WorkerDependencies> = {}): WorkerDependencies => ({
  ...product.worker.deps,
  producer: producerOf(async (_queue, id) => void enqueued.push(id)),
  ...overrides,
})
const read = (overrides?: Partial<WorkerDependencies>, limits?: Parameters<typeof readStripeEvents>[1]) =>
  readStripeEvents(depsWith(overrides), limits)
const rows = () => database.owner.selectFrom('inbox_events').selectAll().orderBy('id').execute()

/** Stripe with a list of our own. */
function listing(list: (params: Stripe.EventListParams) => Promise<unknown>): Stripe {
  return { events: { list } } as unknown as Stripe
}

/** Events of the past, newest first, one a second. */
function eventsOf(count: number): Stripe.Event[] {
  const now = Math.floor(Date.now() / 1000)
  return Array.from({ length: count }, (_, index) => ({
    ...eventOf('charge.refunded', { object: 'charge' }),
    created: now - index,
  })) as unknown as Stripe.Event[]
}

/** Answers as Stripe's list does. */
function stripeWith(events: readonly Stripe.Event[], asked: Stripe.EventListParams[] = []): Stripe {
  return listing(async (params) => {
    asked.push(params)
    const { gte } = params.created as { gte: number }
    const all = events.filter(({ created }) => created >= gte)
    const from = params.starting_after ? all.findIndex(({ id }) => id === params.starting_after) + 1 : 0
    const data = all.slice(from, from + (params.limit ?? 10))
    return { data, has_more: from + data.length < all.length }
  })
}

test('an event that never came by webhook is in the inbox as its webhook would have put it there, and is enqueued', async () => {
  await buildPaidCredits(product)
  const { data } = await stripe.client.events.list({ type: 'checkout.session.completed' })
  const [event] = data
  expect(await read()).toBe(1)
  expect(await rows()).toMatchObject([
    {
      source: 'stripe',
      id: event?.id,
      type: 'checkout.session.completed',
      payload: { id: event?.id, data: { object: { object: 'checkout.session' } } },
      occurred_at: new Date((event?.created ?? 0) * 1000),
      state: 'received',
      received_via: 'reader',
    },
  ])
  expect(enqueued).toEqual([event?.id])
  expect(await product.worker.deps.metrics.registry.metrics()).toMatch(
    /tidemark_events_missed_total\{type="checkout.session.completed"\} \d/,
  )
})

test('an event that never came by webhook is left to its webhook while that may be under way', async () => {
  await buildPaidCredits(product)
  clock.reset()
  expect(await read()).toBe(0)
  clock.setAhead({ minutes: 2 })
  expect(await read()).toBe(1)
})

test('an event that never came by webhook is in the inbox when the queue is unavailable, for the claim', async () => {
  await buildPaidCredits(product)
  const producer = producerOf(() => Promise.reject(new Error('No queue')))
  expect(await read({ producer })).toBe(1)
  expect(await rows()).toMatchObject([{ state: 'received' }])
})

test('an event that never came by webhook is read and counted once by two workers at once', async () => {
  await buildPaidCredits(product)
  await buildPaidCredits(product)
  const missed = await Promise.all([read(), read()])
  expect(missed[0] + missed[1]).toBe(2)
  expect(await rows()).toHaveLength(2)
  expect(enqueued).toHaveLength(2)
})

test('an invoice in the API version of an old account leads to its subscription', async () => {
  const { subscription_id } = await buildPaidPlan(product)
  const invoice = { object: 'invoice', subscription: subscription_id, parent: null }
  const [listed] = eventsOf(1).map((event) => ({ ...event, type: 'invoice.paid', data: { object: invoice } }))
  await read({ stripe: stripeWith([listed as unknown as Stripe.Event]) })
  await tryEvent(depsWith(), { source: 'stripe', id: listed?.id ?? '' })
  expect(await findSubscription(database.owner, subscription_id ?? '')).toMatchObject({ status: 'active' })
})

test('an event that came by webhook is not missing', async () => {
  const [listed] = eventsOf(1)
  await receiveStripeEvent(database.server, listed as never)
  expect(await read({ stripe: stripeWith(listed ? [listed] : []) })).toBe(0)
  expect(await rows()).toMatchObject([{ id: listed?.id, received_via: 'webhook' }])
  expect(enqueued).toEqual([])
})

test('a reading begins ten minutes before the newest event of the last one, and asks for the types that we handle, but for changes that wait', async () => {
  const asked: Stripe.EventListParams[] = []
  const events = eventsOf(3)
  await read({ stripe: stripeWith(events, asked) })
  await read({ stripe: stripeWith(events, asked) })
  const seconds = (value: unknown) => (value as { gte: number }).gte
  const aDayAgo = clock.now().getTime() / 1000 - 24 * 3600
  expect(Math.abs(seconds(asked[0]?.created) - aDayAgo + 600)).toBeLessThan(30)
  expect(seconds(asked[1]?.created)).toBe((events[0]?.created ?? 0) - 600)
  expect(asked[0]?.types).toEqual(listedEventTypes)
  const moneyMoves = ['invoice.paid', 'charge.refunded', 'refund.failed', 'charge.dispute.closed']
  expect(listedEventTypes).toEqual(expect.arrayContaining(moneyMoves))
  // Stripe refuses more than twenty in one call.
  expect(listedEventTypes.length).toBeLessThanOrEqual(20)
  expect(await rows()).toHaveLength(3)
})

test('a reading of a long list goes on in the next runs, until all of it is there', async () => {
  const events = eventsOf(11)
  const limits = { page_size: 2, maximum_pages: 2 }
  const missed = []
  const completed = []
  for (let run = 0; run < 3; run += 1) {
    missed.push(await read({ stripe: stripeWith(events) }, limits))
    completed.push((await findCursor(database.owner, 'stripe_events'))?.completed_at !== null)
  }
  expect(missed).toEqual([4, 4, 3])
  expect(completed).toEqual([false, false, true])
  expect(await rows()).toHaveLength(11)
  // What happened meanwhile is newer than what was read, and is found by the next reading.
  const later = { ...eventsOf(1)[0], created: (events[0]?.created ?? 0) + 1 } as Stripe.Event
  expect(await read({ stripe: stripeWith([later, ...events]) }, limits)).toBe(1)
})

test('a reading whose place in the list is gone after thirty days ends there', async () => {
  await buildPaidCredits(product)
  const position = {
    read_until: new Date(Date.now() - 86_400_000),
    unfinished: { began_at: new Date(), after_event_id: 'evt_gone', newest_at: null },
  }
  await database.owner
    .insertInto('cursors')
    .values({ name: 'stripe_events', position: JSON.stringify(position), revision: 7 })
    .execute()
  expect(await read()).toBe(0)
  expect(await read()).toBe(1)
})

test('a reading that sees an event from ahead of its clock does not pass over the young ones before it', async () => {
  clock.setAhead({ minutes: 0 })
  const [young] = eventsOf(1)
  const ahead = { ...eventsOf(1)[0], created: (young?.created ?? 0) + 5 * 86_400 } as Stripe.Event
  const deps = { stripe: stripeWith([ahead, young as Stripe.Event]) }
  expect(await read(deps)).toBe(1)
  expect((await rows()).map(({ id }) => id)).toEqual([ahead.id])
  clock.setAhead({ minutes: 6 * 24 * 60 })
  expect(await read(deps)).toBe(1)
  expect((await rows()).map(({ id }) => id).toSorted()).toEqual([ahead.id, young?.id].toSorted())
})

test('a reading that fails begins again where it was', async () => {
  await buildPaidCredits(product)
  const away = listing(() => Promise.reject(new Error('Stripe is away')))
  await expect(read({ stripe: away })).rejects.toThrow('Stripe is away')
  expect(await read()).toBe(1)
})
