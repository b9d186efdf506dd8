import type { Router } from '@koa/router'
import { z } from 'zod'
import { expireSession } from '../entities/checkout-session.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import { createSessionParams } from '../wire/checkout-session-params.ts'
import { callsOf } from '../wire/handle.ts'
import { metadata, range, text } from '../wire/params.ts'
import { createSession } from './create-checkout-session.ts'
import { resource } from './resource.ts'

export function checkoutSessionRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

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
    changes: { metadata: metadata.optional() },
    update: (before, { params: { metadata } }) =>
      store.checkout_sessions.put({ ...before, metadata: mergeMetadata(before.metadata, metadata) }),
  })

  call('POST /v1/checkout/sessions', createSessionParams, ({ params }) => createSession(service, params))

  call('POST /v1/checkout/sessions/:id/expire', {}, ({ id, cause }) => {
    const session = find(id)
    if (session.status === 'open') return expireSession(service, session, cause)
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    )
  })
}
