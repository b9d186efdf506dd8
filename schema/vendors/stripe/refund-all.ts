import Stripe from 'stripe'
import { idOf } from './events.ts'

/** Stripe gives nothing back of a payment that is disputed, or was given back already (the SDK: `Code`). */
const refusals: ReadonlySet<string> = new Set(['charge_disputed', 'charge_already_refunded'])

/** A refund, once for each key; `refused` where Stripe gives nothing back. */
export async function refundOnce(
  stripe: Stripe,
  refund: Stripe.RefundCreateParams,
  idempotencyKey: string,
): Promise<Stripe.Refund | 'refused'> {
  try {
    return await stripe.refunds.create(refund, { idempotencyKey })
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    if (!refusals.has(error.code ?? '')) throw error
    return 'refused'
  }
}

/** Gives back all that was paid for a subscription. Each try finds what an earlier one did. */
export async function refundSubscription(stripe: Stripe, subscription: string): Promise<void> {
  for await (const invoice of stripe.invoices.list({ subscription, status: 'paid', limit: 100 })) {
    const payments = stripe.invoicePayments.list({ invoice: invoice.id ?? '', status: 'paid', limit: 100 })
    for await (const { payment } of payments) {
      const paid = payment.payment_intent
      if (paid) await refundPayment(stripe, idOf(paid))
    }
  }
}

/** Gives back a payment of an owner who was deleted before it was made, or before it was heard of. */
export async function refundPayment(stripe: Stripe, payment_intent: string): Promise<void> {
  await refundOnce(stripe, { payment_intent }, `deleted/${payment_intent}`)
}
