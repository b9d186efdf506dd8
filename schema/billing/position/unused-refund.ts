import type { DatabaseTransaction } from '../../database/connect.ts'
import { findAmountPaid } from '../subscriptions/snapshots.ts'
import type { Subscription } from '../subscriptions/subscriptions.ts'
import { periodAtEnd } from './billing-months.ts'
import { splitIntoMonths } from './calendar.ts'
import { type OwnerBalanceSheet, readOwnerBalanceSheet } from './read-owner.ts'

/** What is given back of the paid period that a plan ends in. */
export interface UnusedRefund {
  readonly invoice_id: string
  /** Minor units; zero with a dispute under way. */
  readonly amount_minor: number
  readonly is_disputed: boolean
}

/**
 * What a plan gives back if it ends at this moment, or has given back when it ended. Never more than its
 * invoice took from a card or an account.
 */
export async function readUnusedRefund(
  trx: DatabaseTransaction,
  { owner_id, stripe_subscription_id: id }: Subscription,
  now: Date,
): Promise<UnusedRefund | null> {
  const sheet = await readOwnerBalanceSheet(trx, owner_id, now, (facts) => ({
    ...facts,
    subscriptions: facts.subscriptions.map((one) =>
      one.id === id ? { ...one, ended_at: one.ended_at ?? now } : one,
    ),
  }))
  const refund = unusedRefund(sheet, id)
  if (!refund) return null
  const paid = await findAmountPaid(trx, { owner_id, invoice_id: refund.invoice_id })
  return { ...refund, amount_minor: Math.min(refund.amount_minor, paid) }
}

/**
 * What a plan gives back that ends because a Teams plan takes its place (decision 054): of the price of the
 * period in progress the share of time or of credits that is unused, whichever is lower, of the money that is
 * still ours. The facts have the subscription's end, so that exactly the credits count that it makes expire.
 * Null where no paid period is in progress.
 */
function unusedRefund(
  { facts, position, books, difference }: OwnerBalanceSheet,
  subscriptionId: string,
): UnusedRefund | null {
  const subscription = facts.subscriptions.find(({ id }) => id === subscriptionId)
  const ended_at = subscription?.ended_at
  const period = ended_at ? periodAtEnd(subscription, ended_at) : undefined
  if (!ended_at || !period?.invoice_id) return null
  const { invoice_id, starts_at, ends_at } = period
  const last = position.months.findLast((month) => month.stripe_subscription_id === subscriptionId)
  const ofLastMonth = new Set(
    position.grants
      .filter((grant) => grant.stripe_subscription_id === subscriptionId)
      .filter((grant) => grant.month_starts_at?.getTime() === last?.starts_at.getTime())
      .map(({ id }) => id),
  )
  // Below zero: what has expired, and what will.
  const expired = [
    ...books.grants.map(({ id, expired }) => ({ id, credits: expired })),
    ...difference.transfers
      .filter(({ component }) => component === 'expired')
      .map(({ grant, credits }) => ({ id: grant.id, credits })),
  ]
  const left = expired.filter(({ id }) => ofLastMonth.has(id)).reduce((sum, { credits }) => sum - credits, 0)
  const perMonth = period.seats * subscription.credits_per_seat
  const months = splitIntoMonths(period)
  const toCome = perMonth * months.filter((month) => month.starts_at >= ended_at).length
  const {
    total_minor = 0,
    refunded_minor = 0,
    disputed_minor = 0,
  } = facts.invoice_money.get(invoice_id) ?? {}
  const unrefunded_minor = Math.max(0, total_minor - refunded_minor)
  // A refund has taken its share of the credits that have begun, and not yet of those to come.
  const byCredits =
    (total_minor * Math.min(left, perMonth) + unrefunded_minor * toCome) / (perMonth * months.length)
  const byTime =
    (unrefunded_minor * (ends_at.getTime() - ended_at.getTime())) / (ends_at.getTime() - starts_at.getTime())
  const isDisputed = disputed_minor > 0
  return {
    invoice_id,
    amount_minor: isDisputed ? 0 : Math.max(0, Math.floor(Math.min(byCredits, byTime))),
    is_disputed: isDisputed,
  }
}
