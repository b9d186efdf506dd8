import { Router } from '@koa/router'
import type { Faults } from '../middleware/inject-faults.ts'
import { seed } from '../seed.ts'
import type { Service } from '../service.ts'

/** Back to the first start. The signing key stays, for verifiers hold its public half. */
export function resetKnob(service: Service, faults: Faults): Router {
  const router = new Router({ prefix: '/_sandbox' })

  router.post('/reset', async (ctx) => {
    faults.clear()
    service.outbox.mode = { mode: 'normal' }
    service.store.clear()
    await seed(service)
    ctx.body = {
      users: service.store.users.toArray().map((row) => row.id),
      organizations: service.store.organizations.toArray().map((row) => row.id),
    }
  })

  router.get('/health', (ctx) => {
    ctx.body = { status: 'ok' }
  })

  return router
}
