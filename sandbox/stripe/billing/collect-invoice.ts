import type { StoredInvoice } from '../entities.ts'
import { subscriptionOf } from '../objects/invoice.ts'
import { disputeAtOnce } from '../payments/dispute-at-once.ts'
import { nobody, type World } from '../world.ts'
import { cancelSubscription } from './cancel-subscription.ts'
import { defaultMethod } from './default-method.ts'
import { type InvoicePaymentResult, type PaymentAttempt, payInvoice } from './pay-invoice.ts'
import { isExhausted } from './retry-schedule.ts'
import { isOver } from './update-subscription.ts'

/**
 * Charges an open invoice, by default without the buyer, and draws the consequences: after the last attempt in vain the
 * subscription is canceled, and a card that disputes everything disputes this too.
 */
export function collectInvoice(
  world: World,
  invoice: StoredInvoice,
  attempt: Omit<PaymentAttempt, 'is_off_session' | 'method'> &
    Partial<Pick<PaymentAttempt, 'is_off_session' | 'method'>>,
): InvoicePaymentResult {
  const { store } = world
  const subscription = store.subscriptions.get(subscriptionOf(invoice)) ?? null
  const customer = store.customers.get(invoice.customer)
  const method = attempt.method ?? defaultMethod(world, { subscription, customer })
  const result = payInvoice(world, invoice, { is_off_session: true, ...attempt, method })
  disputeAtOnce(world, result.charge)
  const after = store.subscriptions.get(subscription?.id ?? '')
  if (result.decline && attempt.is_automatic && after && !isOver(after) && isExhausted(result.invoice)) {
    cancelSubscription(world, after, {
      prorate: false,
      invoice_now: false,
      details: { reason: 'payment_failed' },
      cause: nobody,
    })
  }
  return result
}
