import type { Router } from '@koa/router'
import { z } from 'zod'
import { findCustomer } from '../entities/customer.ts'
import { emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { expiryOf, newCardMethod } from '../entities/payment-method.ts'
import { refundCharge } from '../entities/refund.ts'
import { cardByToken } from '../entities/test-cards.ts'
import { existing, invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCharge, StoredPaymentMethod } from '../state.ts'
import { type Asked, callsOf } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { integer, metadata, pagination, range, text } from '../wire/params.ts'
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

const listParams = {
  ...pagination,
  customer: text.optional(),
  type: text.optional(),
}

export function paymentMethodRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

  const list = (url: string, { customer, type, ...cursor }: Asked<typeof listParams>) =>
    listPage(store.payment_methods, cursor, {
      url,
      noun: 'PaymentMethod',
      matches: (method) =>
        method.customer !== null &&
        (customer === undefined || method.customer === customer) &&
        (type === undefined || method.type === type),
    })

  call('GET /v1/payment_methods', listParams, ({ params }) => list('/v1/payment_methods', params))

  call('GET /v1/customers/:id/payment_methods', listParams, ({ id, params }) =>
    list(`/v1/customers/${id}/payment_methods`, { ...params, customer: params.customer ?? id }),
  )

  call('POST /v1/payment_methods/:id/attach', { customer: text }, ({ id, params, cause }) => {
    const customer = findCustomer(service, params.customer, 'customer')
    const method = fromToken(service, id) ?? existing(store.payment_methods, 'PaymentMethod', id)
    if (method.customer) {
      throw invalidRequest('This PaymentMethod has already been attached to a customer.')
    }
    const attached = store.payment_methods.put({ ...method, customer: customer.id })
    emit(service, 'payment_method.attached', attached, { cause })
    return attached
  })
}

/** Stripe's test ids, like `pm_card_visa`: each use makes a payment method of its own. */
function fromToken(service: Service, token: string): StoredPaymentMethod | null {
  const card = cardByToken(token)
  if (!card) return null
  const payer = { email: null, name: null }
  return newCardMethod(service, { card, expiry: expiryOf(service), payer, customer: null })
}
