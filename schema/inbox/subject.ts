import { z } from 'zod'

const idSchema = z.string().regex(/^[\w-]{1,255}$/)
/** An object of Stripe's, by its id or whole. */
const referenceSchema = z.union([idSchema, z.object({ id: idSchema }).transform(({ id }) => id)])
const mayBe = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(null)

const stripeSchema = z.object({
  data: z.object({
    object: z.object({
      object: mayBe(z.string()),
      id: mayBe(idSchema),
      customer: mayBe(referenceSchema),
      charge: mayBe(referenceSchema),
      client_reference_id: mayBe(idSchema),
    }),
  }),
})
const clerkSchema = z.object({
  data: z.object({
    organization: mayBe(z.object({ id: idSchema })),
    organization_id: mayBe(idSchema),
    user_id: mayBe(idSchema),
    id: mayBe(idSchema),
  }),
})

/** The columns by which an event is found after its payload was deleted. */
export interface EventNames {
  /** The object that it is about; null where it names none. Support finds an owner's events by it. */
  readonly subject: string | null
  /** The checkout that a session of Stripe's names. */
  readonly client_reference_id: string | null
}

/**
 * As its sender names them. The subject is for Stripe the customer, also of an event about itself, where the
 * object has none (a refund, a dispute) the charge, or the checkout; for Clerk the organization, else the
 * user.
 */
export function namesIn(source: 'stripe' | 'clerk', payload: unknown): EventNames {
  if (source === 'stripe') {
    const object = stripeSchema.safeParse(payload).data?.data.object
    const client_reference_id = object?.client_reference_id ?? null
    const itself = object?.object === 'customer' ? object.id : null
    const subject = itself ?? object?.customer ?? object?.charge ?? client_reference_id
    return { subject, client_reference_id }
  }
  const data = clerkSchema.safeParse(payload).data?.data
  const subject = data?.organization?.id ?? data?.organization_id ?? data?.user_id ?? data?.id ?? null
  return { subject, client_reference_id: null }
}
