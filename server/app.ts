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
import {
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  reportUsage,
  revokeExtensionToken,
} from '../schema/api/extension.ts'
import {
  completeVscodeAuth,
  exchangeAuthCode,
  initiateVscodeAuth,
  updateAuthCode,
} from '../schema/api/extension-auth.ts'
import { assignSeat, getOrganizationSeats, revokeSeat } from '../schema/api/organization-seats.ts'
import {
  buySeats,
  createOrganizationBillingPortal,
  createOrganizationSubscription,
  getOrganizationCredits,
  getOrganizationSubscription,
  topUpOrganizationCredits,
} from '../schema/api/organizations.ts'
import { createCheckoutSession, createCustomerPortalSession } from '../schema/api/subscriptions.ts'
import {
  listTeamInvitations,
  revokeTeamInvitation,
  sendTeamInvitation,
} from '../schema/api/team-invitations.ts'
import { getUser, initializeUser, processStarterSignup } from '../schema/api/users.ts'
import type { RequestState } from './context.ts'
import type { Dependencies } from './dependencies.ts'
import { clerkProxy } from './middleware/clerk-proxy.ts'
import { onError } from './middleware/on-error.ts'
import { securityHeaders } from './middleware/security-headers.ts'
import { trackRequest } from './middleware/track-request.ts'
import { webApp } from './middleware/web-app.ts'
import { type Handler, mount } from './mount.ts'
import { handleAssignSeat } from './routes/assign-seat.ts'
import { handleBuySeats } from './routes/buy-seats.ts'
import { handleCompleteVscodeAuth } from './routes/complete-vscode-auth.ts'
import { handleCreateCheckoutSession } from './routes/create-checkout-session.ts'
import { handleCreateCreditTopupSession } from './routes/create-credit-topup-session.ts'
import { handleCreateCustomerPortalSession } from './routes/create-customer-portal-session.ts'
import { handleCreateOrganizationBillingPortal } from './routes/create-organization-billing-portal.ts'
import { handleCreateOrganizationSubscription } from './routes/create-organization-subscription.ts'
import { handleExchangeAuthCode } from './routes/exchange-auth-code.ts'
import { handleGenerateExtensionToken } from './routes/generate-extension-token.ts'
import { handleGetActiveExtensionToken } from './routes/get-active-extension-token.ts'
import { handleGetCreditHistory } from './routes/get-credit-history.ts'
import { handleGetExtensionBalance } from './routes/get-extension-balance.ts'
import { handleGetOrganizationCredits } from './routes/get-organization-credits.ts'
import { handleGetOrganizationSeats } from './routes/get-organization-seats.ts'
import { handleGetOrganizationSubscription } from './routes/get-organization-subscription.ts'
import { handleGetSessionStatus } from './routes/get-session-status.ts'
import { handleGetUser } from './routes/get-user.ts'
import { handleGetWebConfig } from './routes/get-web-config.ts'
import { healthz, readyz } from './routes/health.ts'
import { handleInitializeUser } from './routes/initialize-user.ts'
import { handleInitiateVscodeAuth } from './routes/initiate-vscode-auth.ts'
import { handleListPlans } from './routes/list-plans.ts'
import { handleListTeamInvitations } from './routes/list-team-invitations.ts'
import { openapiDocument } from './routes/openapi.ts'
import { handleProcessPaymentSuccess } from './routes/process-payment-success.ts'
import { handleProcessStarterSignup } from './routes/process-starter-signup.ts'
import { handlePurchaseCredits } from './routes/purchase-credits.ts'
import { handleReportUsage } from './routes/report-usage.ts'
import { handleRevokeExtensionToken } from './routes/revoke-extension-token.ts'
import { handleRevokeSeat } from './routes/revoke-seat.ts'
import { handleRevokeTeamInvitation } from './routes/revoke-team-invitation.ts'
import { handleSendTeamInvitation } from './routes/send-team-invitation.ts'
import { serveMetrics } from './routes/serve-metrics.ts'
import { handleTopUpOrganizationCredits } from './routes/top-up-organization-credits.ts'
import { handleUpdateAuthCode } from './routes/update-auth-code.ts'
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
  serve(getOrganizationSeats, handleGetOrganizationSeats)
  serve(assignSeat, handleAssignSeat)
  serve(revokeSeat, handleRevokeSeat)
  serve(listTeamInvitations, handleListTeamInvitations)
  serve(sendTeamInvitation, handleSendTeamInvitation)
  serve(revokeTeamInvitation, handleRevokeTeamInvitation)
  serve(createCheckoutSession, handleCreateCheckoutSession)
  serve(createCustomerPortalSession, handleCreateCustomerPortalSession)
  serve(getOrganizationSubscription, handleGetOrganizationSubscription)
  serve(createOrganizationSubscription, handleCreateOrganizationSubscription)
  serve(createOrganizationBillingPortal, handleCreateOrganizationBillingPortal)
  serve(getOrganizationCredits, handleGetOrganizationCredits)
  serve(topUpOrganizationCredits, handleTopUpOrganizationCredits)
  serve(buySeats, handleBuySeats)

  serve(getActiveExtensionToken, handleGetActiveExtensionToken)
  serve(generateExtensionToken, handleGenerateExtensionToken)
  serve(revokeExtensionToken, handleRevokeExtensionToken)
  serve(initiateVscodeAuth, handleInitiateVscodeAuth)
  serve(updateAuthCode, handleUpdateAuthCode)
  serve(completeVscodeAuth, handleCompleteVscodeAuth)
  serve(exchangeAuthCode, handleExchangeAuthCode)
  serve(getExtensionBalance, handleGetExtensionBalance)
  serve(reportUsage, handleReportUsage)

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
