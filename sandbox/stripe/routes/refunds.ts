import type { Router } from '@koa/router'
import { z } from 'zod'
import type { StoredCharge, StoredRefund } from '../entities.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import { emit } from '../objects/event.ts'
import { refundCharge } from '../payments/refund-charge.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import {
  common,
  integer,
  isWithin,
  mergeMetadata,
  metadata,
  pagination,
  range,
  readParams,
  text,
} from '../wire/params.ts'
import type { World } from '../world.ts'

const createParams = z.strictObject({
  ...common,
  amount: integer.optional(),
  charge: text.optional(),
  metadata: metadata.optional(),
  payment_intent: text.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
})
const listParams = z.strictObject({
  ...pagination,
  charge: text.optional(),
  created: range.optional(),
  payment_intent: text.optional(),
})

export function refundRoutes(router: Router, world: World): void {
  const { store } = world

  const find = (id: string): StoredRefund => {
    const refund = store.refunds.get(id)
    if (!refund) throw noSuch('refund', id)
    return refund
  }

  /** A refund names its charge, or the intent whose last charge it means. */
  const chargeOf = ({ charge, payment_intent }: z.output<typeof createParams>): StoredCharge => {
    if (payment_intent !== undefined) {
      const intent = store.payment_intents.get(payment_intent)
      if (!intent) throw noSuch('payment_intent', payment_intent, 'payment_intent')
      const latest = store.charges.get(intent.latest_charge ?? '')
      if (latest) return latest
      throw invalidRequest('This PaymentIntent does not have a successful charge to refund.')
    }
    const named = store.charges.get(charge ?? '')
    if (!named) throw noSuch('charge', charge ?? '', 'charge')
    return named
  }

  router.post(
    '/v1/refunds',
    handle(world, ({ form, cause }) => {
      const input = readParams(createParams, form)
      if (!input.charge === !input.payment_intent) {
        throw invalidRequest(
          'One of the following params should be provided for this request: payment_intent or charge.',
        )
      }
      return refundCharge(world, {
        charge: chargeOf(input),
        amount: input.amount,
        reason: input.reason ?? null,
        metadata: mergeMetadata(null, input.metadata),
        cause,
      })
    }),
  )

  router.get(
    '/v1/refunds',
    handle(world, ({ form }) => {
      const { charge, created, payment_intent, ...cursor } = readParams(listParams, form)
      return listPage(store.refunds, cursor, {
        url: '/v1/refunds',
        noun: 'refund',
        matches: (refund) =>
          (charge === undefined || refund.charge === charge) &&
          (payment_intent === undefined || refund.payment_intent === payment_intent) &&
          isWithin(refund.created, created),
      })
    }),
  )

  router.get(
    '/v1/refunds/:id',
    handle(world, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/refunds/:id',
    handle(world, ({ form, path, cause }) => {
      const input = readParams(z.strictObject({ ...common, metadata: metadata.optional() }), form)
      const before = find(path('id'))
      const after = store.refunds.put({ ...before, metadata: mergeMetadata(before.metadata, input.metadata) })
      emit(world, 'refund.updated', after, { cause, previous_attributes: { metadata: before.metadata } })
      return after
    }),
  )
}
