import { newId } from '../../kit/id.ts'
import { invalidRequest } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type {
  StoredCustomer,
  StoredDiscount,
  StoredInvoice,
  StoredInvoiceLine,
  StoredInvoicePayment,
  StoredSubscription,
} from '../state.ts'
import { balanceFor, changeBalance } from './customer-balance.ts'
import { type DiscountAmount, discountAmounts, totalDiscounts } from './discount.ts'
import { emit } from './event.ts'
import { wholeList } from './list.ts'
import type { Period } from './period.ts'
import { asPublished } from './published.ts'
import { taxLine } from './tax.ts'

export type InvoiceInput = {
  id: string
  billing_reason: 'manual' | 'subscription_create' | 'subscription_cycle' | 'subscription_update' | 'upcoming'
  currency: string
  customer: string
  discounts?: StoredDiscount[]
  /** Whether tax is worked out; a subscription says it for its invoices. */
  is_taxed?: boolean
  lines: StoredInvoiceLine[]
  /** The invoice's own period, in which items gathered: now, unless given. The lines have the paid periods. */
  period?: Period
  /** Null for an invoice that stands alone. */
  subscription: Pick<StoredSubscription, 'automatic_tax' | 'id' | 'metadata' | 'pause_collection'> | null
  proration_date?: number | null
}

/** A draft: nothing is owed yet. */
export function newInvoice(service: Service, input: InvoiceInput): StoredInvoice {
  const { clock, settings } = service
  const { currency, subscription, discounts = [], proration_date = null } = input
  const now = clock.now()
  const period = input.period ?? { start: now, end: now }
  const customer = service.store.customers.get(input.customer)
  if (!customer) throw new Error(`Customer ${input.customer} is gone.`)
  const is_taxed = input.is_taxed ?? subscription?.automatic_tax.enabled ?? false
  return asPublished<StoredInvoice>({
    id: input.id,
    object: 'invoice',
    account_country: 'DE',
    account_name: settings.businessName,
    ...amountsOf(service, { ...input, customer, discounts, is_taxed }),
    amount_overpaid: 0,
    amount_paid: 0,
    amount_shipping: 0,
    attempt_count: 0,
    attempted: false,
    auto_advance: subscription !== null && subscription.pause_collection?.behavior !== 'keep_as_draft',
    automatic_tax: {
      disabled_reason: null,
      enabled: is_taxed,
      liability: is_taxed ? { type: 'self' } : null,
      provider: is_taxed ? 'stripe' : null,
      status: is_taxed ? 'complete' : null,
    },
    billing_reason: input.billing_reason,
    collection_method: 'charge_automatically',
    created: now,
    currency,
    customer: customer.id,
    customer_address: customer.address ?? null,
    customer_email: customer.email,
    customer_name: customer.name ?? null,
    customer_phone: customer.phone ?? null,
    customer_tax_exempt: 'none',
    customer_tax_ids: customer.known_tax_ids ?? [],
    default_tax_rates: [],
    discounts: discounts.map(({ id }) => id),
    issuer: { type: 'self' },
    livemode: service.livemode,
    metadata: {},
    parent: subscription && {
      quote_details: null,
      subscription_details: {
        metadata: subscription.metadata,
        subscription: subscription.id,
        ...(proration_date !== null && { subscription_proration_date: proration_date }),
      },
      type: 'subscription_details',
    },
    payment_settings: { default_mandate: null, payment_method_options: null, payment_method_types: null },
    period_end: period.end,
    period_start: period.start,
    post_payment_credit_notes_amount: 0,
    pre_payment_credit_notes_amount: 0,
    status: 'draft',
    status_transitions: { finalized_at: null, marked_uncollectible_at: null, paid_at: null, voided_at: null },
  })
}

/** What the lines of a draft come to: before the discounts, after them, and with the customer's balance. */
export function amountsOf(
  service: Service,
  {
    id,
    currency,
    customer,
    discounts,
    is_taxed = false,
    lines,
  }: Pick<InvoiceInput, 'currency' | 'id' | 'is_taxed' | 'lines'> & {
    customer: StoredCustomer
    discounts: StoredDiscount[]
  },
) {
  const taken = discountAmounts(service, lines, discounts)
  const total_discount_amounts = totalDiscounts(taken, discounts)
  const subtotal = lines.reduce((sum, { amount }) => sum + amount, 0)
  const total = total_discount_amounts.reduce((rest, { amount }) => rest - amount, subtotal)
  const starting_balance = balanceFor(customer, currency)
  const { amount_due } = settleBalance({ total, starting_balance })
  const discounted = lines.map((line, index) => {
    const discount_amounts = taken[index] ?? []
    const net = discount_amounts.reduce((rest, { amount }) => rest - amount, line.amount)
    const pretax_credit_amounts = discount_amounts.map(asCredit)
    const taxes = is_taxed ? [taxLine(net, customer)] : []
    return { ...line, discount_amounts, pretax_credit_amounts, taxes }
  })
  const tax = discounted.flatMap(({ taxes }) => taxes).reduce((sum, { amount }) => sum + amount, 0)
  return {
    amount_due,
    amount_remaining: amount_due,
    lines: wholeList(discounted, `/v1/invoices/${id}/lines`),
    starting_balance,
    subtotal,
    subtotal_excluding_tax: subtotal - tax,
    total,
    total_discount_amounts,
    total_excluding_tax: total - tax,
    total_pretax_credit_amounts: total_discount_amounts.map(asCredit),
    total_taxes: is_taxed ? [{ ...taxLine(total, customer), amount: tax, taxable_amount: total - tax }] : [],
  }
}

function asCredit(amount: DiscountAmount) {
  return { ...amount, type: 'discount' as const }
}

export function newInvoiceId(): string {
  return newId('in')
}

const smallest_charge = 50

/**
 * The amount due after the balance; a credit, or an amount too small to charge, waits for the next invoice.
 */
export function settleBalance({ total, starting_balance }: { total: number; starting_balance: number }): {
  amount_due: number
  ending_balance: number
} {
  const owed = total + starting_balance
  return owed >= smallest_charge
    ? { amount_due: owed, ending_balance: 0 }
    : { amount_due: 0, ending_balance: owed }
}

export function subscriptionOf(invoice: StoredInvoice): string {
  return String(invoice.parent?.subscription_details?.subscription ?? '')
}

/** The bridge between an invoice and its payment intent; neither of the two names the other any more. */
export function newInvoicePayment(
  { clock }: Service,
  { invoice, payment_intent }: { invoice: StoredInvoice; payment_intent: string },
): StoredInvoicePayment {
  return {
    id: newId('inpay'),
    object: 'invoice_payment',
    amount_paid: null,
    amount_requested: invoice.amount_due,
    created: clock.now(),
    currency: invoice.currency,
    invoice: invoice.id,
    is_default: true,
    livemode: invoice.livemode,
    payment: { type: 'payment_intent', payment_intent },
    status: 'open',
    status_transitions: { canceled_at: null, paid_at: null },
  }
}

/** This invoice is no longer owed; its payment intent can no longer be paid. */
export function voidInvoice(service: Service, invoice: StoredInvoice, cause: Cause): StoredInvoice {
  const { store, clock } = service
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible') {
    throw invalidRequest(`You can only void open invoices. This invoice is ${invoice.status}.`, {
      code: 'status_transition_invalid',
    })
  }
  const now = clock.now()
  const voided = store.invoices.put({
    ...invoice,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'void',
    status_transitions: { ...invoice.status_transitions, voided_at: now },
  })
  emit(service, 'invoice.voided', voided, { cause })
  returnBalance(service, voided, cause)
  cancelPayment(service, voided, { reason: 'void_invoice', cause })
  return voided
}

/** What was still to be paid of an invoice cannot be paid any more. */
export function cancelPayment(
  service: Service,
  invoice: StoredInvoice,
  { reason, cause }: { reason: 'automatic' | 'void_invoice'; cause: Cause },
): void {
  const { store, clock } = service
  const payment = defaultPayment(service, invoice)
  if (!payment) return
  const canceled_at = clock.now()
  store.invoice_payments.put({
    ...payment,
    status: 'canceled',
    status_transitions: { ...payment.status_transitions, canceled_at },
  })
  const intent = store.payment_intents.get(payment.payment.payment_intent)
  if (!intent) return
  const canceled = store.payment_intents.put({
    ...intent,
    canceled_at,
    cancellation_reason: reason,
    status: 'canceled',
  })
  emit(service, 'payment_intent.canceled', canceled, { cause })
}

/** No longer collected, but still payable. https://docs.stripe.com/invoicing/overview#invoice-statuses */
export function markUncollectible(
  service: Service,
  invoice: StoredInvoice,
  { reason, cause }: { reason: 'subscription_paused' | null; cause: Cause },
): StoredInvoice {
  if (invoice.status !== 'open') {
    throw invalidRequest(
      `You can only mark open invoices as uncollectible. This invoice is ${invoice.status}.`,
      { code: 'status_transition_invalid' },
    )
  }
  const given_up = service.store.invoices.put({
    ...invoice,
    auto_advance: false,
    next_payment_attempt: null,
    status: 'uncollectible',
    status_details: { uncollectible: { reason } },
    status_transitions: { ...invoice.status_transitions, marked_uncollectible_at: service.clock.now() },
  })
  emit(service, 'invoice.marked_uncollectible', given_up, { cause })
  return given_up
}

/** What the customer's balance had paid of an invoice, it gets back. */
function returnBalance(service: Service, invoice: StoredInvoice, cause: Cause): void {
  const applied = (invoice.ending_balance ?? invoice.starting_balance) - invoice.starting_balance
  const customer = service.store.customers.get(invoice.customer)
  if (applied === 0 || !customer) return
  changeBalance(service, customer, {
    amount: -applied,
    cause,
    currency: invoice.currency,
    invoice: invoice.id,
    type: 'unapplied_from_invoice',
  })
}

export function defaultPayment({ store }: Service, { id }: StoredInvoice): StoredInvoicePayment | null {
  for (const payment of store.invoice_payments.newestFirst()) {
    if (payment.invoice === id && payment.is_default) return payment
  }
  return null
}
