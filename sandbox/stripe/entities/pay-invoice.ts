import type { Decline } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type {
  StoredInvoice,
  StoredInvoicePayment,
  StoredPaymentMethod,
  StoredSubscription,
} from '../state.ts'
import { emit } from './event.ts'
import { defaultPayment, subscriptionOf } from './invoice.ts'
import { attemptCharge, waitingIntent } from './payment-intent.ts'
import { confirmation_needed, declineOf } from './test-cards.ts'

export type PaymentAttempt = {
  /** What to charge; null when the customer has nothing that could be. */
  method: StoredPaymentMethod | null
  is_off_session: boolean
  /** One of Stripe's own attempts. Others, by a person or through the API, do not move the schedule. */
  is_automatic: boolean
  forced_decline?: Decline | undefined
  cause: Cause
}

export type InvoicePaymentResult = {
  invoice: StoredInvoice
  /** Why it was not paid; `null` when it was. */
  decline: Decline | null
  charge: string | null
}

export const no_method: Decline = {
  code: 'resource_missing',
  decline_code: null,
  message:
    'This customer has no attached payment source or default payment method. Please consider adding a default payment method.',
}

/** Tries to collect an open invoice and updates its payment intent and subscription. */
export function payInvoice(
  service: Service,
  invoice: StoredInvoice,
  attempt: PaymentAttempt,
): InvoicePaymentResult {
  const { method } = attempt
  if (!method) return fail(service, invoice, { attempt, decline: no_method, announceFailure: () => null })
  const payment = defaultPayment(service, invoice)
  const intent = service.store.payment_intents.get(payment?.payment.payment_intent)
  if (!payment || !intent) throw new Error(`Invoice ${invoice.id} has no payment to make.`)
  const decline = attempt.forced_decline ?? declineOf(method, attempt)
  if (decline === confirmation_needed) {
    const waiting = service.store.payment_intents.put(waitingIntent(intent, { method }))
    const announceFailure = () => {
      emit(service, 'payment_intent.requires_action', waiting, { cause: attempt.cause })
    }
    return fail(service, invoice, { attempt, decline, announceFailure })
  }
  const charged = attemptCharge(service, { intent, method, decline })
  const { cause } = attempt
  if (decline) {
    const announceFailure = () => {
      emit(service, 'charge.failed', charged.charge, { cause })
      emit(service, 'payment_intent.payment_failed', charged.intent, { cause })
    }
    return fail(service, invoice, { attempt, decline, announceFailure })
  }
  const attempt_count = attemptsAfter(invoice, attempt)
  const { paid, settled } = recordPayment(service, invoice, { payment, attempt_count })
  emit(service, 'invoice.paid', paid, { cause })
  emit(service, 'invoice.payment_succeeded', paid, { cause })
  emit(service, 'invoice_payment.paid', settled, { cause })
  emit(service, 'payment_intent.succeeded', charged.intent, { cause })
  emit(service, 'charge.succeeded', charged.charge, { cause })
  updateStatusAfterPayment(service, paid, { cause })
  return { invoice: paid, decline: null, charge: charged.charge.id }
}

/** The invoice and its payment, once the money is there. */
export function recordPayment(
  { store, clock }: Service,
  invoice: StoredInvoice,
  { payment, attempt_count }: { payment: StoredInvoicePayment; attempt_count: number },
): { paid: StoredInvoice; settled: StoredInvoicePayment } {
  const now = clock.now()
  const paid = store.invoices.put({
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: now },
  })
  const settled = store.invoice_payments.put({
    ...payment,
    // Other payments may have paid a part.
    amount_paid: invoice.amount_remaining,
    status: 'paid',
    status_transitions: { ...payment.status_transitions, paid_at: now },
  })
  return { paid, settled }
}

function fail(
  service: Service,
  invoice: StoredInvoice,
  {
    attempt,
    decline,
    announceFailure,
  }: { attempt: PaymentAttempt; decline: Decline; announceFailure: () => void },
): InvoicePaymentResult {
  const attempt_count = attemptsAfter(invoice, attempt)
  const failed = service.store.invoices.put({
    ...invoice,
    attempt_count,
    attempted: true,
    ...(attempt_count !== invoice.attempt_count && nextAttempt(invoice, attempt_count, service.clock.now())),
  })
  announceFailure()
  // https://docs.stripe.com/billing/subscriptions/webhooks
  const what = decline === confirmation_needed ? 'payment_action_required' : 'payment_failed'
  emit(service, `invoice.${what}`, failed, { cause: attempt.cause })
  updateStatusAfterPayment(service, failed, { cause: attempt.cause })
  return { invoice: failed, decline, charge: null }
}

function attemptsAfter({ attempt_count }: StoredInvoice, { is_automatic }: PaymentAttempt): number {
  return attempt_count === 0 || is_automatic ? attempt_count + 1 : attempt_count
}

/** What a paid or unpaid invoice means for its subscription: it counts as active, or as past due. */
export function updateStatusAfterPayment(
  service: Service,
  invoice: StoredInvoice,
  { cause }: { cause: Cause },
): void {
  const { store } = service
  const subscription = store.subscriptions.get(subscriptionOf(invoice))
  if (!subscription) return
  const status = statusAfter(subscription, invoice)
  if (status === subscription.status) return
  const after = store.subscriptions.put({ ...subscription, status })
  emit(service, 'customer.subscription.updated', after, {
    cause,
    previous_attributes: { status: subscription.status },
  })
}

function statusAfter(
  { status, latest_invoice }: StoredSubscription,
  invoice: StoredInvoice,
): StoredSubscription['status'] {
  // Only the newest invoice changes the subscription's status.
  if (invoice.id !== latest_invoice) return status
  if (invoice.status !== 'paid') return status === 'active' ? 'past_due' : status
  return status === 'past_due' || status === 'incomplete' ? 'active' : status
}

const day_s = 24 * 60 * 60

/** How long Stripe waits after each failed attempt. After the last one the subscription is canceled. */
const delays_days = [3, 5, 7]

/** When a failed invoice is retried. A subscription's first invoice waits for the buyer instead. */
function nextAttempt(
  { auto_advance, billing_reason }: StoredInvoice,
  attempt_count: number,
  now: number,
): Pick<StoredInvoice, 'auto_advance' | 'next_payment_attempt'> {
  const waits = billing_reason === 'subscription_create' || !auto_advance
  const delay = waits ? undefined : delays_days[attempt_count - 1]
  return delay === undefined
    ? { auto_advance: false, next_payment_attempt: null }
    : { auto_advance: true, next_payment_attempt: now + delay * day_s }
}

export function isExhausted({ billing_reason, attempt_count }: StoredInvoice): boolean {
  return billing_reason !== 'subscription_create' && attempt_count > delays_days.length
}
