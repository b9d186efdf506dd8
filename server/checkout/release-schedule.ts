import Stripe from 'stripe'

/**
 * Lets a subscription go on as it is, without the change that waits for its next period, and returns it. A portal does that for nobody:
 * https://docs.stripe.com/customer-management#customer-portal-limitations. Of two that do it at once, one finds it done.
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
