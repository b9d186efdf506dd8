import type { StoredSubscription, StoredSubscriptionItem } from '../state.ts'
import { wholeList } from './list.ts'

export function itemList(subscription: string, items: StoredSubscriptionItem[]): StoredSubscription['items'] {
  return wholeList(items, `/v1/subscription_items?subscription=${subscription}`)
}

export function hasEnded({ status }: Pick<StoredSubscription, 'status'>): boolean {
  return status === 'canceled' || status === 'incomplete_expired'
}
