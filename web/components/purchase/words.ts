import type { PlanPurchase } from './plan.ts'

/** The page that somebody came back to. It decides how the wait is put while nobody knows what was bought. */
export type ReturnPage = 'payment' | 'billing'

interface PurchaseWords {
  slow: { title: string; text: string }
  overdue: { title: string; text: string }
  bank_pending: string
  not_paid: string
  failed: string
  expired: string
}

/** What is said of a purchase that is not there yet, or never will be. */
export function purchaseWords(plan: PlanPurchase | null): PurchaseWords {
  return plan ? planWords : creditWords
}

export function waitingWords(page: ReturnPage, plan: PlanPurchase | null): { title: string; text: string } {
  return plan || page === 'payment'
    ? { title: 'Processing Payment', text: 'Please wait while we confirm your payment.' }
    : { title: 'Verifying Payment...', text: 'Please wait while we confirm your credit purchase.' }
}

/** Without an answer nobody knows what was bought, so the page decides. */
export function unverifiedText(page: ReturnPage): string {
  return page === 'payment'
    ? 'Failed to verify payment status'
    : 'Could not verify payment status, but your credits should be added shortly.'
}

const creditWords: PurchaseWords = {
  slow: {
    title: 'Your payment was received.',
    text: 'Credits usually appear instantly but may take a few minutes. If they are not visible after 10 minutes, contact',
  },
  overdue: {
    title: 'Payment received',
    text: 'Your payment went through, but your credits are taking longer than the usual 10 minutes to appear. They are not lost: please contact support and we will put it right.',
  },
  bank_pending:
    'Your bank is still confirming the payment. Your credits are added as soon as it is confirmed. You can close this page.',
  not_paid:
    'The payment page was left before the payment was completed. Nothing was charged, and no credits were added.',
  failed:
    'Your bank did not confirm the payment, so no credits were added. You can try again with another payment method.',
  expired: 'This payment session was not completed in time. Nothing was charged, and no credits were added.',
}

/** Said of trials too, where an order was placed and no payment made. */
const planWords: PurchaseWords = {
  slow: {
    title: 'Your order was received.',
    text: 'Plans usually start instantly but may take a few minutes. If yours has not started after 10 minutes, contact',
  },
  overdue: {
    title: 'Order received',
    text: 'Your order went through, but your plan is taking longer than the usual 10 minutes to start. It is not lost: please contact support and we will put it right.',
  },
  bank_pending:
    'Your bank is still confirming the payment. Your plan starts as soon as it is confirmed. You can close this page.',
  not_paid:
    'The payment page was left before the order was completed. Nothing was charged, and your plan has not changed.',
  failed:
    'Your bank did not confirm the payment, so your plan has not changed. You can try again with another payment method.',
  expired:
    'This payment session was not completed in time. Nothing was charged, and your plan has not changed.',
}
