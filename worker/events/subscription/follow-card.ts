import { findOwnerOfCustomer } from '../../../schema/billing/customers/customers.ts'
import { findLiveSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { idOf } from '../../../schema/vendors/stripe/events.ts'
import { releaseCard } from '../../../schema/vendors/stripe/release-card.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { ignore, type Nothing } from '../outcome.ts'

/**
 * A customer's default card was chosen, also outside our portal: it is charged for the live plan from now on,
 * unless the plan's own card was given later, which Checkout does (see `releaseCard`).
 */
export async function followCard(
  { db, stripe }: Pick<WorkerDependencies, 'db' | 'stripe'>,
  { id, chosen_at_s }: { readonly id: string; readonly chosen_at_s: number },
): Promise<Nothing> {
  const owner_id = await findOwnerOfCustomer(db, id)
  const live = owner_id && (await findLiveSubscription(db, owner_id))
  if (!live) return ignore('lacks', { what: 'plan' })
  const plan = await stripe.subscriptions.retrieve(live.stripe_subscription_id, {
    expand: ['customer', 'default_payment_method', 'schedule'],
  })
  const { customer, default_payment_method: own } = plan
  if (plan.ended_at || idOf(customer) !== id) return ignore('card_stays')
  const isDeleted = typeof customer === 'string' || customer.deleted
  const chosen = isDeleted ? null : customer.invoice_settings.default_payment_method
  if (!own || typeof own === 'string' || !chosen || idOf(chosen) === own.id) return ignore('card_stays')
  if (Math.max(own.created, plan.created) >= chosen_at_s) return ignore('card_stays')
  await releaseCard(stripe, plan)
  return { of: 'nothing', state: 'applied', reason: null }
}
