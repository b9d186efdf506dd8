import { type BillingMonth, billingMonths, seatCreditsOf } from './billing-months.ts'
import type { PaidFact } from './paid-facts.ts'

/** A month that has its grant already. */
export interface GrantedMonth extends BillingMonth {
  readonly credits: number
  readonly seat_credits: number
}

export interface GrantsInput {
  readonly paid: readonly PaidFact[]
  readonly granted: readonly GrantedMonth[]
  readonly credits_per_seat: number
  /** How much of an invoice's money is still ours, from 0 to 1; 1 for one that nothing was refunded of. */
  readonly kept_share: (invoiceId: string) => number
  /** Now, or the end of the subscription. */
  readonly until: Date
}

export type GrantStep =
  | {
      readonly step: 'month'
      readonly month: BillingMonth
      readonly credits: number
      /** Whether what is left of the month before expires first. */
      readonly expires_rest: boolean
    }
  /** `total` is what the month's added seats bring together, `credits` what of it is still to be granted. */
  | { readonly step: 'seats'; readonly month: BillingMonth; readonly credits: number; readonly total: number }

/**
 * Says which grants are due: one for every paid month that has begun, and more for seats that were added in the latest. A month
 * that begins before the one before it was over brings only what that one had not covered, and nothing expires: otherwise
 * changing the billing frequency every few days would buy a month's credits for a few days' price.
 */
export function decideGrants(input: GrantsInput): GrantStep[] {
  const steps: GrantStep[] = []
  let latest = input.granted.toSorted((a, b) => a.starts_at.getTime() - b.starts_at.getTime()).at(-1)
  for (const month of billingMonths(input.paid, input.until)) {
    if (latest && month.starts_at <= latest.starts_at) continue
    const covered = latest ? coveredBy(latest, month) : 0
    const full = Math.floor(month.seats * input.credits_per_seat * input.kept_share(month.invoice_id))
    const credits = Math.max(0, full - covered)
    steps.push({
      step: 'month',
      month,
      credits,
      expires_rest: !latest || latest.ends_at <= month.starts_at,
    })
    latest = { ...month, credits, seat_credits: 0 }
    addSeats(latest)
  }
  const [last] = steps.slice(-1)
  if (!last && latest) addSeats(latest)
  return steps

  function addSeats(month: GrantedMonth): void {
    const total = seatCreditsOf(month, input.paid, input.credits_per_seat)
    const credits = total - month.seat_credits
    if (credits > 0) steps.push({ step: 'seats', month, credits, total })
  }
}

/** What the month before has brought for the time that the new month covers too. */
function coveredBy(before: GrantedMonth, month: BillingMonth): number {
  const overlapMs = before.ends_at.getTime() - month.starts_at.getTime()
  if (overlapMs <= 0) return 0
  const lengthMs = before.ends_at.getTime() - before.starts_at.getTime()
  return Math.floor(((before.credits + before.seat_credits) * overlapMs) / lengthMs)
}
