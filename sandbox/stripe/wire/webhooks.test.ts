import { expect, it } from 'vitest'
import { newCheckout, startHarness, startReceiver } from '../testing/sandbox.ts'

const completed = 'checkout.session.completed'

async function startBoth() {
  const receiver = await startReceiver()
  const harness = await startHarness({ webhookUrl: receiver.url })
  const payOne = async () => {
    const { id } = await newCheckout(harness)
    await harness.pay(id)
    return id
  }
  return { receiver, harness, payOne }
}

it('signatures carry real time also when the clock was moved', async () => {
  const { receiver, harness, payOne } = await startBoth()
  await harness.knob('clock/advance', { seconds: 40 * 86_400 })
  await payOne()
  const [delivery] = await receiver.until(completed)
  const event = harness.stripe.webhooks.constructEvent(
    delivery?.body ?? '',
    delivery?.signature ?? '',
    receiver.secret,
  )
  expect(event.created).toBeGreaterThan(Date.now() / 1000 + 39 * 86_400)
})

it('a delivery that fails is repeated until it is taken, and pending_webhooks tells', async () => {
  const { receiver, harness } = await startBoth()
  receiver.answerNext(500, 503, 302)
  await harness.stripe.customers.create({})

  const deliveries = await receiver.until('customer.created', 4)

  expect(new Set(deliveries.map(({ event }) => event.id)).size).toBe(1)
  const id = deliveries[0]?.event.id ?? ''
  await expect.poll(async () => (await harness.stripe.events.retrieve(id)).pending_webhooks).toBe(0)
})

it('a delivery that always fails is given up after twenty attempts', async () => {
  const receiver = await startReceiver()
  const harness = await startHarness({
    webhookUrl: receiver.url,
    retryDelaysMs: Array.from({ length: 19 }, () => 1),
  })
  receiver.answerNext(...Array.from({ length: 20 }, () => 500))
  await harness.stripe.customers.create({})
  await receiver.until('customer.created', 20)
  await expect
    .poll(() => harness.deliveries())
    .toMatchObject([{ attempts: 20, last_status: 500, state: 'abandoned' }])
})

it('never: the event exists, is not delivered, and can be sent by hand', async () => {
  const { receiver, harness, payOne } = await startBoth()
  await harness.knob('deliveries', { mode: 'never', types: [completed] })
  await payOne()
  await receiver.until('payment_intent.succeeded')

  const [event] = (await harness.stripe.events.list({ type: completed })).data
  expect(receiver.types()).not.toContain(completed)
  expect(event?.pending_webhooks).toBe(1)

  const sent = await harness.knob(`events/${event?.id}/deliver`, { times: 3, parallel: true })

  expect(sent.body.deliveries?.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await receiver.until(completed, 3)).toHaveLength(3)
  expect((await harness.stripe.events.retrieve(event?.id ?? '')).pending_webhooks).toBe(0)
})

it('out of order: what happened last comes first', async () => {
  const { receiver, harness, payOne } = await startBoth()
  await harness.knob('deliveries', { mode: 'out_of_order', delay_ms: 400 })
  await payOne()
  await receiver.until('payment_intent.created')
  expect(receiver.types()).toEqual((await harness.eventTypes()).reverse())
})
