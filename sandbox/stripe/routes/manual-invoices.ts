import type { Router } from '@koa/router'
import { z } from 'zod'
import { findCustomer } from '../entities/customer.ts'
import { emit } from '../entities/event.ts'
import { recordDraft } from '../entities/finalize-invoice.ts'
import { amountsOf, newInvoice, newInvoiceId } from '../entities/invoice.ts'
import { itemLines, newInvoiceItem, pricingOf } from '../entities/invoice-line.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { newPrice, newProduct } from '../entities/price.ts'
import { existing, invalidRequest, noSuch } from '../errors.ts'
import type { Cause, Service } from '../service.ts'
import type {
  StoredCustomer,
  StoredInvoice,
  StoredInvoiceItem,
  StoredPrice,
  StoredSubscription,
} from '../state.ts'
import { type Asked, callsOf } from '../wire/handle.ts'
import { clearable, currency, flag, integer, metadata, text } from '../wire/params.ts'

const invoiceParams = {
  auto_advance: z.literal('false', 'The sandbox finalizes a manual invoice by a call only').optional(),
  collection_method: z
    .literal('charge_automatically', 'The sandbox sends no invoices to be paid by hand')
    .optional(),
  currency: currency.optional(),
  customer: text,
  description: clearable.optional(),
  metadata: metadata.optional(),
  pending_invoice_items_behavior: z.enum(['exclude', 'include']).optional(),
  subscription: text.optional(),
}
const itemParams = {
  amount: integer,
  currency,
  customer: text,
  description: clearable.optional(),
  discountable: flag.optional(),
  invoice: text.optional(),
  metadata: metadata.optional(),
  period: z.strictObject({ end: integer, start: integer }).optional(),
  subscription: text.optional(),
}

/** Where neither the call nor the customer names one: the currency of the account's country. */
const account_currency = 'eur'

export function manualInvoiceRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

  call('POST /v1/invoices', invoiceParams, ({ params, cause }) => {
    const customer = findCustomer(service, params.customer, 'customer')
    const subscription = store.subscriptions.get(params.subscription) ?? null
    if (params.subscription !== undefined && subscription?.customer !== customer.id) {
      throw noSuch('subscription', params.subscription, 'subscription')
    }
    return createManualInvoice(service, {
      cause,
      currency: subscription?.currency ?? params.currency ?? customer.currency ?? account_currency,
      customer,
      description: params.description ?? null,
      is_pending_included: subscription !== null || params.pending_invoice_items_behavior === 'include',
      metadata: mergeMetadata(null, params.metadata),
      subscription,
    })
  })

  call('POST /v1/invoiceitems', itemParams, ({ params, cause }) => {
    const customer = findCustomer(service, params.customer, 'customer')
    const { amount } = params
    const price = priceOf(service, params)
    const invoice = store.invoices.get(params.invoice)
    if (params.invoice !== undefined && !invoice) throw noSuch('invoice', params.invoice, 'invoice')
    const subscription = store.subscriptions.get(params.subscription)
    if (params.subscription !== undefined && subscription?.customer !== customer.id) {
      throw noSuch('subscription', params.subscription, 'subscription')
    }
    const item = newInvoiceItem(service, {
      amount,
      currency: params.currency,
      customer: customer.id,
      description: params.description ?? store.products.get(price.product)?.name ?? null,
      discountable: params.discountable ?? amount >= 0,
      metadata: mergeMetadata(null, params.metadata),
      ...(params.period && { period: params.period }),
      pricing: pricingOf(price, amount),
      quantity: 1,
      parent: subscription
        ? { subscription_details: { subscription: subscription.id }, type: 'subscription_details' }
        : null,
    })
    if (invoice) return addToDraft(service, { invoice, item, cause })
    emit(service, 'invoiceitem.created', store.invoice_items.put(item), { cause })
    return item
  })

  call('DELETE /v1/invoiceitems/:id', {}, ({ id, cause }) => {
    const item = existing(store.invoice_items, 'invoiceitem', id)
    if (item.invoice !== null) {
      throw invalidRequest('You can only delete an invoice item that is not attached to an invoice.')
    }
    store.invoice_items.remove(item.id)
    emit(service, 'invoiceitem.deleted', item, { cause })
    return { id: item.id, object: 'invoiceitem', deleted: true }
  })
}

/** An amount has an unlisted price, which Stripe makes for it. */
function priceOf(service: Service, { amount, currency, description }: Asked<typeof itemParams>): StoredPrice {
  const { store } = service
  const name = description ?? 'Invoice item'
  const product = store.products.put(newProduct(service, { active: false, metadata: {}, name }))
  const price = { active: false, currency, metadata: {}, product: product.id, unit_amount: amount }
  return store.prices.put(newPrice(service, price))
}

type ManualInvoiceInput = {
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
function createManualInvoice(
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

function addToDraft(
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
