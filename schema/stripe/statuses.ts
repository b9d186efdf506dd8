import type Stripe from 'stripe'

/** The members of a union of Stripe's that are spelled out: it ends with `string`, for what Stripe may add without a new SDK. */
type Spelled<Union extends string> = Union extends string
  ? Record<never, never> extends Record<Union, unknown>
    ? never
    : Union
  : never

export type SubscriptionStatus = Spelled<Stripe.Subscription.Status>
export type DisputeStatus = Spelled<Stripe.Dispute.Status>

/**
 * What each status of a subscription means: `live`, its owner has the plan; `pending`, the first payment is still open; `over`, it
 * stays so for good. A status that a new version of the SDK brings does not compile until it has a place here.
 */
const subscriptionMeanings: Readonly<Record<SubscriptionStatus, 'pending' | 'live' | 'over'>> = {
  incomplete: 'pending',
  incomplete_expired: 'over',
  trialing: 'live',
  active: 'live',
  past_due: 'live',
  canceled: 'over',
  unpaid: 'live',
  paused: 'live',
}

export const subscriptionStatuses = Object.keys(subscriptionMeanings) as SubscriptionStatus[]

/** Statuses in which an owner has the plan; there is at most one such subscription an owner. */
export const liveStatuses = subscriptionStatuses.filter((status) => subscriptionMeanings[status] === 'live')

/** Statuses that never change again. */
export const finalStatuses = subscriptionStatuses.filter((status) => subscriptionMeanings[status] === 'over')

/**
 * Whether the disputed money is gone in each status of a dispute. An inquiry (`warning_…`) takes none, a dispute that is won
 * brings it back. A status that a new version of the SDK brings does not compile until it has a place here.
 */
const takesMoney: Readonly<Record<DisputeStatus, boolean>> = {
  warning_needs_response: false,
  warning_under_review: false,
  warning_closed: false,
  needs_response: true,
  under_review: true,
  lost: true,
  won: false,
  prevented: false,
  appeal_needs_response: false,
  appeal_under_review: false,
}

/** Statuses in which the disputed money is gone. */
export const takingStatuses: readonly string[] = (Object.keys(takesMoney) as DisputeStatus[]).filter(
  (status) => takesMoney[status],
)
