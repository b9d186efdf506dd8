import { invalidRequest, StripeFault } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredInvoice, StoredPaymentIntent } from '../state.ts'
import { balanceFor, changeBalance, withBalance } from './customer-balance.ts'
import { endUsedDiscounts } from './discount.ts'
import { emit } from './event.ts'
import {
  markUncollectible,
  newInvoicePayment,
  settleBalance,
  subscriptionOf,
  voidInvoice,
} from './invoice.ts'
import { invoiceItemOf } from './invoice-line.ts'
import { updateStatusAfterPayment } from './pay-invoice.ts'
import { newPaymentIntent } from './payment-intent.ts'

/** Puts a draft into the books; the amounts that waited for an invoice are on this one from now on. */
export function recordDraft(service: Service, draft: StoredInvoice, cause: Cause): StoredInvoice {
  const { store } = service
  if (cause.request_id !== null) checkQuota(service, subscriptionOf(draft))
  const invoice = store.invoices.put(draft)
  for (const line of invoice.lines.data) {
    const item = store.invoice_items.get(invoiceItemOf(line))
    if (item) store.invoice_items.put({ ...item, invoice: invoice.id })
  }
  emit(service, 'invoice.created', invoice, { cause })
  return invoice
}

/**
 * New invoices of one subscription: 10 a minute, 20 a day (https://docs.stripe.com/rate-limits). The clock's
 * renewals count, and are not refused.
 */
function checkQuota({ store, clock }: Service, subscription: string | undefined): void {
  if (!subscription) return
  const ages = store.invoices
    .filter((invoice) => subscriptionOf(invoice) === subscription)
    .map(({ created }) => clock.now() - created)
  const within = (seconds: number) => ages.filter((age) => age < seconds).length
  if (within(60) < 10 && within(86_400) < 20) return
  const message = 'Too many new invoices for this subscription. Try again later.'
  const body = { type: 'invalid_request_error', code: 'rate_limit', message } as const
  throw new StripeFault(429, body, { 'stripe-rate-limited-reason': 'resource-specific' })
}

/**
 * Without a customer's location Stripe works out no tax: a call is refused (`invoice.finalization_failed`), and what
 * is finalized without one goes out without tax, which the subscription has switched off from then on.
 * https://docs.stripe.com/tax/customer-locations
 */
function withoutLocation(service: Service, draft: StoredInvoice, cause: Cause): StoredInvoice {
  const { store } = service
  const subscription = store.subscriptions.get(subscriptionOf(draft))
  if (!draft.automatic_tax.enabled || !subscription || store.customers.get(draft.customer)?.address?.country)
    return draft
  if (cause.request_id !== null) {
    const message = 'The customer’s location is not recognized.'
    const code = 'customer_tax_location_invalid'
    const last_finalization_error = { type: 'invalid_request_error', code, message } as const
    emit(service, 'invoice.finalization_failed', store.invoices.put({ ...draft, last_finalization_error }), {
      cause,
    })
    throw invalidRequest(message, { code })
  }
  const automatic_tax = { ...subscription.automatic_tax, enabled: false }
  const after = store.subscriptions.put({
    ...subscription,
    automatic_tax: { ...automatic_tax, disabled_reason: 'requires_location_inputs' },
  })
  emit(service, 'customer.subscription.updated', after, {
    cause,
    previous_attributes: { automatic_tax: subscription.automatic_tax },
  })
  return {
    ...draft,
    automatic_tax: {
      disabled_reason: 'finalization_requires_location_inputs',
      enabled: false,
      liability: null,
      provider: null,
      status: null,
    },
    lines: { ...draft.lines, data: draft.lines.data.map((line) => ({ ...line, taxes: [] })) },
    total_taxes: [],
  }
}

type Finalization = {
  cause: Cause
  intent?: StoredPaymentIntent | undefined
  /** False for an invoice that is voided at once: it touches neither the balance nor a discount. */
  is_collected?: boolean
}

/**
 * Finalizes a draft: number, customer balance and payment intent. With nothing left to pay it is paid at
 * once.
 */
export function finalizeInvoice(
  service: Service,
  given: StoredInvoice,
  { cause, intent, is_collected = true }: Finalization,
): StoredInvoice {
  const { store, clock, publicUrl } = service
  const now = clock.now()
  const draft = withoutLocation(service, given, cause)
  const customer = store.customers.get(draft.customer)
  if (!customer) throw new Error(`Customer ${draft.customer} is gone.`)
  const starting_balance = balanceFor(customer, draft.currency)
  const { amount_due, ending_balance } = is_collected
    ? settleBalance({ total: draft.total, starting_balance })
    : { amount_due: Math.max(0, draft.total), ending_balance: starting_balance }
  const url = `${publicUrl}/i/${draft.id}`
  const open: StoredInvoice = store.invoices.put({
    ...draft,
    amount_due,
    amount_remaining: amount_due,
    automatically_finalizes_at: null,
    effective_at: now,
    ending_balance,
    hosted_invoice_url: url,
    invoice_pdf: `${url}/pdf`,
    number: `${customer.invoice_prefix}-${String(customer.next_invoice_sequence ?? 1).padStart(4, '0')}`,
    starting_balance,
    status: 'open',
    status_transitions: { ...draft.status_transitions, finalized_at: now },
    webhooks_delivered_at: now,
  })
  const numbered = store.customers.put({
    ...withBalance(customer, { currency: draft.currency, balance: starting_balance }),
    next_invoice_sequence: (customer.next_invoice_sequence ?? 1) + 1,
  })
  emit(service, 'invoice.finalized', open, { cause })
  if (!is_collected) return open
  if (ending_balance !== starting_balance) {
    changeBalance(service, numbered, {
      amount: ending_balance - starting_balance,
      cause,
      currency: draft.currency,
      invoice: draft.id,
      // What remains of a sum too small to charge, or of a total below zero, moves to the balance.
      type: draft.total >= 0 && starting_balance < 0 ? 'applied_to_invoice' : 'invoice_too_small',
    })
  }
  endUsedDiscounts(service, open, cause)
  if (amount_due === 0) return settleWithoutPayment(service, open, cause)
  expectPayment(service, open, { cause, intent })
  return open
}

function settleWithoutPayment(service: Service, open: StoredInvoice, cause: Cause): StoredInvoice {
  const paid = service.store.invoices.put({
    ...open,
    attempted: true,
    auto_advance: false,
    status: 'paid',
    status_transitions: { ...open.status_transitions, paid_at: service.clock.now() },
  })
  emit(service, 'invoice.paid', paid, { cause })
  emit(service, 'invoice.payment_succeeded', paid, { cause })
  updateStatusAfterPayment(service, paid, { cause })
  return paid
}

const descriptions: Record<string, string> = {
  manual: 'Payment for Invoice',
  subscription_create: 'Subscription creation',
}

function expectPayment(
  service: Service,
  invoice: StoredInvoice,
  { cause, intent }: { cause: Cause; intent: StoredPaymentIntent | undefined },
): void {
  const { store } = service
  const is_first = invoice.billing_reason === 'subscription_create'
  const input = {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer,
    payment_method_types: ['card'],
    data: {
      description: descriptions[invoice.billing_reason ?? ''] ?? 'Subscription update',
      metadata: {},
      setup_future_usage: is_first ? ('off_session' as const) : null,
    },
  }
  // A declined attempt in a checkout has left an intent already, with the events of its failure.
  const expected = store.payment_intents.put(
    intent
      ? { ...intent, customer: invoice.customer, amount: invoice.amount_due }
      : newPaymentIntent(service, input),
  )
  if (!intent) emit(service, 'payment_intent.created', expected, { cause })
  store.invoice_payments.put(newInvoicePayment(service, { invoice, payment_intent: expected.id }))
}

/**
 * Finalizes a subscription's draft, unless its collection is paused: then the draft is kept, voided or marked
 * uncollectible. https://docs.stripe.com/billing/subscriptions/pause-payment
 */
export function finalizeUnlessPaused(
  service: Service,
  draft: StoredInvoice,
  { cause }: { cause: Cause },
): StoredInvoice {
  const subscription = service.store.subscriptions.get(subscriptionOf(draft))
  switch (subscription?.pause_collection?.behavior) {
    case 'keep_as_draft':
      return draft
    case 'void':
      return voidInvoice(service, finalizeInvoice(service, draft, { cause, is_collected: false }), cause)
    case 'mark_uncollectible': {
      const open = finalizeInvoice(service, draft, { cause })
      if (open.status !== 'open') return open
      return markUncollectible(service, open, { reason: 'subscription_paused', cause })
    }
    default:
      return finalizeInvoice(service, draft, { cause })
  }
}
