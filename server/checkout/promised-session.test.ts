import { afterEach, describe, expect, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import {
  type CheckoutPage,
  forgetCheckouts,
  listIntents,
  listPayableSessions,
  openPlanCheckout,
  requestPlan,
} from '../../tests/support/factories/plan-checkouts.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { stripe, server, clerk } = product
afterEach(() => stripe.knob('account', { trial_total: 'zero' }))

/** Stripe's tests take the country from the address; the buyer's own currency would be dollars. */
const abroad = madeForEachTest(async () => {
  await forgetCheckouts(product)
  const email = `ada.${Math.random().toString(36).slice(2)}+location_US@tidemark.test`
  return signUp(clerk, { email })
})

const sessionOf = ({ sessionId }: CheckoutPage) => stripe.client.checkout.sessions.retrieve(sessionId)
const pageOf = async ({ url }: CheckoutPage) => (await fetch(url)).text()

describe('a buyer abroad sees the confirmed price in the chosen currency', () => {
  test('a buyer abroad sees the confirmed price of credits in the chosen currency', async () => {
    const opened = await server.ask(purchaseCredits, {
      token: abroad.token,
      body: { clerkUserId: abroad.user_id, credits: 500, amount: 7, currency: 'EUR' },
    })
    expect((await sessionOf(opened)).adaptive_pricing).toEqual({ enabled: false })
    const page = await pageOf(opened)
    expect(page).toContain('€7.00')
    expect(page).not.toContain('$')
  })

  test('a buyer abroad sees the confirmed price of a plan in the chosen currency', async () => {
    const opened = await openPlanCheckout(server, abroad, { currency: 'GBP' })
    expect((await sessionOf(opened)).adaptive_pricing).toEqual({ enabled: false })
    const page = await pageOf(opened)
    expect(page).toContain('£20.00')
    expect(page).not.toContain('$')
  })
})

describe('a trial', () => {
  test.each(['zero', 'first_period', 'unknown'])(
    'a page with a trial opens although Stripe first reports the total: %s',
    async (trial_total) => {
      await stripe.knob('account', { trial_total })
      const opened = await openPlanCheckout(server, abroad)
      expect(await listIntents(product)).toMatchObject([
        { id: opened.intentId, state: 'open', trial_days: 14, stripe_session_id: opened.sessionId },
      ])
      // The second click finds the page of the first.
      expect(await openPlanCheckout(server, abroad)).toEqual(opened)
    },
  )

  test('a page with a trial is withdrawn when the plan’s later price differs', async () => {
    const { catalogue } = server.deps
    const right = await catalogue.findPrice({ plan_type: 'pro', billing_frequency: 'monthly' })
    const dear = await stripe.client.prices.create({
      product: 'plan_pro',
      currency: 'eur',
      unit_amount: 2100,
      recurring: { interval: 'month' },
    })
    const fooled = await product.startServer({
      deps: { catalogue: { ...catalogue, findPrice: async () => ({ ...right, price_id: dear.id }) } },
    })
    expect(await requestPlan(fooled, abroad)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable' },
    })
    await fooled.close()
    expect(await listIntents(product)).toMatchObject([
      { state: 'failed', failure_reason: expect.stringContaining('"found":"21.00 EUR"') },
    ])
    expect(await listPayableSessions(product)).toEqual([])
  })
})
