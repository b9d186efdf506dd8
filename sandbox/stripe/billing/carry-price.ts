import type { StoredPrice } from '../entities.ts'
import { itemList } from '../objects/subscription.ts'
import { pricedBy } from '../objects/subscription-item.ts'
import type { World } from '../world.ts'

/** Subscriptions show their prices as they are now: a lookup key that has moved on shows there no more. */
export function carryPrice({ store }: World, price: StoredPrice): void {
  for (const subscription of [...store.subscriptions.oldestFirst()]) {
    const items = subscription.items.data
    if (!items.some((item) => item.price.id === price.id)) continue
    const carried = items.map((item) => (item.price.id === price.id ? { ...item, ...pricedBy(price) } : item))
    store.subscriptions.put({ ...subscription, items: itemList(subscription.id, carried) })
  }
}
