import { noCall, type Service } from '../service.ts'
import type { StoredInvoice } from '../state.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { defaultMethod } from './customer.ts'
import { disputeAtOnce } from './dispute.ts'
import { subscriptionOf } from './invoice.ts'
import { type InvoicePaymentResult, isExhausted, type PaymentAttempt, payInvoice } from './pay-invoice.ts'
import { hasEnded } from './subscription.ts'

/** Charges an open invoice, by default off session, and cancels the subscription after the last attempt. */
export function collectInvoice(
  service: Service,
  invoice: StoredInvoice,
  attempt: Omit<PaymentAttempt, 'is_off_session' | 'method'> &
    Partial<Pick<PaymentAttempt, 'is_off_session' | 'method'>>,
): InvoicePaymentResult {
  const { store } = service
  const subscription = store.subscriptions.get(subscriptionOf(invoice)) ?? null
  const customer = store.customers.get(invoice.customer)
  const method = attempt.method ?? defaultMethod(service, { subscription, customer })
  const result = payInvoice(service, invoice, { is_off_session: true, ...attempt, method })
  disputeAtOnce(service, result.charge)
  const after = store.subscriptions.get(subscription?.id)
  if (result.decline && attempt.is_automatic && after && !hasEnded(after) && isExhausted(result.invoice)) {
    cancelSubscription(service, after, {
      invoice_now: false,
      details: { reason: 'payment_failed' },
      cause: noCall,
    })
  }
  return result
}
