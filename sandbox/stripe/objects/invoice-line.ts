import type { StoredInvoiceItem, StoredInvoiceLine, StoredPricing } from '../entities.ts'
import { newId } from '../ids.ts'
import type { Period } from './subscription-item.ts'

export type LineInput = {
  amount: number
  currency: string
  description: string
  period: Period
  pricing: StoredPricing
  quantity: number
  subscription: string
  subscription_item: string
  /** The pending amount that became this line; it is what makes a line a proration. */
  item: StoredInvoiceItem | null
}

export function newInvoiceLine(invoice: string, input: LineInput): StoredInvoiceLine {
  return {
    id: newId('il'),
    object: 'line_item',
    amount: input.amount,
    currency: input.currency,
    description: input.description,
    discount_amounts: [],
    discountable: input.item === null,
    discounts: [],
    invoice,
    livemode: false,
    metadata: input.item?.metadata ?? {},
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: input.item?.id ?? null,
        proration: input.item?.proration ?? false,
        proration_details: { credited_items: creditedBy(input.item) },
        subscription: input.subscription,
        subscription_item: input.subscription_item,
      },
      type: 'subscription_item_details',
    },
    period: input.period,
    pretax_credit_amounts: [],
    pricing: input.pricing,
    quantity: input.quantity,
    quantity_decimal: String(input.quantity),
    subscription: input.subscription,
    subtotal: input.amount,
    taxes: [],
  }
}

/** A credit says which line it gives back a part of. */
function creditedBy(item: StoredInvoiceItem | null) {
  return item?.proration_details?.credited_items?.invoice_line_item_details ?? null
}

export function pricingOf(price: { id: string; product: string }, unit_amount: number): StoredPricing {
  return {
    type: 'price_details',
    price_details: { price: price.id, product: price.product },
    unit_amount_decimal: String(unit_amount),
  }
}
