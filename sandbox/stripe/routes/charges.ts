import type { Router } from '@koa/router'
import { z } from 'zod'
import { noSuch } from '../errors.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { isWithin, pagination, range, readParams, text } from '../wire/params.ts'
import type { World } from '../world.ts'

const listParams = z.strictObject({
  ...pagination,
  created: range.optional(),
  customer: text.optional(),
  payment_intent: text.optional(),
  transfer_group: text.optional(),
})

export function chargeRoutes(router: Router, world: World): void {
  const { store } = world

  router.get(
    '/v1/charges',
    handle(world, ({ form }) => {
      const { created, customer, payment_intent, transfer_group, ...cursor } = readParams(listParams, form)
      return listPage(store.charges, cursor, {
        url: '/v1/charges',
        noun: 'charge',
        matches: (charge) =>
          (customer === undefined || charge.customer === customer) &&
          (payment_intent === undefined || charge.payment_intent === payment_intent) &&
          (transfer_group === undefined || charge.transfer_group === transfer_group) &&
          isWithin(charge.created, created),
      })
    }),
  )

  router.get(
    '/v1/charges/:id',
    handle(world, ({ path }) => {
      const charge = store.charges.get(path('id'))
      if (!charge) throw noSuch('charge', path('id'))
      return charge
    }),
  )
}
