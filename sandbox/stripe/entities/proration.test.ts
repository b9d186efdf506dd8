import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { collectedTypes, firstItem, middleOf, startSubscribed, typesSince } from '../testing/billing.ts'

it('more seats are billed at once for the rest of the period, to the second', async () => {
  const { harness, stripe, subscription, item } = await startSubscribed({
    plan: 'teams_monthly',
    quantity: 5,
  })

  const types = await typesSince(harness, () =>
    stripe.subscriptions.update(subscription.id, {
      items: [{ id: item.id, quantity: 7 }],
      proration_behavior: 'always_invoice',
      proration_date: middleOf(item),
    }),
  )

  expect(types).toEqual([
    'invoiceitem.created',
    'invoiceitem.created',
    'customer.subscription.updated',
    'invoice.created',
    ...collectedTypes,
  ])
  const after = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  const invoice = after.latest_invoice as Stripe.Invoice
  expect(firstItem(after)).toMatchObject({
    id: item.id,
    quantity: 7,
    current_period_end: item.current_period_end,
  })
  expect(invoice).toMatchObject({ billing_reason: 'subscription_update', total: 3000, status: 'paid' })
  expect(invoice.lines.data).toMatchObject([
    {
      amount: -7500,
      description: expect.stringMatching(/^Unused time on 5 × Teams after \d+ \w+ \d+$/),
      parent: {
        subscription_item_details: {
          proration: true,
          proration_details: { credited_items: { invoice: subscription.latest_invoice } },
        },
      },
      period: { start: middleOf(item), end: item.current_period_end },
    },
    { amount: 10_500, description: expect.stringMatching(/^Remaining time on 7 × Teams after/), quantity: 7 },
  ])
  const [event] = (await stripe.events.list({ type: 'customer.subscription.updated' })).data
  expect(event?.data.previous_attributes).toMatchObject({
    items: { data: [{ quantity: 5 }] },
    latest_invoice: subscription.latest_invoice,
  })
})

it('a change from month to year begins a new period, paid at once less the unused rest of the old one', async () => {
  const { stripe, subscription, item, plans } = await startSubscribed()
  const after = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, price: plans.pro_yearly.id }],
    proration_date: middleOf(item),
    expand: ['latest_invoice'],
  })
  const renewed = firstItem(after)
  expect(renewed.price).toMatchObject({ id: plans.pro_yearly.id })
  expect(after.billing_cycle_anchor).toBe(renewed.current_period_start)
  expect(renewed.current_period_end - renewed.current_period_start).toBeGreaterThanOrEqual(365 * 86_400)
  const invoice = after.latest_invoice as Stripe.Invoice
  expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-1000, 19_200])
  expect(invoice).toMatchObject({ billing_reason: 'subscription_update', amount_paid: 18_200 })
})

it('a preview shows what the update then charges, and leaves nothing behind', async () => {
  const { stripe, subscription, item, plans, harness } = await startSubscribed()
  const change = {
    items: [{ id: item.id, price: plans.teams_monthly.id, quantity: 4 }],
    proration_behavior: 'always_invoice' as const,
    proration_date: middleOf(item),
  }
  const before = await harness.eventTypes()

  const preview = await stripe.invoices.createPreview({
    subscription: subscription.id,
    subscription_details: change,
  })

  expect(await harness.eventTypes()).toEqual(before)
  expect(preview).toMatchObject({ total: 5000, amount_due: 5000, status: 'draft' })
  const after = await stripe.subscriptions.update(subscription.id, { ...change, expand: ['latest_invoice'] })
  expect(after.latest_invoice).toMatchObject({ total: preview.total, amount_paid: preview.amount_due })
})

it('fewer seats give a credit that the next invoice takes into account', async () => {
  const { stripe, subscription, item, customer } = await startSubscribed({
    plan: 'teams_monthly',
    quantity: 5,
  })
  await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, quantity: 1 }],
    proration_behavior: 'always_invoice',
    proration_date: middleOf(item),
  })
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -6000 })
  const preview = await stripe.invoices.createPreview({ subscription: subscription.id })
  expect(preview).toMatchObject({ total: 3000, starting_balance: -6000, amount_due: 0 })
})

it('a credit waits in its own currency while the customer has a plan in another', async () => {
  const { stripe, customer, subscription, plans } = await startSubscribed()
  await stripe.customers.createBalanceTransaction(customer.id, { amount: -6600, currency: 'eur' })
  await stripe.subscriptions.cancel(subscription.id)
  const dollars = await stripe.subscriptions.create({
    customer: customer.id,
    currency: 'usd',
    items: [{ price: plans.teams_monthly.id }],
  })
  expect(await stripe.invoices.createPreview({ subscription: dollars.id })).toMatchObject({
    starting_balance: 0,
    amount_due: 3300,
  })
  const found = await stripe.customers.retrieve(customer.id, { expand: ['invoice_credit_balance'] })
  expect(found).toMatchObject({ balance: 0, currency: 'usd', invoice_credit_balance: { eur: -6600, usd: 0 } })
})
