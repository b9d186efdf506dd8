import type { getSessionStatus } from '../../../../schema/api/checkout.ts'
import type { ResponseOf } from '../../../../schema/api/endpoint.ts'
import type { Currency } from '../../../../schema/catalogue/currency.ts'
import type { BillingFrequency, PlanType } from '../../../../schema/catalogue/plans.ts'
import { personalPlan, soldPlans } from '../../../../schema/catalogue/sold-plans.ts'
import { isStatus } from '../../../api/failure.ts'

type SessionStatus = ResponseOf<typeof getSessionStatus>['data']

/** After this long the page explains that credits can take a few minutes. */
const slowAfterMs = 15_000
/** After this long the page stops polling and asks the user to contact support. */
const overdueAfterMs = 10 * 60_000
const firstPollMs = 1000
const longestPollMs = 20_000

/** Every state that a purchase can be in when the buyer returns from the payment page. */
export type PurchaseProgress =
  | { kind: 'verifying' }
  | { kind: 'paid'; pace: 'usual' | 'slow' | 'overdue'; stage: SessionStatus['fulfilment']['stage'] }
  | { kind: 'bank_pending' }
  | { kind: 'not_paid' }
  | {
      kind: 'applied'
      credits: number
      balance: Pick<SessionStatus['fulfilment'], 'available' | 'held'> & { total: number }
      amount_minor: number
      currency: Currency
    }
  | { kind: 'failed' }
  | { kind: 'expired' }
  | { kind: 'not_found' }
  | { kind: 'unverified'; error: unknown }

export type AppliedPurchase = Extract<PurchaseProgress, { kind: 'applied' }>

interface Observation {
  status: SessionStatus | undefined
  error: unknown
  /** Since the page started polling. */
  elapsed_ms: number
}

/** Success means that the ledger has the credits. Stripe's status only explains the wait. */
export function purchaseProgress({ status, error, elapsed_ms }: Observation): PurchaseProgress {
  if (!status) {
    if (isStatus(error, 404)) return { kind: 'not_found' }
    return error ? { kind: 'unverified', error } : { kind: 'verifying' }
  }
  const { state, stage, credits, balance: total, available, held } = status.fulfilment
  if (state === 'applied') {
    const balance = { total, available, held }
    return { kind: 'applied', credits, balance, amount_minor: status.amount_total, currency: status.currency }
  }
  if (state === 'failed' || state === 'expired') return { kind: state }
  if (status.status === 'expired') return { kind: 'expired' }
  if (status.status === 'open') return { kind: 'not_paid' }
  if (status.payment_status === 'unpaid') return { kind: 'bank_pending' }
  if (elapsed_ms >= overdueAfterMs) return { kind: 'paid', pace: 'overdue', stage }
  return { kind: 'paid', pace: elapsed_ms >= slowAfterMs ? 'slow' : 'usual', stage }
}

/** The pause before the next poll; `false` when the answer is final or the wait too long. */
export function nextPollMs(progress: PurchaseProgress, elapsed_ms: number): number | false {
  if (elapsed_ms >= overdueAfterMs) return false
  switch (progress.kind) {
    case 'applied':
    case 'failed':
    case 'expired':
    case 'not_found':
      return false
    default:
      // An eighth of the time waited so far: fast at first, without loading the server later.
      return Math.min(Math.max(firstPollMs, elapsed_ms / 8), longestPollMs)
  }
}

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

/** The return address that the user is on. It decides the wording until the purchase is known. */
export type ReturnPage = 'payment' | 'billing'

interface PurchaseTexts {
  slow: { title: string; text: string }
  overdue: { title: string; text: string }
  bank_pending: string
  not_paid: string
  failed: string
  expired: string
}

/** The texts for credits that have not arrived yet, or never will. */
export const creditTexts: PurchaseTexts = {
  slow: {
    title: 'We received your payment.',
    text: 'Credits usually appear instantly but may take a few minutes. If they are not visible after 10 minutes, contact',
  },
  overdue: {
    title: 'Payment received',
    text: 'Your payment went through, but your credits are taking longer than usual to appear. They are not lost: please contact support and we will sort it out.',
  },
  bank_pending:
    'Your bank is still confirming the payment. Your credits will be added as soon as it is confirmed. You can close this page.',
  not_paid:
    'You left the payment page before completing the payment. You have not been charged, and no credits were added.',
  failed:
    'Your bank did not confirm the payment, so no credits were added. You can try again with another payment method.',
  expired:
    'This payment session expired before it was completed. You have not been charged, and no credits were added.',
}

/** Also for trials, which are not paid yet: hence "order" instead of "payment". */
export const planTexts: PurchaseTexts = {
  slow: {
    title: 'We received your order.',
    text: 'Plans usually start instantly but may take a few minutes. If yours has not started after 10 minutes, contact',
  },
  overdue: {
    title: 'Order received',
    text: 'Your order went through, but your plan is taking longer than usual to start. Your order is not lost: please contact support and we will sort it out.',
  },
  bank_pending:
    'Your bank is still confirming the payment. Your plan will start as soon as it is confirmed. You can close this page.',
  not_paid:
    'You left the payment page before completing your order. You have not been charged, and your plan has not changed.',
  failed:
    'Your bank did not confirm the payment, so your plan has not changed. You can try again with another payment method.',
  expired:
    'This payment session expired before it was completed. You have not been charged, and your plan has not changed.',
}
