import { z } from 'zod'
import type { PlanType } from '../../catalogue/plans.ts'

/**
 * Stripe's stored facts about one owner, independent of earlier postings. Amounts are minor units of the paid
 * currency. Decision 061 has the rules that turn them into credits.
 */
export interface OwnerFacts {
  readonly owner_id: string
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
  /**
   * What was given back beside that for the unused part of a plan (decision 054), and what had been refunded
   * before it. Nothing where it is missing.
   */
  readonly unused?: { readonly amount_minor: number; readonly refunded_before_minor: number }
}

export interface SubscriptionFact {
  readonly id: string
  readonly intent_id: string
  readonly plan_type: PlanType
  /** Fixed at the checkout. */
  readonly credits_per_seat: number
  readonly trial_end: Date | null
  readonly ended_at: Date | null
  /**
   * From when on nothing is paid and Stripe plans no charge; in the future while collection is paused. Null
   * for a plan that goes on.
   */
  readonly lapses_at: Date | null
  /** As they are now, or were when it ended. */
  readonly seats: number
  readonly lines: readonly PaidLine[]
}

/**
 * What lines of a paid invoice say: a regular period with its seats, a prorated change of seats within one,
 * or that the money for the rest of one went back.
 */
export interface PaidLine {
  /** Null while the amount waits for an invoice, or for that invoice's payment. */
  readonly invoice_id: string | null
  readonly kind: 'period' | 'seats' | 'cut'
  /** The period's start, the moment of the change, or that from which the money went back. */
  readonly starts_at: Date
  readonly ends_at: Date
  readonly seats: number
  /** Before the change; null for the others, and where the invoice's lines do not say it. */
  readonly seats_before: number | null
  /** What the line costs before discounts; zero for a trial. */
  readonly amount_minor: number
  /** Of an amount that waits the moment of its change. */
  readonly paid_at: Date
}

/** A change that Stripe bills later. It takes back at once; what it adds brings nothing until it is paid. */
export type PendingLine = Omit<PaidLine, 'invoice_id' | 'paid_at'>

/** As a subscription's row has them. */
export const pendingLinesSchema = z.array(
  z.object({
    kind: z.enum(['seats', 'cut']),
    starts_at: z.coerce.date(),
    ends_at: z.coerce.date(),
    seats: z.int(),
    seats_before: z.int().nullable(),
    amount_minor: z.int(),
  }),
)

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

/**
 * The period that a change or a cut is about. Stripe prorates until the end of the present period
 * (https://docs.stripe.com/billing/subscriptions/prorations), so it is one with the same end, of two the
 * later one. A period that is not paid for may be meant, and then it is none of those that are. A bill
 * changes nothing of the period that it charges for.
 */
export function periodOf<Period extends Pick<PaidLine, 'invoice_id' | 'starts_at' | 'ends_at'>>(
  { invoice_id, starts_at, ends_at }: PaidLine,
  periods: readonly Period[],
): Period | undefined {
  return periods
    .filter((period) => period.starts_at <= starts_at && period.ends_at.getTime() === ends_at.getTime())
    .filter((period) => invoice_id === null || period.invoice_id !== invoice_id)
    .toSorted((a, b) => b.starts_at.getTime() - a.starts_at.getTime())[0]
}

export function byStart(a: PaidLine, b: PaidLine): number {
  return (
    a.starts_at.getTime() - b.starts_at.getTime() ||
    a.paid_at.getTime() - b.paid_at.getTime() ||
    (a.invoice_id ?? '').localeCompare(b.invoice_id ?? '')
  )
}
