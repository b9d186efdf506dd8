import type { Router } from '@koa/router'
import { z } from 'zod'
import { emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { refundCharge } from '../entities/refund.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCharge, StoredRefund } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { common, integer, isWithin, metadata, pagination, range, readParams, text } from '../wire/params.ts'

const listIntents = z.strictObject({ ...pagination, created: range.optional(), customer: text.optional() })

export function paymentIntentRoutes(router: Router, service: Service): void {
  const { store } = service

  router.get(
    '/v1/payment_intents',
    handle(service, ({ form }) => {
      const { created, customer, ...cursor } = readParams(listIntents, form)
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
    handle(service, ({ path }) => {
      const intent = store.payment_intents.get(path('id'))
      if (!intent) throw noSuch('payment_intent', path('id'))
      return intent
    }),
  )
}

const listCharges = z.strictObject({
  ...pagination,
  created: range.optional(),
  customer: text.optional(),
  payment_intent: text.optional(),
  transfer_group: text.optional(),
})

export function chargeRoutes(router: Router, service: Service): void {
  const { store } = service

  router.get(
    '/v1/charges',
    handle(service, ({ form }) => {
      const { created, customer, payment_intent, transfer_group, ...cursor } = readParams(listCharges, form)
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
    handle(service, ({ path }) => {
      const charge = store.charges.get(path('id'))
      if (!charge) throw noSuch('charge', path('id'))
      return charge
    }),
  )
}

const createParams = z.strictObject({
  ...common,
  amount: integer.optional(),
  charge: text.optional(),
  metadata: metadata.optional(),
  payment_intent: text.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
})
const listRefunds = z.strictObject({
  ...pagination,
  charge: text.optional(),
  created: range.optional(),
  payment_intent: text.optional(),
})

export function refundRoutes(router: Router, service: Service): void {
  const { store } = service

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
      const latest = store.charges.get(intent.latest_charge)
      if (latest) return latest
      throw invalidRequest('This PaymentIntent does not have a successful charge to refund.')
    }
    const named = store.charges.get(charge)
    if (!named) throw noSuch('charge', charge ?? '', 'charge')
    return named
  }

  router.post(
    '/v1/refunds',
    handle(service, ({ form, cause }) => {
      const input = readParams(createParams, form)
      if (!input.charge === !input.payment_intent) {
        throw invalidRequest(
          'One of the following params should be provided for this request: payment_intent or charge.',
        )
      }
      return refundCharge(service, {
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
    handle(service, ({ form }) => {
      const { charge, created, payment_intent, ...cursor } = readParams(listRefunds, form)
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
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/refunds/:id',
    handle(service, ({ form, path, cause }) => {
      const input = readParams(z.strictObject({ ...common, metadata: metadata.optional() }), form)
      const before = find(path('id'))
      const after = store.refunds.put({ ...before, metadata: mergeMetadata(before.metadata, input.metadata) })
      emit(service, 'refund.updated', after, { cause, previous_attributes: { metadata: before.metadata } })
      return after
    }),
  )
}
