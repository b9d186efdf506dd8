import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { findMembership } from '../../entities/membership.ts'
import { findOrganization } from '../../entities/organization.ts'
import {
  attemptReverification,
  prepareReverification,
  startReverification,
} from '../../entities/reverification.ts'
import { activeSessions, endSession, isActive, updateClient, updateSession } from '../../entities/session.ts'
import { publicKeySet, signingKey } from '../../entities/signing-key.ts'
import { ClerkError, notFound, signedOut } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Session } from '../../state.ts'
import { environmentFields } from '../../wire/environment.ts'
import { readForm } from '../../wire/form.ts'
import { clientFields, frontendSession, mintSessionToken, reverificationFields } from '../../wire/session.ts'
import { callerOrigin, callsOf, findClient, findOrCreateClient } from './browser.ts'

export function clientRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)
  const shown = (ctx: RouterContext, client = findClient(service, ctx)) =>
    client ? clientFields(service, client, { azp: callerOrigin(service, ctx) }) : null

  call('GET /v1/client', (ctx) => shown(ctx))
  for (const name of ['PUT /v1/client', 'POST /v1/client'] as const) {
    call(name, (ctx) => shown(ctx, findOrCreateClient(service, ctx)))
  }
  for (const name of ['DELETE /v1/client', 'DELETE /v1/client/sessions'] as const) {
    call(name, (ctx) => {
      const client = findClient(service, ctx)
      for (const session of client ? activeSessions(service, client) : []) {
        endSession(service, session, 'removed')
      }
      if (client) updateClient(service, client.id, { updated_at: Date.now() })
      return shown(ctx)
    })
  }
}

const touchForm = z.object({ active_organization_id: z.string().max(256).optional() })
const reverifyForm = z.object({ level: z.enum(['first_factor', 'second_factor', 'multi_factor']) })
const prepareForm = z.object({
  strategy: z.literal('email_code'),
  email_address_id: z.string().max(64).optional(),
})
const attemptForm = z.object({
  strategy: z.enum(['password', 'email_code']),
  password: z.string().max(256).optional(),
  code: z.string().max(20).optional(),
})
const tokenForm = z.object({ organization_id: z.string().max(256).optional() })

export function sessionRoutes(router: Router, service: Service): void {
  const call = callsOf(router, service)
  const shown = (ctx: RouterContext, session: Session) =>
    frontendSession(service, session, { azp: callerOrigin(service, ctx) })

  call('GET /v1/client/sessions/:sessionId', (ctx) => shown(ctx, requireOwnSession(service, ctx)))

  // This is also how the active organization is switched; an empty id is the personal account.
  call('POST /v1/client/sessions/:sessionId/touch', (ctx) => {
    const session = requireOwnSession(service, ctx)
    const wanted = readForm(ctx, touchForm).active_organization_id
    const now = Date.now()
    const touched = updateSession(service, session, {
      ...(wanted !== undefined && {
        last_active_organization_id: requireOrganization(service, session, wanted),
      }),
      last_active_at: now,
      updated_at: now,
    })
    updateClient(service, session.client_id, { last_active_session_id: session.id })
    return shown(ctx, touched)
  })

  for (const path of ['/tokens', '/tokens/:template'] as const) {
    router.post(`/v1/client/sessions/:sessionId${path}`, async (ctx) => {
      const session = updateSession(service, requireOwnSession(service, ctx), { last_active_at: Date.now() })
      const wanted = readForm(ctx, tokenForm).organization_id
      const jwt = await mintSessionToken(service, session, {
        azp: callerOrigin(service, ctx),
        ...(wanted === undefined ? {} : { organizationId: requireOrganization(service, session, wanted) }),
      })
      ctx.body = { object: 'token', jwt }
    })
  }

  // Proving again who one is, for which no second factor is known here.
  const reverify = (
    step: '' | '/prepare_first_factor' | '/attempt_first_factor',
    work: (ctx: RouterContext, session: Session) => Session | Promise<Session>,
  ) =>
    call(`POST /v1/client/sessions/:sessionId/verify${step}`, async (ctx) => {
      const session = await work(ctx, requireOwnSession(service, ctx))
      return reverificationFields(service, session, { azp: callerOrigin(service, ctx) })
    })
  reverify('', (ctx, session) => startReverification(service, session, readForm(ctx, reverifyForm).level))
  reverify('/prepare_first_factor', (ctx, session) =>
    prepareReverification(service, session, readForm(ctx, prepareForm).email_address_id),
  )
  reverify('/attempt_first_factor', (ctx, session) =>
    attemptReverification(service, session, readForm(ctx, attemptForm)),
  )

  for (const [action, status] of [
    ['end', 'ended'],
    ['remove', 'removed'],
  ] as const) {
    call(`POST /v1/client/sessions/:sessionId/${action}`, async (ctx) => {
      const session = requireOwnSession(service, ctx)
      const before = await shown(ctx, session)
      endSession(service, session, status)
      return { ...before, status }
    })
  }
}

function requireOwnSession(service: Service, ctx: RouterContext): Session {
  const client = findClient(service, ctx)
  if (!client) throw signedOut()
  const session = service.store.sessions.get(ctx.params.sessionId)
  if (!session || session.client_id !== client.id) throw notFound('Session')
  if (!isActive(session) || !service.store.users.get(session.user_id)) throw signedOut()
  return session
}

function requireOrganization(service: Service, session: Session, idOrSlug: string): string | null {
  if (idOrSlug === '') return null
  const organization = findOrganization(service, idOrSlug)
  if (organization && findMembership(service, { organizationId: organization.id, userId: session.user_id })) {
    return organization.id
  }
  throw new ClerkError(404, {
    code: 'organization_not_found_or_unauthorized',
    message: 'Given organization not found, or you are not a member of it.',
  })
}

/** The settings that every browser of this instance gets. */
export function instanceRoutes(router: Router, service: Service): void {
  for (const method of ['get', 'patch'] as const) {
    router[method]('/v1/environment', (ctx) => {
      ctx.body = environmentFields(service)
    })
  }
  for (const path of ['/.well-known/jwks.json', '/v1/.well-known/jwks.json']) {
    router.get(path, (ctx) => {
      ctx.body = publicKeySet(signingKey(service))
    })
  }
}
