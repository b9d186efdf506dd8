import type { Router } from '@koa/router'
import { z } from 'zod'
import { defined } from '../../kit/defined.ts'
import { cancelSubscription } from '../entities/cancel-subscription.ts'
import { findCustomer, newCustomer } from '../entities/customer.ts'
import { changeBalance } from '../entities/customer-balance.ts'
import { emit } from '../entities/event.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { checkMethod } from '../entities/payment-method.ts'
import { hasEnded } from '../entities/subscription.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import { callsOf } from '../wire/handle.ts'
import { clearable, currency, integer, metadata, range, text } from '../wire/params.ts'
import { putUpdated, resource } from './resource.ts'

const address = z.strictObject({
  city: clearable.default(null),
  country: clearable.default(null),
  line1: clearable.default(null),
  line2: clearable.default(null),
  postal_code: clearable.default(null),
  state: clearable.default(null),
})

const fields = {
  address: address.optional(),
  description: clearable.optional(),
  email: clearable.optional(),
  invoice_settings: z.strictObject({ default_payment_method: clearable.optional() }).optional(),
  metadata: metadata.optional(),
  name: clearable.optional(),
  phone: clearable.optional(),
  preferred_locales: z.array(text).optional(),
}

/** On a test clock or not, once and for all. */
const newFields = { ...fields, test_clock: text.optional() }

const balanceFields = {
  amount: integer,
  currency,
  description: clearable.optional(),
  metadata: metadata.optional(),
}

export function customerRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

  resource(router, service, {
    path: '/v1/customers',
    noun: 'customer',
    table: store.customers,
    filters: { created: range.optional(), email: text.optional() },
    isListed: ({ deleted }) => !deleted,
    changes: fields,
    update: (before, { params: { invoice_settings, metadata, ...input }, cause }) => {
      if (before.deleted) throw noSuch('customer', before.id)
      checkEmail(input.email)
      const method = invoice_settings?.default_payment_method
      if (method) checkMethod(service, { method, customer: before.id })
      const settings =
        method === undefined ? undefined : { ...before.invoice_settings, default_payment_method: method }
      const changes = { ...input, invoice_settings: settings }
      return putUpdated(service, store.customers, {
        before,
        changes,
        metadata,
        event: 'customer.updated',
        cause,
      })
    },
  })

  call('POST /v1/customers', newFields, ({ params: { invoice_settings, metadata, ...input }, cause }) => {
    if (invoice_settings?.default_payment_method) {
      throw invalidRequest('Attach the payment method first; a new customer has none.', {
        param: 'invoice_settings[default_payment_method]',
      })
    }
    checkEmail(input.email)
    const customer = store.customers.put(
      newCustomer(service, { ...defined(input), metadata: mergeMetadata(null, metadata) }),
    )
    emit(service, 'customer.created', customer, { cause })
    return customer
  })

  call('DELETE /v1/customers/:id', {}, ({ id, cause }) => {
    const customer = findCustomer(service, id)
    for (const subscription of [...store.subscriptions.oldestFirst()]) {
      if (subscription.customer !== customer.id || hasEnded(subscription)) continue
      cancelSubscription(service, subscription, { cause, details: {}, invoice_now: false })
    }
    emit(service, 'customer.deleted', customer, { cause })
    return store.customers.put({ ...customer, deleted: true })
  })

  // A customer's invoice balance: https://docs.stripe.com/api/customer_balance_transactions
  call(
    'POST /v1/customers/:id/balance_transactions',
    balanceFields,
    ({ id, params: { metadata, ...input }, cause }) =>
      changeBalance(service, findCustomer(service, id), {
        ...defined(input),
        cause,
        metadata: mergeMetadata(null, metadata),
        type: 'adjustment',
      }),
  )
}

/** `email_invalid`: https://docs.stripe.com/error-codes */
function checkEmail(email: string | null | undefined): void {
  if (!email || /^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(email)) return
  throw invalidRequest(`Invalid email address: ${email}`, { code: 'email_invalid', param: 'email' })
}
