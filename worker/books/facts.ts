/**
 * What Stripe says of one owner, as it was written down: nothing here depends on what was posted before. Amounts are minor
 * units of the currency that was paid in. The rules that turn it into credits are decision 061.
 */
export interface OwnerFacts {
  readonly purchases: readonly PurchaseFact[]
  readonly subscriptions: readonly SubscriptionFact[]
  /** By invoice: what was to be paid, and what of it went back. An invoice that is missing has had nothing paid back. */
  readonly invoice_money: ReadonlyMap<string, MoneyBack>
}

/** A checkout of credits that was paid. */
export interface PurchaseFact {
  readonly intent_id: string
  readonly credits: number
  readonly paid_at: Date
  readonly money: MoneyBack
}

export interface MoneyBack {
  /** The price of what was sold: a purchase's amount, an invoice's `total`, whatever part of it a credit balance paid. */
  readonly total_minor: number
  readonly refunded_minor: number
  /** Held by disputes that are open or lost. */
  readonly disputed_minor: number
}

export interface SubscriptionFact {
  readonly id: string
  readonly intent_id: string
  /** Promised at the checkout. */
  readonly credits_per_seat: number
  readonly trial_end: Date | null
  readonly ended_at: Date | null
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
