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
