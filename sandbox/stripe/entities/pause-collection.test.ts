import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { firstItem, newSubscriber, startClockwork, typesSince } from '../testing/billing.ts'

const day = 86_400

async function startPaused(pause_collection: Stripe.SubscriptionUpdateParams.PauseCollection) {
  const sandbox = await startClockwork()
  const { harness, stripe, plans } = sandbox
  const subscriber = await newSubscriber(harness, { items: [{ price: plans.pro_monthly.id }] })
  const { id } = subscriber.subscription
  const paused = await stripe.subscriptions.update(id, { pause_collection })
  const latest = async () => {
    const found = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
    return found.latest_invoice as Stripe.Invoice
  }
  return { ...sandbox, ...subscriber, id, paused, latest }
}

it('a pause that voids leaves the subscription active and nothing owed', async () => {
  const { harness, stripe, id, customer, paused, latest, advance } = await startPaused({ behavior: 'void' })
  expect(paused).toMatchObject({
    status: 'active',
    pause_collection: { behavior: 'void', resumes_at: null },
  })
  await stripe.customers.createBalanceTransaction(customer.id, { amount: -5000, currency: 'eur' })

  const types = await typesSince(harness, () => advance(31 * day + 60))

  expect(types).toEqual([
    'invoice.created',
    'customer.subscription.updated',
    'invoice.finalized',
    'invoice.voided',
  ])
  expect(await latest()).toMatchObject({ status: 'void', total: 2000, amount_paid: 0, attempted: false })
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: -5000 })
  expect((await stripe.charges.list()).data).toHaveLength(1)
})

it('a pause that marks leaves an invoice that can be paid later', async () => {
  const { harness, stripe, latest, advance } = await startPaused({ behavior: 'mark_uncollectible' })
  await advance(31 * day + 60)
  const invoice = await latest()
  expect(invoice).toMatchObject({
    status: 'uncollectible',
    status_details: { uncollectible: { reason: 'subscription_paused' } },
    amount_due: 2000,
    amount_paid: 0,
  })
  expect(await typesSince(harness, () => advance(20 * day))).toEqual([])
  expect(await stripe.invoices.pay(invoice.id ?? '')).toMatchObject({ status: 'paid', amount_paid: 2000 })
})

it('a pause that keeps drafts leaves one for each period, to be finalized later', async () => {
  const { stripe, id, latest, advance } = await startPaused({ behavior: 'keep_as_draft' })
  await advance(62 * day + 60)
  const drafts = (await stripe.invoices.list({ subscription: id, status: 'draft' })).data
  expect(drafts).toHaveLength(2)
  expect(await latest()).toMatchObject({ status: 'draft', auto_advance: false, ending_balance: null })
  expect(await stripe.subscriptions.retrieve(id)).toMatchObject({ status: 'active' })
  expect(await stripe.invoices.finalizeInvoice(drafts[1]?.id ?? '', { auto_advance: true })).toMatchObject({
    status: 'paid',
    amount_paid: 2000,
  })
})

it('a change is not collected during a pause either, and nothing is given back of what was voided', async () => {
  const { stripe, id, item, latest, advance, customer } = await startPaused({ behavior: 'void' })
  await advance(31 * day + 60)
  const renewed = await stripe.subscriptions.retrieve(id)
  await stripe.subscriptions.update(id, {
    items: [{ id: item.id, quantity: 2 }],
    proration_behavior: 'always_invoice',
  })
  expect(await latest()).toMatchObject({
    status: 'void',
    lines: { data: [{ description: expect.stringContaining('Remaining') }] },
  })
  expect(firstItem(renewed).quantity).toBe(1)
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ balance: 0 })
})
