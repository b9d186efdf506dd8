import type { Router } from '@koa/router'
import { findCustomer } from '../entities/customer.ts'
import { emit } from '../entities/event.ts'
import { expiryOf, newCardMethod } from '../entities/payment-method.ts'
import { cardByToken } from '../entities/test-cards.ts'
import { existing, invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredPaymentMethod } from '../state.ts'
import { type Asked, callsOf } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { pagination, text } from '../wire/params.ts'

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
