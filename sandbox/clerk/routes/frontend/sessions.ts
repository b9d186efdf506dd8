import { Router, type RouterContext } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { findMembership } from '../../entities/membership.ts'
import { findOrganization } from '../../entities/organization.ts'
import { endSession, isActive, type Session } from '../../entities/session.ts'
import { ClerkError, notFound, signedOut } from '../../errors.ts'
import { mintSessionToken } from '../../tokens/session-token.ts'
import { frontendSession } from '../../wire/session.ts'
import { readForm } from '../form.ts'
import { callerOrigin, findClient, respond } from './browser.ts'

const touchForm = z.object({ active_organization_id: z.string().max(256).optional() })
const tokenForm = z.object({ organization_id: z.string().max(256).optional() })

export function sessionRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/v1/client/sessions/:sessionId' })

  router.get('/', async (ctx) => {
    await respondWithSession(clerk, ctx, requireOwnSession(clerk, ctx))
  })

  // This is also how the active organization is switched; an empty id is the personal account.
  router.post('/touch', async (ctx) => {
    const session = requireOwnSession(clerk, ctx)
    const wanted = readForm(ctx, touchForm).active_organization_id
    if (wanted !== undefined)
      session.last_active_organization_id = requireOrganization(clerk, session, wanted)
    session.last_active_at = Date.now()
    session.updated_at = session.last_active_at
    const client = clerk.store.clients.get(session.client_id)
    if (client) client.last_active_session_id = session.id
    await respondWithSession(clerk, ctx, session)
  })

  for (const path of ['/tokens', '/tokens/:template'] as const) {
    router.post(path, async (ctx) => {
      const session = requireOwnSession(clerk, ctx)
      const wanted = readForm(ctx, tokenForm).organization_id
      session.last_active_at = Date.now()
      const jwt = await mintSessionToken(clerk, session, {
        azp: callerOrigin(clerk, ctx),
        ...(wanted === undefined ? {} : { organizationId: requireOrganization(clerk, session, wanted) }),
      })
      ctx.body = { object: 'token', jwt }
    })
  }

  for (const [action, status] of [
    ['end', 'ended'],
    ['remove', 'removed'],
  ] as const) {
    router.post(`/${action}`, async (ctx) => {
      const session = requireOwnSession(clerk, ctx)
      const shown = await frontendSession(clerk, session, { azp: callerOrigin(clerk, ctx) })
      endSession(clerk, session, status)
      await respond(clerk, ctx, { ...shown, status })
    })
  }

  return router
}

async function respondWithSession(clerk: Clerk, ctx: RouterContext, session: Session): Promise<void> {
  await respond(clerk, ctx, await frontendSession(clerk, session, { azp: callerOrigin(clerk, ctx) }))
}

function requireOwnSession(clerk: Clerk, ctx: RouterContext): Session {
  const client = findClient(clerk, ctx)
  if (!client) throw signedOut()
  const session = clerk.store.sessions.get(ctx.params.sessionId)
  if (!session || session.client_id !== client.id) throw notFound('Session')
  if (!isActive(session) || !clerk.store.users.get(session.user_id)) throw signedOut()
  return session
}

function requireOrganization(clerk: Clerk, session: Session, idOrSlug: string): string | null {
  if (idOrSlug === '') return null
  const organization = findOrganization(clerk, idOrSlug)
  if (organization && findMembership(clerk, { organizationId: organization.id, userId: session.user_id })) {
    return organization.id
  }
  throw new ClerkError(404, {
    code: 'organization_not_found_or_unauthorized',
    message: 'Given organization not found, or you are not a member of it.',
  })
}
