import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredInvoiceItem, StoredInvoiceLine } from '../state.ts'
import { asPublished } from './published.ts'

type InvoiceItemInput = Pick<
  StoredInvoiceItem,
  'amount' | 'currency' | 'customer' | 'description' | 'pricing'
> &
  Partial<StoredInvoiceItem> & { quantity: number }

/** An amount for a customer's next invoice. https://docs.stripe.com/api/invoiceitems */
export function newInvoiceItem({ clock, livemode }: Service, input: InvoiceItemInput): StoredInvoiceItem {
  const now = clock.now()
  return asPublished<StoredInvoiceItem>({
    id: newId('ii'),
    object: 'invoiceitem',
    date: now,
    discountable: false,
    discounts: [],
    livemode,
    metadata: {},
    net_amount: input.amount,
    period: { start: now, end: now },
    proration: false,
    quantity_decimal: String(input.quantity),
    tax_rates: [],
    ...input,
  })
}

export type CreditedItems = NonNullable<NonNullable<StoredInvoiceItem['proration_details']>['credited_items']>

/** A proration: what a change in the middle of a period gives back, or adds. */
export function newProrationItem(
  service: Service,
  {
    subscription,
    subscription_item,
    credited_items,
    ...input
  }: InvoiceItemInput & {
    subscription: string
    subscription_item: string
    /** What this amount gives back a part of, for a credit that is known to be one of something. */
    credited_items: CreditedItems | null
  },
): StoredInvoiceItem {
  return newInvoiceItem(service, {
    ...input,
    parent: { subscription_details: { subscription, subscription_item }, type: 'subscription_details' },
    proration: true,
    proration_details: { credited_items, discount_amounts: [] },
  })
}

/** The line of an invoice, as something that a credit gives back a part of. */
export function creditedLine({ id, invoice }: StoredInvoiceLine): CreditedItems {
  return {
    invoice_line_item_details: { invoice: invoice ?? '', invoice_line_items: [id] },
    type: 'invoice_line_items',
  }
}
