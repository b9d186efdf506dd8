import { invalidRequest } from '../errors.ts'
import { type Cause, noCall, type Service } from '../service.ts'
import type { StoredInvoice, StoredPaymentMethod } from '../state.ts'
import { emit } from './event.ts'
import { cancelPayment, defaultPayment } from './invoice.ts'
import { updateStatusAfterPayment } from './pay-invoice.ts'
import { chargeIntent, newPaymentIntent } from './payment-intent.ts'

/**
 * Support marks an open invoice as paid elsewhere: no charge (https://docs.stripe.com/api/invoices/pay), and
 * `amount_paid` counts it (Stripe's changelog, 2025-03-31: multiple partial payments on invoices).
 */
export function payOutOfBand(service: Service, invoice: StoredInvoice, cause: Cause): StoredInvoice {
  requireOpen(invoice)
  return settle(service, { ...invoice, amount_paid: invoice.amount_due }, cause)
}

/**
 * A credit note of an open invoice: its `total` stays, and less is due.
 * https://docs.stripe.com/api/credit_notes/create
 */
export function forgivePart(service: Service, invoice: StoredInvoice, amount: number): StoredInvoice {
  requireOpen(invoice)
  requireWithin(invoice, amount)
  const pre_payment_credit_notes_amount = invoice.pre_payment_credit_notes_amount + amount
  const amount_due = invoice.amount_due - amount
  return takeLess(service, { ...invoice, pre_payment_credit_notes_amount, amount_due }, noCall)
}

/** One of several payments of an invoice. https://docs.stripe.com/invoicing/partial-payments */
export function payPart(
  service: Service,
  invoice: StoredInvoice,
  { amount, method }: { amount: number; method: StoredPaymentMethod },
): StoredInvoice {
  requireOpen(invoice)
  requireWithin(invoice, amount)
  const { store, clock } = service
  const made = newPaymentIntent(service, {
    amount,
    currency: invoice.currency,
    customer: invoice.customer,
    payment_method_types: ['card'],
    data: {
      description: null,
      metadata: {},
      setup_future_usage: null,
    },
  })
  const intent = store.payment_intents.put(made)
  emit(service, 'payment_intent.created', intent, { cause: noCall })
  const first = defaultPayment(service, invoice)
  if (!first) throw new Error(`Invoice ${invoice.id} has no payment to make.`)
  const payment = store.invoice_payments.put({
    ...first,
    id: `${first.id}_${intent.id}`,
    amount_paid: amount,
    amount_requested: amount,
    created: clock.now(),
    is_default: false,
    payment: { type: 'payment_intent', payment_intent: intent.id },
    status: 'paid',
    status_transitions: { canceled_at: null, paid_at: clock.now() },
  })
  chargeIntent(service, { intent, method, decline: null })
  emit(service, 'invoice_payment.paid', payment, { cause: noCall })
  return takeLess(service, { ...invoice, amount_paid: invoice.amount_paid + amount }, noCall)
}

function requireOpen({ id, status }: StoredInvoice): void {
  if (status === 'open' || status === 'uncollectible') return
  throw invalidRequest(`Invoice ${id} is ${status}, not open.`, { code: 'status_transition_invalid' })
}

function requireWithin({ amount_remaining }: StoredInvoice, amount: number): void {
  if (amount >= 1 && amount <= amount_remaining) return
  throw invalidRequest(`The amount must be between 1 and ${amount_remaining}.`, { param: 'amount' })
}

/** What is left to be paid by the default payment; nothing left is a paid invoice. */
function takeLess(service: Service, invoice: StoredInvoice, cause: Cause): StoredInvoice {
  const { store } = service
  const amount_remaining = invoice.amount_due - invoice.amount_paid
  if (amount_remaining === 0) return settle(service, invoice, cause)
  const payment = defaultPayment(service, invoice)
  const intent = store.payment_intents.get(payment?.payment.payment_intent)
  if (payment) store.invoice_payments.put({ ...payment, amount_requested: amount_remaining })
  if (intent) store.payment_intents.put({ ...intent, amount: amount_remaining })
  const after = store.invoices.put({ ...invoice, amount_remaining })
  emit(service, 'invoice.updated', after, { cause })
  return after
}

function settle(service: Service, invoice: StoredInvoice, cause: Cause): StoredInvoice {
  const paid = service.store.invoices.put({
    ...invoice,
    amount_remaining: 0,
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: service.clock.now() },
  })
  emit(service, 'invoice.paid', paid, { cause })
  emit(service, 'invoice.payment_succeeded', paid, { cause })
  cancelPayment(service, paid, { reason: 'automatic', cause })
  updateStatusAfterPayment(service, paid, { cause })
  return paid
}
