import { randomBytes, timingSafeEqual } from 'node:crypto'
import { bodyParser } from '@koa/bodyparser'
import { Router } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { answerErrors, flushBeforeAnswering, injectFaults } from '../kit/http.ts'
import { ClerkError, invalidSecretKey, organizationsNotEnabled } from './errors.ts'
import { deliveryKnobs, peopleKnobs, sandboxKnobs } from './knobs.ts'
import { avatarRoutes, browserScriptRoutes, invitationLinkRoutes } from './pages.ts'
import { backendOrganizationRoutes } from './routes/backend/organizations.ts'
import { backendUserRoutes } from './routes/backend/users.ts'
import { clientRoutes, instanceRoutes, sessionRoutes } from './routes/frontend/client.ts'
import { meRoutes, myEmailAddressRoutes } from './routes/frontend/me.ts'
import {
  myOrganizationRoutes,
  organizationMemberRoutes,
  organizationRoutes,
} from './routes/frontend/organizations.ts'
import { signInRoutes, signUpRoutes } from './routes/frontend/sign-in.ts'
import type { Service } from './service.ts'

export function createApp(service: Service): Koa {
  const app = new Koa()
  app.use(flushBeforeAnswering(service.store))
  app.use(onError)
  app.use(answerUnknownPath)
  app.use(injectFaults(service.faults, { flush: service.store.flush, toError: faultWithStatus }))

  const pages = new Router()
  browserScriptRoutes(pages)
  avatarRoutes(pages, service)
  invitationLinkRoutes(pages, service)

  const frontend = new Router()
  instanceRoutes(frontend, service)
  clientRoutes(frontend, service)
  sessionRoutes(frontend, service)
  signUpRoutes(frontend, service)
  signInRoutes(frontend, service)
  meRoutes(frontend, service)
  myEmailAddressRoutes(frontend, service)
  myOrganizationRoutes(frontend, service)
  organizationRoutes(frontend, service)
  organizationMemberRoutes(frontend, service)

  const knobs = new Router()
  peopleKnobs(knobs, service)
  deliveryKnobs(knobs, service)
  sandboxKnobs(knobs, service)

  const backend = new Router()
  backendUserRoutes(backend, service)
  backendOrganizationRoutes(backend, service)

  app.use(pages.routes())
  app.use(bodyParser({ enableTypes: ['json', 'form'], jsonLimit: '256kb', formLimit: '64kb' }))
  app.use(overrideMethod)
  app.use(requireOrganizationsEnabled(service))
  app.use(frontend.routes())
  app.use(knobs.routes())
  app.use(requireSecretKey(service))
  app.use(backend.routes())
  return app
}

/** Browsers send only GET and POST, to be spared a preflight; the real verb is in the query. */
const overrideMethod: Middleware = (ctx, next) => {
  const wanted = ctx.query._method
  const isVerb = wanted === 'PATCH' || wanted === 'PUT' || wanted === 'DELETE'
  if (ctx.method === 'POST' && isVerb) ctx.method = wanted
  return next()
}

const organizationPaths = /^(\/bapi)?\/v1\/(organization|me\/organization_|users\/[^/]+\/organization_)/

function requireOrganizationsEnabled({ instance }: Service): Middleware {
  return (ctx, next) => {
    if (!instance.organizations_enabled && organizationPaths.test(ctx.path)) throw organizationsNotEnabled()
    return next()
  }
}

/** The backend API is for servers that have the secret key. */
function requireSecretKey({ settings }: Service): Middleware {
  return (ctx, next) => {
    if (!ctx.path.startsWith('/bapi/')) return next()
    const given = Buffer.from(ctx.get('authorization'))
    const expected = Buffer.from(`Bearer ${settings.secretKey}`)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw invalidSecretKey()
    // The backend SDK reads an answer as JSON only when its type is exactly this, without a charset.
    ctx.set('content-type', 'application/json')
    return next()
  }
}

const onError = answerErrors((error, ctx) => {
  const known = toClerkError(error)
  // A fault that a knob has ordered is not logged.
  if (known !== error && known.status >= 500) console.error(`sandbox/clerk: ${ctx.method} ${ctx.path}`, error)
  // The backend SDK reads the errors only when the type is exactly this, without a charset.
  ctx.set('content-type', 'application/json')
  if (known.retryAfterS !== undefined) ctx.set('retry-after', String(known.retryAfterS))
  return {
    status: known.status,
    body: { errors: known.errors, clerk_trace_id: randomBytes(16).toString('hex') },
  }
})

function toClerkError(error: unknown): ClerkError {
  if (error instanceof ClerkError) return error
  const { status } = error as { status?: unknown }
  if (status === 413) {
    return new ClerkError(413, { code: 'request_body_too_large', message: 'Request body too large' })
  }
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ClerkError(status, { code: 'request_body_invalid', message: 'Request body invalid' })
  }
  return new ClerkError(500, {
    code: 'internal_clerk_error',
    message: 'There was an internal error on our servers.',
  })
}

function faultWithStatus(status: number): ClerkError {
  const code = status === 429 ? 'too_many_requests' : 'sandbox_fault'
  return new ClerkError(status, { code, message: `The sandbox was asked to answer ${status} here` })
}

const answerUnknownPath: Middleware = async (ctx, next) => {
  await next()
  if (ctx.status !== 404 || ctx.body !== undefined) return
  throw new ClerkError(404, {
    code: 'resource_not_found',
    message: `The sandbox does not know ${ctx.method} ${ctx.path}`,
  })
}
