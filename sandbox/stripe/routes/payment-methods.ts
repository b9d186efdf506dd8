import type { Router } from '@koa/router'
import { z } from 'zod'
import { emit } from '../entities/event.ts'
import { newCardMethod } from '../entities/payment-method.ts'
import { cardByToken } from '../entities/test-cards.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredPaymentMethod } from '../state.ts'
import { handle } from '../wire/handle.ts'
import { listPage } from '../wire/list.ts'
import { common, pagination, readParams, text } from '../wire/params.ts'

const listParams = z.strictObject({
  ...pagination,
  customer: text.optional(),
  type: z.string().optional(),
})

export function paymentMethodRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredPaymentMethod => {
    const method = store.payment_methods.get(id)
    if (!method) throw noSuch('PaymentMethod', id)
    return method
  }

  const list = (form: Record<string, unknown>, url: string, owner?: string) => {
    const { customer = owner, type, ...cursor } = readParams(listParams, form)
    return listPage(store.payment_methods, cursor, {
      url,
      noun: 'PaymentMethod',
      matches: (method) =>
        method.customer !== null &&
        (customer === undefined || method.customer === customer) &&
        (type === undefined || method.type === type),
    })
  }

  router.get(
    '/v1/payment_methods',
    handle(service, ({ form }) => list(form, '/v1/payment_methods')),
  )

  router.get(
    '/v1/customers/:id/payment_methods',
    handle(service, ({ form, path }) =>
      list(form, `/v1/customers/${path('id')}/payment_methods`, path('id')),
    ),
  )

  router.post(
    '/v1/payment_methods/:id/attach',
    handle(service, ({ form, path, cause }) => {
      const { customer: id } = readParams(z.strictObject({ ...common, customer: text }), form)
      const customer = store.customers.get(id)
      if (!customer || customer.deleted) throw noSuch('customer', id, 'customer')
      const method = fromToken(service, path('id')) ?? find(path('id'))
      if (method.customer) {
        throw invalidRequest('This PaymentMethod has already been attached to a customer.')
      }
      const attached = store.payment_methods.put({ ...method, customer: id })
      emit(service, 'payment_method.attached', attached, { cause })
      return attached
    }),
  )
}

/** Stripe's test ids, like `pm_card_visa`: each use makes a payment method of its own. */
function fromToken(service: Service, token: string): StoredPaymentMethod | null {
  const card = cardByToken(token)
  if (!card) return null
  const year = new Date(service.clock.nowMs()).getUTCFullYear() + 3
  const payer = { email: null, name: null }
  return newCardMethod(service, { card, expiry: { month: 12, year }, payer, customer: null })
}
