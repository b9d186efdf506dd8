import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { resourceRoutes } from '../../../kit/resource.ts'
import { createClient, createSession, endSession, isActive, shownStatus } from '../../entities/session.ts'
import { publicKeySet, signingKey } from '../../entities/signing-key.ts'
import { ClerkError, notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Session } from '../../state.ts'
import { booleanField, newestFirst, page, pageQuery, readForm, readQuery } from '../../wire/form.ts'
import { backendSession } from '../../wire/session.ts'
import { mintSessionToken } from '../../wire/session-token.ts'
import { activityOf } from '../frontend/browser.ts'
import { answer } from './shared.ts'

const listQuery = pageQuery.extend({
  user_id: z.string().max(64).optional(),
  client_id: z.string().max(64).optional(),
  status: z.string().max(32).optional(),
  paginated: booleanField.optional(),
})
const newForm = z.object({ user_id: z.string().max(64) })
const tokenForm = z.object({ expires_in_seconds: z.number().int().min(30).max(315_360_000).optional() })

export function backendSessionRoutes(router: Router, service: Service): void {
  router.get('/bapi/v1/jwks', (ctx) => {
    ctx.body = publicKeySet(signingKey(service))
  })

  resourceRoutes(router, {
    path: '/bapi/v1/sessions',
    id: ':sessionId',
    handle: answer,
    find: (ctx) => requireSession(service, ctx),
    show: (session) => backendSession(service, session),
    list: (ctx) => {
      const query = readQuery(ctx, listQuery)
      const found = service.store.sessions.filter(
        (row) =>
          (!query.user_id || row.user_id === query.user_id) &&
          (!query.client_id || row.client_id === query.client_id) &&
          (!query.status || shownStatus(service, row) === query.status),
      )
      const shown = page(newestFirst(found), query, (row) => backendSession(service, row))
      return query.paginated ? shown : shown.data
    },
  })

  router.post('/bapi/v1/sessions', (ctx) => {
    const user = service.store.users.get(readForm(ctx, newForm).user_id)
    if (!user) throw notFound('User')
    const { client } = createClient(service)
    ctx.body = backendSession(
      service,
      createSession(service, { client, user, activity: activityOf(ctx), strategy: 'ticket' }),
    )
  })

  router.post('/bapi/v1/sessions/:sessionId/revoke', (ctx) => {
    ctx.body = backendSession(service, endSession(service, requireSession(service, ctx), 'revoked'))
  })

  for (const path of ['/sessions/:sessionId/tokens', '/sessions/:sessionId/tokens/:template'] as const) {
    router.post(`/bapi/v1${path}`, async (ctx) => {
      const session = requireSession(service, ctx)
      if (!isActive(session)) {
        throw new ClerkError(422, { code: 'session_not_active', message: 'The session is not active.' })
      }
      const seconds = readForm(ctx, tokenForm).expires_in_seconds
      const jwt = await mintSessionToken(service, session, {
        azp: service.settings.origin,
        ...(seconds === undefined ? {} : { expiresInS: seconds }),
      })
      ctx.body = { object: 'token', jwt }
    })
  }
}

function requireSession(service: Service, ctx: RouterContext): Session {
  const session = service.store.sessions.get(ctx.params.sessionId)
  if (!session) throw notFound('Session')
  return session
}
