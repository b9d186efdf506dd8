import { newId } from '../../kit/id.ts'
import { existing, invalidRequest } from '../errors.ts'
import { noCall, type Service } from '../service.ts'
import type {
  CheckoutDetails,
  StoredInvoice,
  StoredPaymentIntent,
  StoredPaymentMethod,
  StoredSession,
} from '../state.ts'
import { type Buyer, collectDetails } from './buyer-details.ts'
import { outcome as chargeOutcome, newCharge } from './charge.ts'
import { completeSession, type PaymentMeans, type PaymentResult, withCustomer } from './checkout-session.ts'
import { findCustomer } from './customer.ts'
import { disputeAtOnce } from './dispute.ts'
import { emit } from './event.ts'
import { finalizeInvoice, recordDraft } from './finalize-invoice.ts'
import { newInvoice, newInvoiceId, newInvoicePayment } from './invoice.ts'
import { itemLines, newInvoiceItem, pricingOf } from './invoice-line.ts'
import { recordPayment } from './pay-invoice.ts'
import { chargeIntent, expectSessionPayment, failedIntent, succeededIntent } from './payment-intent.ts'
import { attachCard, type DebitType, newCardMethod, newDebitMethod, type Payer } from './payment-method.ts'
import { subscribe } from './subscribe.ts'
import { declineOf } from './test-cards.ts'

/** Pays a session, for the page and the knob. It runs synchronously, so that two tabs cannot pay twice. */
export function paySession(
  service: Service,
  session_id: string,
  { payer, means }: { payer: Buyer; means: PaymentMeans },
): PaymentResult {
  const { store } = service
  const found = existing(store.checkout_sessions, 'checkout.session', session_id)
  if (found.status === 'complete') return { outcome: 'already_complete', session: found }
  if (found.status === 'expired') return { outcome: 'expired', session: found }
  if (found.customer) findCustomer(service, found.customer, 'customer')
  const session = means.type === 'card' && means.card.decline ? found : collectDetails(service, found, payer)
  const details = store.checkout_details.get(session_id)
  if (!details) throw new Error(`Session ${session_id} has no details.`)
  if (session.mode === 'subscription') return subscribe(service, { session, details, payer, means })
  switch (means.type) {
    case 'card':
    case 'saved':
      return payByCard(service, { session, details, payer, means })
    case 'debit':
      return payByDebit(service, { session, details, payer, ...means })
  }
}

type Attempt = { session: StoredSession; details: CheckoutDetails; payer: Payer }

function payByCard(
  service: Service,
  { session, details, payer, means }: Attempt & { means: Extract<PaymentMeans, { type: 'card' | 'saved' }> },
): PaymentResult {
  const { store } = service
  const decline =
    means.type === 'card' ? means.card.decline : declineOf(means.method, { is_off_session: false })
  const known = decline ? session : withCustomer(service, session, payer)
  const method =
    means.type === 'saved' ? means.method : paidWith(service, { session: known, details, payer, means })
  const intent = startPayment(service, { session: known, details })
  const { charge, intent: charged } = chargeIntent(service, { intent, method, decline })
  const still_open = store.checkout_sessions.get(session.id) ?? session
  if (decline) return { outcome: 'declined', session: still_open, message: decline.message }
  const invoice = invoiceSession(service, still_open, { details, intent: charged })
  if (invoice) store.checkout_sessions.put({ ...still_open, invoice: invoice.id })
  const paid = completeSession(service, session.id, { payer, payment_status: 'paid' })
  disputeAtOnce(service, charge.id)
  return { outcome: 'paid', session: paid }
}

/**
 * Checkout keeps no card of a single payment, unless the session or the buyer wants it:
 * https://support.stripe.com/questions/prefilling-saved-cards-in-checkout
 */
function paidWith(
  service: Service,
  { session, details, payer, means }: Attempt & { means: Extract<PaymentMeans, { type: 'card' }> },
): StoredPaymentMethod {
  const { card, expiry, is_saved = false } = means
  const { customer } = session
  const is_kept = is_saved || details.payment_intent_data.setup_future_usage !== null
  if (is_kept && customer && !card.decline)
    return attachCard(service, { card, expiry, payer, customer, is_saved })
  return service.store.payment_methods.put(newCardMethod(service, { card, expiry, payer, customer: null }))
}

/** The bank confirms later: the session is complete, but not paid yet. */
function payByDebit(
  service: Service,
  { session, details, payer, debit }: Attempt & { debit: DebitType },
): PaymentResult {
  const { store, clock, settings } = service
  const known = withCustomer(service, session, payer)
  const method = store.payment_methods.put(
    newDebitMethod(service, { type: debit, payer, customer: known.customer }),
  )
  const intent = startPayment(service, { session: known, details })
  const charge = store.charges.put(newCharge(service, { intent, method, status: 'pending', decline: null }))
  const processing = store.payment_intents.put({
    ...intent,
    last_payment_error: null,
    latest_charge: charge.id,
    payment_method: method.id,
    status: 'processing',
  })
  emit(service, 'charge.pending', charge, { cause: noCall })
  emit(service, 'payment_intent.processing', processing, { cause: noCall })
  if (settings.delayedPaymentMs !== null) {
    store.checkout_details.put({ ...details, settles_at_ms: clock.nowMs() + settings.delayedPaymentMs })
  }
  return {
    outcome: 'processing',
    session: completeSession(service, session.id, { payer, payment_status: 'unpaid' }),
  }
}

/**
 * The payment intent of an earlier, declined attempt, or a new one: created on the first attempt, as at
 * Stripe.
 */
function startPayment(
  service: Service,
  { session, details }: { session: StoredSession; details: CheckoutDetails },
): StoredPaymentIntent {
  const { store } = service
  const existing = session.payment_intent ? store.payment_intents.get(session.payment_intent) : undefined
  if (existing) return store.payment_intents.put({ ...existing, customer: session.customer })
  const intent = expectSessionPayment(service, session, details.payment_intent_data)
  store.checkout_sessions.put({ ...session, payment_intent: intent.id })
  return intent
}

type Settlement = 'failed' | 'succeeded'

const refused_by_bank = {
  code: 'payment_method_provider_decline',
  decline_code: null,
  message: 'The customer’s bank account could not be debited.',
}

/** The bank answers. A session that is not waiting for a bank is an error and stays as it is. */
export function settleSession(service: Service, session_id: string, settlement: Settlement): StoredSession {
  const { store } = service
  const session = existing(store.checkout_sessions, 'checkout.session', session_id)
  const details = store.checkout_details.get(session_id)
  if (details?.settles_at_ms) store.checkout_details.put({ ...details, settles_at_ms: null })
  const intent = store.payment_intents.get(session.payment_intent)
  const charge = store.charges.get(intent?.latest_charge)
  const method = store.payment_methods.get(intent?.payment_method)
  if (intent?.status !== 'processing' || !charge || !method) {
    throw invalidRequest(`Checkout session ${session_id} has no payment that waits to be settled.`)
  }

  if (settlement === 'succeeded') {
    const paid = store.charges.put({
      ...charge,
      balance_transaction: newId('txn'),
      outcome: chargeOutcome(null),
      paid: true,
      receipt_url: `${service.publicUrl}/receipts/${charge.id}`,
      status: 'succeeded',
    })
    const succeeded = store.payment_intents.put(succeededIntent(intent, paid))
    const invoice = details && invoiceSession(service, session, { details, intent: succeeded })
    const settled = store.checkout_sessions.put({
      ...session,
      invoice: invoice?.id ?? null,
      payment_status: 'paid',
    })
    emit(service, 'charge.succeeded', paid, { cause: noCall })
    emit(service, 'payment_intent.succeeded', succeeded, { cause: noCall })
    emit(service, 'checkout.session.async_payment_succeeded', settled, { cause: noCall })
    return settled
  }
  const decline = refused_by_bank
  const failed_charge = store.charges.put({
    ...charge,
    failure_code: decline.code,
    failure_message: decline.message,
    outcome: chargeOutcome(decline),
    status: 'failed',
  })
  const failed = store.payment_intents.put(failedIntent(intent, { charge: failed_charge, method, decline }))
  emit(service, 'charge.failed', failed_charge, { cause: noCall })
  emit(service, 'payment_intent.payment_failed', failed, { cause: noCall })
  emit(service, 'checkout.session.async_payment_failed', session, { cause: noCall })
  return session
}

/**
 * The invoice of a single payment, made once it is paid and paid by its payment intent. It belongs to no
 * subscription, and touches no balance. https://docs.stripe.com/payments/checkout/post-payment-invoices
 */
function invoiceSession(
  service: Service,
  session: StoredSession,
  { details, intent }: { details: CheckoutDetails; intent: StoredPaymentIntent },
): StoredInvoice | null {
  const { store } = service
  const customer = store.customers.get(session.customer)
  const asked = session.invoice_creation
  if (!asked?.enabled || !customer) return null
  const id = newInvoiceId()
  const currency = session.currency ?? 'eur'
  const items = details.line_items.map(({ amount_total, description, price, quantity }) =>
    store.invoice_items.put(
      newInvoiceItem(service, {
        amount: amount_total,
        currency,
        customer: customer.id,
        description,
        pricing: pricingOf(price, price.unit_amount ?? 0),
        quantity: quantity ?? 1,
      }),
    ),
  )
  const draft = newInvoice(service, {
    id,
    billing_reason: 'manual',
    currency,
    customer: customer.id,
    is_taxed: session.automatic_tax.enabled,
    lines: itemLines(id, items),
    subscription: null,
  })
  const { description, metadata } = asked.invoice_data
  const recorded = recordDraft(service, { ...draft, description, metadata: metadata ?? {} }, noCall)
  const open = finalizeInvoice(service, recorded, { cause: noCall, is_collected: false })
  const payment = store.invoice_payments.put(
    newInvoicePayment(service, { invoice: open, payment_intent: intent.id }),
  )
  const { paid, settled } = recordPayment(service, open, { payment, attempt_count: 1 })
  emit(service, 'invoice.paid', paid, { cause: noCall })
  emit(service, 'invoice.payment_succeeded', paid, { cause: noCall })
  emit(service, 'invoice_payment.paid', settled, { cause: noCall })
  return paid
}
