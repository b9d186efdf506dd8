import { expect, it } from 'vitest'
import { firstItem, newPlans, newSubscriber, startSubscribed, typesSince } from '../testing/billing.ts'
import { startHarness } from '../testing/sandbox.ts'

it('a card that is refused leaves the subscription past due, or refuses the change where that is asked for', async () => {
  const { stripe, customer, subscription, item } = await startSubscribed({
    plan: 'teams_monthly',
    quantity: 5,
  })
  const failing = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: failing.id } })
  const change = {
    items: [{ id: item.id, quantity: 7 }],
    proration_behavior: 'always_invoice' as const,
  }

  await expect(
    stripe.subscriptions.update(subscription.id, { ...change, payment_behavior: 'error_if_incomplete' }),
  ).rejects.toMatchObject({ type: 'StripeCardError', statusCode: 402, code: 'card_declined' })
  expect(firstItem(await stripe.subscriptions.retrieve(subscription.id)).quantity).toBe(5)

  const after = await stripe.subscriptions.update(subscription.id, change)
  expect(after.status).toBe('past_due')
  expect(firstItem(after).quantity).toBe(7)

  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: String(after.customer) })
  await stripe.invoices.pay(String(after.latest_invoice), { payment_method: good.id })
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' })
})

it('a subscription whose first payment fails is incomplete until it is paid, or expires', async () => {
  const harness = await startHarness()
  const { stripe } = harness
  const plans = await newPlans(harness)
  const items = [{ price: plans.pro_monthly.id }]
  const { subscription, customer } = await newSubscriber(harness, { card: 'pm_card_chargeDeclined', items })
  expect(subscription.status).toBe('incomplete')
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer: customer.id })
  await stripe.invoices.pay(String(subscription.latest_invoice), { payment_method: good.id })
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'active' })

  const left = await newSubscriber(harness, { card: 'pm_card_chargeDeclined', items })
  await harness.knob('clock/advance', { seconds: 23 * 3600 + 1 })
  expect(await stripe.subscriptions.retrieve(left.subscription.id)).toMatchObject({
    status: 'incomplete_expired',
  })
  expect(await stripe.invoices.retrieve(String(left.subscription.latest_invoice))).toMatchObject({
    status: 'void',
  })
})

it('cancel now ends it for good', async () => {
  const { harness, stripe, subscription } = await startSubscribed()
  const types = await typesSince(harness, () => stripe.subscriptions.cancel(subscription.id))
  expect(types).toEqual(['customer.subscription.deleted'])
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
    status: 'canceled',
    ended_at: expect.any(Number),
    cancellation_details: { reason: 'cancellation_requested' },
  })
  await expect(stripe.subscriptions.cancel(subscription.id)).rejects.toMatchObject({ statusCode: 404 })
  await expect(stripe.subscriptions.update(subscription.id, { metadata: {} })).rejects.toThrow('canceled')
})

it('cancel now removes pending prorations', async () => {
  const { stripe, subscription, item, customer } = await startSubscribed()
  await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, quantity: 3 }],
    proration_behavior: 'create_prorations',
  })
  const pending = async () => (await stripe.invoiceItems.list({ customer: customer.id, pending: true })).data
  expect(await pending()).toHaveLength(2)
  await stripe.subscriptions.cancel(subscription.id)
  expect(await pending()).toEqual([])
})

it('an item shows its price as it is now', async () => {
  const { stripe, plans, current } = await startSubscribed()
  await stripe.prices.create({
    product: plans.pro.id,
    currency: 'eur',
    unit_amount: 2500,
    recurring: { interval: 'month' },
    lookup_key: 'pro_month',
    transfer_lookup_key: true,
  })
  expect(firstItem(await current()).price).toMatchObject({ id: plans.pro_monthly.id, lookup_key: null })
})
