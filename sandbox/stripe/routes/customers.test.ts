import { expect, it } from 'vitest'
import { newSubscriptionCheckout, startSubscribed, typesSince } from '../testing/billing.ts'

it('a deleted customer leaves a stub, and their subscription ends', async () => {
  const { harness, stripe, customer, subscription } = await startSubscribed()

  const types = await typesSince(harness, async () => {
    expect(await stripe.customers.del(customer.id)).toEqual(
      expect.objectContaining({ id: customer.id, object: 'customer', deleted: true }),
    )
  })

  expect(types).toEqual(['customer.subscription.deleted', 'customer.deleted'])
  const found = await stripe.customers.retrieve(customer.id)
  expect(Object.keys(found)).toEqual(['id', 'object', 'deleted'])
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'canceled' })
  expect((await stripe.customers.list()).data).toEqual([])
})

it('nothing can be done with a deleted customer', async () => {
  const { harness, stripe, customer, plans } = await startSubscribed()
  const open = await newSubscriptionCheckout(harness, plans.pro_monthly.id, { customer: customer.id })
  const page = String(open.url)
  await stripe.customers.del(customer.id)
  const items = [{ price: plans.pro_monthly.id }]
  const named = { customer: customer.id }
  const calls = [
    () => stripe.subscriptions.create({ ...named, items }),
    () => newSubscriptionCheckout(harness, plans.pro_monthly.id, named),
    () => stripe.paymentMethods.attach('pm_card_visa', named),
    () => stripe.billingPortal.sessions.create(named),
    () => stripe.invoices.create(named),
    () => stripe.invoiceItems.create({ ...named, amount: 5, currency: 'eur' }),
  ]
  for (const call of calls) {
    await expect(call()).rejects.toMatchObject({
      code: 'resource_missing',
      message: `No such customer: '${customer.id}'`,
      param: 'customer',
      statusCode: 400,
    })
  }
  const by_path = [
    () => stripe.customers.update(customer.id, { name: 'Ada' }),
    () => stripe.customers.del(customer.id),
    () => stripe.customers.createBalanceTransaction(customer.id, { amount: 1, currency: 'eur' }),
  ]
  for (const call of by_path) {
    await expect(call()).rejects.toMatchObject({ code: 'resource_missing', statusCode: 404 })
  }
  expect((await harness.pay(open.id)).status).toBe(400)
  expect((await fetch(page)).status).toBe(404)
})

it('a customer has subscriptions in one currency at a time, and single payments in any', async () => {
  const { harness, stripe, customer, subscription, plans } = await startSubscribed()
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ currency: 'eur' })
  const dollars = { customer: customer.id, currency: 'usd' }
  const refused = {
    statusCode: 400,
    message:
      'You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, or invoice item with currency eur.',
  }
  const items = [{ price: plans.pro_monthly.id }]
  await expect(stripe.subscriptions.create({ ...dollars, items })).rejects.toMatchObject(refused)
  await expect(newSubscriptionCheckout(harness, plans.pro_monthly.id, dollars)).rejects.toMatchObject(refused)

  const credits = await stripe.checkout.sessions.create({
    mode: 'payment',
    customer: customer.id,
    line_items: [
      { quantity: 1, price_data: { currency: 'usd', unit_amount: 700, product_data: { name: 'Credits' } } },
    ],
    invoice_creation: { enabled: true },
    success_url: 'http://shop.test/done',
  })
  expect((await harness.pay(credits.id)).status).toBe(200)
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ currency: 'eur' })

  await stripe.subscriptions.cancel(subscription.id)
  expect(await stripe.subscriptions.create({ ...dollars, items })).toMatchObject({ currency: 'usd' })
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ currency: 'usd' })
})

it('a page that was opened before the customer had a subscription in another currency cannot be paid', async () => {
  const { harness, stripe, customer, subscription, plans } = await startSubscribed()
  await stripe.subscriptions.cancel(subscription.id)
  const open = await newSubscriptionCheckout(harness, plans.pro_monthly.id, {
    customer: customer.id,
    currency: 'usd',
  })
  await stripe.subscriptions.create({ customer: customer.id, items: [{ price: plans.pro_monthly.id }] })
  expect((await harness.pay(open.id)).status).toBe(400)
  expect((await stripe.subscriptions.list({ customer: customer.id })).data).toHaveLength(1)
})
