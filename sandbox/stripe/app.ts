import { Router } from '@koa/router'
import Koa from 'koa'
import { invalidRequest } from './errors.ts'
import { deliveryKnobs } from './knobs/delivery-knobs.ts'
import { disputeKnobs } from './knobs/dispute-knobs.ts'
import { knobIndexRoutes } from './knobs/index-page.ts'
import { machineKnobs } from './knobs/machine-knobs.ts'
import { sessionKnobs } from './knobs/session-knobs.ts'
import { subscriptionKnobs } from './knobs/subscription-knobs.ts'
import { authenticate } from './middleware/authenticate.ts'
import { injectFaults } from './middleware/inject-faults.ts'
import { onError } from './middleware/on-error.ts'
import { requestId } from './middleware/request-id.ts'
import { checkoutPageRoutes } from './pages/checkout-routes.ts'
import { invoicePageRoutes } from './pages/invoice-routes.ts'
import { portalPageRoutes } from './pages/portal/portal-routes.ts'
import { chargeRoutes } from './routes/charges.ts'
import { checkoutSessionRoutes } from './routes/checkout-sessions.ts'
import { customerRoutes } from './routes/customers.ts'
import { disputeRoutes } from './routes/disputes.ts'
import { eventRoutes } from './routes/events.ts'
import { invoicePaymentRoutes } from './routes/invoice-payments.ts'
import { invoiceRoutes } from './routes/invoices.ts'
import { paymentIntentRoutes } from './routes/payment-intents.ts'
import { paymentMethodRoutes } from './routes/payment-methods.ts'
import { portalConfigurationRoutes } from './routes/portal-configurations.ts'
import { portalSessionRoutes } from './routes/portal-sessions.ts'
import { priceRoutes } from './routes/prices.ts'
import { productRoutes } from './routes/products.ts'
import { refundRoutes } from './routes/refunds.ts'
import { subscriptionItemRoutes } from './routes/subscription-items.ts'
import { subscriptionScheduleRoutes } from './routes/subscription-schedules.ts'
import { subscriptionRoutes } from './routes/subscriptions.ts'
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts'
import type { World } from './world.ts'

/** The whole of the sandbox's HTTP: Stripe's API under /v1, the pages a buyer sees, and the knobs. */
export function createApp(world: World): Koa {
  const app = new Koa()

  const api = new Router()
  api.use(requestId, onError, authenticate, injectFaults(world))
  customerRoutes(api, world)
  productRoutes(api, world)
  priceRoutes(api, world)
  checkoutSessionRoutes(api, world)
  paymentIntentRoutes(api, world)
  paymentMethodRoutes(api, world)
  chargeRoutes(api, world)
  refundRoutes(api, world)
  disputeRoutes(api, world)
  subscriptionRoutes(api, world)
  subscriptionItemRoutes(api, world)
  subscriptionScheduleRoutes(api, world)
  invoiceRoutes(api, world)
  invoicePaymentRoutes(api, world)
  portalConfigurationRoutes(api, world)
  portalSessionRoutes(api, world)
  eventRoutes(api, world)
  webhookEndpointRoutes(api, world)
  api.all('/v1/{*path}', (context) => {
    throw invalidRequest(`Unrecognized request URL (${context.method}: ${context.path}).`, { status: 404 })
  })

  const knobs = new Router()
  knobs.use(onError)
  knobIndexRoutes(knobs, world)
  deliveryKnobs(knobs, world)
  sessionKnobs(knobs, world)
  disputeKnobs(knobs, world)
  subscriptionKnobs(knobs, world)
  machineKnobs(knobs, world)

  const pages = new Router()
  checkoutPageRoutes(pages, world)
  invoicePageRoutes(pages, world)
  portalPageRoutes(pages, world)

  // An answer is a promise: what it tells of is written before it is sent.
  app.use(async (_context, next) => {
    await next()
    world.store.flush()
  })
  app.use(api.routes())
  app.use(knobs.routes())
  app.use(pages.routes())
  return app
}
