import Stripe from 'stripe'
import { findSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { isDeleted } from '../../../schema/people/owners/deleted-owners.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { reasonOf } from '../../failures.ts'
import { ignore, type Nothing } from '../outcome.ts'

/**
 * How long a draft stays one, in seconds. Stripe's documents name no shortest time; a time that is past is
 * refused, and our clock is not Stripe's.
 */
const soon_s = 60

/**
 * Asks Stripe to finalize the invoice of a renewal soon instead of after an hour, and changes nothing else:
 * Stripe collects it, and tries again, as always. A time of ours also spares the three days that Stripe waits
 * while `invoice.created` is not answered (https://docs.stripe.com/invoicing/scheduled-finalization). The
 * draft of a deleted owner keeps its hour, in which the subscription is ended.
 */
export async function finalizeSoon(
  { db, stripe, now }: Pick<WorkerDependencies, 'db' | 'stripe' | 'now'>,
  { id, subscription_id }: { readonly id: string; readonly subscription_id: string },
): Promise<Nothing> {
  const subscription = await findSubscription(db, subscription_id)
  if (!subscription) return ignore('not_sold', { id: subscription_id })
  const { owner_id } = subscription
  if (await isDeleted(db, owner_id)) return ignore('has_state', { what: 'owner', state: 'deleted' })
  const { status, automatically_finalizes_at, created } = await stripe.invoices.retrieve(id)
  const at = Math.max(created, Math.ceil(now().getTime() / 1000)) + soon_s
  // One that is finalized has no such time, nor has a draft that Stripe does not finalize without a call.
  if (!automatically_finalizes_at || automatically_finalizes_at <= at) {
    return ignore('has_state', { what: 'invoice', state: status ?? 'draft' })
  }
  try {
    await stripe.invoices.update(id, { automatically_finalizes_at: at })
  } catch (error) {
    // It was finalized meanwhile, or Stripe wants a later time: then it stays as it is.
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
    return ignore('not_finalized_sooner', { reason: reasonOf(error) })
  }
  return { of: 'nothing', state: 'applied', reason: null }
}
