import type Stripe from 'stripe'
import { idOf } from './events.ts'
import { refundOnce } from './refund-all.ts'

/**
 * The metadata of a refund that names the subscription whose unused part it gives back (decision 054).
 * Removed at Stripe's dashboard, it makes the refund one like any other.
 */
export const unusedPartOf = 'unusedPartOf'

export type RefundMade = { readonly id: string } | 'refused' | 'no_payment'

/**
 * Gives back a part of what an invoice took, once: Stripe keeps an idempotency key for a day at least
 * (https://docs.stripe.com/api/idempotent_requests), so an earlier try is looked for first, and so is what a
 * person has refunded with that metadata. `no_payment`: no single payment of the invoice was as large.
 */
export async function refundUnusedPart(
  stripe: Stripe,
  { subscription_id, invoice_id, amount }: { subscription_id: string; invoice_id: string; amount: number },
): Promise<RefundMade> {
  const payments = await listPaymentsOf(stripe, invoice_id)
  for (const { payment_intent } of payments) {
    const made = stripe.refunds.list({ payment_intent, limit: 100 })
    for await (const refund of made) if (refund.metadata?.[unusedPartOf] === subscription_id) return refund
  }
  const payment_intent = payments.find(({ amount_paid }) => (amount_paid ?? 0) >= amount)?.payment_intent
  if (!payment_intent) return 'no_payment'
  const refund = { payment_intent, amount, metadata: { [unusedPartOf]: subscription_id } }
  return refundOnce(stripe, refund, `unused/${subscription_id}`)
}

/** What was paid of an invoice with a card or an account. */
export async function listPaymentsOf(stripe: Stripe, invoice: string) {
  const { data } = await stripe.invoicePayments.list({ invoice, status: 'paid', limit: 100 })
  return data.flatMap(({ amount_paid, payment: { payment_intent: paid } }) =>
    paid ? [{ payment_intent: idOf(paid), amount_paid }] : [],
  )
}
