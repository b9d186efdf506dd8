import type Stripe from 'stripe'
import { z } from 'zod'
import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { Database } from '../../schema/database/connect.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'

/** What a charge paid for: a checkout of credits, an invoice of a plan, or neither, when it is not ours. */
export interface ChargeOrigin {
  readonly intent_id: string | null
  readonly stripe_invoice_id: string | null
}

export const foreignCharge: ChargeOrigin = { intent_id: null, stripe_invoice_id: null }

export const chargeSchema = z.object({
  id: z.string(),
  amount: z.int(),
  amount_refunded: z.int(),
  currency: z.string(),
  metadata: z.record(z.string(), z.string()),
  payment_intent: stripeReferenceSchema.nullable(),
})
const detailsSchema = z.object({ subscription: stripeReferenceSchema })

export type StripeCharge = z.infer<typeof chargeSchema>

/** Of a charge that names no checkout Stripe is asked which invoice it paid: a call. */
export async function findChargeOrigin(
  { db, stripe }: { readonly db: Database; readonly stripe: Stripe },
  charge: StripeCharge,
): Promise<ChargeOrigin> {
  const { intentId } = charge.metadata
  if (z.uuid().safeParse(intentId).success) return { ...foreignCharge, intent_id: intentId ?? null }
  if (!charge.payment_intent) return foreignCharge
  const payments = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: charge.payment_intent },
    limit: 1,
    expand: ['data.invoice'],
  })
  const invoice = payments.data[0]?.invoice
  if (!invoice || typeof invoice === 'string' || invoice.deleted) return foreignCharge
  const details = invoice.parent?.subscription_details
  if (!details) return foreignCharge
  const { subscription } = detailsSchema.parse(details)
  const isOurs =
    z.uuid().safeParse(details.metadata?.intentId).success || (await findSubscription(db, subscription))
  return isOurs ? { ...foreignCharge, stripe_invoice_id: invoice.id ?? null } : foreignCharge
}

/** The same for one of which only the id is known, without a call when it is known to us. */
export async function findOriginById(
  deps: { readonly db: Database; readonly stripe: Stripe },
  chargeId: string,
): Promise<ChargeOrigin> {
  const { db, stripe } = deps
  const known =
    (await db
      .selectFrom('charges')
      .select(['intent_id', 'stripe_invoice_id'])
      .where('stripe_charge_id', '=', chargeId)
      .executeTakeFirst()) ??
    (await db
      .selectFrom('balance_transactions')
      .select(['intent_id', 'stripe_invoice_id'])
      .where('charge_id', '=', chargeId)
      .limit(1)
      .executeTakeFirst())
  if (known) return known
  return findChargeOrigin(deps, chargeSchema.parse(await stripe.charges.retrieve(chargeId)))
}
