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

it('an open invoice is paid in parts, each with a payment and a charge of its own', async () => {
  const { harness, stripe, customer, invoice } = await startGivenUp()
  const pay = (amount: number) => harness.knob(`invoices/${invoice}/pay_part`, { amount })
  await pay(500)
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
    status: 'open',
    amount_paid: 500,
    amount_remaining: 1500,
  })
  const good = await stripe.paymentMethods.attach('pm_card_visa', { customer })
  const paid = await stripe.invoices.pay(invoice, { payment_method: good.id })
  expect(paid).toMatchObject({ status: 'paid', amount_paid: 2000, amount_remaining: 0 })
  const payments = await stripe.invoicePayments.list({ invoice, status: 'paid' })
  expect(payments.data.map(({ amount_paid }) => amount_paid).toSorted()).toEqual([1500, 500])
  const charges = await stripe.charges.list({ customer })
  expect(charges.data.filter(({ paid }) => paid).map(({ amount }) => amount)).toContain(1500)
})

it('an open invoice costs less after a credit note, whose total stays, and is paid when nothing is left', async () => {
  const { harness, stripe, invoice } = await startGivenUp()
  const forgive = (amount: number) => harness.knob(`invoices/${invoice}/credit_note`, { amount })
  await forgive(1500)
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({
    status: 'open',
    total: 2000,
    amount_due: 500,
    pre_payment_credit_notes_amount: 1500,
  })
  await forgive(500)
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', amount_paid: 0 })
})

it('an open invoice that is paid out of band has no charge', async () => {
  const { harness, stripe, invoice } = await startGivenUp()
  const types = await typesSince(harness, () => stripe.invoices.pay(invoice, { paid_out_of_band: true }))
  expect(types).toEqual(['invoice.paid', 'invoice.payment_succeeded', 'payment_intent.canceled'])
  expect(await stripe.invoices.retrieve(invoice)).toMatchObject({ status: 'paid', amount_paid: 2000 })
})
