import Stripe from 'stripe'
import { z } from 'zod'
import { stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'

const readers: Readonly<Record<string, (stripe: Stripe, id: string) => Promise<object>>> = {
  session: (stripe, id) => stripe.checkout.sessions.retrieve(id),
  payment_intent: (stripe, id) => stripe.paymentIntents.retrieve(id),
  charge: (stripe, id) => stripe.charges.retrieve(id),
  invoice: (stripe, id) => stripe.invoices.retrieve(id),
  subscription: (stripe, id) => stripe.subscriptions.retrieve(id),
  customer: (stripe, id) => stripe.customers.retrieve(id),
  refund: (stripe, id) => stripe.refunds.retrieve(id),
  dispute: (stripe, id) => stripe.disputes.retrieve(id),
  event: (stripe, id) => stripe.events.retrieve(id),
}

/** An object as Stripe has it now; null when it has none of that id in this account and mode. */
export async function askStripe(
  stripe: Stripe,
  { kind, id }: { readonly kind: string; readonly id: string },
): Promise<object | null> {
  // The same kinds also hold ids of Clerk's objects and unknown ones.
  const read = readers[kind]
  if (!read || !/^(cs|pi|ch|py|in|sub|cus|re|pyr|dp|du|evt)_\w+$/.test(id)) return null
  try {
    return await read(stripe, id)
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

/** What an object of Stripe's names that may be ours. */
interface StripeNames {
  readonly charge_id?: string | null | undefined
  readonly intent_id?: string | null | undefined
  readonly subscription_id?: string | null | undefined
  /** The owner, or what leads to one. */
  readonly owners: readonly string[]
}

/** An event names what its object does. */
export function namesIn(given: unknown): StripeNames {
  const object = objectSchema.safeParse(given).data
  if (!object) return { owners: [] }
  if (object.object === 'event') return namesIn(object.data?.object)
  const details = object.parent?.subscription_details
  const itself = (kind: string) => (object.object === kind ? object.id : null)
  const charge_id = itself('charge') ?? object.charge ?? object.latest_charge
  const { organizationId, clerkUserId } = object.metadata ?? {}
  const owners = [organizationId, clerkUserId, itself('customer') ?? object.customer, charge_id]
  return {
    charge_id,
    intent_id: object.client_reference_id ?? object.metadata?.intentId ?? details?.metadata?.intentId,
    subscription_id: itself('subscription') ?? object.subscription ?? details?.subscription,
    owners: owners.filter((id) => id != null),
  }
}

const hitsMax = 5
const day_s = 86_400

/** The last four digits of a card, an amount, and a day: `4242 20.00 2026-11-25`. */
export const cardPaymentForm = /^(\d{4}) €?(\d{1,6})(?:[.,](\d{2}))?(?:€| €| EUR)? (\d{4}-\d{2}-\d{2})$/i

/**
 * Ids of the invoices with this number. Stripe finds what is older than a minute
 * (https://docs.stripe.com/search#query-fields-for-invoices).
 */
export async function findInvoicesByNumber(stripe: Stripe, number: string): Promise<string[]> {
  const { data } = await stripe.invoices.search({ query: `number:"${number}"`, limit: hitsMax })
  return data.flatMap(({ id }) => id ?? [])
}

/**
 * Ids of the charges of a card's payment (https://docs.stripe.com/search#query-fields-for-charges). Also of
 * the days before and after: a customer reads the day off a statement of their bank.
 */
export async function findChargesOfCard(stripe: Stripe, text: string): Promise<string[]> {
  const [, last4, whole, cents = '00', day = ''] = cardPaymentForm.exec(text) ?? []
  const starts = Date.parse(day) / 1000
  if (!last4 || Number.isNaN(starts)) return []
  const query = [
    `payment_method_details.card.last4:"${last4}"`,
    `amount:${Number(whole) * 100 + Number(cents)}`,
    `created>=${starts - day_s}`,
    `created<${starts + 2 * day_s}`,
  ].join(' AND ')
  const { data } = await stripe.charges.search({ query, limit: hitsMax })
  return data.map(({ id }) => id)
}
