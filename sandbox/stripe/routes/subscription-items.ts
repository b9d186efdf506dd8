import type { Router } from '@koa/router'
import { z } from 'zod'
import { mergeMetadata } from '../entities/metadata.ts'
import { updateSubscription } from '../entities/update-subscription.ts'
import { noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredSubscription, StoredSubscriptionItem } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { pageOf } from '../wire/list.ts'
import { pagination, readParams, text } from '../wire/params.ts'
import { updateItemParams } from '../wire/subscription-params.ts'
import { findSubscription } from './subscriptions.ts'

const listParams = z.strictObject({ ...pagination, subscription: text })

export function subscriptionItemRoutes(router: Router, service: Service): void {
  router.get(
    '/v1/subscription_items',
    handle(service, ({ form }) => {
      const { subscription, ...cursor } = readParams(listParams, form)
      const { items } = findSubscription(service, subscription)
      return pageOf(items.data, cursor, { url: '/v1/subscription_items', noun: 'subscription item' })
    }),
  )

  router.get(
    '/v1/subscription_items/:id',
    handle(service, ({ path }) => findItem(service, path('id')).item),
  )

  router.post(
    '/v1/subscription_items/:id',
    handle(service, ({ form, path, cause }) => {
      const params = readParams(updateItemParams, form)
      const { item, subscription } = findItem(service, path('id'))
      const metadata =
        params.metadata === undefined ? undefined : mergeMetadata(item.metadata, params.metadata)
      updateSubscription(service, subscription, {
        cause,
        ends_trial: false,
        is_on_session: params.off_session === false,
        items: [{ id: item.id, price: params.price, quantity: params.quantity, metadata }],
        payment_behavior: params.payment_behavior ?? 'allow_incomplete',
        proration_behavior: params.proration_behavior ?? 'create_prorations',
        proration_date: params.proration_date ?? null,
      })
      return findItem(service, item.id).item
    }),
  )
}

function findItem(
  { store }: Service,
  id: string,
): { item: StoredSubscriptionItem; subscription: StoredSubscription } {
  for (const subscription of store.subscriptions.newestFirst()) {
    const item = subscription.items.data.find((one) => one.id === id)
    if (item) return { item, subscription }
  }
  throw noSuch('subscription_item', id)
}
