import { isSameRecurrence, nextBoundary, recurrenceOf } from '../../entities/period.ts'
import { cancelLimit } from '../../entities/portal.ts'
import type { UpdateInput } from '../../entities/prepare-update.ts'
import { unitAmount } from '../../entities/price.ts'
import { periodOf } from '../../entities/subscription.ts'
import { releaseSchedule, scheduleChange } from '../../entities/subscription-schedule.ts'
import { type SubscriptionUpdate, updateSubscription } from '../../entities/update-subscription.ts'
import { noCall } from '../../service.ts'
import type { StoredSubscription } from '../../state.ts'
import type { PortalView } from './portal-view.ts'
import type { ConfirmedChange } from './update-pages.ts'

const nothing_billed = {
  cause: noCall,
  ends_trial: false,
  is_on_session: true,
  items: [],
  payment_behavior: 'error_if_incomplete',
  proration_behavior: 'none',
  proration_date: null,
} satisfies SubscriptionUpdate

/** Whether the plan now ends with its period; nothing is done where it may not, or already does. */
export function cancelPlan(
  { service, configuration }: PortalView,
  subscription: StoredSubscription,
): boolean {
  const { enabled } = configuration.features.subscription_cancel
  if (!enabled || subscription.cancel_at !== null || cancelLimit(service, subscription)) return false
  // In flexible billing mode Stripe's portal sets the date alone: `cancel_at_period_end` stays false.
  // A schedule without a change that waits keeps the portal from nothing; the API would refuse.
  updateSubscription(service, releaseSchedule(service, subscription, noCall), {
    ...nothing_billed,
    cancel_at: periodOf(subscription).end,
  })
  return true
}

/** Takes back a cancellation that has not come about yet. */
export function keepPlan({ service }: PortalView, subscription: StoredSubscription): void {
  if (subscription.cancel_at === null) return
  updateSubscription(service, subscription, { ...nothing_billed, cancel_at_period_end: false })
}

/** How a change on the portal's pages is billed: by the configuration, from the preview's moment. */
export function changeInput({ configuration }: PortalView, change: ConfirmedChange): UpdateInput {
  const { proration_behavior, trial_update_behavior } = configuration.features.subscription_update
  return {
    ends_trial: trial_update_behavior === 'end_trial',
    items: [{ id: change.item, price: change.price, quantity: change.quantity }],
    proration_behavior: proration_behavior as UpdateInput['proration_behavior'],
    proration_date: change.proration_date,
  }
}

/**
 * Changes the plan now, or plans it for the end of the period where the configuration wants that. Throws what
 * the bank says when the change has to be paid at once and cannot be; then nothing has changed.
 */
export function changePlan(
  view: PortalView,
  subscription: StoredSubscription,
  change: ConfirmedChange,
): 'planned' | 'updated' {
  if (isForLater(view, subscription, change)) {
    const items = [{ price: change.price, quantity: change.quantity }]
    scheduleChange(view.service, subscription, { items, cause: noCall })
    return 'planned'
  }
  updateSubscription(view.service, subscription, { ...nothing_billed, ...changeInput(view, change) })
  return 'updated'
}

/** Whether the configuration delays this change to the end of the period: cheaper, or billed more often. */
export function isForLater(
  { service, configuration }: PortalView,
  { currency, items, status }: StoredSubscription,
  change: ConfirmedChange,
): boolean {
  const { conditions } = configuration.features.subscription_update.schedule_at_period_end
  const before = items.data.find(({ id }) => id === change.item)
  const price = service.store.prices.get(change.price)
  if (!before || !price || status === 'trialing' || items.data.length > 1) return false
  const [old, next] = [recurrenceOf(before.price), recurrenceOf(price)]
  const is_cheaper =
    isSameRecurrence(old, next) &&
    unitAmount(service, price, currency) * change.quantity <
      unitAmount(service, before.price, currency) * before.quantity
  const is_shorter = nextBoundary(0, next, 0) < nextBoundary(0, old, 0)
  return conditions.some(({ type }) => (type === 'shortening_interval' ? is_shorter : is_cheaper))
}
