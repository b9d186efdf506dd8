import { z } from 'zod'

/** The envelope of every Stripe event; `data.object` is parsed by the handler of the type. */
export const stripeEventSchema = z.looseObject({
  id: z
    .string()
    .regex(/^evt_\w+$/)
    .max(255),
  object: z.literal('event'),
  type: z.string().min(1).max(200),
  /** Seconds since 1970. One that is no time at all is found when the event is stored. */
  created: z.custom<number>((value) => typeof value === 'number' && value > 0),
  /** Stripe always says it. */
  livemode: z.boolean().optional(),
  data: z.looseObject({ object: z.custom<StripeObject>(isStripeObject, 'It is no object of Stripe’s') }),
})
export type StripeEvent = z.infer<typeof stripeEventSchema>

/** What an event is about. It is large and kept as it came: to parse it would be to copy it. */
interface StripeObject {
  readonly [field: string]: unknown
  readonly object: string
}

function isStripeObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'object' in value && typeof value.object === 'string'
}

/** Another object, by its id or expanded; read as its id. */
export const stripeReferenceSchema = z.union([
  z.string(),
  z.object({ id: z.string() }).transform((object) => object.id),
])

/** Of an object that an answer names, or has expanded. */
export function idOf(object: string | { readonly id: string }): string {
  return typeof object === 'string' ? object : object.id
}

/** Our part of a checkout session, from an event or fetched. Amounts are minor units. */
export const checkoutSessionSchema = z.object({
  id: z.string(),
  object: z.literal('checkout.session'),
  status: z.enum(['open', 'complete', 'expired']),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  amount_total: z.int().nullable(),
  currency: z.string().nullable(),
  client_reference_id: z.string().nullable(),
  mode: z.enum(['payment', 'subscription', 'setup']).default('payment'),
  subscription: stripeReferenceSchema.nullish(),
  metadata: z.record(z.string(), z.string()).nullable(),
  created: z.int(),
})
export type CheckoutSession = z.infer<typeof checkoutSessionSchema>
