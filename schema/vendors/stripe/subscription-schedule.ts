import Stripe from 'stripe'
import { idOf } from './events.ts'

/**
 * Removes the change that is scheduled for a subscription's next period, and returns the subscription.
 * Stripe's portal cannot do it: https://docs.stripe.com/customer-management#customer-portal-limitations. Of
 * two concurrent calls, the second one finds it done.
 */
export async function releaseSchedule(stripe: Stripe, subscriptionId: string): Promise<Stripe.Subscription> {
  const { schedule, ...subscription } = await stripe.subscriptions.retrieve(subscriptionId)
  if (schedule === null) return { ...subscription, schedule }
  try {
    await stripe.subscriptionSchedules.release(idOf(schedule))
  } catch (error) {
    const after = await stripe.subscriptions.retrieve(subscriptionId)
    if (error instanceof Stripe.errors.StripeInvalidRequestError && after.schedule === null) return after
    throw error
  }
  return stripe.subscriptions.retrieve(subscriptionId)
}

/**
 * The phase that follows the present one: the change that waits. Null in the last phase, where Stripe's
 * portal allows changes again (https://github.com/invertase/stripe-firebase-extensions/issues/158), although
 * the subscription has its schedule until that phase has ended
 * (https://docs.stripe.com/billing/subscriptions/subscription-schedules: "completed after the last phase is
 * finished").
 */
export function nextPhase<Phase extends { readonly start_date: number }>(schedule: {
  readonly current_phase: { readonly end_date: number } | null
  readonly phases: readonly Phase[]
}): Phase | null {
  const until = schedule.current_phase?.end_date
  return schedule.phases.find(({ start_date }) => until !== undefined && start_date >= until) ?? null
}
