import type { SoldPlanType } from '../catalogue/plans.ts'
import type { Owner } from '../ledger/accounts.ts'

/**
 * Stripe's stored facts about one owner, independent of earlier postings. Amounts are minor units of the paid
 * currency. Decision 061 has the rules that turn them into credits.
 */
export interface OwnerFacts {
  readonly owner: Owner
  readonly purchases: readonly PurchaseFact[]
  readonly subscriptions: readonly SubscriptionFact[]
  /** By invoice: the amount and the money returned. A missing invoice has had no money returned. */
  readonly invoice_money: ReadonlyMap<string, MoneyBack>
}

export interface PurchaseFact {
  readonly intent_id: string
  readonly credits: number
  readonly money: MoneyBack
}

export interface MoneyBack {
  /** The price sold: a purchase's amount, an invoice's `total`, including a part paid by a credit balance. */
  readonly total_minor: number
  readonly refunded_minor: number
  /** Held by disputes that are open or lost. */
  readonly disputed_minor: number
}

export interface SubscriptionFact {
  readonly id: string
  readonly intent_id: string
  readonly plan_type: SoldPlanType
  /** Fixed at the checkout. */
  readonly credits_per_seat: number
  readonly trial_end: Date | null
  readonly ended_at: Date | null
  /** As they are now, or were when it ended. */
  readonly seats: number
  readonly lines: readonly PaidLine[]
}

/** One line of a paid invoice: a regular period with its seats, or a prorated change of seats within one. */
export interface PaidLine {
  readonly invoice_id: string
  readonly kind: 'period' | 'seats'
  /** The period's start, or the moment of the change. */
  readonly starts_at: Date
  readonly ends_at: Date
  readonly seats: number
  /** Before the change; null for a period, and where the invoice's lines do not say it. */
  readonly seats_before: number | null
  /** What the line costs before discounts; zero for a trial. */
  readonly amount_minor: number
  readonly paid_at: Date
}

/** Money that came when there was no month any more that it could have paid for (rule 11). */
export function isPaidTooLate(
  line: PaidLine,
  period: { readonly over_at: Date; readonly subscription: SubscriptionFact },
): boolean {
  return line.paid_at >= period.over_at || isPaidAfterEnd(line, period.subscription)
}

export function isPaidAfterEnd({ paid_at }: PaidLine, { ended_at }: SubscriptionFact): boolean {
  return ended_at !== null && paid_at > ended_at
}

export function byStart(a: PaidLine, b: PaidLine): number {
  return (
    a.starts_at.getTime() - b.starts_at.getTime() ||
    a.paid_at.getTime() - b.paid_at.getTime() ||
    a.invoice_id.localeCompare(b.invoice_id)
  )
}
