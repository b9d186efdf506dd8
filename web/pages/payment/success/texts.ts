import { failureText } from '../../../api/failure.ts'
import type { PlanPurchase } from './plan.ts'

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

/** The texts for a purchase that has not arrived yet, or never will. */
export function purchaseTexts(plan: PlanPurchase | null): PurchaseTexts {
  return plan ? planTexts : creditTexts
}

export function waitingTexts(page: ReturnPage, plan: PlanPurchase | null): { title: string; text: string } {
  return plan || page === 'payment'
    ? { title: 'Processing Payment', text: 'Please wait while we confirm your payment.' }
    : { title: 'Verifying Payment...', text: 'Please wait while we confirm your credit purchase.' }
}

/** Without a status the page decides what was bought; for credits their outcome comes first. */
export function unverifiedText(page: ReturnPage, error: unknown): string {
  return page === 'payment'
    ? failureText(error, 'Failed to verify payment status')
    : 'Could not verify payment status, but your credits should be added shortly.'
}

const creditTexts: PurchaseTexts = {
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
const planTexts: PurchaseTexts = {
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
