import { z } from 'zod'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { stripeReferenceSchema } from '../../../schema/stripe/events.ts'
import { takingStatuses } from '../../../schema/stripe/statuses.ts'
import type { WorkerDependencies } from '../../dependencies.ts'

/** A charge as Stripe has it at one moment: what it took, what went back, what is in dispute. Minor units. */
export interface ChargeFacts {
  /** Drawn before Stripe was asked, so that an older snapshot never replaces a newer one. */
  readonly snapshot_order: number
  readonly id: string
  readonly amount_minor: number
  readonly refunded_minor: number
  /** Taken from us by disputes that are open or lost. */
  readonly disputed_minor: number
  /** What it paid for: one of ours, or neither. */
  readonly intent_id: string | null
  readonly invoice_id: string | null
  /** Whose invoice it is. */
  readonly subscription_id: string | null
}

const chargeSchema = z.object({
  id: z.string(),
  amount: z.int().positive(),
  amount_refunded: z.int().min(0),
  metadata: z.record(z.string(), z.string()),
  payment_intent: stripeReferenceSchema.nullable(),
})

const disputeSchema = z.object({ amount: z.int(), status: z.string() })

/** Asks Stripe for a charge, its disputes, and the invoice it paid, if it paid one. */
export async function fetchCharge(
  deps: Pick<WorkerDependencies, 'db' | 'stripe'>,
  id: string,
): Promise<ChargeFacts> {
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const charge = chargeSchema.parse(await deps.stripe.charges.retrieve(id))
  const disputes = await deps.stripe.disputes.list({ charge: id, limit: 100 })
  const intentId = charge.metadata.intentId ?? null
  return {
    snapshot_order,
    id: charge.id,
    amount_minor: charge.amount,
    refunded_minor: charge.amount_refunded,
    disputed_minor: disputes.data
      .map((dispute) => disputeSchema.parse(dispute))
      .filter((dispute) => takingStatuses.includes(dispute.status))
      .reduce((sum, dispute) => sum + dispute.amount, 0),
    intent_id: intentId,
    ...(charge.payment_intent
      ? await findInvoice(deps, charge.payment_intent)
      : { invoice_id: null, subscription_id: null }),
  }
}

/** The invoice that a payment settled, when it is one of a subscription that was started by us. */
async function findInvoice(
  deps: Pick<WorkerDependencies, 'stripe'>,
  paymentIntent: string,
): Promise<Pick<ChargeFacts, 'invoice_id' | 'subscription_id'>> {
  const payments = await deps.stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paymentIntent },
    limit: 1,
  })
  const reference = payments.data[0]?.invoice
  const id = typeof reference === 'string' ? reference : reference?.id
  const details = id ? (await deps.stripe.invoices.retrieve(id)).parent?.subscription_details : null
  if (!id || !details?.metadata?.intentId) return { invoice_id: null, subscription_id: null }
  return { invoice_id: id, subscription_id: stripeReferenceSchema.parse(details.subscription) }
}
