import { Router } from '@koa/router'
import Koa from 'koa'
import compress from 'koa-compress'
import { getWebConfig, listPlans } from '../schema/api/catalogue.ts'
import {
  createCreditTopupSession,
  getSessionStatus,
  processPaymentSuccess,
  purchaseCredits,
} from '../schema/api/checkout.ts'
import { getCreditHistory } from '../schema/api/credits.ts'
import type { Endpoint } from '../schema/api/endpoint.ts'
import { getUser, initializeUser, processStarterSignup } from '../schema/api/users.ts'
import type { RequestState } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { clerkProxy } from './middleware/clerk-proxy.ts'
import { onError } from './middleware/on-error.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { trackRequest } from './middleware/track-request.ts'
import { webApp } from './middleware/web-app.ts'
import { type Handler, mount } from './mount.ts'
import { handleCreateCreditTopupSession } from './routes/create-credit-topup-session.ts'
import { handleGetCreditHistory } from './routes/get-credit-history.ts'
import { handleGetSessionStatus } from './routes/get-session-status.ts'
import { handleGetUser } from './routes/get-user.ts'
import { handleGetWebConfig } from './routes/get-web-config.ts'
import { healthz, readyz } from './routes/health.ts'
import { handleInitializeUser } from './routes/initialize-user.ts'
import { handleListPlans } from './routes/list-plans.ts'
import { openapiDocument } from './routes/openapi.ts'
import { handleProcessPaymentSuccess } from './routes/process-payment-success.ts'
import { handleProcessStarterSignup } from './routes/process-starter-signup.ts'
import { handlePurchaseCredits } from './routes/purchase-credits.ts'
import { serveMetrics } from './routes/serve-metrics.ts'
import { clerkWebhook } from './webhooks/clerk.ts'
import { stripeWebhook } from './webhooks/stripe.ts'

/** The whole server: every middleware in its order, and every route. */
export function createApp(deps: Dependencies): Koa<RequestState> {
  const { settings } = deps
  // In production a proxy stands before us, and the address it appended last is the caller's; elsewhere the header is a lie.
  const app = new Koa<RequestState>({ proxy: settings.production, maxIpsCount: 1 })
  app.on('error', (error: Error) => deps.log.debug({ err: error }, 'A connection ended early'))

  const router = new Router<RequestState>()
  const endpoints: Endpoint[] = []
  const serve = <E extends Endpoint>(endpoint: E, handler: Handler<E>) => {
    mount(router, deps, endpoint, handler)
    endpoints.push(endpoint)
  }

  serve(listPlans, handleListPlans)
  serve(getWebConfig, handleGetWebConfig)
  serve(getUser, handleGetUser)
  serve(initializeUser, handleInitializeUser)
  serve(processStarterSignup, handleProcessStarterSignup)
  serve(getCreditHistory, handleGetCreditHistory)
  serve(purchaseCredits, handlePurchaseCredits)
  serve(createCreditTopupSession, handleCreateCreditTopupSession)
  serve(getSessionStatus, handleGetSessionStatus)
  serve(processPaymentSuccess, handleProcessPaymentSuccess)

  router.post('/api/stripe/webhook', stripeWebhook(deps))
  router.post('/api/clerk/webhook', clerkWebhook(deps))
  const document = openapiDocument(endpoints, settings.brand)
  router.get('/api/openapi.json', (ctx) => {
    ctx.body = document
  })
  router.get('/healthz', healthz)
  router.get('/readyz', readyz(deps))
  router.get('/metrics', serveMetrics(deps))

  app.use(trackRequest(deps))
  app.use(onError)
  app.use(securityHeaders(settings))
  if (settings.clerk_proxy_target) app.use(clerkProxy(settings.clerk_proxy_target))
  app.use(compress())
  app.use(router.routes())
  app.use(router.allowedMethods())
  app.use(webApp(settings.web_root))
  return app
}
