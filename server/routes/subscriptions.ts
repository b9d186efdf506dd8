import { createCheckoutSession, createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import { chooseCurrency } from '../../schema/billing/customers/currency.ts'
import { planOf } from '../../schema/catalogue/sold-plans.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import { flowTo, openPortal } from '../checkout/open-portal.ts'
import { newOrganizationPayer, personalPayer } from '../checkout/payer.ts'
import { returnAddresses } from '../checkout/return-address.ts'
import { ownPlanToEnd, startSubscription } from '../checkout/start-subscription.ts'
import { invalidRequest } from '../errors.ts'
import { checkoutFailure, portalFailure } from '../failures.ts'
import { theUser } from '../rights.ts'
import { route } from '../route.ts'

export const subscriptionsRoutes = [
  // A plan for the caller, or by the seat for an organization that is created when the plan is paid.
  route(createCheckoutSession, {
    rights: theUser(({ body }) => body.clerkUserId),
    failure: checkoutFailure('Failed to create checkout session'),
  }).handle(async ({ body, user_id, requestLog }, deps) => {
    const isTeam = planOf(body.planType).per_seat
    if (!isTeam && body.seats !== 1) {
      throw invalidRequest('The Pro plan has one seat', [{ path: 'seats', message: 'Must be 1 for Pro' }])
    }
    const returns = returnAddresses(deps.settings, body)
    const user = await findOrCreateAccount(deps, user_id)

    // An organization that does not exist yet has the currency of its order, not its buyer's.
    const { code } = await chooseCurrency(deps.db, user_id, isTeam ? undefined : body.currency)
    return startSubscription(
      deps,
      {
        request: {
          user_id,
          owner_id: isTeam ? null : user_id,
          organization_name: (isTeam && body.organizationName) || null,
          ends_subscription_id: await ownPlanToEnd(deps.db, user_id, isTeam && body.endOwnPlan),
          plan_type: body.planType,
          billing_frequency: body.billingFrequency,
          currency: (isTeam && body.currency) || code,
          seats: body.seats,
        },
        payer: isTeam ? newOrganizationPayer(user) : personalPayer(user),
        shown_price: body.priceId,
        returns,
      },
      requestLog,
    )
  }),

  route(createCustomerPortalSession, {
    rights: theUser(({ body }) => body.userId),
    failure: portalFailure('Failed to create customer portal session'),
  }).handle(async ({ body, user_id }, deps) => {
    const user = await findOrCreateAccount(deps, user_id)
    const return_url = `${deps.settings.app_url}/billing`
    return openPortal(deps, {
      payer: personalPayer(user),
      return_url,
      ...flowTo(body.flow, return_url),
    })
  }),
]
