import { Router } from '@koa/router'
import type { Clerk } from '../../clerk.ts'
import { activeSessions } from '../../entities/client.ts'
import { endSession } from '../../entities/session.ts'
import { clientFields } from '../../wire/client.ts'
import { callerOrigin, findClient, findOrCreateClient, respond } from './browser.ts'

export function clientRoutes(clerk: Clerk): Router {
  const router = new Router()

  router.get('/v1/client', async (ctx) => {
    const client = findClient(clerk, ctx)
    await respond(
      clerk,
      ctx,
      client ? await clientFields(clerk, client, { azp: callerOrigin(clerk, ctx) }) : null,
    )
  })

  for (const method of ['put', 'post'] as const) {
    router[method]('/v1/client', async (ctx) => {
      const client = findOrCreateClient(clerk, ctx)
      await respond(clerk, ctx, await clientFields(clerk, client, { azp: callerOrigin(clerk, ctx) }))
    })
  }

  router.post('/v1/client/verify', async (ctx) => {
    const client = findOrCreateClient(clerk, ctx)
    await respond(clerk, ctx, await clientFields(clerk, client, { azp: callerOrigin(clerk, ctx) }))
  })

  // Signing out.
  for (const path of ['/v1/client', '/v1/client/sessions']) {
    router.delete(path, async (ctx) => {
      const client = findClient(clerk, ctx)
      for (const session of client ? activeSessions(clerk, client) : []) endSession(clerk, session, 'removed')
      if (client) client.updated_at = Date.now()
      await respond(
        clerk,
        ctx,
        client ? await clientFields(clerk, client, { azp: callerOrigin(clerk, ctx) }) : null,
      )
    })
  }

  return router
}
