import type Stripe from 'stripe'

/** The literal members of a union of Stripe's, which ends with `string` for future values. */
type Spelled<Union extends string> = Union extends string
  ? Record<never, never> extends Record<Union, unknown>
    ? never
    : Union
  : never

export type SubscriptionStatus = Spelled<Stripe.Subscription.Status>
export type DisputeStatus = Spelled<Stripe.Dispute.Status>

/**
 * The meaning of each subscription status: `live`, its owner has the plan; `pending`, the first payment is
 * open; `over`, it is final. An unknown status of a new SDK fails to compile.
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

/** Statuses in which an owner has the plan; there is at most one such subscription per owner. */
export const liveStatuses = subscriptionStatuses.filter((status) => subscriptionMeanings[status] === 'live')

const finalStatuses = subscriptionStatuses.filter((status) => subscriptionMeanings[status] === 'over')

export function isOver({ status }: { readonly status: string }): boolean {
  return (finalStatuses as readonly string[]).includes(status)
}

/**
 * The location of the disputed money in each status. An inquiry (`warning_…`) withdraws none, a won dispute
 * reinstates it. A lost dispute can be appealed (the SDK: `Dispute.evidence.appeal`), and its money stays
 * withdrawn until the appeal is won. `prevented` was settled before it became a chargeback, with or without
 * the money: only the dispute's balance transactions say which ("funds withdrawn and reinstated as a result
 * of this dispute", https://docs.stripe.com/api/disputes/object). An unknown status of a new SDK fails to
 * compile.
 */
const disputeMeanings: Readonly<
  Record<DisputeStatus, { money: 'gone' | 'here' | 'see_transactions'; state: DisputeState | null }>
> = {
  // An inquiry is no dispute yet, and may never become one.
  warning_needs_response: { money: 'here', state: null },
  warning_under_review: { money: 'here', state: null },
  warning_closed: { money: 'here', state: null },
  needs_response: { money: 'gone', state: 'open' },
  under_review: { money: 'gone', state: 'open' },
  lost: { money: 'gone', state: 'lost' },
  won: { money: 'here', state: 'won' },
  // The money is the cardholder's, or there was nothing to decide.
  prevented: { money: 'see_transactions', state: null },
  appeal_needs_response: { money: 'gone', state: 'open' },
  appeal_under_review: { money: 'gone', state: 'open' },
}

export type DisputeState = 'open' | 'won' | 'lost'

const meaningOf = (status: string) =>
  Object.entries(disputeMeanings).find(([name]) => name === status)?.[1] ?? null

/** What became of the disputes of a charge: open as long as one is, lost as soon as one is. */
export function disputeStateOf(disputes: readonly { readonly status: string }[]): DisputeState | null {
  const states = disputes.map(({ status }) => meaningOf(status)?.state)
  return (['open', 'lost', 'won'] as const).find((state) => states.includes(state)) ?? null
}

/** Minor units that a dispute keeps from us; null when Stripe has given it a status that we do not know. */
export function disputedMinor(dispute: {
  readonly amount: number
  readonly status: string
  readonly balance_transactions: readonly { readonly amount: number }[]
}): number | null {
  const meaning = meaningOf(dispute.status)
  if (!meaning) return null
  const moved = dispute.balance_transactions.reduce((sum, { amount }) => sum + amount, 0)
  const isGone = meaning.money === 'see_transactions' ? moved < 0 : meaning.money === 'gone'
  return isGone ? dispute.amount : 0
}

/**
 * Minor units that refunds of a charge gave back or are about to (https://docs.stripe.com/refunds). The
 * charge's `amount_refunded` does not say whether one of them has failed or was cancelled.
 */
export function refundedMinor(
  refunds: readonly { readonly amount: number; readonly status?: string | null }[],
): number {
  return refunds
    .filter(({ status }) => status !== 'failed' && status !== 'canceled')
    .reduce((sum, { amount }) => sum + amount, 0)
}
