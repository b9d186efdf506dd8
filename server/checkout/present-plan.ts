import type Stripe from 'stripe'
import { findLiveSubscription, type Subscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { planItemOf } from '../../schema/vendors/stripe/catalogue.ts'
import { nextPhase, releaseSchedule } from '../../schema/vendors/stripe/subscription-schedule.ts'
import type { Dependencies } from '../dependencies.ts'
import { refusal, type ServerError, StripeAnswerError } from '../errors.ts'

export interface PresentPlan {
  readonly subscription: Subscription
  /** The plan's item at Stripe, whose number of seats may be ahead of ours. */
  readonly item: Stripe.SubscriptionItem
}

/**
 * The plan as Stripe's page would change it now. Throws `missing` without one, and a 409 while a payment is
 * overdue or another change waits: Stripe would apply both, one on top of the other.
 */
export async function readPresentPlan(
  { db, stripe }: Pick<Dependencies, 'db' | 'stripe'>,
  owner_id: string,
  missing: () => ServerError,
): Promise<PresentPlan> {
  const subscription = await findLiveSubscription(db, owner_id)
  if (!subscription) throw missing()
  if (subscription.status !== 'active' && subscription.status !== 'trialing') throw refusal('payment_overdue')
  const id = subscription.stripe_subscription_id
  const { items, schedule } = await stripe.subscriptions.retrieve(id, { expand: ['schedule'] })
  const item = planItemOf(items.data)
  if (!item) throw new StripeAnswerError(`Not one item of subscription ${id} is a plan`)
  if (schedule !== null && typeof schedule !== 'string') {
    if (nextPhase(schedule)) throw refusal('change_scheduled')
    // Its last phase has begun. The API refuses changes until it is released.
    await releaseSchedule(stripe, id)
  }
  return { subscription, item }
}
