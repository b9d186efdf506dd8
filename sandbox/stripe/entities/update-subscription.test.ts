import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { firstItem, startClockwork, startSubscribed, subscribe, typesSince } from '../testing/billing.ts'

const hour = 3600
const day = 24 * hour

/** A trial of 14 days that a checkout began. */
async function startTrial() {
  const sandbox = await startClockwork()
  const subscription = await subscribe(sandbox, '4242424242424242', {
    subscription_data: { trial_period_days: 14 },
  })
  return { ...sandbox, subscription, current: () => sandbox.stripe.subscriptions.retrieve(subscription.id) }
}

it('a billing cycle anchor of now begins a new period and gives the old one back', async () => {
  const { harness, stripe, subscription, item } = await startSubscribed()
  await harness.knob('clock/advance', {
    seconds: Math.round((item.current_period_end - item.current_period_start) / 2),
  })

  const updated = await stripe.subscriptions.update(subscription.id, {
    billing_cycle_anchor: { type: 'now' },
    expand: ['latest_invoice'],
  })

  const after = firstItem(updated)
  expect(after.current_period_start).toBe(updated.billing_cycle_anchor)
  expect(after.current_period_end).toBeGreaterThan(item.current_period_end)
  const invoice = updated.latest_invoice as Stripe.Invoice
  expect(invoice).toMatchObject({ billing_reason: 'subscription_update', status: 'paid' })
  expect(invoice.lines.data).toMatchObject([
    {
      amount: expect.closeTo(-1000, -1),
      period: { start: after.current_period_start, end: item.current_period_end },
      parent: {
        subscription_item_details: {
          proration: true,
          proration_details: {
            credited_items: {
              invoice: String(subscription.latest_invoice),
              invoice_line_items: [expect.stringMatching(/^il_/)],
            },
          },
        },
      },
    },
    { amount: 2000, period: { start: after.current_period_start, end: after.current_period_end } },
  ])
})

it('a new period without prorations costs its full price', async () => {
  const { stripe, subscription } = await startSubscribed()
  const change = { billing_cycle_anchor: { type: 'now' }, proration_behavior: 'none' } as const
  expect(
    await stripe.subscriptions.update(subscription.id, { ...change, expand: ['latest_invoice'] }),
  ).toMatchObject({ latest_invoice: { total: 2000, status: 'paid' } })
})

it('a trial that is made longer has an invoice of nothing, and is charged at its new end', async () => {
  const { harness, stripe, subscription, current, advance } = await startTrial()
  await advance(12 * day)
  const trial_end = (subscription.trial_end ?? 0) + 10 * day

  const types = await typesSince(harness, () => stripe.subscriptions.update(subscription.id, { trial_end }))

  expect(types).toEqual([
    'customer.subscription.updated',
    'invoice.created',
    'invoice.finalized',
    'invoice.paid',
    'invoice.payment_succeeded',
  ])
  const longer = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  expect(longer).toMatchObject({
    status: 'trialing',
    billing_cycle_anchor: trial_end,
    trial_end,
    trial_start: subscription.trial_start,
    items: { data: [{ current_period_end: trial_end }] },
    latest_invoice: {
      billing_reason: 'subscription_update',
      total: 0,
      status: 'paid',
      lines: { data: [{ amount: 0, period: { end: trial_end } }] },
    },
  })
  await advance(4 * day)
  expect(await current()).toMatchObject({ status: 'trialing' })
  expect(await typesSince(harness, () => advance(5 * day))).toEqual(['customer.subscription.trial_will_end'])
  await advance(3 * day + hour + 60)
  const paid = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  expect(paid).toMatchObject({
    status: 'active',
    latest_invoice: { amount_paid: 2000, billing_reason: 'subscription_cycle', created: trial_end },
  })
})

it('a trial that begins in the middle of a paid period puts the rest of it into the balance', async () => {
  const { stripe, subscription, customer } = await startSubscribed()
  const trial_end = Math.floor(Date.now() / 1000) + 10 * day
  const trial = await stripe.subscriptions.update(subscription.id, { trial_end, expand: ['latest_invoice'] })
  expect(trial).toMatchObject({
    status: 'trialing',
    trial_end,
    latest_invoice: { status: 'paid', amount_due: 0 },
  })
  expect(trial.trial_start).toBe(firstItem(trial).current_period_start)
  const invoice = trial.latest_invoice as Stripe.Invoice
  expect(invoice.lines.data.map(({ amount }) => amount)).toEqual([expect.closeTo(-2000, -1), 0])
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: invoice.total })
})

it('the anchor of a trial cannot be reset before it ends', async () => {
  const { stripe, subscription } = await startTrial()
  const billing_cycle_anchor = { type: 'now' } as const
  await expect(stripe.subscriptions.update(subscription.id, { billing_cycle_anchor })).rejects.toMatchObject({
    code: 'subscription_update_trial_after_billing_cycle_anchor',
  })
  expect(
    await stripe.subscriptions.update(subscription.id, { billing_cycle_anchor, trial_end: 'now' }),
  ).toMatchObject({ status: 'active' })
})
