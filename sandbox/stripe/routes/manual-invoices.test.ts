import { expect, it } from 'vitest'
import { startSubscribed, typesSince } from '../testing/billing.ts'

/** An amount that waits for the customer's next invoice. */
async function startPending(amount = 700) {
  const subscribed = await startSubscribed()
  const item = await subscribed.stripe.invoiceItems.create({
    customer: subscribed.customer.id,
    amount,
    currency: 'eur',
    description: 'Set-up',
    metadata: { by: 'hand' },
  })
  return { ...subscribed, pending: item }
}

it('an invoice that stands alone is finalized and paid by calls', async () => {
  const { harness, stripe, customer, pending } = await startPending()
  expect(await stripe.invoices.create({ customer: customer.id })).toMatchObject({
    total: 0,
    lines: { data: [] },
  })

  const draft = await stripe.invoices.create({
    customer: customer.id,
    pending_invoice_items_behavior: 'include',
    metadata: { order: '1' },
  })
  expect(draft).toMatchObject({
    auto_advance: false,
    billing_reason: 'manual',
    metadata: { order: '1' },
    parent: null,
    status: 'draft',
    total: 700,
    lines: { data: [{ parent: { invoice_item_details: { invoice_item: pending.id } } }] },
  })
  const added = await stripe.invoiceItems.create({
    customer: customer.id,
    amount: 50,
    currency: 'eur',
    invoice: draft.id,
  })
  expect(added.invoice).toBe(draft.id)
  expect(await stripe.invoices.finalizeInvoice(draft.id ?? '')).toMatchObject({
    status: 'open',
    amount_due: 750,
  })

  const types = await typesSince(harness, () => stripe.invoices.pay(draft.id ?? ''))

  expect(types).toEqual([
    'invoice.paid',
    'invoice.payment_succeeded',
    'invoice_payment.paid',
    'payment_intent.succeeded',
    'charge.succeeded',
  ])
  expect(await stripe.invoices.retrieve(draft.id ?? '')).toMatchObject({ status: 'paid', amount_paid: 750 })
})

it('an invoice is finalized by paying it, and collected where it shall advance', async () => {
  const { stripe, customer } = await startSubscribed()
  const draftOf = async (amount: number) => {
    const { id } = await stripe.invoices.create({ customer: customer.id })
    await stripe.invoiceItems.create({ customer: customer.id, amount, currency: 'eur', invoice: id })
    return id ?? ''
  }
  expect(await stripe.invoices.pay(await draftOf(900))).toMatchObject({ status: 'paid', amount_paid: 900 })
  expect(await stripe.invoices.finalizeInvoice(await draftOf(800), { auto_advance: true })).toMatchObject({
    status: 'paid',
    amount_paid: 800,
  })
})

it('an amount that waits for an invoice can be taken back', async () => {
  const { harness, stripe, pending } = await startPending()
  expect(await stripe.invoiceItems.del(pending.id)).toMatchObject({ deleted: true })
  expect((await stripe.invoiceItems.list({ pending: true })).data).toEqual([])
  expect((await harness.eventTypes()).at(-1)).toBe('invoiceitem.deleted')
})

// https://docs.stripe.com/rate-limits
it('the eleventh new invoice of a subscription in a minute is refused, and taken a minute later', async () => {
  const { harness, stripe, subscription, item } = await startSubscribed({
    plan: 'teams_monthly',
    quantity: 20,
  })
  const reduce = (quantity: number) =>
    stripe.subscriptions.update(
      subscription.id,
      { items: [{ id: item.id, quantity }], proration_behavior: 'always_invoice' },
      { maxNetworkRetries: 0 },
    )
  for (let quantity = 19; quantity > 10; quantity -= 1) await reduce(quantity)
  await expect(reduce(10)).rejects.toMatchObject({
    statusCode: 429,
    code: 'rate_limit',
    headers: { 'stripe-rate-limited-reason': 'resource-specific' },
  })
  await harness.knob('clock/advance', { seconds: 61 })
  expect((await reduce(10)).items.data[0]?.quantity).toBe(10)
})
