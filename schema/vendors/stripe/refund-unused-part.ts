import Stripe from 'stripe'

/**
 * The metadata of a refund that names the subscription whose unused part it gives back (decision 054).
 * Removed at Stripe's dashboard, it makes the refund one like any other.
 */
export const unusedPartOf = 'unusedPartOf'

/** Stripe gives nothing back of a payment that is disputed, or was given back already (the SDK: `Code`). */
const refusals: ReadonlySet<string> = new Set(['charge_disputed', 'charge_already_refunded'])

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
  const { data } = await stripe.invoicePayments.list({ invoice: invoice_id, status: 'paid', limit: 100 })
  const payments = data.flatMap(({ amount_paid, payment: { payment_intent: paid } }) =>
    paid ? [{ payment_intent: typeof paid === 'string' ? paid : paid.id, amount_paid }] : [],
  )
  for (const { payment_intent } of payments) {
    const made = stripe.refunds.list({ payment_intent, limit: 100 })
    for await (const refund of made) if (refund.metadata?.[unusedPartOf] === subscription_id) return refund
  }
  const payment_intent = payments.find(({ amount_paid }) => (amount_paid ?? 0) >= amount)?.payment_intent
  if (!payment_intent) return 'no_payment'
  try {
    return await stripe.refunds.create(
      { payment_intent, amount, metadata: { [unusedPartOf]: subscription_id } },
      { idempotencyKey: `unused/${subscription_id}` },
    )
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    if (!refusals.has(error.code ?? '')) throw error
    return 'refused'
  }
}
