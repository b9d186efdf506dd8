import { describe, expect, test } from 'vitest'
import { cataloguePrices } from '../../schema/vendors/stripe/catalogue.ts'
import { type CheckoutPage, planBuyer } from '../../tests/support/factories/plan-checkouts.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, server, stripe } = product
const { ada, intents, subscribe, subscribed, sessionOf } = planBuyer(product)

describe('a plan', () => {
  test('a plan is recorded with its terms, and Stripe’s page says the same', async () => {
    const answer = await subscribed({ billingFrequency: 'yearly', currency: 'GBP', priceId: 'pro_yearly' })
    const [intent] = await intents()
    expect(intent).toMatchObject({
      id: answer.intentId,
      kind: 'subscription',
      state: 'open',
      user_id: ada.user_id,
      owner_id: ada.user_id,
      plan_type: 'pro',
      billing_frequency: 'yearly',
      currency: 'GBP',
      seats: 1,
      credits_per_seat: 500,
      credits: 500,
      amount_minor: 19_200,
      trial_days: 14,
      stripe_session_id: answer.sessionId,
    })
    const session = await sessionOf(answer)
    expect(session).toMatchObject({
      url: answer.url,
      mode: 'subscription',
      currency: 'gbp',
      client_reference_id: answer.intentId,
      metadata: {
        intentId: answer.intentId,
        planType: 'pro',
        billingFrequency: 'yearly',
        currency: 'GBP',
        seats: '1',
        priceId: 'pro_yearly',
        credits: '500',
      },
      customer: intent?.stripe_customer_id,
      success_url: 'http://localhost:3000/payment/success?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/payment/cancelled',
    })
    expect(session.line_items?.data[0]?.price?.lookup_key).toBe('pro_yearly')
  })

  test('a plan becomes a subscription that carries the same metadata and trial when it is bought', async () => {
    const answer = await subscribed()
    await stripe.knob(`sessions/${answer.sessionId}/pay`)
    const session = await sessionOf(answer)
    const subscription = await stripe.client.subscriptions.retrieve(String(session.subscription))
    expect(subscription.metadata).toEqual(session.metadata)
    expect(subscription.status).toBe('trialing')
    expect((subscription.trial_end ?? 0) - (subscription.trial_start ?? 0)).toBe(14 * 86_400)
  })

  test.each(
    cataloguePrices.flatMap((price) =>
      (['EUR', 'USD', 'GBP'] as const).map((currency) => [price.lookup_key, currency, price] as const),
    ),
  )('the plan %s in %s costs the catalogue’s price', async (_, currency, price) => {
    const seats = price.plan_type === 'teams' ? 3 : 1
    const answer = await subscribed({
      planType: price.plan_type,
      billingFrequency: price.billing_frequency,
      currency,
      seats,
    })
    const [intent] = await intents()
    expect(intent).toMatchObject({ amount_minor: price.amount_minor * seats, currency })
    const session = await sessionOf(answer)
    expect(session.currency).toBe(currency.toLowerCase())
    expect(session.line_items?.data[0]).toMatchObject({ quantity: seats })
    // A trial asks for nothing now.
    expect(session.amount_total).toBe(price.plan_type === 'pro' ? 0 : price.amount_minor * seats)
  })

  test('a plan for a team is for an organization that is created when it is paid, with a customer of its own', async () => {
    const pro = await subscribed()
    const team = await subscribed({ planType: 'teams', seats: 100 })
    const customers = (await intents()).map((intent) => intent.stripe_customer_id)
    expect(await intents()).toMatchObject([
      { id: pro.intentId, state: 'expired' },
      {
        id: team.intentId,
        owner_id: null,
        seats: 100,
        credits: 50_000,
        trial_days: 0,
      },
    ])
    expect(new Set(customers).size).toBe(2)
    const kept = await database.rows('stripe_customers', { owner_id: ada.user_id }, ['customer_id'])
    expect(kept).toEqual([{ customer_id: customers[0] }])
  })

  test('a plan may be named by the Stripe id of its price', async () => {
    const { price_id } = await server.deps.catalogue.findPrice({
      plan_type: 'pro',
      billing_frequency: 'monthly',
    })
    expect((await subscribe({ priceId: price_id })).status).toBe(200)
  })
})

describe('an invalid request is refused and writes no row', () => {
  test.each([0, 101, -1, 1.5, '5', null, 1e9, [5]])(
    'a request with %j seats is refused and writes no row',
    async (seats) => {
      const { status, body } = await subscribe({ planType: 'teams', seats })
      const text = 'Seats must be a whole number from 1 to 100'
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: text, fields: [{ path: 'seats', message: text }] })
      expect(await intents()).toEqual([])
    },
  )

  test('a request with two seats of Pro is refused and writes no row', async () => {
    const { status, body } = await subscribe({ seats: 2 })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'The Pro plan has one seat', fields: [{ path: 'seats' }] })
    expect(await intents()).toEqual([])
  })

  test.each(['pro_yearly', 'teams_monthly', 'price_of_another_account', 'pro_monthly_eur'])(
    'a request with the price %s for Pro by the month is refused and writes no row',
    async (priceId) => {
      const { status, body } = await subscribe({ priceId })
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'price_mismatch', fields: [{ path: 'priceId' }] })
      expect(await intents()).toEqual([])
    },
  )
})

describe('a trial', () => {
  const trialOf = async (answer: CheckoutPage) =>
    (await intents()).find(({ id }) => id === answer.intentId)?.trial_days

  test('a trial is not for buyers who bought for an organization before', async () => {
    await buildSubscription(database, {
      owner_id: 'org_before',
      user_id: await buildUser(database.owner, ada.user_id),
    })
    expect(await trialOf(await subscribed())).toBe(0)
  })

  test('a trial that was abandoned at the payment page can still be had', async () => {
    const first = await subscribed()
    await stripe.client.checkout.sessions.expire(first.sessionId)
    expect(await trialOf(await subscribed())).toBe(14)
  })
})
