import type { Router } from '@koa/router'
import { z } from 'zod'
import { expireSession } from '../entities/checkout-session.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { invalidRequest, noSuch } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredSession } from '../state.ts'
import { createSessionParams } from '../wire/checkout-session-params.ts'
import { handle } from '../wire/handle.ts'
import { listPage, pageOf } from '../wire/list.ts'
import { common, isWithin, metadata, pagination, range, readParams, text } from '../wire/params.ts'
import { createSession } from './create-checkout-session.ts'

const updateParams = z.strictObject({ ...common, metadata: metadata.optional() })
const listParams = z.strictObject({
  ...pagination,
  created: range.optional(),
  customer: text.optional(),
  customer_details: z.strictObject({ email: text }).optional(),
  payment_intent: text.optional(),
  status: z.enum(['complete', 'expired', 'open']).optional(),
  subscription: text.optional(),
})

export function checkoutSessionRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = (id: string): StoredSession => {
    const session = store.checkout_sessions.get(id)
    if (!session) throw noSuch('checkout.session', id)
    return session
  }

  router.post(
    '/v1/checkout/sessions',
    handle(service, ({ form }) => createSession(service, readParams(createSessionParams, form))),
  )

  router.get(
    '/v1/checkout/sessions',
    handle(service, ({ form }) => {
      const { created, customer, customer_details, payment_intent, status, subscription, ...cursor } =
        readParams(listParams, form)
      return listPage(store.checkout_sessions, cursor, {
        url: '/v1/checkout/sessions',
        noun: 'checkout.session',
        matches: (session) =>
          (customer === undefined || session.customer === customer) &&
          (customer_details === undefined || session.customer_details?.email === customer_details.email) &&
          (payment_intent === undefined || session.payment_intent === payment_intent) &&
          (status === undefined || session.status === status) &&
          (subscription === undefined || session.subscription === subscription) &&
          isWithin(session.created, created),
      })
    }),
  )

  router.get(
    '/v1/checkout/sessions/:id',
    handle(service, ({ path }) => find(path('id'))),
  )

  router.post(
    '/v1/checkout/sessions/:id',
    handle(service, ({ form, path }) => {
      const input = readParams(updateParams, form)
      const session = find(path('id'))
      return store.checkout_sessions.put({
        ...session,
        metadata: mergeMetadata(session.metadata, input.metadata),
      })
    }),
  )

  router.post(
    '/v1/checkout/sessions/:id/expire',
    handle(service, ({ form, path, cause }) => {
      readParams(z.strictObject(common), form)
      const session = find(path('id'))
      if (session.status !== 'open') {
        throw invalidRequest(
          `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
        )
      }
      return expireSession(service, session, cause)
    }),
  )

  router.get(
    '/v1/checkout/sessions/:id/line_items',
    handle(service, ({ form, path }) => {
      const cursor = readParams(z.strictObject(pagination), form)
      const { id } = find(path('id'))
      const items = store.checkout_details.get(id)?.line_items ?? []
      return pageOf(items, cursor, `/v1/checkout/sessions/${id}/line_items`)
    }),
  )
}
