import Stripe from 'stripe'
import { z } from 'zod'
import type { LookupKind } from '../../schema/api/support.ts'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'

const readers = {
  session: (stripe: Stripe, id: string) => stripe.checkout.sessions.retrieve(id),
  payment_intent: (stripe: Stripe, id: string) => stripe.paymentIntents.retrieve(id),
  charge: (stripe: Stripe, id: string) => stripe.charges.retrieve(id),
  invoice: (stripe: Stripe, id: string) => stripe.invoices.retrieve(id),
  subscription: (stripe: Stripe, id: string) => stripe.subscriptions.retrieve(id),
  customer: (stripe: Stripe, id: string) => stripe.customers.retrieve(id),
  refund: (stripe: Stripe, id: string) => stripe.refunds.retrieve(id),
  dispute: (stripe: Stripe, id: string) => stripe.disputes.retrieve(id),
  event: (stripe: Stripe, id: string) => stripe.events.retrieve(id),
} as const

export function isStripeKind(kind: LookupKind): kind is keyof typeof readers {
  return kind in readers
}

/** An object as Stripe has it now; null when it has none of that id in this account and mode. */
export async function askStripe(
  stripe: Stripe,
  { kind, id }: { readonly kind: LookupKind; readonly id: string },
): Promise<object | null> {
  // The same kinds also hold ids of Clerk's objects and unknown ones.
  if (!isStripeKind(kind) || !/^(cs|pi|ch|py|in|sub|cus|re|pyr|dp|du|evt)_\w+$/.test(id)) return null
  try {
    return await readers[kind](stripe, id)
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode === 404) return null
    throw error
  }
}

const reference = stripeReferenceSchema.nullish().catch(null)
const metadata = z.record(z.string(), z.string()).nullish().catch(null)

const objectSchema = z.object({
  id: z.string(),
  object: z.string(),
  customer: reference,
  charge: reference,
  latest_charge: reference,
  subscription: reference,
  client_reference_id: z.string().nullish().catch(null),
  metadata,
  parent: z
    .object({ subscription_details: z.object({ subscription: reference, metadata }).nullish().catch(null) })
    .nullish()
    .catch(null),
  data: z.object({ object: z.unknown() }).nullish().catch(null),
})

/** What an object of Stripe's names that may be ours. An event names what its object does. */
export interface StripeNames {
  readonly intent_ids: readonly string[]
  readonly owner_ids: readonly string[]
  readonly customer_id: string | null
  readonly charge_id: string | null
  readonly subscription_id: string | null
}

export function namesIn(given: unknown): StripeNames {
  const parsed = objectSchema.safeParse(given)
  if (!parsed.success) {
    return { intent_ids: [], owner_ids: [], customer_id: null, charge_id: null, subscription_id: null }
  }
  const object = parsed.data
  if (object.object === 'event') return namesIn(object.data?.object)
  const details = object.parent?.subscription_details
  const itself = (kind: string) => (object.object === kind ? object.id : null)
  return {
    intent_ids: [object.client_reference_id, object.metadata?.intentId, details?.metadata?.intentId].filter(
      (id) => id != null,
    ),
    owner_ids: [object.metadata?.organizationId, object.metadata?.clerkUserId].filter((id) => id != null),
    customer_id: itself('customer') ?? object.customer ?? null,
    charge_id: itself('charge') ?? object.charge ?? object.latest_charge ?? null,
    subscription_id: itself('subscription') ?? object.subscription ?? details?.subscription ?? null,
  }
}
