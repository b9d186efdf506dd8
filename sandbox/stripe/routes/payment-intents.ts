import type { Router } from '@koa/router'
import { z } from 'zod'
import { noSuch } from '../errors.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { isWithin, pagination, range, readParams, text } from '../wire/params.ts'
import type { World } from '../world.ts'

const listParams = z.strictObject({ ...pagination, created: range.optional(), customer: text.optional() })

export function paymentIntentRoutes(router: Router, world: World): void {
  const { store } = world

  router.get(
    '/v1/payment_intents',
    handle(world, ({ form }) => {
      const { created, customer, ...cursor } = readParams(listParams, form)
      return listPage(store.payment_intents, cursor, {
        url: '/v1/payment_intents',
        noun: 'payment_intent',
        matches: (intent) =>
          (customer === undefined || intent.customer === customer) && isWithin(intent.created, created),
      })
    }),
  )

  router.get(
    '/v1/payment_intents/:id',
    handle(world, ({ path }) => {
      const intent = store.payment_intents.get(path('id'))
      if (!intent) throw noSuch('payment_intent', path('id'))
      return intent
    }),
  )
}
