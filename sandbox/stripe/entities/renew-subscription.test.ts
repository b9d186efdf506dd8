import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import {
  collectedTypes,
  firstItem,
  newSubscriber,
  startClockwork,
  subscribe,
  typesSince,
} from '../testing/billing.ts'

const hour = 3600
const day = 24 * hour

it('a month later the subscription is renewed and paid', async () => {
  const sandbox = await startClockwork()
  const { harness, stripe, advance } = sandbox
  const { id, items } = await subscribe(sandbox)
  const { current_period_end, current_period_start } = items.data[0] as Stripe.SubscriptionItem

  const types = await typesSince(harness, () => advance(31 * day + hour + 60))

  expect(types).toEqual(['invoice.created', 'customer.subscription.updated', ...collectedTypes])
  const renewed = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  expect(renewed.status).toBe('active')
  expect(firstItem(renewed).current_period_start).toBe(current_period_end)
  expect(renewed.latest_invoice).toMatchObject({
    billing_reason: 'subscription_cycle',
    created: current_period_end,
    status: 'paid',
    total: 2000,
    // The invoice's own period is the past one; the paid period is in the line.
    period_start: current_period_start,
    period_end: current_period_end,
    lines: { data: [{ period: { start: current_period_end, end: firstItem(renewed).current_period_end } }] },
  })
})

it('changes that waited for an invoice are on the renewal', async () => {
  const { harness, stripe, plans, advance } = await startClockwork()
  const { subscription, item } = await newSubscriber(harness, {
    items: [{ price: plans.teams_monthly.id, quantity: 5 }],
  })
  const middle = (item.current_period_start + item.current_period_end) / 2
  await stripe.subscriptions.update(subscription.id, {
    items: [{ id: item.id, quantity: 3 }],
    proration_date: middle,
  })
  await advance(31 * day + hour + 60)
  const [invoice] = (await stripe.invoices.list({ subscription: subscription.id })).data
  expect(invoice?.lines.data.map(({ amount }) => amount)).toEqual([-7500, 4500, 9000])
  expect(invoice).toMatchObject({ total: 6000, amount_paid: 6000 })
  expect((await stripe.invoiceItems.list({ pending: true })).data).toEqual([])
})

it('a trial is announced three days before its end, and then charged', async () => {
  const sandbox = await startClockwork()
  const { harness, stripe, advance } = sandbox
  const { id, trial_end } = await subscribe(sandbox, '4242424242424242', {
    subscription_data: { trial_period_days: 14 },
  })
  expect(await typesSince(harness, () => advance(11 * day + 60))).toEqual([
    'customer.subscription.trial_will_end',
  ])
  expect(await typesSince(harness, () => advance(day))).toEqual([])
  expect(await typesSince(harness, () => advance(2 * day + hour))).toContain('invoice.paid')
  const active = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
  expect(active).toMatchObject({
    status: 'active',
    latest_invoice: { billing_reason: 'subscription_cycle', amount_paid: 2000, created: trial_end },
  })
  const [event] = (await stripe.events.list({ type: 'customer.subscription.updated' })).data
  expect(event?.data.previous_attributes).toMatchObject({ status: 'trialing' })
})

it('a subscription to be canceled at the end of its period is, and not renewed', async () => {
  const sandbox = await startClockwork()
  const { harness, stripe, advance } = sandbox
  const { id, items } = await subscribe(sandbox)
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  expect(await typesSince(harness, () => advance(40 * day))).toEqual(['customer.subscription.deleted'])
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({
    status: 'canceled',
    ended_at: items.data[0]?.current_period_end,
  })
})
