import type { getSessionStatus } from '../../../../schema/api/checkout.ts'
import type { ResponseOf } from '../../../../schema/api/endpoint.ts'
import type { Currency } from '../../../../schema/catalogue/currency.ts'
import { type BillingFrequency, plans, type SoldPlanType } from '../../../../schema/catalogue/plans.ts'

type SessionStatus = ResponseOf<typeof getSessionStatus>['data']

export interface PlanPurchase {
  plan_type: SoldPlanType
  billing: BillingFrequency
  seats: number
  currency: Currency
  /** The plan starts with a free trial, so nothing is paid today. */
  trial: boolean
  /** The day of the first charge, once the trial has begun. */
  trial_ends_at?: string
  /** The buyer's own plan, which ended with the order. */
  ended_plan?: SessionStatus['ended_plan']
}

/** The plan bought, or `null` for credits. Missing metadata means Pro, monthly, one seat. */
export function purchasedPlan({ metadata, ...session }: SessionStatus): PlanPurchase | null {
  if (!metadata.planType && !session.subscription_id) return null
  return {
    plan_type: metadata.planType === 'teams' ? 'teams' : 'pro',
    billing: metadata.billingFrequency === 'yearly' ? 'yearly' : 'monthly',
    seats: readSeats(metadata.seats),
    currency: session.currency,
    trial: session.payment_status === 'no_payment_required',
    ended_plan: session.ended_plan,
    ...(session.trial_ends_at && { trial_ends_at: session.trial_ends_at }),
  }
}

function readSeats(text: string | undefined): number {
  const seats = Number(text)
  return Number.isInteger(seats) && seats > 1 ? seats : 1
}

/** The price of one billing period after any trial, in minor units. */
export function periodPriceMinor({ plan_type, billing, seats }: PlanPurchase): number {
  return (plans[plan_type].price_minor?.[billing] ?? 0) * seats
}

/** The page that opens the payment page for this plan: the earlier one if it is still open. */
export function planCheckoutPath({ plan_type, billing, currency, seats }: PlanPurchase): string {
  const search = new URLSearchParams({ plan: plan_type, billing, currency, seats: String(seats) })
  return `/auth/post-signup?${search}`
}
