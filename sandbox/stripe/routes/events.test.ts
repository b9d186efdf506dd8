import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { startHarness } from '../testing/sandbox.ts'

/** A sandbox with four events, an hour between each and the next. */
async function startWithEvents() {
  const harness = await startHarness()
  const { stripe } = harness
  const { id } = await stripe.customers.create({ email: 'ada@example.com' })
  await harness.knob('clock/advance', { seconds: 3600 })
  const product = await stripe.products.create({ name: 'Pro' })
  await harness.knob('clock/advance', { seconds: 3600 })
  await stripe.customers.update(id, { name: 'Ada' })
  await harness.knob('clock/advance', { seconds: 3600 })
  await stripe.products.update(product.id, { name: 'Teams' })
  const events = (await stripe.events.list()).data
  expect(events.map(({ type }) => type)).toEqual([
    'product.updated',
    'customer.updated',
    'product.created',
    'customer.created',
  ])
  return { ...harness, events }
}

const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id)

it('events are narrowed by time, from a moment on and before another', async () => {
  const { stripe, events } = await startWithEvents()
  const [first, second, third, fourth] = events as [Stripe.Event, Stripe.Event, Stripe.Event, Stripe.Event]
  const at = second.created
  expect(idsOf(await stripe.events.list({ created: { gte: at } }))).toEqual([first.id, second.id])
  expect(idsOf(await stripe.events.list({ created: { lt: at } }))).toEqual([third.id, fourth.id])
  expect(idsOf(await stripe.events.list({ created: { gt: third.created, lt: first.created } }))).toEqual([
    second.id,
  ])
})

it('events are narrowed by type, and time, type and cursor work together', async () => {
  const { stripe, events } = await startWithEvents()
  const [, second, third, fourth] = events as [Stripe.Event, Stripe.Event, Stripe.Event, Stripe.Event]
  const types = ['customer.created', 'product.created', 'customer.updated']
  expect(idsOf(await stripe.events.list({ types }))).toEqual([second.id, third.id, fourth.id])
  expect(idsOf(await stripe.events.list({ type: 'customer.*' }))).toEqual([second.id, fourth.id])
  expect(
    idsOf(await stripe.events.list({ types, created: { gte: third.created }, starting_after: second.id })),
  ).toEqual([third.id])
})

it('one event is found by its id, and a list refuses what Stripe refuses', async () => {
  const { stripe, events } = await startWithEvents()
  const [first] = events as [Stripe.Event]
  expect(await stripe.events.retrieve(first.id)).toMatchObject({ id: first.id, type: 'product.updated' })
  await expect(stripe.events.retrieve('evt_none')).rejects.toMatchObject({
    code: 'resource_missing',
    statusCode: 404,
  })
  await expect(stripe.events.list({ starting_after: 'evt_none' })).rejects.toThrow(
    "No such event: 'evt_none'",
  )
  await expect(stripe.events.list({ type: 'a', types: ['b'] })).rejects.toThrow('type, types')
  await expect(stripe.events.list({ limit: 101 })).rejects.toThrow('limit')
  await expect(stripe.events.list({ types: Array.from({ length: 21 }, String) })).rejects.toThrow('20')
})
