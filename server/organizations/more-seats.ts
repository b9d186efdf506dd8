import type Stripe from 'stripe'
import { maximumSeats } from '../../schema/catalogue/plans.ts'
import { findLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { Dependencies } from '../dependencies.ts'
import { noSubscription, paymentOverdue, portalFailed, seatChangePlanned, tooManySeats } from '../errors.ts'

type SeatUpdate = Stripe.BillingPortal.SessionCreateParams.FlowData.SubscriptionUpdateConfirm

/**
 * What Stripe's page is to ask an admin to confirm. The seats are counted from Stripe's own number, which is what the page
 * changes; ours follows when the event has been applied.
 */
export async function moreSeats(
  deps: Pick<Dependencies, 'db' | 'stripe'>,
  request: { readonly organization_id: string; readonly quantity: number },
): Promise<SeatUpdate> {
  const subscription = await findLiveSubscription(deps.db, {
    owner_kind: 'organization',
    owner_id: request.organization_id,
  })
  if (!subscription) throw noSubscription()
  if (subscription.status !== 'active' && subscription.status !== 'trialing') throw paymentOverdue()
  const item = await fetchSeats(deps.stripe, subscription.stripe_subscription_id)
  // Stripe would put the one on top of the other.
  if (item.has_planned_change) throw seatChangePlanned()
  const quantity = item.quantity + request.quantity
  if (quantity > maximumSeats) throw tooManySeats(item.quantity)
  return { subscription: subscription.stripe_subscription_id, items: [{ id: item.id, quantity }] }
}

async function fetchSeats(
  stripe: Stripe,
  subscriptionId: string,
): Promise<{ id: string; quantity: number; has_planned_change: boolean }> {
  try {
    const { items, schedule } = await stripe.subscriptions.retrieve(subscriptionId)
    const [item] = items.data
    if (!item) throw new Error(`Subscription ${subscriptionId} has no item`)
    return { id: item.id, quantity: item.quantity ?? 1, has_planned_change: schedule !== null }
  } catch (error) {
    throw portalFailed(error, 'Failed to create checkout session')
  }
}
