import type { Router } from '@koa/router'
import { z } from 'zod'
import { expireSession } from '../entities/checkout-session.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { createSessionParams } from '../wire/checkout-session-params.ts'
import { handle } from '../wire/handle.ts'
import { common, metadata, range, readParams, text } from '../wire/params.ts'
import { createSession } from './create-checkout-session.ts'
import { resource } from './resource.ts'

const updateParams = z.strictObject({ ...common, metadata: metadata.optional() })

export function checkoutSessionRoutes(router: Router, service: Service): void {
  const { store } = service

  const find = resource(router, service, {
    path: '/v1/checkout/sessions',
    noun: 'checkout.session',
    table: store.checkout_sessions,
    filters: {
      created: range.optional(),
      customer: text.optional(),
      customer_details: z.strictObject({ email: text }).optional(),
      payment_intent: text.optional(),
      status: z.enum(['complete', 'expired', 'open']).optional(),
      subscription: text.optional(),
    },
    where: { customer_details: (session, { email }) => session.customer_details?.email === email },
    update: (before, { form }) => {
      const { metadata } = readParams(updateParams, form)
      return store.checkout_sessions.put({ ...before, metadata: mergeMetadata(before.metadata, metadata) })
    },
  })

  router.post(
    '/v1/checkout/sessions',
    handle(service, ({ form }) => createSession(service, readParams(createSessionParams, form))),
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
}
