import { z } from 'zod'

const idSchema = z.string().regex(/^[\w-]{1,255}$/)
/** An object of Stripe's, by its id or whole. */
const referenceSchema = z.union([idSchema, z.object({ id: idSchema }).transform(({ id }) => id)])
const mayBe = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(null)

const stripeSchema = z.object({
  data: z.object({
    object: z.object({
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

/**
 * Whom an event is about, as its sender names them: for Stripe the customer, where the object has none (a refund, a dispute) the charge, or
 * the checkout; for Clerk the organization, else the user. Null where it names nobody. Support finds an owner's events by it.
 */
export function subjectOf(source: 'stripe' | 'clerk', payload: unknown): string | null {
  if (source === 'stripe') {
    const object = stripeSchema.safeParse(payload).data?.data.object
    return object?.customer ?? object?.charge ?? object?.client_reference_id ?? null
  }
  const data = clerkSchema.safeParse(payload).data?.data
  return data?.organization?.id ?? data?.organization_id ?? data?.user_id ?? data?.id ?? null
}
