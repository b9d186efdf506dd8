import type { getSessionStatus } from '../../../../schema/api/checkout.ts'
import type { ResponseOf } from '../../../../schema/api/endpoint.ts'
import type { Currency } from '../../../../schema/catalogue/currency.ts'
import type { BillingFrequency, PlanType } from '../../../../schema/catalogue/plans.ts'
import { personalPlan, soldPlans } from '../../../../schema/catalogue/sold-plans.ts'

type SessionStatus = ResponseOf<typeof getSessionStatus>['data']

export interface PlanPurchase {
  plan_type: PlanType
  billing: BillingFrequency
  seats: number
  currency: Currency
  /** Of one billing period after any trial, as ordered. */
  price_minor: number
  /** The plan starts with a free trial, so nothing is paid today. */
  trial: boolean
  /** The day of the first charge, once the trial has begun. */
  trial_ends_at?: string
  /** The buyer's own plan, which ended with the order. */
  ended_plan?: SessionStatus['ended_plan']
}

/** The plan bought, or `null` for credits. Missing metadata means the plan for one person, monthly. */
export function purchasedPlan({ metadata, ...session }: SessionStatus): PlanPurchase | null {
  if (!metadata.planType && !session.subscription_id) return null
  return {
    plan_type: (soldPlans.find((plan) => plan.plan_type === metadata.planType) ?? personalPlan).plan_type,
    billing: metadata.billingFrequency === 'yearly' ? 'yearly' : 'monthly',
    seats: readSeats(metadata.seats),
    currency: session.currency,
    price_minor: session.price_minor,
    trial: session.payment_status === 'no_payment_required',
    ended_plan: session.ended_plan,
    ...(session.trial_ends_at && { trial_ends_at: session.trial_ends_at }),
  }
}

function readSeats(text: string | undefined): number {
  const seats = Number(text)
  return Number.isInteger(seats) && seats > 1 ? seats : 1
}

/** The page that opens the payment page for this plan: the earlier one if it is still open. */
export function planCheckoutPath({ plan_type, billing, currency, seats }: PlanPurchase): string {
  const search = new URLSearchParams({ plan: plan_type, billing, currency, seats: String(seats) })
  return `/auth/post-signup?${search}`
}
