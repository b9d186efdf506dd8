import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { firstItem, newPlans, newSubscriber } from '../testing/billing.ts'
import { startHarness } from '../testing/sandbox.ts'

/** Two seats of Teams (€30 each), and changes at a share of the period. */
async function startSeats() {
  const harness = await startHarness()
  const { stripe } = harness
  const plans = await newPlans(harness)
  const { subscription, item } = await newSubscriber(harness, {
    items: [{ price: plans.teams_monthly.id, quantity: 2 }],
  })
  const { current_period_start: start, current_period_end: end } = item
  const change = async (
    quantity: number,
    share: number,
    proration_behavior: Stripe.SubscriptionUpdateParams.ProrationBehavior = 'always_invoice',
  ) => {
    const updated = await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item.id, quantity }],
      proration_behavior,
      proration_date: start + (end - start) * share,
      expand: ['latest_invoice'],
    })
    return (updated.latest_invoice as Stripe.Invoice).lines.data
  }
  return { harness, stripe, plans, subscription, item, start, end, change }
}

const creditedBy = ({ parent }: Stripe.InvoiceLineItem) =>
  parent?.subscription_item_details?.proration_details?.credited_items?.invoice_line_items

it('time that was charged in several pieces is credited in as many', async () => {
  const { change, stripe, subscription, start, end } = await startSeats()
  const first = await stripe.invoices.retrieve(String(subscription.latest_invoice))
  const [, debit] = await change(4, 0.5)

  // From a quarter of the period on: the first half of it was charged for two seats, the second for four.
  const lines = await change(1, 0.25)

  expect(lines.map(({ amount }) => amount)).toEqual([-1500, -6000, 2250])
  expect(lines.map(({ period }) => period)).toEqual([
    { start: start + (end - start) / 4, end: start + (end - start) / 2 },
    { start: start + (end - start) / 2, end },
    { start: start + (end - start) / 4, end },
  ])
  expect(lines.slice(0, 2).map(creditedBy)).toEqual([[first.lines.data[0]?.id], [debit?.id]])
  expect(lines.slice(0, 2).map(({ quantity }) => quantity)).toEqual([2, 4])
})

it('a change that was not charged is not given back', async () => {
  const { change } = await startSeats()
  await change(10, 0, 'none')
  expect((await change(2, 0.5)).map(({ amount }) => amount)).toEqual([-3000, 3000])
})

it('a credit for an amount that still waits refers to the line that it becomes', async () => {
  const { harness, stripe, subscription, change } = await startSeats()
  await change(4, 0.5, 'create_prorations')
  await change(3, 0.75, 'create_prorations')
  const pending = (await stripe.invoiceItems.list({ pending: true })).data.reverse()
  expect(pending.map(({ amount }) => amount)).toEqual([-3000, 6000, -3000, 2250])
  expect(pending[2]?.proration_details?.credited_items).toEqual({
    type: 'invoice_item',
    invoice_item: pending[1]?.id,
  })

  await harness.knob(`subscriptions/${subscription.id}/renew`)

  const renewed = await stripe.subscriptions.retrieve(subscription.id, { expand: ['latest_invoice'] })
  const lines = (renewed.latest_invoice as Stripe.Invoice).lines.data
  expect(lines.map(({ amount }) => amount)).toEqual([-3000, 6000, -3000, 2250, 9000])
  expect(creditedBy(lines[2] as Stripe.InvoiceLineItem)).toEqual([lines[1]?.id])
  expect(firstItem(renewed).quantity).toBe(3)
})

it('a credit for unused time is not given twice', async () => {
  const { change, stripe, subscription } = await startSeats()
  await change(1, 0.5)
  await change(2, 0.5)
  await change(1, 0.5)
  const invoices = (await stripe.invoices.list({ subscription: subscription.id })).data
  expect(invoices.map(({ total }) => total)).toEqual([-1500, 1500, -1500, 6000])
})
