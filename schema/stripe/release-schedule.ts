import Stripe from 'stripe'

/**
 * Removes the change that is scheduled for a subscription's next period, and returns the subscription.
 * Stripe's portal cannot do it: https://docs.stripe.com/customer-management#customer-portal-limitations. Of
 * two concurrent calls, the second one finds it done.
 */
export async function releaseSchedule(stripe: Stripe, subscriptionId: string): Promise<Stripe.Subscription> {
  const { schedule, ...subscription } = await stripe.subscriptions.retrieve(subscriptionId)
  if (schedule === null) return { ...subscription, schedule }
  try {
    await stripe.subscriptionSchedules.release(typeof schedule === 'string' ? schedule : schedule.id)
  } catch (error) {
    const after = await stripe.subscriptions.retrieve(subscriptionId)
    if (error instanceof Stripe.errors.StripeInvalidRequestError && after.schedule === null) return after
    throw error
  }
  return stripe.subscriptions.retrieve(subscriptionId)
}
