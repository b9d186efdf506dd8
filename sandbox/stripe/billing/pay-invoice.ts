import type { StoredInvoice, StoredInvoicePayment, StoredPaymentMethod } from '../entities.ts'
import type { Decline } from '../objects/charge.ts'
import { emit } from '../objects/event.ts'
import { takeMoney } from '../payments/charge-intent.ts'
import { declineOf } from '../payments/test-cards.ts'
import type { Cause, World } from '../world.ts'
import { followPayment } from './follow-payment.ts'
import { nextAttempt } from './retry-schedule.ts'

export type PaymentAttempt = {
  /** What to charge; null when the customer has nothing that could be. */
  method: StoredPaymentMethod | null
  is_off_session: boolean
  /** One of Stripe's own attempts. Others, by a person or through the API, do not move the schedule. */
  is_automatic: boolean
  /** Lets the bank refuse whatever the card is. */
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

/** Tries to collect an open invoice. Either way the invoice, its payment intent and its subscription know afterwards. */
export function payInvoice(
  world: World,
  invoice: StoredInvoice,
  attempt: PaymentAttempt,
): InvoicePaymentResult {
  const { method } = attempt
  if (!method) return fail(world, invoice, { attempt, decline: no_method, tellPayment: () => null })
  const payment = defaultPayment(world, invoice)
  const intent = world.store.payment_intents.get(payment?.payment.payment_intent ?? '')
  if (!payment || !intent) throw new Error(`Invoice ${invoice.id} has no payment to make.`)
  const decline = attempt.forced_decline ?? declineOf(method, attempt)
  const charged = takeMoney(world, { intent, method, decline })
  const { cause } = attempt
  if (decline) {
    const tellPayment = () => {
      emit(world, 'charge.failed', charged.charge, { cause })
      emit(world, 'payment_intent.payment_failed', charged.intent, { cause })
    }
    return fail(world, invoice, { attempt, decline, tellPayment })
  }
  const now = world.clock.now()
  const paid = world.store.invoices.put({
    ...invoice,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    attempt_count: attemptsAfter(invoice, attempt),
    attempted: true,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'paid',
    status_transitions: { ...invoice.status_transitions, paid_at: now },
  })
  const settled = world.store.invoice_payments.put({
    ...payment,
    amount_paid: invoice.amount_due,
    status: 'paid',
    status_transitions: { ...payment.status_transitions, paid_at: now },
  })
  emit(world, 'invoice.paid', paid, { cause })
  emit(world, 'invoice.payment_succeeded', paid, { cause })
  emit(world, 'invoice_payment.paid', settled, { cause })
  emit(world, 'payment_intent.succeeded', charged.intent, { cause })
  emit(world, 'charge.succeeded', charged.charge, { cause })
  followPayment(world, paid, { cause })
  return { invoice: paid, decline: null, charge: charged.charge.id }
}

function fail(
  world: World,
  invoice: StoredInvoice,
  { attempt, decline, tellPayment }: { attempt: PaymentAttempt; decline: Decline; tellPayment: () => void },
): InvoicePaymentResult {
  const attempt_count = attemptsAfter(invoice, attempt)
  const failed = world.store.invoices.put({
    ...invoice,
    attempt_count,
    attempted: true,
    ...(attempt_count !== invoice.attempt_count && nextAttempt(invoice, attempt_count, world.clock.now())),
  })
  tellPayment()
  emit(world, 'invoice.payment_failed', failed, { cause: attempt.cause })
  followPayment(world, failed, { cause: attempt.cause })
  return { invoice: failed, decline, charge: null }
}

function attemptsAfter({ attempt_count }: StoredInvoice, { is_automatic }: PaymentAttempt): number {
  return attempt_count === 0 || is_automatic ? attempt_count + 1 : attempt_count
}

export function defaultPayment({ store }: World, { id }: StoredInvoice): StoredInvoicePayment | null {
  for (const payment of store.invoice_payments.newestFirst()) {
    if (payment.invoice === id && payment.is_default) return payment
  }
  return null
}
