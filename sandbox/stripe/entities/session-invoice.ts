import { noCall, type Service } from '../service.ts'
import type { CheckoutDetails, StoredInvoice, StoredPaymentIntent, StoredSession } from '../state.ts'
import { emit } from './event.ts'
import { finalizeInvoice, recordDraft } from './finalize-invoice.ts'
import { newInvoice, newInvoiceId, newInvoicePayment } from './invoice.ts'
import { newInvoiceItem } from './invoice-item.ts'
import { itemLines, pricingOf } from './invoice-line.ts'
import { recordPayment } from './pay-invoice.ts'

/**
 * The invoice of a single payment, made once it is paid and paid by its payment intent. It belongs to no
 * subscription, and touches no balance. https://docs.stripe.com/payments/checkout/post-payment-invoices
 */
export function invoiceSession(
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
