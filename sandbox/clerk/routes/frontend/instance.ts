import { Router } from '@koa/router'
import type { Clerk } from '../../clerk.ts'
import { createId } from '../../entities/id.ts'
import { publicKeySet } from '../../tokens/signing-key.ts'
import { environmentFields } from '../../wire/environment.ts'

export function instanceRoutes(clerk: Clerk): Router {
  const router = new Router()
  router.get('/v1/environment', (ctx) => {
    ctx.body = environmentFields(clerk.settings)
  })
  router.patch('/v1/environment', (ctx) => {
    ctx.body = environmentFields(clerk.settings)
  })
  // Only asked for with a development key, and then without any meaning here.
  router.post('/v1/dev_browser', (ctx) => {
    ctx.body = { id: createId('dvb'), token: createId('dvb') }
  })
  router.get('/.well-known/jwks.json', (ctx) => {
    ctx.body = publicKeySet(clerk.store.signingKey)
  })
  router.get('/v1/.well-known/jwks.json', (ctx) => {
    ctx.body = publicKeySet(clerk.store.signingKey)
  })
  return router
}
