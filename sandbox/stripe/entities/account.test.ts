import { expect, it } from 'vitest'
import { newPlans, newSubscriptionCheckout } from '../testing/billing.ts'
import { newCheckout, startHarness } from '../testing/sandbox.ts'

it('a session has adaptive pricing unless it or the account says otherwise', async () => {
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
