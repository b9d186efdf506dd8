import { expect, it } from 'vitest'
import { newSubscriber, startClockwork, subscribe, typesSince } from '../testing/billing.ts'

const hour = 3600
const day = 24 * hour

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
