import type { StoredInvoiceItem, StoredInvoiceLine, StoredPricing } from '../entities.ts'
import { newId } from '../ids.ts'
import type { Period } from './subscription-item.ts'

export type InvoiceItemInput = {
  amount: number
  currency: string
  customer: string
  date: number
  description: string
  period: Period
  pricing: StoredPricing
  quantity: number
  subscription: string
  subscription_item: string
  /** The line that this amount gives back a part of, for a credit whose line is known. */
  credited: StoredInvoiceLine | null
}

/** A proration: what a change in the middle of a period gives back, or adds. */
export function newProrationItem(input: InvoiceItemInput): StoredInvoiceItem {
  const credited = input.credited
  return {
    id: newId('ii'),
    object: 'invoiceitem',
    amount: input.amount,
    currency: input.currency,
    customer: input.customer,
    customer_account: null,
    date: input.date,
    description: input.description,
    discountable: false,
    discounts: [],
    invoice: null,
    livemode: false,
    metadata: {},
    net_amount: input.amount,
    parent: {
      subscription_details: {
        subscription: input.subscription,
        subscription_item: input.subscription_item,
      },
      type: 'subscription_details',
    },
    period: input.period,
    pricing: input.pricing,
    proration: true,
    proration_details: {
      credited_items: credited && {
        invoice_line_item_details: { invoice: credited.invoice ?? '', invoice_line_items: [credited.id] },
        type: 'invoice_line_items',
      },
      discount_amounts: [],
    },
    quantity: input.quantity,
    quantity_decimal: String(input.quantity),
    tax_rates: [],
    test_clock: null,
  }
}
