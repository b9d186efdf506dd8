import { z } from 'zod'

type Name = 'intent_id' | 'session_id' | 'subscription_id' | 'invoice_id' | 'charge_id'

/** What a line in the log is about. Ids alone: no names, addresses or texts. */
export type ObjectIds = { readonly [Of in Name]?: string }
export type LogIds = ObjectIds & {
  /** Transfers of the ledger that were posted. */
  readonly transfer_ids?: readonly number[]
}

const idSchema = z.string().regex(/^[\w-]{1,255}$/)
const referenceSchema = z
  .union([idSchema, z.object({ id: idSchema }).transform(({ id }) => id)])
  .nullish()
  .catch(null)

/**
 * The object of an event, as far as it names what it belongs to. The checkout is in the metadata that we gave
 * it; an invoice names its subscription in its parent, one of before 2025 itself.
 */
const objectSchema = z.object({
  object: z.string(),
  id: referenceSchema,
  client_reference_id: referenceSchema,
  metadata: z.object({ intentId: referenceSchema }).nullish().catch(null),
  subscription: referenceSchema,
  invoice: referenceSchema,
  charge: referenceSchema,
  parent: z
    .object({ subscription_details: z.object({ subscription: referenceSchema }).nullish() })
    .nullish()
    .catch(null),
})
const eventSchema = z.object({ data: z.object({ object: objectSchema }) })

/** The ids that an event of Stripe's names; none for anything else. */
export function idsIn(event: unknown): ObjectIds {
  const named = eventSchema.safeParse(event).data?.data.object
  if (!named) return {}
  const itself = (kind: string) => (named.object === kind ? named.id : null)
  return idsOf({
    intent_id: named.metadata?.intentId ?? named.client_reference_id,
    session_id: itself('checkout.session'),
    subscription_id:
      itself('subscription') ?? named.subscription ?? named.parent?.subscription_details?.subscription,
    invoice_id: itself('invoice') ?? named.invoice,
    charge_id: itself('charge') ?? named.charge,
  })
}

/** Those that are there. */
export function idsOf(ids: { readonly [Of in Name]?: string | null | undefined }): ObjectIds {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id != null && id !== ''))
}

/** Most events post nothing, and then their line says nothing of it. */
export function withTransfers(ids: LogIds, transfer_ids: readonly number[]): LogIds {
  return transfer_ids.length > 0 ? { ...ids, transfer_ids } : ids
}
