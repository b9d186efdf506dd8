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
    () => stripe.invoices.createPreview({ ...named, subscription_details: { items } }),
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
