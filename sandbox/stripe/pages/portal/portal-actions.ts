import { cancelSubscription } from '../../billing/cancel-subscription.ts'
import { periodOf } from '../../billing/item-changes.ts'
import type { UpdateInput } from '../../billing/plan-update.ts'
import { type SubscriptionUpdate, updateSubscription } from '../../billing/update-subscription.ts'
import type { StoredSubscription } from '../../entities.ts'
import { nobody } from '../../world.ts'
import type { ConfirmedChange } from './confirm-page.ts'
import type { PortalView } from './portal-view.ts'

const nothing_billed = {
  cause: nobody,
  ends_trial: false,
  is_on_session: true,
  items: [],
  payment_behavior: 'error_if_incomplete',
  proration_behavior: 'none',
  proration_date: null,
} satisfies SubscriptionUpdate

/** Answers what to tell the customer; null when there was nothing to be done. */
export function cancelPlan(
  { world, configuration }: PortalView,
  subscription: StoredSubscription,
  { feedback, comment }: { feedback: string; comment: string },
): 'canceled' | 'canceling' | null {
  const { enabled, mode, proration_behavior, cancellation_reason } =
    configuration.features.subscription_cancel
  if (!enabled || subscription.cancel_at !== null) return null
  const told = {
    ...(cancellation_reason.options.includes(feedback) && { feedback }),
    ...(comment !== '' && { comment }),
  }
  if (mode === 'immediately') {
    cancelSubscription(world, subscription, {
      cause: nobody,
      details: told,
      invoice_now: proration_behavior === 'always_invoice',
      prorate: proration_behavior !== 'none',
    })
    return 'canceled'
  }
  // In flexible billing mode Stripe's portal sets the date alone: `cancel_at_period_end` stays false.
  const is_flexible = subscription.billing_mode.type === 'flexible'
  updateSubscription(world, subscription, {
    ...nothing_billed,
    ...(is_flexible ? { cancel_at: periodOf(subscription).end } : { cancel_at_period_end: true }),
    cancellation_details: told,
  })
  return 'canceling'
}

export function keepPlan({ world }: PortalView, subscription: StoredSubscription): void {
  if (subscription.cancel_at === null) return
  updateSubscription(world, subscription, { ...nothing_billed, cancel_at_period_end: false })
}

/** How a change on the portal's pages is billed: as the configuration says, from the moment of the preview on. */
export function changeInput({ configuration }: PortalView, change: ConfirmedChange): UpdateInput {
  const { proration_behavior, trial_update_behavior } = configuration.features.subscription_update
  return {
    ends_trial: trial_update_behavior === 'end_trial',
    items: [{ id: change.item, price: change.price, quantity: change.quantity }],
    proration_behavior: proration_behavior as UpdateInput['proration_behavior'],
    proration_date: change.proration_date,
  }
}

/** Throws what the bank says when the change has to be paid at once and cannot be; then nothing has changed. */
export function changePlan(
  view: PortalView,
  subscription: StoredSubscription,
  change: ConfirmedChange,
): void {
  updateSubscription(view.world, subscription, { ...nothing_billed, ...changeInput(view, change) })
}
