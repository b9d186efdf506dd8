import type { Router, RouterContext } from '@koa/router'
import { z } from 'zod'
import { resourceRoutes } from '../../../kit/resource.ts'
import { endSession, shownStatus } from '../../entities/session.ts'
import { publicKeySet, signingKey } from '../../entities/signing-key.ts'
import { notFound } from '../../errors.ts'
import type { Service } from '../../service.ts'
import type { Session } from '../../state.ts'
import { booleanField, newestFirst, page, pageQuery, readQuery } from '../../wire/form.ts'
import { backendSession } from '../../wire/session.ts'
import { answer } from './shared.ts'

const listQuery = pageQuery.extend({
  user_id: z.string().max(64).optional(),
  status: z.string().max(32).optional(),
  paginated: booleanField.optional(),
})

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
          (!query.status || shownStatus(service, row) === query.status),
      )
      const shown = page(newestFirst(found), query, (row) => backendSession(service, row))
      return query.paginated ? shown : shown.data
    },
  })

  router.post('/bapi/v1/sessions/:sessionId/revoke', (ctx) => {
    ctx.body = backendSession(service, endSession(service, requireSession(service, ctx), 'revoked'))
  })
}

function requireSession(service: Service, ctx: RouterContext): Session {
  const session = service.store.sessions.get(ctx.params.sessionId)
  if (!session) throw notFound('Session')
  return session
}
