import type { OrganizationSubscription } from '../../schema/api/organizations.ts'
import type { Database } from '../../schema/database/connect.ts'
import {
  findLatestSubscription,
  findLiveSubscription,
  isLive,
  type Subscription,
} from '../../schema/subscriptions/subscriptions.ts'

/** The subscription that an overview shows: the live one, else the last one that was. */
export async function findShownSubscription(
  db: Database,
  organizationId: string,
): Promise<{ hasSubscription: boolean; subscription: OrganizationSubscription | null }> {
  const owner = { owner_kind: 'organization', owner_id: organizationId } as const
  const subscription = (await findLiveSubscription(db, owner)) ?? (await findLatestSubscription(db, owner))
  if (!subscription) return { hasSubscription: false, subscription: null }
  return {
    hasSubscription: isLive(subscription),
    subscription: present(subscription, await findPricePerSeat(db, subscription)),
  }
}

/** As promised when it was bought: a later price of the catalogue is for later buyers. */
async function findPricePerSeat(db: Database, subscription: Subscription): Promise<number> {
  const intent = await db
    .selectFrom('checkout_intents')
    .select(['amount_minor', 'seats'])
    .where('id', '=', subscription.intent_id)
    .executeTakeFirstOrThrow()
  return Math.round(intent.amount_minor / (intent.seats ?? 1))
}

function present(subscription: Subscription, price_per_seat_minor: number): OrganizationSubscription {
  return {
    id: subscription.stripe_subscription_id,
    plan_type: subscription.plan_type,
    status: subscription.status,
    billing_frequency: subscription.billing_frequency,
    currency: subscription.currency,
    seats_total: subscription.seats_total,
    price_per_seat_minor,
    current_period_start: subscription.current_period_start.toISOString(),
    current_period_end: subscription.current_period_end.toISOString(),
    cancel_at: subscription.cancel_at?.toISOString() ?? null,
    ended_at: subscription.ended_at?.toISOString() ?? null,
  }
}
