import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredInvoiceItem, StoredInvoiceLine, StoredPricing, StoredSubscription } from '../state.ts'
import type { Period } from './period.ts'
import { describePeriod, productName, unitAmount } from './price.ts'
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

type LineInput = Pick<
  StoredInvoiceLine,
  'amount' | 'currency' | 'description' | 'livemode' | 'period' | 'pricing' | 'subscription'
> & {
  quantity: number
  /** Null for an amount without a subscription item: the line then names only the invoice item. */
  subscription_item: string | null
  /** The pending amount that became this line; it is what makes a line a proration. */
  item: StoredInvoiceItem | null
}

function newInvoiceLine(invoice: string, input: LineInput): StoredInvoiceLine {
  const { item, subscription_item: _, ...given } = input
  return {
    id: newId('il'),
    object: 'line_item',
    discount_amounts: [],
    discountable: item?.discountable ?? true,
    discounts: [],
    invoice,
    metadata: item?.metadata ?? {},
    parent: parentOf(input),
    pretax_credit_amounts: [],
    quantity_decimal: String(input.quantity),
    subtotal: input.amount,
    taxes: [],
    ...given,
  }
}

function parentOf({ item, subscription, subscription_item }: LineInput): StoredInvoiceLine['parent'] {
  const proration = item?.proration ?? false
  const proration_details = { credited_items: creditedBy(item) }
  if (subscription_item === null) {
    return {
      invoice_item_details: { invoice_item: item?.id ?? '', proration, proration_details, subscription },
      subscription_item_details: null,
      type: 'invoice_item_details',
    }
  }
  return {
    invoice_item_details: null,
    subscription_item_details: {
      invoice_item: item?.id ?? null,
      proration,
      proration_details,
      subscription,
      subscription_item,
    },
    type: 'subscription_item_details',
  }
}

export function invoiceItemOf({ parent }: StoredInvoiceLine): string | null {
  const details = parent?.subscription_item_details ?? parent?.invoice_item_details
  return details?.invoice_item ?? null
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
      livemode: subscription.livemode,
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
  const lines = items.map((item) =>
    newInvoiceLine(invoice, {
      amount: item.amount,
      currency: item.currency,
      description: item.description ?? '',
      item,
      livemode: item.livemode,
      period: item.period,
      pricing: item.pricing,
      quantity: item.quantity,
      subscription: item.parent?.subscription_details?.subscription ?? null,
      subscription_item: item.parent?.subscription_details?.subscription_item ?? null,
    }),
  )
  return lines.map((line, index) => creditWithin(line, items[index], lines))
}

/** A credit for an amount that waited beside it refers to the line that the amount has become. */
function creditWithin(
  line: StoredInvoiceLine,
  item: StoredInvoiceItem | undefined,
  lines: StoredInvoiceLine[],
): StoredInvoiceLine {
  const credited = item?.proration_details?.credited_items?.invoice_item
  const charged = lines.find((one) => credited !== undefined && invoiceItemOf(one) === credited)
  const details = line.parent?.subscription_item_details
  if (!charged || !line.parent || !details) return line
  const credited_items = { invoice: line.invoice ?? '', invoice_line_items: [charged.id] }
  return {
    ...line,
    parent: {
      ...line.parent,
      subscription_item_details: { ...details, proration_details: { credited_items } },
    },
  }
}

/**
 * Pending items of a subscription's next invoice: its own, and those of its customer without a subscription.
 */
export function pendingItems(
  { store }: Service,
  { id, currency, customer }: Pick<StoredSubscription, 'currency' | 'customer' | 'id'>,
): StoredInvoiceItem[] {
  return store.invoice_items.filter(
    (item) =>
      item.invoice === null &&
      item.currency === currency &&
      (item.parent === null
        ? item.customer === customer
        : item.parent.subscription_details?.subscription === id),
  )
}
