import { expect, it } from 'vitest'
import { startClockwork, subscribe, typesSince } from '../testing/billing.ts'

const day = 86_400

/** A subscription whose renewal failed four times: canceled, with an open invoice. */
async function startGivenUp() {
  const sandbox = await startClockwork()
  const { stripe, advance } = sandbox
  const { id } = await subscribe(sandbox, '4000000000000341')
  await advance(31 * day + 60)
  await advance(16 * day)
  const subscription = await stripe.subscriptions.retrieve(id)
  expect(subscription).toMatchObject({
    status: 'canceled',
    cancellation_details: { reason: 'payment_failed' },
  })
  const invoice = String(subscription.latest_invoice)
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({ status: 'open', auto_advance: false })
  return { ...sandbox, subscription, customer: String(subscription.customer), invoice }
}

const paid_late = [
  'invoice.paid',
  'invoice.payment_succeeded',
  'invoice_payment.paid',
  'payment_intent.succeeded',
  'charge.succeeded',
]

it('the invoice of a subscription that was given up is paid with another card', async () => {
  const { harness, stripe, subscription, customer, invoice } = await startGivenUp()
  await expect(stripe.invoices.pay(invoice)).rejects.toMatchObject({ code: 'card_declined' })
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer })

  const types = await typesSince(harness, () => stripe.invoices.pay(invoice, { payment_method: good.id }))

  expect(types).toEqual(paid_late)
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', amount_paid: 2000 })
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: 'canceled' })
  await expect(stripe.invoices.pay(invoice)).rejects.toThrow('already paid')
})
