import type Stripe from 'stripe'
import { expect, it } from 'vitest'
import { startSubscribed, typesSince } from '../testing/billing.ts'

async function startWithCredit(amount: number) {
  const subscribed = await startSubscribed()
  const { harness, stripe, customer, subscription } = subscribed
  const transaction = await stripe.customers.createBalanceTransaction(customer.id, {
    amount,
    currency: 'eur',
    description: 'Goodwill',
    metadata: { ticket: '7' },
  })
  const renew = async () => {
    await harness.knob(`subscriptions/${subscription.id}/renew`)
    const renewed = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ['latest_invoice.payments'],
    })
    return renewed.latest_invoice as Stripe.Invoice
  }
  const balance = async () => ((await stripe.customers.retrieve(customer.id)) as Stripe.Customer).balance
  return { ...subscribed, transaction, renew, balance }
}

it('an invoice that a credit covers is paid without a charge', async () => {
  const { harness, stripe, renew, balance } = await startWithCredit(-5000)
  const charges = (await stripe.charges.list()).data.length

  const types = await typesSince(harness, async () => {
    expect(await renew()).toMatchObject({
      total: 2000,
      starting_balance: -5000,
      ending_balance: -3000,
      amount_due: 0,
      amount_paid: 0,
      status: 'paid',
      payments: { data: [] },
    })
  })

  expect(types).toEqual([
    'invoice.created',
    'customer.subscription.updated',
    'invoice.finalized',
    'customer.updated',
    'invoice.paid',
    'invoice.payment_succeeded',
  ])
  expect(await balance()).toBe(-3000)
  expect((await stripe.charges.list()).data).toHaveLength(charges)
})

it('a voided invoice gives back what the balance had paid of it', async () => {
  const { harness, stripe, subscription, balance } = await startWithCredit(-500)
  await harness.knob(`subscriptions/${subscription.id}/renew`, { payment: 'fails' })
  expect(await balance()).toBe(0)
  const { latest_invoice } = await stripe.subscriptions.retrieve(subscription.id)
  await stripe.invoices.voidInvoice(String(latest_invoice))
  expect(await balance()).toBe(-500)
})
