import { Router } from '@koa/router'
import type { Clerk } from '../../clerk.ts'
import type { Faults } from '../../middleware/inject-faults.ts'
import { seed } from '../../seed.ts'

/** Back to the first start. The signing key stays, for verifiers hold its public half. */
export function resetKnob(clerk: Clerk, faults: Faults): Router {
  const router = new Router({ prefix: '/_sandbox' })

  router.post('/reset', async (ctx) => {
    faults.clear()
    clerk.outbox.mode = { mode: 'normal' }
    clerk.store.clear()
    await seed(clerk)
    ctx.body = {
      users: clerk.store.users.toArray().map((row) => row.id),
      organizations: clerk.store.organizations.toArray().map((row) => row.id),
    }
  })

  router.get('/health', (ctx) => {
    ctx.body = { status: 'ok' }
  })

  return router
}
