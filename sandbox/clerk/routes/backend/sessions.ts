import { Router, type RouterContext } from '@koa/router'
import { z } from 'zod'
import type { Clerk } from '../../clerk.ts'
import { createClient } from '../../entities/client.ts'
import { createSession, endSession, isActive, type Session, sessionStatus } from '../../entities/session.ts'
import { ClerkError, notFound } from '../../errors.ts'
import { mintSessionToken } from '../../tokens/session-token.ts'
import { publicKeySet } from '../../tokens/signing-key.ts'
import { backendSession } from '../../wire/session.ts'
import { booleanField, readForm, readQuery } from '../form.ts'
import { activityOf } from '../frontend/activity.ts'
import { newestFirst, page, pageQuery } from '../page.ts'

const listQuery = pageQuery.extend({
  user_id: z.string().max(64).optional(),
  client_id: z.string().max(64).optional(),
  status: z.string().max(32).optional(),
  paginated: booleanField.optional(),
})
const newForm = z.object({ user_id: z.string().max(64) })
const tokenForm = z.object({ expires_in_seconds: z.number().int().min(30).max(315_360_000).optional() })

export function backendSessionRoutes(clerk: Clerk): Router {
  const router = new Router({ prefix: '/bapi/v1' })

  router.get('/jwks', (ctx) => {
    ctx.body = publicKeySet(clerk.store.signingKey)
  })

  router.get('/sessions', (ctx) => {
    const query = readQuery(ctx, listQuery)
    const found = clerk.store.sessions.filter(
      (row) =>
        (!query.user_id || row.user_id === query.user_id) &&
        (!query.client_id || row.client_id === query.client_id) &&
        (!query.status || sessionStatus(row) === query.status),
    )
    const shown = page(newestFirst(found), query, backendSession)
    ctx.body = query.paginated ? shown : shown.data
  })

  router.post('/sessions', (ctx) => {
    const user = clerk.store.users.get(readForm(ctx, newForm).user_id)
    if (!user) throw notFound('User')
    const { client } = createClient(clerk)
    ctx.body = backendSession(
      createSession(clerk, { client, user, activity: activityOf(ctx), strategy: 'ticket' }),
    )
  })

  router.get('/sessions/:sessionId', (ctx) => {
    ctx.body = backendSession(requireSession(clerk, ctx))
  })

  router.post('/sessions/:sessionId/revoke', (ctx) => {
    ctx.body = backendSession(endSession(clerk, requireSession(clerk, ctx), 'revoked'))
  })

  for (const path of ['/sessions/:sessionId/tokens', '/sessions/:sessionId/tokens/:template'] as const) {
    router.post(path, async (ctx) => {
      const session = requireSession(clerk, ctx)
      if (!isActive(session)) {
        throw new ClerkError(422, { code: 'session_not_active', message: 'The session is not active.' })
      }
      const seconds = readForm(ctx, tokenForm).expires_in_seconds
      const jwt = await mintSessionToken(clerk, session, {
        azp: clerk.settings.origin,
        ...(seconds === undefined ? {} : { expiresInS: seconds }),
      })
      ctx.body = { object: 'token', jwt }
    })
  }

  return router
}

function requireSession(clerk: Clerk, ctx: RouterContext): Session {
  const session = clerk.store.sessions.get(ctx.params.sessionId)
  if (!session) throw notFound('Session')
  return session
}
