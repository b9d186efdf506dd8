import { z } from 'zod'
import type { ChargeSnapshot } from '../../../schema/charges/charges.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import type { Owner } from '../../../schema/ledger/accounts.ts'
import { stripeReferenceSchema } from '../../../schema/stripe/events.ts'
import { disputedMinor } from '../../../schema/stripe/statuses.ts'
import type { WorkerDependencies } from '../../dependencies.ts'

/** A charge as Stripe has it at one moment, and the subscription whose invoice it paid, if it paid one. */
export interface FetchedCharge extends Omit<ChargeSnapshot, keyof Owner> {
  readonly subscription_id: string | null
  /** The checkout of what was bought: whose it is follows from that. */
  readonly bought_by_intent: string
  /** A remark for support. */
  readonly remark: string | null
}

const chargeSchema = z.object({
  id: z.string(),
  amount: z.int().positive(),
  amount_refunded: z.int().min(0),
  metadata: z.record(z.string(), z.string()),
  payment_intent: stripeReferenceSchema.nullable(),
})

const disputeSchema = z.object({
  id: z.string(),
  amount: z.int(),
  status: z.string(),
  balance_transactions: z.array(z.object({ amount: z.int() })),
})

/**
 * Fetches a charge, its disputes, and the invoice it paid. Undefined when it did not pay for anything that we
 * sold. Three or four calls, two for a purchase of credits.
 */
export async function fetchCharge(
  deps: Pick<WorkerDependencies, 'db' | 'stripe'>,
  id: string,
): Promise<FetchedCharge | undefined> {
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const charge = chargeSchema.parse(await deps.stripe.charges.retrieve(id))
  const intent_id = charge.metadata.intentId ?? null
  const invoice = intent_id ? null : await findInvoice(deps, charge.payment_intent)
  const bought_by_intent = intent_id ?? invoice?.intent_id
  if (!bought_by_intent) return undefined
  const { data } = await deps.stripe.disputes.list({ charge: id, limit: 100 })
  const disputes = z.array(disputeSchema).parse(data)
  const unknown = disputes.find((dispute) => disputedMinor(dispute) === null)
  return {
    snapshot_order,
    stripe_charge_id: charge.id,
    intent_id,
    stripe_invoice_id: invoice?.id ?? null,
    subscription_id: invoice?.subscription_id ?? null,
    bought_by_intent,
    amount_minor: charge.amount,
    refunded_minor: charge.amount_refunded,
    disputed_minor: unknown
      ? null
      : disputes.reduce((sum, dispute) => sum + (disputedMinor(dispute) ?? 0), 0),
    remark: unknown
      ? `Dispute ${unknown.id} is ${unknown.status}, which we do not know: what was held before stays held`
      : null,
  }
}

/** The invoice that a payment settled, when it is one of a subscription that was started by us. */
async function findInvoice(
  deps: Pick<WorkerDependencies, 'stripe'>,
  paymentIntent: string | null,
): Promise<{ id: string; subscription_id: string; intent_id: string } | null> {
  if (!paymentIntent) return null
  const payments = await deps.stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paymentIntent },
    limit: 1,
  })
  const reference = payments.data[0]?.invoice
  const id = typeof reference === 'string' ? reference : reference?.id
  const details = id ? (await deps.stripe.invoices.retrieve(id)).parent?.subscription_details : null
  if (!id || !details?.metadata?.intentId) return null
  return {
    id,
    subscription_id: stripeReferenceSchema.parse(details.subscription),
    intent_id: details.metadata.intentId,
  }
}
