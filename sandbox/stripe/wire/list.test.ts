import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { startSubscribed } from '../testing/billing.ts'

/** A renewal of 13 lines: a credit and a debit for each of six seat changes, and the new period. */
async function startManyLines() {
  const subscribed = await startSubscribed({ plan: 'teams_monthly', quantity: 2 })
  const { harness, stripe, subscription, item } = subscribed
  for (const quantity of [3, 4, 5, 6, 7, 8]) {
    await stripe.subscriptions.update(subscription.id, {
      items: [{ id: item.id, quantity }],
      proration_date: item.current_period_start + quantity * 86_400,
    })
  }
  await harness.knob(`subscriptions/${subscription.id}/renew`)
  const { latest_invoice } = await stripe.subscriptions.retrieve(subscription.id, {
    expand: ['latest_invoice.lines'],
  })
  return { ...subscribed, invoice: latest_invoice as Stripe.Invoice }
}

it('an invoice shows its first ten lines, wherever it is shown', async () => {
  const { stripe, invoice } = await startManyLines()
  const id = invoice.id ?? ''
  const url = `/v1/invoices/${id}/lines`
  const [listed] = (await stripe.invoices.list()).data
  const [event] = (await stripe.events.list({ type: 'invoice.paid' })).data
  for (const shown of [invoice, await stripe.invoices.retrieve(id), listed, event?.data.object]) {
    const { lines } = shown as Stripe.Invoice
    expect(lines).toMatchObject({ object: 'list', has_more: true, url })
    expect(lines.data).toHaveLength(10)
  }
})

it('the other lines are fetched page by page, and all of them make up the total', async () => {
  const { stripe, invoice } = await startManyLines()
  const id = invoice.id ?? ''
  const rest = await stripe.invoices.listLineItems(id, { starting_after: invoice.lines.data[9]?.id ?? '' })
  expect(rest.has_more).toBe(false)
  expect(rest.data).toHaveLength(3)
  const all: Stripe.InvoiceLineItem[] = []
  for await (const line of stripe.invoices.listLineItems(id, { limit: 4 })) all.push(line)
  expect(all).toHaveLength(13)
  expect(all.map((line) => line.id)).toEqual([...invoice.lines.data, ...rest.data].map((line) => line.id))
  expect(all.reduce((sum, { amount }) => sum + amount, 0)).toBe(invoice.total)
  expect((await stripe.invoices.listLineItems(id, { limit: 100 })).data).toHaveLength(13)
  await expect(stripe.invoices.listLineItems(id, { starting_after: 'il_none' })).rejects.toThrow(
    'No such line item',
  )
})
