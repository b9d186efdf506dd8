import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type {
  StoredInvoiceItem,
  StoredInvoiceLine,
  StoredPricing,
  StoredSubscription,
  StoredSubscriptionItem,
} from '../state.ts'
import { formatDay } from './format.ts'
import { pricingOf } from './invoice-line.ts'
import type { Period } from './period.ts'
import { productName, unitAmount } from './price.ts'

type Side = 'credit' | 'debit'

/** The share of a whole period's amount that falls after a moment, to the second; whole minor units. */
export function shareAfter(
  amount: number,
  { start, end, at }: { start: number; end: number; at: number },
): number {
  if (end <= start) return 0
  return Math.round((amount * (end - Math.min(Math.max(at, start), end))) / (end - start))
}

/** What a change gives back for the time that was paid and will not be used, and asks for the time that is left. */
export function prorations(
  service: Service,
  {
    before,
    after,
    at,
    restarts,
  }: {
    before: StoredSubscription
    after: StoredSubscription
    at: number
    /** A new period starts now and is invoiced as a whole: everything old is given back, nothing new is prorated. */
    restarts: boolean
  },
): StoredInvoiceItem[] {
  const kept = new Map(after.items.data.map((item) => [item.id, item]))
  const known = new Map(before.items.data.map((item) => [item.id, item]))
  const credits = before.items.data.filter((item) => restarts || isOther(item, kept.get(item.id)))
  const debits = restarts ? [] : after.items.data.filter((item) => isOther(item, known.get(item.id)))
  return [
    ...credits.map((item) => proration(service, { subscription: before, item, side: 'credit', at })),
    ...debits.map((item) => proration(service, { subscription: after, item, side: 'debit', at })),
  ]
}

function isOther(item: StoredSubscriptionItem, other: StoredSubscriptionItem | undefined): boolean {
  return item.price.id !== other?.price.id || item.quantity !== other.quantity
}

function proration(
  service: Service,
  {
    subscription,
    item,
    side,
    at,
  }: { subscription: StoredSubscription; item: StoredSubscriptionItem; side: Side; at: number },
): StoredInvoiceItem {
  const { currency, customer } = subscription
  const unit_amount = unitAmount(service, item.price, currency)
  const end = item.current_period_end
  const share = shareAfter(unit_amount * item.quantity, { start: item.current_period_start, end, at })
  const time = side === 'credit' ? 'Unused time on' : 'Remaining time on'
  const count = item.quantity === 1 ? '' : `${item.quantity} × `
  return newProrationItem({
    // Not `-share`: a credit of nothing is 0, not -0.
    amount: side === 'credit' ? 0 - share : share,
    credited: side === 'credit' ? lastLineOf(service, subscription, item) : null,
    currency,
    customer,
    date: at,
    description: `${time} ${count}${productName(service, item.price)} after ${formatDay(at)}`,
    period: { start: at, end },
    pricing: pricingOf(item.price, unit_amount),
    quantity: item.quantity,
    subscription: subscription.id,
    subscription_item: item.id,
  })
}

/** The line by which the item's present state was charged: the newest that is not itself a credit. */
function lastLineOf(
  { store }: Service,
  { id }: StoredSubscription,
  item: StoredSubscriptionItem,
): StoredInvoiceLine | null {
  for (const invoice of store.invoices.newestFirst()) {
    if (invoice.parent?.subscription_details?.subscription !== id) continue
    const line = invoice.lines.data.findLast(
      ({ amount, parent }) => amount >= 0 && parent?.subscription_item_details?.subscription_item === item.id,
    )
    if (line) return line
  }
  return null
}

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
function newProrationItem(input: InvoiceItemInput): StoredInvoiceItem {
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
