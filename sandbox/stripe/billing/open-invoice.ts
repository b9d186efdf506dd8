import type { StoredInvoice, StoredPaymentIntent } from '../entities.ts'
import { emit } from '../objects/event.ts'
import { balanceFor, settleBalance } from '../objects/invoice.ts'
import { newInvoicePayment } from '../objects/invoice-payment.ts'
import { newPaymentIntent } from '../objects/payment-intent.ts'
import type { Cause, World } from '../world.ts'
import { followPayment } from './follow-payment.ts'

/** Puts a draft into the books; the amounts that waited for an invoice are on this one from now on. */
export function recordDraft(world: World, draft: StoredInvoice, cause: Cause): StoredInvoice {
  const { store } = world
  const invoice = store.invoices.put(draft)
  for (const { parent } of invoice.lines.data) {
    const item = store.invoice_items.get(parent?.subscription_item_details?.invoice_item ?? '')
    if (item) store.invoice_items.put({ ...item, invoice: invoice.id })
  }
  emit(world, 'invoice.created', invoice, { cause })
  return invoice
}

/**
 * The draft becomes a demand: it gets its number, the customer's balance is counted in, and a payment intent waits for
 * the money. Where nothing is left to pay it is paid at once.
 */
export function finalizeInvoice(
  world: World,
  draft: StoredInvoice,
  { cause, intent }: { cause: Cause; intent?: StoredPaymentIntent | undefined },
): StoredInvoice {
  const { store, clock, public_url } = world
  const now = clock.now()
  const customer = store.customers.get(draft.customer)
  if (!customer) throw new Error(`Customer ${draft.customer} is gone.`)
  const starting_balance = balanceFor(customer, draft.currency)
  const { amount_due, ending_balance } = settleBalance({ total: draft.total, starting_balance })
  const url = `${public_url()}/i/${draft.id}`
  const open: StoredInvoice = store.invoices.put({
    ...draft,
    amount_due,
    amount_remaining: amount_due,
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
  const counted = store.customers.put({
    ...customer,
    balance: customer.currency === draft.currency ? ending_balance : customer.balance,
    invoice_credit_balance: { ...customer.invoice_credit_balance, [draft.currency]: ending_balance },
    next_invoice_sequence: (customer.next_invoice_sequence ?? 1) + 1,
  })
  emit(world, 'invoice.finalized', open, { cause })
  if (counted.balance !== customer.balance) {
    emit(world, 'customer.updated', counted, { cause, previous_attributes: { balance: customer.balance } })
  }
  if (amount_due === 0) return settleWithoutPayment(world, open, cause)
  expectPayment(world, open, { cause, intent })
  return open
}

function settleWithoutPayment(world: World, open: StoredInvoice, cause: Cause): StoredInvoice {
  const paid = world.store.invoices.put({
    ...open,
    attempted: true,
    auto_advance: false,
    status: 'paid',
    status_transitions: { ...open.status_transitions, paid_at: world.clock.now() },
  })
  emit(world, 'invoice.paid', paid, { cause })
  emit(world, 'invoice.payment_succeeded', paid, { cause })
  followPayment(world, paid, { cause })
  return paid
}

function expectPayment(
  world: World,
  invoice: StoredInvoice,
  { cause, intent }: { cause: Cause; intent: StoredPaymentIntent | undefined },
): void {
  const { store } = world
  const is_first = invoice.billing_reason === 'subscription_create'
  const input = {
    amount: invoice.amount_due,
    currency: invoice.currency,
    customer: invoice.customer,
    payment_method_types: ['card'],
    data: {
      description: is_first ? 'Subscription creation' : 'Subscription update',
      metadata: {},
      receipt_email: null,
      setup_future_usage: is_first ? ('off_session' as const) : null,
      statement_descriptor: null,
      statement_descriptor_suffix: null,
      transfer_group: null,
    },
  }
  // A declined attempt in a checkout has left an intent already, with the events of its failure.
  const expected = store.payment_intents.put(
    intent
      ? { ...intent, customer: invoice.customer, amount: invoice.amount_due }
      : newPaymentIntent(world, input),
  )
  if (!intent) emit(world, 'payment_intent.created', expected, { cause })
  store.invoice_payments.put(newInvoicePayment(world, { invoice, payment_intent: expected.id }))
}
