import type { StoredInvoice } from '../entities.ts'

const day_s = 24 * 60 * 60

/** How long Stripe waits after each failed attempt. After the last one the subscription is canceled. */
const delays_days = [3, 5, 7]

/** When a failed invoice is tried again by itself. The first invoice of a subscription waits for the buyer instead. */
export function nextAttempt(
  { billing_reason }: StoredInvoice,
  attempt_count: number,
  now: number,
): Pick<StoredInvoice, 'auto_advance' | 'next_payment_attempt'> {
  const delay = billing_reason === 'subscription_create' ? undefined : delays_days[attempt_count - 1]
  return delay === undefined
    ? { auto_advance: false, next_payment_attempt: null }
    : { auto_advance: true, next_payment_attempt: now + delay * day_s }
}

export function isExhausted({ billing_reason, attempt_count }: StoredInvoice): boolean {
  return billing_reason !== 'subscription_create' && attempt_count > delays_days.length
}
