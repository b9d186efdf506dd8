import { invalidRequest } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type { StoredCustomer, StoredInvoice, StoredInvoiceItem, StoredSubscription } from '../state.ts'
import { emit } from './event.ts'
import { recordDraft } from './finalize-invoice.ts'
import { amountsOf, newInvoice, newInvoiceId } from './invoice.ts'
import { itemLines } from './invoice-line.ts'

export type ManualInvoiceInput = {
  currency: string
  customer: StoredCustomer
  description: string | null
  /** Whether what waits for an invoice is on this one. */
  is_pending_included: boolean
  metadata: Record<string, string>
  /** Takes what waits for this subscription, and leaves its billing cycle alone. */
  subscription: StoredSubscription | null
  cause: Cause
}

/** A draft created by a call, to be finalized by a call. https://docs.stripe.com/api/invoices/create */
export function createManualInvoice(
  service: Service,
  { is_pending_included, cause, ...input }: ManualInvoiceInput,
): StoredInvoice {
  const { currency, customer, description, metadata, subscription } = input
  const id = newInvoiceId()
  const pending = service.store.invoice_items.filter(
    (item) =>
      item.invoice === null &&
      item.customer === customer.id &&
      item.currency === currency &&
      item.parent?.subscription_details?.subscription === subscription?.id,
  )
  // https://docs.stripe.com/error-codes
  if (subscription && pending.length === 0) {
    throw invalidRequest(`Nothing to invoice for subscription ${subscription.id}`, {
      code: 'invoice_no_subscription_line_items',
    })
  }
  const draft = newInvoice(service, {
    id,
    billing_reason: 'manual',
    currency,
    customer: customer.id,
    lines: itemLines(id, is_pending_included ? pending : []),
    subscription,
  })
  return recordDraft(service, { ...draft, auto_advance: false, description, metadata }, cause)
}

export function addToDraft(
  service: Service,
  { invoice, item, cause }: { invoice: StoredInvoice; item: StoredInvoiceItem; cause: Cause },
): StoredInvoiceItem {
  const { store } = service
  const customer = store.customers.get(invoice.customer)
  if (invoice.status !== 'draft' || customer?.id !== item.customer || invoice.currency !== item.currency) {
    throw invalidRequest('The invoice must be a draft of the same customer, in the same currency.', {
      param: 'invoice',
    })
  }
  const added = store.invoice_items.put({ ...item, invoice: invoice.id })
  emit(service, 'invoiceitem.created', added, { cause })
  const after = store.invoices.put({
    ...invoice,
    ...amountsOf(service, {
      ...invoice,
      customer,
      discounts: invoice.discounts.flatMap((id) => store.discounts.get(String(id)) ?? []),
      is_taxed: invoice.automatic_tax.enabled,
      lines: [...invoice.lines.data, ...itemLines(invoice.id, [added])],
    }),
  })
  emit(service, 'invoice.updated', after, {
    cause,
    previous_attributes: { amount_due: invoice.amount_due, subtotal: invoice.subtotal, total: invoice.total },
  })
  return added
}
