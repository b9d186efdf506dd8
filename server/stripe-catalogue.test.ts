import { describe, expect, test } from 'vitest'
import { listPayableSessions, planBuyer } from '../tests/support/factories/plan-checkouts.ts'
import { offerTrial } from '../tests/support/factories/purchases.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, server, stripe } = product
const { intents, subscribe, subscribed, sessionOf } = planBuyer(product)

/** From now on Stripe has another price of the plan by the month. */
const sellAt = (plan: 'pro' | 'teams', unit_amount: number) =>
  stripe.client.prices.create({
    product: `plan_${plan}`,
    lookup_key: `${plan}_monthly`,
    transfer_lookup_key: true,
    currency: 'eur',
    unit_amount,
    currency_options: { usd: { unit_amount }, gbp: { unit_amount } },
    recurring: { interval: 'month' },
  })

describe('when the price at Stripe differs from the catalogue', () => {
  const breakPrice = (unit_amount: number) => sellAt('pro', unit_amount)
  const fresh = () => product.startServer()

  test('nothing is sold and the log says why, until the set-up has been run', async () => {
    await breakPrice(1)
    const other = await fresh()
    expect(await subscribe({}, other)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable', error: 'Failed to create checkout session' },
    })
    expect(await intents()).toEqual([])
    expect(JSON.stringify(other.logs)).toContain('it costs 1 in EUR, not 2000')
    await stripe.setUp()
    expect((await subscribe({}, other)).status).toBe(200)
    await other.close()
  })

  test('nothing is sold either when the price cannot be read', async () => {
    const other = await fresh()
    await stripe.knob('faults', { status: 500, path_prefix: '/v1/prices' })
    expect(await subscribe({}, other)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable' },
    })
    await other.close()
    expect(await intents()).toEqual([])
  })

  test('a session that reveals a wrong price is expired again', async () => {
    const { catalogue } = server.deps
    const right = await catalogue.findPrice({ plan_type: 'pro', billing_frequency: 'monthly' })
    const cheap = await breakPrice(1900)
    await offerTrial(database, 0)
    await using fooled = await product.startServer({
      deps: {
        catalogue: { ...catalogue, findPrice: async () => ({ ...right, price_id: cheap.id }) },
      },
    })
    expect(await subscribe({}, fooled)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable' },
    })
    await offerTrial(database, 14)
    expect(await intents()).toMatchObject([
      { state: 'failed', failure_reason: expect.stringContaining('"found":"19.00 EUR"') },
    ])
    expect(await listPayableSessions(product)).toEqual([])
    await stripe.setUp()
  })
})

test('a price change does not affect the terms of an open page', async () => {
  const first = await subscribed({ planType: 'teams', seats: 2 })
  await sellAt('teams', 9900)
  await stripe.knob(`sessions/${first.sessionId}/pay`)
  expect(await sessionOf(first)).toMatchObject({ amount_total: 6000, payment_status: 'paid' })
  expect(await intents()).toMatchObject([{ amount_minor: 6000, credits: 1000 }])
  await stripe.setUp()
})
