import type { Service } from '../service.ts'
import type {
  StoredDiscount,
  StoredInvoiceItem,
  StoredSubscription,
  StoredSubscriptionItem,
} from '../state.ts'
import { discountAmounts } from './discount.ts'
import { flexibleCredits } from './flexible-credits.ts'
import { formatDay } from './format.ts'
import { newProrationItem } from './invoice-item.ts'
import { pricingOf } from './invoice-line.ts'
import { shareAfter } from './period.ts'
import { productName, unitAmount } from './price.ts'

/** The credit for unused paid time and the charge for the remaining time of a change. */
export function prorations(
  service: Service,
  {
    before,
    after,
    discounts,
    at,
    restarts,
  }: {
    before: StoredSubscription
    after: StoredSubscription
    /** The subscription's discounts after the change, which reduce the charge for the remaining time. */
    discounts: StoredDiscount[]
    at: number
    /** A new period starts now and is invoiced as a whole: the old one is credited, nothing is prorated. */
    restarts: boolean
  },
): StoredInvoiceItem[] {
  const kept = new Map(after.items.data.map((item) => [item.id, item]))
  const known = new Map(before.items.data.map((item) => [item.id, item]))
  const credits = before.items.data.filter((item) => restarts || isOther(item, kept.get(item.id)))
  const debits = restarts ? [] : after.items.data.filter((item) => isOther(item, known.get(item.id)))
  return [
    ...credits.flatMap((item) => flexibleCredits(service, { subscription: before, item, at })),
    ...debits.map((item) => debit(service, { subscription: after, item, discounts, at })),
  ]
}

function isOther(item: StoredSubscriptionItem, other: StoredSubscriptionItem | undefined): boolean {
  return item.price.id !== other?.price.id || item.quantity !== other.quantity
}

type ItemAt = { subscription: StoredSubscription; item: StoredSubscriptionItem; at: number }

function debit(
  service: Service,
  { subscription, item, discounts, at }: ItemAt & { discounts: StoredDiscount[] },
): StoredInvoiceItem {
  return newProrationItem(service, {
    ...termsOf(service, { subscription, item, at, time: 'Remaining time on' }),
    amount: shareOf(service, { subscription, item, discounts, at }),
    credited_items: null,
  })
}

/**
 * What an item costs for the time that is left. No discount of the invoice applies to a proration, so it is
 * less by them from the start.
 * https://docs.stripe.com/billing/subscriptions/prorations#prorations-and-discounts
 */
function shareOf(
  service: Service,
  { subscription, item, discounts, at }: ItemAt & { discounts: StoredDiscount[] },
): number {
  const items = subscription.items.data
  const lines = items.map(({ price, quantity }) => ({
    amount: unitAmount(service, price, subscription.currency) * quantity,
    discountable: true,
  }))
  const index = items.findIndex(({ id }) => id === item.id)
  const taken = discountAmounts(service, lines, discounts)[index] ?? []
  const amount = taken.reduce((rest, one) => rest - one.amount, lines[index]?.amount ?? 0)
  return shareAfter(amount, { start: item.current_period_start, end: item.current_period_end, at })
}

function termsOf(service: Service, { subscription, item, at, time }: ItemAt & { time: string }) {
  const { currency, customer, id } = subscription
  const count = item.quantity === 1 ? '' : `${item.quantity} × `
  return {
    currency,
    customer,
    date: at,
    description: `${time} ${count}${productName(service, item.price)} after ${formatDay(at)}`,
    period: { start: at, end: item.current_period_end },
    pricing: pricingOf(item.price, unitAmount(service, item.price, currency)),
    quantity: item.quantity,
    subscription: id,
    subscription_item: item.id,
  }
}
