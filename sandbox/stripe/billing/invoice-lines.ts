import type { StoredInvoiceItem, StoredInvoiceLine, StoredSubscription } from '../entities.ts'
import { newInvoiceLine, pricingOf } from '../objects/invoice-line.ts'
import type { Period } from '../objects/subscription-item.ts'
import type { World } from '../world.ts'
import { describePeriod, productName, unitAmount } from './prices.ts'

/** The subscription's items for a whole period, paid ahead; or for a trial, which costs nothing. */
export function periodLines(
  world: World,
  {
    invoice,
    subscription,
    period,
    is_trial,
  }: { invoice: string; subscription: StoredSubscription; period: Period; is_trial: boolean },
): StoredInvoiceLine[] {
  const { currency } = subscription
  return subscription.items.data.map(({ id, price, quantity }) => {
    const unit_amount = is_trial ? 0 : unitAmount(world, price, currency)
    return newInvoiceLine(invoice, {
      amount: unit_amount * quantity,
      currency,
      description: is_trial
        ? `Trial period for ${productName(world, price)}`
        : describePeriod(world, { price, quantity, currency }),
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

export function pendingItems({ store }: World, subscription: string): StoredInvoiceItem[] {
  return [...store.invoice_items.oldestFirst()].filter(
    ({ invoice, parent }) => invoice === null && parent?.subscription_details?.subscription === subscription,
  )
}
