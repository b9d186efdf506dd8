import type { RequestListener } from 'node:http'
import { Router } from '@koa/router'
import Koa, { type Middleware } from 'koa'
import { answerErrors, flushBeforeAnswering, injectFaults } from '../kit/http.ts'
import { newId } from '../kit/id.ts'
import { accountOf } from './entities/account.ts'
import { api_version } from './entities/event.ts'
import { invalidRequest, StripeFault } from './errors.ts'
import { deliveryKnobs } from './knobs/deliveries.ts'
import { disputeKnobs, invoiceKnobs, sessionKnobs } from './knobs/payments.ts'
import { machineKnobs } from './knobs/sandbox.ts'
import { subscriptionKnobs } from './knobs/subscriptions.ts'
import { checkoutPageRoutes } from './pages/checkout-routes.ts'
import { invoicePageRoutes } from './pages/invoice-routes.ts'
import { portalPageRoutes } from './pages/portal/portal-routes.ts'
import { accountBalanceRoutes, accountRoutes } from './routes/account.ts'
import { checkoutSessionRoutes } from './routes/checkout-sessions.ts'
import { couponRoutes } from './routes/coupons.ts'
import { customerRoutes } from './routes/customers.ts'
import { disputeRoutes } from './routes/disputes.ts'
import { eventRoutes, webhookEndpointRoutes } from './routes/events.ts'
import { invoiceRoutes } from './routes/invoices.ts'
import { manualInvoiceRoutes } from './routes/manual-invoices.ts'
import { paymentMethodRoutes, paymentRoutes } from './routes/payments.ts'
import { portalRoutes } from './routes/portal.ts'
import { priceRoutes, productRoutes } from './routes/prices.ts'
import { searchRoutes } from './routes/search.ts'
import { subscriptionRoutes, subscriptionScheduleRoutes } from './routes/subscriptions.ts'
import { testClockRoutes } from './routes/test-clocks.ts'
import type { Service } from './service.ts'
import { hasObject } from './state.ts'
import { refusalOf } from './wire/permissions.ts'

/**
 * The whole of the sandbox's HTTP: Stripe's API under /v1, the pages a buyer sees, and the knobs. A call of
 * the API is one of the mode of its key; a page or a knob is one of the mode in which the object is that its
 * path names.
 */
export function createApp(testMode: Service): RequestListener {
  const liveMode = testMode.otherMode()
  const [inTestMode, inLiveMode] = [appOf(testMode).callback(), appOf(liveMode).callback()]
  return (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://sandbox')
    const isLive = pathname.startsWith('/v1/')
      ? /^(sk|rk)_live_/.test(readKey(request.headers.authorization ?? '') ?? '')
      : pathname.split('/').some((id) => hasObject(liveMode.store, id))
    return (isLive ? inLiveMode : inTestMode)(request, response)
  }
}

/** Searches come before the routes of single objects, whose id could be `search`. */
const apiRoutes = [
  searchRoutes,
  accountBalanceRoutes,
  accountRoutes,
  checkoutSessionRoutes,
  couponRoutes,
  customerRoutes,
  disputeRoutes,
  eventRoutes,
  invoiceRoutes,
  manualInvoiceRoutes,
  paymentMethodRoutes,
  paymentRoutes,
  portalRoutes,
  priceRoutes,
  productRoutes,
  subscriptionRoutes,
  subscriptionScheduleRoutes,
  testClockRoutes,
  webhookEndpointRoutes,
]

function appOf(service: Service): Koa {
  const api = new Router()
  api.use(requestId, onError, authenticate(service))
  api.use(injectFaults(service.faults, { flush: service.store.flush, toError: faultWithStatus }))
  for (const add of apiRoutes) add(api, service)
  api.all('/v1/{*path}', (context) => {
    throw invalidRequest(`Unrecognized request URL (${context.method}: ${context.path}).`, { status: 404 })
  })

  const knobs = new Router()
  knobs.use(onError)
  deliveryKnobs(knobs, service)
  sessionKnobs(knobs, service)
  disputeKnobs(knobs, service)
  invoiceKnobs(knobs, service)
  subscriptionKnobs(knobs, service)
  machineKnobs(knobs, service)

  const pages = new Router()
  checkoutPageRoutes(pages, service)
  invoicePageRoutes(pages, service)
  portalPageRoutes(pages, service)

  const app = new Koa()
  for (const { store } of [service, service.otherMode()]) app.use(flushBeforeAnswering(store))
  app.use(api.routes())
  app.use(knobs.routes())
  app.use(pages.routes())
  return app
}

/** Every answer of the API says which request it was and which version it speaks. */
const requestId: Middleware = async (context, next) => {
  context.state.request_id = newId('req', 14)
  context.set('request-id', context.state.request_id)
  context.set('stripe-version', api_version)
  context.set('cache-control', 'no-cache, no-store')
  await next()
}

/** A secret or restricted key, as bearer token or as the user name of basic authentication. */
const authenticate =
  (service: Service): Middleware =>
  async (context, next) => {
    const key = readKey(context.get('authorization'))
    if (key === null) {
      throw invalidRequest(
        "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').",
        { status: 401 },
      )
    }
    if (!/^(sk|rk)_\w+$/.test(key)) {
      throw invalidRequest(`Invalid API Key provided: ${key.slice(0, 7)}***`, { status: 401 })
    }
    const permissions = service.restrictedKeys.get(key)
    if (permissions) {
      const { method, path } = context
      const refusal = refusalOf(permissions, { key, method, path, account: accountOf(service.store).id })
      if (refusal) throw refusal
    }
    const version = context.get('stripe-version')
    // Objects exist here in one version only; a caller of another one would read fields that are not there.
    if (version !== '' && version !== api_version) {
      throw invalidRequest(`Invalid Stripe API version: ${version}. The sandbox speaks ${api_version} only.`)
    }
    await next()
  }

function readKey(header: string): string | null {
  const [scheme = '', credentials = ''] = header.split(' ')
  if (/^bearer$/i.test(scheme)) return credentials || null
  if (/^basic$/i.test(scheme)) return Buffer.from(credentials, 'base64').toString().split(':')[0] || null
  return null
}

/** An unexpected error is a bug of the sandbox: it is printed and answered with 500. */
const onError = answerErrors((error) => {
  const fault = error instanceof StripeFault ? error : unexpectedError(error)
  return { status: fault.status, body: { error: fault.body }, headers: fault.headers }
})

function unexpectedError(error: unknown): StripeFault {
  if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
    return new StripeFault(413, { type: 'invalid_request_error', message: 'The request body is too large.' })
  }
  console.error(error)
  return new StripeFault(500, { type: 'api_error', message: 'An unexpected error occurred in the sandbox.' })
}

function faultWithStatus(status: number): StripeFault {
  const type = 'invalid_request_error'
  switch (status) {
    case 401:
      return invalidRequest('Invalid API Key provided: sk_test***', { status })
    case 403:
      return invalidRequest('The provided key does not have the required permissions for this endpoint.', {
        status,
      })
    case 429:
      // https://docs.stripe.com/rate-limits names the header and its values.
      return new StripeFault(
        status,
        { type, code: 'rate_limit', message: 'Request rate limit exceeded.' },
        { 'stripe-rate-limited-reason': 'global-rate' },
      )
    default:
      return new StripeFault(status, {
        type: 'api_error',
        message: 'Sorry! There was an error while talking to one of our backends.',
      })
  }
}
