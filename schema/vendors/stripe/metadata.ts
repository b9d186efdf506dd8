import { z } from 'zod'

/**
 * Stored on every session and payment, so that an event leads to its intent, and Stripe's dashboard to the
 * buyer. Text only; the web app reads these names (specification, session status).
 */
export const checkoutMetadataSchema = z.object({
  intentId: z.uuid(),
  credits: z.string().optional(),
  currency: z.string().optional(),
  planType: z.string().optional(),
  billingFrequency: z.string().optional(),
  seats: z.string().optional(),
  priceId: z.string().optional(),
  organizationId: z.string().optional(),
})
export type CheckoutMetadata = z.infer<typeof checkoutMetadataSchema>

/** The intent a session belongs to, or null for a session that is not ours. */
export function intentIdOf(session: {
  client_reference_id: string | null
  metadata: Record<string, string> | null
}): string | null {
  const metadata = checkoutMetadataSchema.safeParse(session.metadata ?? {})
  return metadata.success && session.client_reference_id === metadata.data.intentId
    ? metadata.data.intentId
    : null
}
