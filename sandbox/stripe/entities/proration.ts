import type { Service } from '../service.ts'
import type {
  StoredDiscount,
  StoredInvoiceItem,
  StoredPricing,
  StoredSubscription,
  StoredSubscriptionItem,
} from '../state.ts'
import { discountAmounts } from './discount.ts'
import { formatDay } from './format.ts'
import { type CreditedItems, creditedLine, newProrationItem, pricingOf } from './invoice-line.ts'
import { type Period, shareAfter } from './period.ts'
import { productName, unitAmount } from './price.ts'

type Change = {
  before: StoredSubscription
  after: StoredSubscription
  /** The subscription's discounts after the change, which reduce the charge for the remaining time. */
  discounts: StoredDiscount[]
  at: number
  /** A new period starts now and is invoiced as a whole: the old one is credited, nothing is prorated. */
  restarts: boolean
}

/** The credit for unused paid time and the charge for the remaining time of a change. */
export function prorations(
  service: Service,
  { before, after, discounts, at, restarts }: Change,
): StoredInvoiceItem[] {
  const afterById = new Map(after.items.data.map((item) => [item.id, item]))
  const known = new Map(before.items.data.map((item) => [item.id, item]))
  const credits = before.items.data.filter((item) => restarts || isOther(item, afterById.get(item.id)))
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

type Debit = {
  /** The references of a credit: the line, and its invoice item. */
  references: string[]
  amount: number
  credited_items: CreditedItems
  period: Period
  pricing: StoredPricing
  quantity: number
}

/**
 * In flexible billing mode a credit is a share of the charged amount, whatever the item costs now. There is a
 * credit for each charged piece of the time, and none for free time.
 * https://docs.stripe.com/billing/subscriptions/billing-mode/compare#credit-proration-calculations
 */
function flexibleCredits(
  service: Service,
  { subscription, item, at }: { subscription: StoredSubscription; item: StoredSubscriptionItem; at: number },
): StoredInvoiceItem[] {
  const credits = creditsOf(service, item)
  return debitsOf(service, subscription, item).flatMap((debit) => {
    const given = credits.filter((credit) => referencesOf(credit).some((id) => debit.references.includes(id)))
    const start = Math.max(at, debit.period.start)
    const end = given.reduce((first, { period }) => Math.min(first, period.start), debit.period.end)
    const back = given.reduce((sum, { amount }) => sum - amount, 0)
    const amount = shareAfter(debit.amount, { ...debit.period, at }) - back
    if (end <= start || amount <= 0) return []
    const { id, currency, customer } = subscription
    const count = debit.quantity === 1 ? '' : `${debit.quantity} × `
    return [
      newProrationItem(service, {
        amount: -amount,
        credited_items: debit.credited_items,
        currency,
        customer,
        date: at,
        description: `Unused time on ${count}${nameOf(service, debit.pricing)} after ${formatDay(start)}`,
        period: { start, end },
        pricing: debit.pricing,
        quantity: debit.quantity,
        subscription: id,
        subscription_item: item.id,
      }),
    ]
  })
}

/** All that was charged for the item's present period, on invoices and for the next one. */
function debitsOf({ store }: Service, { id }: StoredSubscription, item: StoredSubscriptionItem): Debit[] {
  const lines = store.invoices
    .filter(({ parent, status }) => parent?.subscription_details?.subscription === id && status !== 'void')
    .flatMap((invoice) => invoice.lines.data)
    .filter(({ parent }) => parent?.subscription_item_details?.subscription_item === item.id)
    .map((line): Debit => {
      const invoice_item = line.parent?.subscription_item_details?.invoice_item
      return {
        ...line,
        amount: (line.discount_amounts ?? []).reduce((rest, { amount }) => rest - amount, line.amount),
        credited_items: creditedLine(line),
        quantity: line.quantity ?? 1,
        references: invoice_item ? [line.id, invoice_item] : [line.id],
      }
    })
  const pending = store.invoice_items
    .filter(({ invoice, parent }) => invoice === null && isOf(item, parent))
    .map(
      (one): Debit => ({
        ...one,
        credited_items: { invoice_item: one.id, type: 'invoice_item' },
        references: [one.id],
      }),
    )
  // Charges of an earlier period are used up, even where that period was shortened.
  return [...lines, ...pending].filter(
    ({ amount, period }) => amount > 0 && period.start >= item.current_period_start,
  )
}

function creditsOf({ store }: Service, item: StoredSubscriptionItem): StoredInvoiceItem[] {
  return store.invoice_items.filter(
    ({ amount, invoice, parent }) =>
      amount < 0 && isOf(item, parent) && store.invoices.get(invoice)?.status !== 'void',
  )
}

function isOf({ id }: StoredSubscriptionItem, parent: StoredInvoiceItem['parent']): boolean {
  return parent?.subscription_details?.subscription_item === id
}

function referencesOf({ proration_details }: StoredInvoiceItem): string[] {
  const { invoice_item, invoice_line_item_details: lines } = proration_details?.credited_items ?? {}
  return [...(invoice_item ? [invoice_item] : []), ...(lines?.invoice_line_items ?? [])]
}

function nameOf({ store }: Service, { price_details }: StoredPricing): string {
  return store.products.get(price_details.product)?.name ?? price_details.product
}
