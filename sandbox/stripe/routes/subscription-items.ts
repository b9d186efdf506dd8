import type { Router } from '@koa/router'
import { z } from 'zod'
import { updateSubscription } from '../billing/update-subscription.ts'
import type { StoredSubscription, StoredSubscriptionItem } from '../entities.ts'
import { noSuch } from '../errors.ts'
import { handle } from '../wire/handle.ts'
import { pageOf } from '../wire/list.ts'
import { mergeMetadata, pagination, readParams, text } from '../wire/params.ts'
import type { World } from '../world.ts'
import { updateItemParams } from './subscription-params.ts'
import { findSubscription } from './subscriptions.ts'

const listParams = z.strictObject({ ...pagination, subscription: text })

export function subscriptionItemRoutes(router: Router, world: World): void {
  router.get(
    '/v1/subscription_items',
    handle(world, ({ form }) => {
      const { subscription, ...cursor } = readParams(listParams, form)
      const { items } = findSubscription(world, subscription)
      return pageOf(items.data, cursor, '/v1/subscription_items')
    }),
  )

  router.get(
    '/v1/subscription_items/:id',
    handle(world, ({ path }) => findItem(world, path('id')).item),
  )

  router.post(
    '/v1/subscription_items/:id',
    handle(world, ({ form, path, cause }) => {
      const params = readParams(updateItemParams, form)
      const { item, subscription } = findItem(world, path('id'))
      const metadata =
        params.metadata === undefined ? undefined : mergeMetadata(item.metadata, params.metadata)
      updateSubscription(world, subscription, {
        cause,
        ends_trial: false,
        is_on_session: params.off_session === false,
        items: [{ id: item.id, price: params.price, quantity: params.quantity, metadata }],
        payment_behavior: params.payment_behavior ?? 'allow_incomplete',
        proration_behavior: params.proration_behavior ?? 'create_prorations',
        proration_date: params.proration_date ?? null,
      })
      return findItem(world, item.id).item
    }),
  )
}

function findItem(
  { store }: World,
  id: string,
): { item: StoredSubscriptionItem; subscription: StoredSubscription } {
  for (const subscription of store.subscriptions.newestFirst()) {
    const item = subscription.items.data.find((one) => one.id === id)
    if (item) return { item, subscription }
  }
  throw noSuch('subscription_item', id)
}
