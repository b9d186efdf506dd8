import Stripe from 'stripe'
import { expect, it } from 'vitest'
import { newPlans, newSubscriber, newSubscriptionCheckout } from './testing/billing.ts'
import { textOf } from './testing/portal.ts'
import { startHarness, startReceiver } from './testing/sandbox.ts'

/** The same sandbox as two integrations see it: one with a test key, one with a live key. */
async function startModes() {
  const harness = await startHarness()
  const live = new Stripe('sk_live_sandbox', {
    host: 'localhost',
    port: harness.port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
  })
  return { harness, test: harness.stripe, live }
}

it('objects made with a test key are not visible to a live key, and the other way round', async () => {
  const { test, live } = await startModes()
  const mine = await test.customers.create({ email: 'ada@example.com' })
  const theirs = await live.customers.create({ email: 'ada@example.com' })
  expect([mine.livemode, theirs.livemode]).toEqual([false, true])
  expect((await test.customers.list()).data.map(({ id }) => id)).toEqual([mine.id])
  expect((await live.customers.list()).data.map(({ id }) => id)).toEqual([theirs.id])
  expect((await live.events.list()).data).toMatchObject([{ type: 'customer.created', livemode: true }])
})

it('a missing object that is there in the other mode is refused in Stripe’s words', async () => {
  const { test, live } = await startModes()
  const { id } = await test.customers.create({})
  await expect(live.customers.retrieve(id)).rejects.toMatchObject({
    type: 'StripeInvalidRequestError',
    statusCode: 404,
    code: 'resource_missing',
    message: `No such customer: '${id}'; a similar object exists in test mode, but a live mode key was used to make this request.`,
  })
  await expect(live.billingPortal.sessions.create({ customer: id })).rejects.toMatchObject({
    statusCode: 400,
    param: 'customer',
    message: expect.stringContaining('similar'),
  })
  const theirs = await live.customers.create({})
  await expect(test.customers.retrieve(theirs.id)).rejects.toThrow(
    'a similar object exists in live mode, but a test mode key was used',
  )
  await expect(test.customers.retrieve('cus_none')).rejects.toThrow(/^No such customer: 'cus_none'$/)
})

it('both have pages and knobs, found by the object that they are about', async () => {
  const { harness, live } = await startModes()
  const plans = await newPlans({ ...harness, stripe: live })
  const session = await newSubscriptionCheckout({ ...harness, stripe: live }, plans.pro_monthly.id)
  expect(session.id).toMatch(/^cs_live_/)
  expect(await textOf(session.url ?? '')).toContain('Pro')
  await harness.pay(session.id)
  const paid = await live.checkout.sessions.retrieve(session.id, { expand: ['subscription.latest_invoice'] })
  expect(paid).toMatchObject({ status: 'complete', livemode: true })
  const marks = JSON.stringify(paid).match(/"livemode":(true|false)/g) ?? []
  expect(new Set(marks)).toEqual(new Set(['"livemode":true']))
  expect((await harness.stripe.subscriptions.list()).data).toEqual([])
})

it('one clock moves both', async () => {
  const { harness, live } = await startModes()
  const theirs = { ...harness, stripe: live }
  const plans = await newPlans(theirs)
  const { subscription } = await newSubscriber(theirs, { items: [{ price: plans.pro_monthly.id }] })
  await harness.knob('clock/advance', { seconds: 32 * 86_400 })
  expect((await live.invoices.list({ subscription: subscription.id })).data).toHaveLength(2)
})

it('an endpoint hears of its own mode only', async () => {
  const { test, live } = await startModes()
  const receiver = await startReceiver()
  await live.webhookEndpoints.create({ url: receiver.url, enabled_events: ['customer.created'] })
  await test.customers.create({})
  const { id } = await live.customers.create({})
  const [received] = await receiver.until('customer.created')
  expect(received?.event).toMatchObject({ livemode: true, data: { object: { id } } })
  expect(receiver.received).toHaveLength(1)
})

it('the same idempotency key is another one in the other mode', async () => {
  const { test, live } = await startModes()
  const made = await test.customers.create({}, { idempotencyKey: 'one' })
  expect((await live.customers.create({}, { idempotencyKey: 'one' })).id).not.toBe(made.id)
})
