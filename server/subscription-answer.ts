import type { OrganizationSubscription } from '../schema/api/organizations.ts'
import type { Subscription } from '../schema/billing/subscriptions/subscriptions.ts'
import { soldPlanOf } from '../schema/catalogue/sold-plans.ts'

export function presentSubscription(subscription: Subscription): OrganizationSubscription {
  const { scheduled_seats: seats, scheduled_frequency, scheduled_at } = subscription
  return {
    ...subscription,
    id: subscription.stripe_subscription_id,
    price_per_seat_minor: pricePerSeat(subscription),
    current_period_end: subscription.current_period_end.toISOString(),
    cancel_at: subscription.cancel_at?.toISOString() ?? null,
    ended_at: subscription.ended_at?.toISOString() ?? null,
    scheduled_change:
      seats !== null && scheduled_frequency && scheduled_at
        ? { seats, billing_frequency: scheduled_frequency, at: scheduled_at.toISOString() }
        : null,
  }
}

/** What is paid now; the catalogue's where the price has no fixed number. */
function pricePerSeat({ price_minor, plan_type, billing_frequency }: Subscription): number {
  return price_minor ?? soldPlanOf(plan_type).price_minor[billing_frequency]
}
