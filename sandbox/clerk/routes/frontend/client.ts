import { Router, type RouterContext } from '@koa/router'
import { z } from 'zod'
import { createId } from '../../entities/id.ts'
import { findMembership } from '../../entities/membership.ts'
import { findOrganization } from '../../entities/organization.ts'
import { activeSessions, endSession, isActive, type Session } from '../../entities/session.ts'
import { publicKeySet } from '../../entities/signing-key.ts'
import { ClerkError, notFound, signedOut } from '../../errors.ts'
import type { Service } from '../../service.ts'
import { clientFields } from '../../wire/client.ts'
import { environmentFields } from '../../wire/environment.ts'
import { readForm } from '../../wire/form.ts'
import { frontendSession } from '../../wire/session.ts'
import { mintSessionToken } from '../../wire/session-token.ts'
import { callerOrigin, findClient, findOrCreateClient, respond } from './browser.ts'

export function clientRoutes(service: Service): Router {
  const router = new Router()

  router.get('/v1/client', async (ctx) => {
    const client = findClient(service, ctx)
    await respond(
      service,
      ctx,
      client ? await clientFields(service, client, { azp: callerOrigin(service, ctx) }) : null,
    )
  })

  for (const method of ['put', 'post'] as const) {
    router[method]('/v1/client', async (ctx) => {
      const client = findOrCreateClient(service, ctx)
      await respond(service, ctx, await clientFields(service, client, { azp: callerOrigin(service, ctx) }))
    })
  }

  router.post('/v1/client/verify', async (ctx) => {
    const client = findOrCreateClient(service, ctx)
    await respond(service, ctx, await clientFields(service, client, { azp: callerOrigin(service, ctx) }))
  })

  // Signing out.
  for (const path of ['/v1/client', '/v1/client/sessions']) {
    router.delete(path, async (ctx) => {
      const client = findClient(service, ctx)
      for (const session of client ? activeSessions(service, client) : [])
        endSession(service, session, 'removed')
      if (client) client.updated_at = Date.now()
      await respond(
        service,
        ctx,
        client ? await clientFields(service, client, { azp: callerOrigin(service, ctx) }) : null,
      )
    })
  }

  return router
}

const touchForm = z.object({ active_organization_id: z.string().max(256).optional() })
const tokenForm = z.object({ organization_id: z.string().max(256).optional() })

export function sessionRoutes(service: Service): Router {
  const router = new Router({ prefix: '/v1/client/sessions/:sessionId' })

  router.get('/', async (ctx) => {
    await respondWithSession(service, ctx, requireOwnSession(service, ctx))
  })

  // This is also how the active organization is switched; an empty id is the personal account.
  router.post('/touch', async (ctx) => {
    const session = requireOwnSession(service, ctx)
    const wanted = readForm(ctx, touchForm).active_organization_id
    if (wanted !== undefined)
      session.last_active_organization_id = requireOrganization(service, session, wanted)
    session.last_active_at = Date.now()
    session.updated_at = session.last_active_at
    const client = service.store.clients.get(session.client_id)
    if (client) client.last_active_session_id = session.id
    await respondWithSession(service, ctx, session)
  })

  for (const path of ['/tokens', '/tokens/:template'] as const) {
    router.post(path, async (ctx) => {
      const session = requireOwnSession(service, ctx)
      const wanted = readForm(ctx, tokenForm).organization_id
      session.last_active_at = Date.now()
      const jwt = await mintSessionToken(service, session, {
        azp: callerOrigin(service, ctx),
        ...(wanted === undefined ? {} : { organizationId: requireOrganization(service, session, wanted) }),
      })
      ctx.body = { object: 'token', jwt }
    })
  }

  for (const [action, status] of [
    ['end', 'ended'],
    ['remove', 'removed'],
  ] as const) {
    router.post(`/${action}`, async (ctx) => {
      const session = requireOwnSession(service, ctx)
      const shown = await frontendSession(service, session, { azp: callerOrigin(service, ctx) })
      endSession(service, session, status)
      await respond(service, ctx, { ...shown, status })
    })
  }

  return router
}

async function respondWithSession(service: Service, ctx: RouterContext, session: Session): Promise<void> {
  await respond(service, ctx, await frontendSession(service, session, { azp: callerOrigin(service, ctx) }))
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

export function instanceRoutes(service: Service): Router {
  const router = new Router()
  router.get('/v1/environment', (ctx) => {
    ctx.body = environmentFields(service.settings)
  })
  router.patch('/v1/environment', (ctx) => {
    ctx.body = environmentFields(service.settings)
  })
  // Only asked for with a development key, and then without any meaning here.
  router.post('/v1/dev_browser', (ctx) => {
    ctx.body = { id: createId('dvb'), token: createId('dvb') }
  })
  router.get('/.well-known/jwks.json', (ctx) => {
    ctx.body = publicKeySet(service.store.signingKey)
  })
  router.get('/v1/.well-known/jwks.json', (ctx) => {
    ctx.body = publicKeySet(service.store.signingKey)
  })
  return router
}
