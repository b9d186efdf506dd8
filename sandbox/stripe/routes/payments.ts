import type { Router } from '@koa/router'
import { z } from 'zod'
import { mergeMetadata } from '../entities/metadata.ts'
import { refundCharge } from '../entities/refund.ts'
import { existing, invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCharge } from '../state.ts'
import { type Asked, callsOf } from '../wire/handle.ts'
import { integer, metadata, range, text } from '../wire/params.ts'
import { putUpdated, resource } from './resource.ts'

const createParams = {
  amount: integer.optional(),
  charge: text.optional(),
  metadata: metadata.optional(),
  payment_intent: text.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
}

export function paymentRoutes(router: Router, service: Service): void {
  const { store } = service

  resource(router, service, {
    path: '/v1/payment_intents',
    noun: 'payment_intent',
    table: store.payment_intents,
    filters: { created: range.optional(), customer: text.optional() },
  })

  resource(router, service, {
    path: '/v1/charges',
    noun: 'charge',
    table: store.charges,
    filters: {
      created: range.optional(),
      customer: text.optional(),
      payment_intent: text.optional(),
      transfer_group: text.optional(),
    },
  })

  resource(router, service, {
    path: '/v1/refunds',
    noun: 'refund',
    table: store.refunds,
    filters: { charge: text.optional(), created: range.optional(), payment_intent: text.optional() },
    changes: { metadata: metadata.optional() },
    update: (before, { params: { metadata }, cause }) =>
      putUpdated(service, store.refunds, { before, metadata, event: 'refund.updated', cause }),
  })

  /** A refund names its charge, or the intent whose last charge it means. */
  const chargeOf = ({ charge, payment_intent }: Asked<typeof createParams>): StoredCharge => {
    if (payment_intent !== undefined) {
      const intent = existing(store.payment_intents, 'payment_intent', payment_intent, 'payment_intent')
      const latest = store.charges.get(intent.latest_charge)
      if (latest) return latest
      throw invalidRequest('This PaymentIntent does not have a successful charge to refund.')
    }
    const named = existing(store.charges, 'charge', charge, 'charge')
    return named
  }

  callsOf(router, service)('POST /v1/refunds', createParams, ({ params: input, cause }) => {
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
  })
}
