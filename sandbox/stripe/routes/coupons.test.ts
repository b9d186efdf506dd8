import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import {
  firstItem,
  middleOf,
  newSubscriber,
  startClockwork,
  startSubscribed,
  typesSince,
} from '../testing/billing.ts'

const day = 86_400

/** A sandbox with a subscriber whose subscription begins with a coupon. */
async function startDiscounted(
  coupon: Stripe.CouponCreateParams,
  { quantity = 1, plan = 'pro_monthly' as 'pro_monthly' | 'teams_monthly' } = {},
) {
  const sandbox = await startClockwork()
  const { harness, stripe, plans } = sandbox
  const { id } = await stripe.coupons.create(coupon)
  const subscriber = await newSubscriber(harness, {
    items: [{ price: plans[plan].id, quantity }],
    discounts: [{ coupon: id }],
  })
  const invoices = async () =>
    (await stripe.invoices.list({ subscription: subscriber.subscription.id })).data.reverse()
  return { ...sandbox, ...subscriber, coupon: id, invoices }
}

it('a coupon for ever takes its share off every invoice', async () => {
  const { stripe, subscription, advance, invoices, coupon } = await startDiscounted({
    percent_off: 12.5,
    duration: 'forever',
  })
  await advance(31 * day + 60)
  const found = await stripe.subscriptions.retrieve(subscription.id, {
    expand: ['discounts.source.coupon'],
  })
  expect(found.discounts).toMatchObject([
    {
      object: 'discount',
      customer: subscription.customer,
      end: null,
      source: { coupon: { id: coupon, percent_off: 12.5, times_redeemed: 1, valid: true }, type: 'coupon' },
      subscription: subscription.id,
    },
  ])
  const [discount] = subscription.discounts
  for (const invoice of await invoices()) {
    expect(invoice).toMatchObject({
      status: 'paid',
      discounts: [discount],
      subtotal: 2000,
      total: 1750,
      amount_paid: 1750,
      total_discount_amounts: [{ amount: 250, discount }],
      lines: {
        data: [
          { amount: 2000, subtotal: 2000, discountable: true, discount_amounts: [{ amount: 250, discount }] },
        ],
      },
    })
  }
  expect(await invoices()).toHaveLength(2)
})

it('a coupon for once counts on the first invoice, one for months as long as they last', async () => {
  const once = await startDiscounted({ percent_off: 25, duration: 'once' })
  await once.advance(31 * day + 60)
  expect((await once.invoices()).map(({ total }) => total)).toEqual([1500, 2000])
  expect((await once.stripe.subscriptions.retrieve(once.subscription.id)).discounts).toEqual([])

  const repeating = await startDiscounted({ percent_off: 50, duration: 'repeating', duration_in_months: 2 })
  await repeating.advance(93 * day + 60)
  expect((await repeating.invoices()).map(({ total }) => total)).toEqual([1000, 1000, 2000, 2000])
  expect(await repeating.harness.eventTypes()).toContain('customer.discount.deleted')
})

it('a coupon of all makes a paid invoice of nothing, without a charge', async () => {
  const { harness, stripe, subscription } = await startDiscounted({ percent_off: 100, duration: 'forever' })
  const paid = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice.payments'] })
  expect(paid).toMatchObject({
    status: 'active',
    latest_invoice: {
      status: 'paid',
      subtotal: 2000,
      total: 0,
      amount_due: 0,
      amount_paid: 0,
      payments: { data: [] },
    },
  })
  expect((await stripe.charges.list()).data).toEqual([])
  expect(await harness.eventTypes()).toContain('invoice.paid')
})

it('several coupons apply one after the other', async () => {
  const { harness, stripe, plans } = await startClockwork()
  await stripe.coupons.create({ id: 'HALF', percent_off: 50 })
  await stripe.coupons.create({ id: 'TENTH', percent_off: 10 })
  const { subscription } = await newSubscriber(harness, {
    items: [{ price: plans.pro_monthly.id }],
    discounts: [{ coupon: 'TENTH' }, { coupon: 'HALF' }],
  })
  const invoice = await stripe.invoices.retrieve(String(subscription.latest_invoice), {
    expand: ['total_discount_amounts.discount'],
  })
  expect(invoice).toMatchObject({
    total: 900,
    total_discount_amounts: [
      { amount: 200, discount: { source: { coupon: 'TENTH' } } },
      { amount: 900, discount: { source: { coupon: 'HALF' } } },
    ],
  })
})

it('discounts change with an update: added, kept, removed', async () => {
  const { harness, stripe, subscription, item } = await startSubscribed({
    plan: 'teams_monthly',
    quantity: 2,
  })
  await stripe.coupons.create({ id: 'HALF', percent_off: 50, duration: 'forever' })
  const types = await typesSince(harness, async () => {
    const halved = await stripe.subscriptions.update(subscription.id, { discounts: [{ coupon: 'HALF' }] })
    expect(halved.discounts).toHaveLength(1)
    const [discount] = halved.discounts as string[]
    const kept = await stripe.subscriptions.update(subscription.id, { discounts: [{ discount }] } as object)
    expect(kept.discounts).toEqual([discount])
  })
  expect(types).toEqual(['customer.subscription.updated', 'customer.discount.created'])

  // The credit equals the charge; the remaining time costs half.
  const more = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, quantity: 4 }],
    proration_behavior: 'always_invoice',
    proration_date: middleOf(item),
    expand: ['latest_invoice'],
  })
  const invoice = more.latest_invoice as Stripe.Invoice
  expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([-3000, 3000])
  expect(invoice).toMatchObject({ total: 0, total_discount_amounts: [{ amount: 0 }] })

  expect(await stripe.subscriptions.update(subscription.id, { discounts: '' })).toMatchObject({
    discounts: [],
  })
  expect((await harness.eventTypes()).at(-1)).toBe('customer.discount.deleted')
})

it('a preview shows a coupon and does not apply it', async () => {
  const { stripe, subscription } = await startSubscribed()
  await stripe.coupons.create({ id: 'HALF', percent_off: 50 })
  const discounts = [{ coupon: 'HALF' }]
  expect(await stripe.invoices.createPreview({ subscription: subscription.id, discounts })).toMatchObject({
    subtotal: 2000,
    total: 1000,
  })
  expect((await stripe.subscriptions.retrieve(subscription.id)).discounts).toEqual([])
})

it('seats that a coupon of all paid for give nothing back', async () => {
  const { stripe, subscription, item, customer } = await startDiscounted(
    { percent_off: 100, duration: 'once' },
    { plan: 'teams_monthly', quantity: 5 },
  )
  const fewer = await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, quantity: 2 }],
    proration_behavior: 'always_invoice',
    proration_date: middleOf(item),
    expand: ['latest_invoice'],
  })
  const invoice = fewer.latest_invoice as Stripe.Invoice
  expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([3000])
  expect(firstItem(fewer).quantity).toBe(2)
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: 0 })
})
