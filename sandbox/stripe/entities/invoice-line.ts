import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredInvoiceItem, StoredInvoiceLine, StoredPricing, StoredSubscription } from '../state.ts'
import type { Period } from './period.ts'
import { describePeriod, productName, unitAmount } from './price.ts'

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

function newInvoiceLine(invoice: string, input: LineInput): StoredInvoiceLine {
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

/** The subscription's items for a whole period, paid ahead; or for a trial, which costs nothing. */
export function periodLines(
  service: Service,
  {
    invoice,
    subscription,
    period,
    is_trial,
  }: { invoice: string; subscription: StoredSubscription; period: Period; is_trial: boolean },
): StoredInvoiceLine[] {
  const { currency } = subscription
  return subscription.items.data.map(({ id, price, quantity }) => {
    const unit_amount = is_trial ? 0 : unitAmount(service, price, currency)
    return newInvoiceLine(invoice, {
      amount: unit_amount * quantity,
      currency,
      description: is_trial
        ? `Trial period for ${productName(service, price)}`
        : describePeriod(service, { price, quantity, currency }),
      item: null,
      period,
      pricing: pricingOf(price, unit_amount),
      quantity,
      subscription: subscription.id,
      subscription_item: id,
    })
  })
}

/** Amounts that were waiting for an invoice, as lines of it. */
export function itemLines(invoice: string, items: StoredInvoiceItem[]): StoredInvoiceLine[] {
  return items.map((item) =>
    newInvoiceLine(invoice, {
      amount: item.amount,
      currency: item.currency,
      description: item.description ?? '',
      item,
      period: item.period,
      pricing: item.pricing,
      quantity: item.quantity,
      subscription: item.parent?.subscription_details?.subscription ?? '',
      subscription_item: item.parent?.subscription_details?.subscription_item ?? '',
    }),
  )
}

export function pendingItems({ store }: Service, subscription: string): StoredInvoiceItem[] {
  return store.invoice_items.filter(
    ({ invoice, parent }) => invoice === null && parent?.subscription_details?.subscription === subscription,
  )
}
