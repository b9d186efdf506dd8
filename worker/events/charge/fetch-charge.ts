import type Stripe from 'stripe'
import { z } from 'zod'
import { failureOf } from '../../../schema/api/failures.ts'
import type { ChargeSnapshot } from '../../../schema/billing/charges/charges.ts'
import { findIntentOfInvoice } from '../../../schema/billing/checkout/intents.ts'
import { nextSnapshotOrder } from '../../../schema/database/snapshot-order.ts'
import { idOf, stripeReferenceSchema } from '../../../schema/vendors/stripe/events.ts'
import { unusedPartOf } from '../../../schema/vendors/stripe/refund-unused-part.ts'
import { disputedMinor, disputeStateOf, refundedMinor } from '../../../schema/vendors/stripe/statuses.ts'
import type { WorkerDependencies } from '../../dependencies.ts'

/** A charge as Stripe has it at one moment, and the subscription whose invoice it paid, if it paid one. */
export interface FetchedCharge extends Omit<ChargeSnapshot, 'owner_id'> {
  readonly subscription_id: string | null
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
  evidence_details: z.object({ due_by: z.int().nullable() }).nullish(),
})

/**
 * Fetches a charge, its disputes, and the invoice it paid. Undefined when it did not pay for anything that we
 * sold. Three or four calls, two for a purchase of credits; one more when it was refunded.
 */
export async function fetchCharge(
  deps: Pick<WorkerDependencies, 'db' | 'stripe' | 'now'>,
  id: string,
): Promise<FetchedCharge | undefined> {
  const snapshot_order = await nextSnapshotOrder(deps.db)
  const charge = chargeSchema.parse(await deps.stripe.charges.retrieve(id))
  const paid = charge.metadata.intentId ? null : await findInvoice(deps, charge.payment_intent)
  const order = paid && !paid.subscription_id ? await findIntentOfInvoice(deps.db, paid.id) : undefined
  const intent_id = charge.metadata.intentId ?? order?.id ?? null
  const invoice = intent_id ? null : paid
  if (!intent_id && !invoice?.subscription_id) return undefined
  const { data } = await deps.stripe.disputes.list({ charge: id, limit: 100 })
  const disputes = z.array(disputeSchema).parse(data)
  const unknown = disputes.find((dispute) => disputedMinor(dispute) === null)
  const dispute_state = disputeStateOf(disputes)
  const due_by = disputes.find(({ status }) => status === 'needs_response')?.evidence_details?.due_by
  return {
    snapshot_order,
    stripe_charge_id: charge.id,
    intent_id,
    stripe_invoice_id: invoice?.id ?? null,
    subscription_id: invoice?.subscription_id ?? null,
    amount_minor: charge.amount,
    ...(await refundsOf(deps.stripe, charge)),
    disputed_minor: unknown
      ? null
      : disputes.reduce((sum, dispute) => sum + (disputedMinor(dispute) ?? 0), 0),
    dispute_state,
    dispute_state_at: dispute_state && deps.now(),
    dispute_due_at: due_by ? new Date(due_by * 1000) : null,
    remark: unknown ? failureOf('unknown_format', { says: `${unknown.id} ${unknown.status}` }) : null,
  }
}

/** What was given back of a charge, by its refunds. */
async function refundsOf(
  stripe: Stripe,
  { id, amount_refunded }: z.infer<typeof chargeSchema>,
): Promise<Pick<FetchedCharge, 'refunded_minor' | 'unused_refund_minor' | 'refunded_before_minor'>> {
  if (amount_refunded === 0) return { refunded_minor: 0, unused_refund_minor: 0, refunded_before_minor: 0 }
  const refunds = await stripe.refunds.list({ charge: id, limit: 100 }).autoPagingToArray({ limit: 10_000 })
  const isOfUnused = ({ metadata }: Stripe.Refund) => metadata?.[unusedPartOf] !== undefined
  const unused_refund_minor = refundedMinor(refunds.filter(isOfUnused))
  const at = refunds.find(isOfUnused)?.created ?? 0
  const before = refunds.filter((refund) => !isOfUnused(refund) && refund.created <= at)
  return {
    refunded_minor: refundedMinor(refunds),
    unused_refund_minor,
    refunded_before_minor: unused_refund_minor > 0 ? refundedMinor(before) : 0,
  }
}

/** The invoice that a payment settled, of ours or not, and its subscription, if it is one of any. */
async function findInvoice(
  deps: Pick<WorkerDependencies, 'stripe'>,
  paymentIntent: string | null,
): Promise<{ id: string; subscription_id: string | null } | null> {
  if (!paymentIntent) return null
  const payments = await deps.stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: paymentIntent },
    limit: 1,
  })
  const reference = payments.data[0]?.invoice
  const id = reference && idOf(reference)
  const details = id ? (await deps.stripe.invoices.retrieve(id)).parent?.subscription_details : null
  if (!id) return null
  return { id, subscription_id: details ? stripeReferenceSchema.parse(details.subscription) : null }
}
