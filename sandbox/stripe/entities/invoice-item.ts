import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredInvoiceItem, StoredInvoiceLine, StoredPricing } from '../state.ts'
import type { Period } from './period.ts'

export type InvoiceItemInput = {
  amount: number
  currency: string
  customer: string
  description: string | null
  discountable: boolean
  metadata: Record<string, string>
  period: Period | null
  pricing: StoredPricing
  quantity: number
  /** Only an invoice of this subscription shall take it; null for the next one, whatever it is for. */
  subscription: string | null
}

/** An amount for a customer's next invoice. https://docs.stripe.com/api/invoiceitems */
export function newInvoiceItem({ clock, livemode }: Service, input: InvoiceItemInput): StoredInvoiceItem {
  const now = clock.now()
  return {
    id: newId('ii'),
    object: 'invoiceitem',
    amount: input.amount,
    currency: input.currency,
    customer: input.customer,
    customer_account: null,
    date: now,
    description: input.description,
    discountable: input.discountable,
    discounts: [],
    invoice: null,
    livemode,
    metadata: input.metadata,
    net_amount: input.amount,
    parent:
      input.subscription === null
        ? null
        : { subscription_details: { subscription: input.subscription }, type: 'subscription_details' },
    period: input.period ?? { start: now, end: now },
    pricing: input.pricing,
    proration: false,
    quantity: input.quantity,
    quantity_decimal: String(input.quantity),
    tax_rates: [],
    test_clock: null,
  }
}

export type CreditedItems = NonNullable<NonNullable<StoredInvoiceItem['proration_details']>['credited_items']>

type ProrationInput = {
  amount: number
  currency: string
  customer: string
  date: number
  description: string
  livemode: boolean
  period: Period
  pricing: StoredPricing
  quantity: number
  subscription: string
  subscription_item: string
  /** What this amount gives back a part of, for a credit that is known to be one of something. */
  credited_items: CreditedItems | null
}

/** A proration: what a change in the middle of a period gives back, or adds. */
export function newProrationItem(input: ProrationInput): StoredInvoiceItem {
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
    livemode: input.livemode,
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
      credited_items: input.credited_items,
      discount_amounts: [],
    },
    quantity: input.quantity,
    quantity_decimal: String(input.quantity),
    tax_rates: [],
    test_clock: null,
  }
}

/** The line of an invoice, as something that a credit gives back a part of. */
export function creditedLine({ id, invoice }: StoredInvoiceLine): CreditedItems {
  return {
    invoice_line_item_details: { invoice: invoice ?? '', invoice_line_items: [id] },
    type: 'invoice_line_items',
  }
}
