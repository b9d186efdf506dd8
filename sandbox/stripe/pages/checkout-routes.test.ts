import { expect, it } from 'vitest'
import { goodCard, newCheckout, startHarness } from '../testing/sandbox.ts'

it('an event shows its object as it was then', async () => {
  const harness = await startHarness()
  const { stripe } = harness
  const { id } = await newCheckout(harness)
  await harness.pay(id, { method: 'delayed' })
  await harness.knob(`sessions/${id}/settle`, { outcome: 'succeeded' })

  const { data } = await stripe.events.list({
    types: ['checkout.session.completed', 'checkout.session.async_payment_succeeded'],
  })

  expect(
    data.map(({ type, data: { object } }) => [type, 'payment_status' in object && object.payment_status]),
  ).toEqual([
    ['checkout.session.async_payment_succeeded', 'paid'],
    ['checkout.session.completed', 'unpaid'],
  ])
  expect(data[0]).toMatchObject({
    api_version: '2026-10-28.endive',
    request: { id: null, idempotency_key: null },
  })
})

it.each([
  ['4000 0000 0000 0002', 'Your card was declined.'],
  ['4000 0000 0000 9995', 'Your card has insufficient funds.'],
])('the declined card %s leaves the session open, and another card pays it', async (number, text) => {
  const harness = await startHarness()
  const { stripe } = harness
  const { id } = await newCheckout(harness)

  const declined = await harness.submit(id, { ...goodCard, number })

  expect(declined.status).toBe(402)
  expect(await declined.text()).toContain(text)
  const open = await stripe.checkout.sessions.retrieve(id, { expand: ['payment_intent'] })
  expect(open).toMatchObject({
    status: 'open',
    payment_status: 'unpaid',
    payment_intent: {
      status: 'requires_payment_method',
      last_payment_error: { code: 'card_declined', message: text },
    },
  })

  expect((await harness.submit(id, goodCard)).status).toBe(303)
  const charges = await stripe.charges.list({ payment_intent: (open.payment_intent as { id: string }).id })
  expect(charges.data.map(({ status }) => status)).toEqual(['succeeded', 'failed'])
  expect(await harness.eventTypes()).toEqual([
    'payment_intent.created',
    'charge.failed',
    'payment_intent.payment_failed',
    'charge.succeeded',
    'payment_intent.succeeded',
    'checkout.session.completed',
  ])
})

it.each([
  ['no card number', { number: '' }, 'Enter your card number.'],
  ['a card that is no test card', { number: '4111 1111 1111 1111' }, 'Your card number is invalid.'],
  ['a card of yesteryear', { expiry: '01 / 20' }, 'expiry date is in the past.'],
  ['an unknown method', { method: 'cheque' }, 'Choose how to pay.'],
])('a form with %s is sent back and nothing happens', async (_case, fields, text) => {
  const harness = await startHarness()
  const { id } = await newCheckout(harness)

  const answer = await harness.submit(id, { ...goodCard, ...fields })

  expect(answer.status).toBe(422)
  expect(await answer.text()).toContain(text)
  expect(await harness.eventTypes()).toEqual([])
})

it('the buyer’s input comes back as text, not as markup', async () => {
  const harness = await startHarness()
  const { id } = await newCheckout(harness)
  const answer = await harness.submit(id, { ...goodCard, cvc: '', name: '"><script>alert(1)</script>' })
  expect(await answer.text()).not.toContain('<script>alert')
})

it('ten presses of the button in ten tabs charge once', async () => {
  const harness = await startHarness()
  const { stripe } = harness
  const { id } = await newCheckout(harness)

  const answers = await Promise.all(Array.from({ length: 10 }, () => harness.submit(id, goodCard)))

  expect(new Set(answers.map((answer) => answer.headers.get('location')))).toEqual(
    new Set([`http://shop.test/success?session_id=${id}`]),
  )
  expect((await stripe.charges.list()).data).toHaveLength(1)
  expect((await harness.pay(id)).body).toMatchObject({ outcome: 'already_complete' })
  expect(await (await fetch(`${harness.url}/c/pay/${id}`)).text()).toContain('You have already paid')
})

it('a bank debit settles by itself when its time has come', async () => {
  const harness = await startHarness({ delayedPaymentMs: 3_600_000 })
  const { id } = await newCheckout(harness)
  await harness.pay(id, { method: 'delayed' })
  expect((await harness.stripe.checkout.sessions.retrieve(id)).payment_status).toBe('unpaid')

  await harness.knob('clock/advance', { seconds: 3601 })

  expect((await harness.stripe.checkout.sessions.retrieve(id)).payment_status).toBe('paid')
})
