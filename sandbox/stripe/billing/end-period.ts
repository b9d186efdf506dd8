import type { StoredSubscription } from '../entities.ts'
import { invalidRequest } from '../errors.ts'
import { itemList } from '../objects/subscription.ts'
import type { World } from '../world.ts'
import { periodOf, withPeriod } from './item-changes.ts'
import { isOver } from './update-subscription.ts'

/**
 * Lets a subscription's period, or its trial, end at this moment, as if it had been shorter: what was to happen then is
 * due now, and the next periods count from here.
 */
export function endPeriodNow({ store, clock }: World, subscription: StoredSubscription): StoredSubscription {
  if (isOver(subscription) || subscription.status === 'incomplete') {
    throw invalidRequest(
      `Subscription ${subscription.id} is ${subscription.status}; it has no period to end.`,
    )
  }
  const now = clock.now()
  const { start, end } = periodOf(subscription)
  return store.subscriptions.put({
    ...subscription,
    billing_cycle_anchor: now,
    cancel_at: subscription.cancel_at === end ? now : subscription.cancel_at,
    items: itemList(subscription.id, withPeriod(subscription.items.data, { start, end: now })),
    trial_end: subscription.status === 'trialing' ? now : subscription.trial_end,
  })
}
