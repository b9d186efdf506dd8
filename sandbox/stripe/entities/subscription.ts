import { newId } from '../../kit/id.ts'
import { existing, invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredPrice, StoredSubscription, StoredSubscriptionItem } from '../state.ts'
import { wholeList } from './list.ts'
import { isSameRecurrence, type Period, recurrenceOf } from './period.ts'

export function itemList(subscription: string, items: StoredSubscriptionItem[]): StoredSubscription['items'] {
  return wholeList(items, `/v1/subscription_items?subscription=${subscription}`)
}

export function hasEnded({ status }: Pick<StoredSubscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}

type NewItem = {
  subscription: string
  price: StoredPrice
  quantity: number
  metadata: Record<string, string>
  period: Period
}

/** An item of a subscription. Billing periods belong to items; here all items share theirs. */
export function newSubscriptionItem(
  { clock }: Service,
  { subscription, price, quantity, metadata, period }: NewItem,
): StoredSubscriptionItem {
  return {
    id: newId('si', 14),
    object: 'subscription_item',
    billing_thresholds: null,
    created: clock.now(),
    current_period_end: period.end,
    current_period_start: period.start,
    current_trial: null,
    discounts: [],
    metadata,
    ...pricedBy(price),
    quantity,
    subscription,
    tax_rates: [],
  }
}

/** The price of an item. The plan of former times, which Stripe still shows beside it, is left out. */
export function pricedBy(price: StoredPrice): Pick<StoredSubscriptionItem, 'price'> {
  const { currency_options: _, ...carried } = price
  return { price: carried }
}

export type ItemChange = {
  /** The item that changes; without it another item is added, which is what Stripe does too. */
  id?: string | undefined
  deleted?: boolean | undefined
  metadata?: Record<string, string> | undefined
  price?: string | undefined
  quantity?: number | undefined
}

/** The items of a subscription as they will be. Refuses what cannot be billed together. */
export function changedItems(
  service: Service,
  subscription: StoredSubscription,
  changes: ItemChange[],
): StoredSubscriptionItem[] {
  const { currency } = subscription
  let items = subscription.items.data
  for (const [index, change] of changes.entries()) {
    const param = `items[${index}]`
    const price =
      change.price === undefined ? null : findPrice(service, { id: change.price, currency, param })
    if (change.id === undefined) {
      if (!price) throw invalidRequest('You must pass a price for a new item.', { param: `${param}[price]` })
      // Lists have the newest first: https://docs.stripe.com/api/pagination
      items = [addedItem(service, { subscription, price, change }), ...items]
      continue
    }
    if (!items.some(({ id }) => id === change.id)) {
      throw noSuch('subscription item', change.id, `${param}[id]`)
    }
    items = change.deleted
      ? items.filter(({ id }) => id !== change.id)
      : items.map((item) => (item.id === change.id ? changedItem(item, { price, change }) : item))
  }
  checkTogether(items)
  return items
}

function changedItem(
  item: StoredSubscriptionItem,
  { price, change }: { price: StoredPrice | null; change: ItemChange },
): StoredSubscriptionItem {
  return {
    ...item,
    ...(price && pricedBy(price)),
    metadata: { ...item.metadata, ...change.metadata },
    quantity: change.quantity ?? item.quantity,
  }
}

function addedItem(
  service: Service,
  {
    subscription,
    price,
    change,
  }: { subscription: StoredSubscription; price: StoredPrice; change: ItemChange },
): StoredSubscriptionItem {
  if (subscription.items.data.some((item) => item.price.id === price.id)) {
    throw invalidRequest(
      `Cannot add multiple subscription items with the same plan: ${price.id}. To change an item, pass its id.`,
    )
  }
  return newSubscriptionItem(service, {
    subscription: subscription.id,
    price,
    quantity: change.quantity ?? 1,
    metadata: change.metadata ?? {},
    period: periodOf(subscription),
  })
}

/** A price that can be billed again and again in this currency. */
export function findPrice(
  { store }: Service,
  { id, currency, param }: { id: string; currency: string; param: string },
): StoredPrice {
  const price = existing(store.prices, 'price', id, `${param}[price]`)
  if (!price.active) {
    throw invalidRequest('The price specified is inactive. This field only accepts active prices.', { param })
  }
  if (!price.recurring) {
    throw invalidRequest(
      `The price specified is set to \`type=one_time\` but this field only accepts prices with \`type=recurring\`.`,
      { param },
    )
  }
  if (!price.currency_options[currency]) {
    throw invalidRequest(`The price specified only supports other currencies than \`${currency}\`.`, {
      param,
    })
  }
  return price
}

export function checkTogether(items: Pick<StoredSubscriptionItem, 'price'>[]): void {
  const [first, ...others] = items
  if (!first) {
    throw invalidRequest('A subscription must have at least one item.', { param: 'items' })
  }
  const recurrence = recurrenceOf(first.price)
  if (others.some(({ price }) => !isSameRecurrence(recurrenceOf(price), recurrence))) {
    throw invalidRequest('All prices of a subscription must have the same billing interval.', {
      param: 'items',
    })
  }
}

/** The current billing period: that of the items, which share one. */
export function periodOf({ id, items }: StoredSubscription): Period {
  const [item] = items.data
  if (!item) throw new Error(`Subscription ${id} has no items.`)
  return { start: item.current_period_start, end: item.current_period_end }
}

export function withPeriod(
  items: StoredSubscriptionItem[],
  { start, end }: Period,
): StoredSubscriptionItem[] {
  return items.map((item) => ({ ...item, current_period_start: start, current_period_end: end }))
}

/** Subscriptions show their prices as they are now: a lookup key that has moved on shows there no more. */
export function copyPriceToSubscriptions({ store }: Service, price: StoredPrice): void {
  for (const subscription of [...store.subscriptions.oldestFirst()]) {
    const items = subscription.items.data
    if (!items.some((item) => item.price.id === price.id)) continue
    const carried = items.map((item) => (item.price.id === price.id ? { ...item, ...pricedBy(price) } : item))
    store.subscriptions.put({ ...subscription, items: itemList(subscription.id, carried) })
  }
}
