import type Stripe from 'stripe'
import { z } from 'zod'
import { idOf, stripeReferenceSchema } from '../../schema/vendors/stripe/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { PermanentError } from '../errors.ts'
import { findOrder } from '../events/subscription/order.ts'

const planSchema = z.object({
  id: z.string(),
  status: z.string(),
  customer: stripeReferenceSchema,
  metadata: z.record(z.string(), z.string()),
  cancel_at_period_end: z.boolean(),
})

/** A subscription that an act is about, as Stripe has it. Throws PermanentError when it is none of ours. */
export async function fetchPlan(
  { db, stripe }: Pick<WorkerDependencies, 'db' | 'stripe'>,
  id: string,
): Promise<z.infer<typeof planSchema>> {
  const plan = planSchema.parse(await stripe.subscriptions.retrieve(id))
  if (!(await findOrder(db, plan))) throw new PermanentError('not_sold', { id })
  return plan
}

/** The subscription that an invoice is of; null for an invoice of anything else. */
export function subscriptionOf({ parent }: Stripe.Invoice): string | null {
  const subscription = parent?.subscription_details?.subscription
  return subscription ? idOf(subscription) : null
}
