import type { AccountSubscription } from '../schema/api/account.ts'
import type { OrganizationSubscription } from '../schema/api/organizations.ts'
import type { Subscription } from '../schema/billing/subscriptions/subscriptions.ts'
import { soldPlanOf } from '../schema/catalogue/sold-plans.ts'

type Common = Pick<OrganizationSubscription, keyof OrganizationSubscription & keyof AccountSubscription>

export function presentSubscription(subscription: Subscription): Common {
  const { scheduled_seats: seats, scheduled_frequency, scheduled_at } = subscription
  return {
    id: subscription.stripe_subscription_id,
    plan_type: subscription.plan_type,
    credits_per_seat: subscription.credits_per_seat,
    price_per_seat_minor: pricePerSeat(subscription),
    status: subscription.status,
    billing_frequency: subscription.billing_frequency,
    currency: subscription.currency,
    seats_total: subscription.seats_total,
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
