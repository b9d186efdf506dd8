import type {
  StoredInvoiceItem,
  StoredInvoiceLine,
  StoredSubscription,
  StoredSubscriptionItem,
} from '../entities.ts'
import { newProrationItem } from '../objects/invoice-item.ts'
import { pricingOf } from '../objects/invoice-line.ts'
import { formatDay } from '../pages/day.ts'
import type { World } from '../world.ts'
import { productName, unitAmount } from './prices.ts'

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
  world: World,
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
    ...credits.map((item) => proration(world, { subscription: before, item, side: 'credit', at })),
    ...debits.map((item) => proration(world, { subscription: after, item, side: 'debit', at })),
  ]
}

function isOther(item: StoredSubscriptionItem, other: StoredSubscriptionItem | undefined): boolean {
  return item.price.id !== other?.price.id || item.quantity !== other.quantity
}

function proration(
  world: World,
  {
    subscription,
    item,
    side,
    at,
  }: { subscription: StoredSubscription; item: StoredSubscriptionItem; side: Side; at: number },
): StoredInvoiceItem {
  const { currency, customer } = subscription
  const unit_amount = unitAmount(world, item.price, currency)
  const end = item.current_period_end
  const share = shareAfter(unit_amount * item.quantity, { start: item.current_period_start, end, at })
  const time = side === 'credit' ? 'Unused time on' : 'Remaining time on'
  const count = item.quantity === 1 ? '' : `${item.quantity} × `
  return newProrationItem({
    // Not `-share`: a credit of nothing is 0, not -0.
    amount: side === 'credit' ? 0 - share : share,
    credited: side === 'credit' ? lastLineOf(world, subscription, item) : null,
    currency,
    customer,
    date: at,
    description: `${time} ${count}${productName(world, item.price)} after ${formatDay(at)}`,
    period: { start: at, end },
    pricing: pricingOf(item.price, unit_amount),
    quantity: item.quantity,
    subscription: subscription.id,
    subscription_item: item.id,
  })
}

/** The line by which the item's present state was charged: the newest that is not itself a credit. */
function lastLineOf(
  { store }: World,
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
