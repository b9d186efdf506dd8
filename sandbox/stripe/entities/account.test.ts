import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { newPlans, newSubscriptionCheckout } from '../testing/billing.ts'
import { textOf } from '../testing/portal.ts'
import { newCheckout, startHarness } from '../testing/sandbox.ts'

// https://docs.stripe.com/payments/currencies/localize-prices/adaptive-pricing, also for the e-mail address
// that says where a buyer is

async function startAbroad(given: Partial<Stripe.Checkout.SessionCreateParams> = {}) {
  const harness = await startHarness()
  const customer = await harness.stripe.customers.create({ email: 'ada+location_US@example.com' })
  const session = await newCheckout(harness, { customer: customer.id, ...given })
  return { harness, session, page: await textOf(session.url ?? '') }
}

it('a session that does not say otherwise is shown in the buyer’s currency', async () => {
  const { harness, session, page } = await startAbroad()
  expect(session).toMatchObject({ adaptive_pricing: { enabled: true }, currency: 'eur', amount_total: 700 })
  expect(page).toContain('$7.70')
  expect(page).not.toContain('€')
  await harness.pay(session.id)
  // The seller's currency stays that of the session: changelog basil, 2025-03-31.
  expect(await harness.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
    currency: 'eur',
    amount_total: 700,
    presentment_details: { presentment_currency: 'usd', presentment_amount: 770 },
  })
})

it('a session that forbids it is shown in its own currency', async () => {
  const { harness, session, page } = await startAbroad({ adaptive_pricing: { enabled: false } })
  expect(session.adaptive_pricing).toEqual({ enabled: false })
  expect(page).toContain('€7.00')
  expect(page).not.toContain('$')
  await harness.pay(session.id)
  expect(await harness.stripe.checkout.sessions.retrieve(session.id)).not.toHaveProperty(
    'presentment_details',
  )
})

it('an account can have it off', async () => {
  const harness = await startHarness()
  await harness.knob('account', { adaptive_pricing: false })
  expect((await newCheckout(harness)).adaptive_pricing).toEqual({ enabled: false })
})

it.each([
  ['zero', 0],
  ['first_period', 2000],
  ['unknown', null],
] as const)(
  'an account whose trials are %s at first says %j until the trial begins',
  async (trial_total, figure) => {
    const harness = await startHarness()
    await harness.knob('account', { trial_total })
    const plans = await newPlans(harness)
    const session = await newSubscriptionCheckout(harness, plans.pro_monthly.id, {
      subscription_data: { trial_period_days: 14 },
    })
    expect(session.amount_total).toBe(figure)
    await harness.pay(session.id)
    expect(await harness.stripe.checkout.sessions.retrieve(session.id)).toMatchObject({
      status: 'complete',
      payment_status: 'no_payment_required',
      amount_total: 0,
    })
  },
)
