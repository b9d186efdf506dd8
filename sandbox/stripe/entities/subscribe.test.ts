import { expect, it } from 'vitest'
import { newPlans, newSubscriptionCheckout } from '../testing/billing.ts'
import { goodCard, startHarness } from '../testing/sandbox.ts'

async function start() {
  const harness = await startHarness()
  return { harness, stripe: harness.stripe, plans: await newPlans(harness) }
}

it('a declined card leaves no subscription, and the same payment goes on with another card', async () => {
  const { harness, stripe, plans } = await start()
  const customer = await stripe.customers.create({ email: 'ada@example.com' })
  const { id } = await newSubscriptionCheckout(harness, plans.pro_monthly.id, { customer: customer.id })

  const declined = await harness.submit(id, { ...goodCard, number: '4000 0000 0000 9995' })
  expect(declined.status).toBe(402)
  expect(await declined.text()).toContain('Your card has insufficient funds.')
  expect((await stripe.subscriptions.list({ customer: customer.id })).data).toEqual([])

  expect((await harness.submit(id, goodCard)).status).toBe(303)
  const intents = await stripe.paymentIntents.list({ customer: customer.id })
  expect(intents.data).toMatchObject([{ status: 'succeeded', amount: 2000 }])
  const charges = await stripe.charges.list({ payment_intent: intents.data[0]?.id ?? '' })
  expect(charges.data.map(({ status }) => status)).toEqual(['succeeded', 'failed'])
})

it('a card that is refused for a trial leaves no trace', async () => {
  const { harness, stripe, plans } = await start()
  const { id } = await newSubscriptionCheckout(harness, plans.pro_monthly.id, {
    subscription_data: { trial_period_days: 14 },
  })
  expect((await harness.submit(id, { ...goodCard, number: '4000 0000 0000 0002' })).status).toBe(402)
  expect(await stripe.checkout.sessions.retrieve(id)).toMatchObject({ status: 'open' })
  expect((await stripe.subscriptions.list({ status: 'all' })).data).toEqual([])
})
