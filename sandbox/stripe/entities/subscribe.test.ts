import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { collectedTypes, newPlans, newSubscriptionCheckout } from '../testing/billing.ts'
import { goodCard, startHarness } from '../testing/sandbox.ts'

async function start() {
  const harness = await startHarness()
  return { harness, stripe: harness.stripe, plans: await newPlans(harness) }
}

it('a paid checkout leaves a subscription, its first invoice, a payment and their events in order', async () => {
  const { harness, stripe, plans } = await start()
  const before = (await harness.eventTypes()).length
  const session = await newSubscriptionCheckout(harness, plans.teams_monthly.id, {
    line_items: [{ price: plans.teams_monthly.id, quantity: 5 }],
    client_reference_id: 'intent_1',
    customer_email: 'ada@example.com',
    subscription_data: { metadata: { intent: 'intent_1' } },
  })
  expect(session).toMatchObject({
    mode: 'subscription',
    amount_total: 15_000,
    payment_status: 'unpaid',
    subscription: null,
    invoice: null,
    payment_method_collection: 'always',
  })

  const answer = await harness.submit(session.id, goodCard)

  expect(answer.headers.get('location')).toBe(`http://shop.test/success?session_id=${session.id}`)
  const paid = await stripe.checkout.sessions.retrieve(session.id, {
    expand: ['subscription.default_payment_method', 'invoice.payments.data.payment.payment_intent'],
  })
  const subscription = paid.subscription as Stripe.Subscription
  const invoice = paid.invoice as Stripe.Invoice
  expect(paid).toMatchObject({ status: 'complete', payment_status: 'paid', payment_intent: null })
  expect(subscription).toMatchObject({
    status: 'active',
    currency: 'eur',
    customer: paid.customer,
    metadata: { intent: 'intent_1' },
    latest_invoice: invoice.id,
    default_payment_method: { card: { last4: '4242' }, customer: paid.customer },
  })
  expect(subscription.items.data).toMatchObject([
    { quantity: 5, price: { id: plans.teams_monthly.id, lookup_key: 'teams_month' } },
  ])
  expect(invoice).toMatchObject({
    status: 'paid',
    billing_reason: 'subscription_create',
    amount_due: 15_000,
    amount_paid: 15_000,
    amount_remaining: 0,
    parent: {
      subscription_details: { subscription: subscription.id, metadata: { intent: 'intent_1' } },
    },
    payments: {
      data: [{ status: 'paid', payment: { payment_intent: { status: 'succeeded', amount: 15_000 } } }],
    },
  })
  expect(invoice.lines.data).toMatchObject([
    {
      amount: 15_000,
      quantity: 5,
      description: '5 × Teams (at €30.00 / month)',
      pricing: { price_details: { price: plans.teams_monthly.id, product: plans.teams.id } },
      parent: {
        subscription_item_details: {
          subscription: subscription.id,
          subscription_item: subscription.items.data[0]?.id,
          proration: false,
        },
      },
      period: {
        start: subscription.items.data[0]?.current_period_start,
        end: subscription.items.data[0]?.current_period_end,
      },
    },
  ])
  expect((await harness.eventTypes()).slice(before)).toEqual([
    'customer.created',
    'payment_method.attached',
    'customer.updated',
    'customer.subscription.created',
    'invoice.created',
    ...collectedTypes,
    'checkout.session.completed',
  ])
})

it('a trial starts without money and ends in an invoice for the first period', async () => {
  const { harness, stripe, plans } = await start()
  const session = await newSubscriptionCheckout(harness, plans.pro_monthly.id, {
    subscription_data: { trial_period_days: 14 },
  })
  expect(session).toMatchObject({ amount_total: 0 })
  const page = await (await fetch(session.url ?? '')).text()
  for (const text of ['Subscribe to Pro', '14 days free', 'then €20.00 per month', 'Start trial']) {
    expect(page).toContain(text)
  }

  await harness.submit(session.id, goodCard)

  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription', 'invoice'] })
  const subscription = paid.subscription as Stripe.Subscription
  expect(paid).toMatchObject({ payment_status: 'no_payment_required', amount_total: 0 })
  expect(paid.invoice).toMatchObject({ status: 'paid', amount_due: 0, billing_reason: 'subscription_create' })
  expect(subscription).toMatchObject({
    status: 'trialing',
    trial_end: subscription.created + 14 * 86_400,
    billing_cycle_anchor: subscription.created + 14 * 86_400,
  })
  expect(subscription.items.data[0]).toMatchObject({ current_period_end: subscription.trial_end })
  expect((await stripe.charges.list()).data).toEqual([])
})

it('a trial that may go without a card asks for none', async () => {
  const { harness, stripe, plans } = await start()
  const session = await newSubscriptionCheckout(harness, plans.pro_monthly.id, {
    payment_method_collection: 'if_required',
    subscription_data: { trial_period_days: 7 },
  })
  expect(await (await fetch(session.url ?? '')).text()).not.toContain('Card number')
  await harness.submit(session.id, { email: 'ada@example.com' })
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] })
  expect(paid.subscription).toMatchObject({ status: 'trialing', default_payment_method: null })
})

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

it('a first payment that the bank refuses later leaves a complete session that never is paid', async () => {
  const { harness, stripe, plans } = await start()
  const { id } = await newSubscriptionCheckout(harness, plans.pro_monthly.id)
  const { body } = await harness.pay(id, { card: '4000000000000341', fails_later: true })
  expect(body).toMatchObject({
    outcome: 'processing',
    session: { status: 'complete', payment_status: 'unpaid' },
  })
  const { subscription } = await stripe.checkout.sessions.retrieve(id)
  expect(await stripe.subscriptions.retrieve(String(subscription))).toMatchObject({ status: 'incomplete' })
  await harness.knob('clock/advance', { seconds: 23 * 3600 + 1 })
  expect(await stripe.subscriptions.retrieve(String(subscription))).toMatchObject({
    status: 'incomplete_expired',
  })
})
