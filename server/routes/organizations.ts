import {
  buySeats,
  createOrganizationBillingPortal,
  createOrganizationSubscription,
  getOrganizationCredits,
  getOrganizationSubscription,
  topUpOrganizationCredits,
} from '../../schema/api/organizations.ts'
import { chooseCurrency } from '../../schema/billing/customers/currency.ts'
import {
  findLatestSubscription,
  findLiveSubscription,
  isLive,
} from '../../schema/billing/subscriptions/subscriptions.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { sumUsageSince } from '../../schema/ledger/spend/usage.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import { flowTo, flowToConfirm, openPortal } from '../checkout/open-portal.ts'
import { organizationPayer } from '../checkout/payer.ts'
import { readPresentPlan } from '../checkout/present-plan.ts'
import { returnPages } from '../checkout/return-address.ts'
import { startCreditPurchase } from '../checkout/start-credit-purchase.ts'
import { ownPlanToEnd, startSubscription } from '../checkout/start-subscription.ts'
import { noSubscription, tooManySeats } from '../errors.ts'
import { checkoutFailure, portalFailure, rowsFailure } from '../failures.ts'
import { usageSince } from '../organizations/usage-since.ts'
import { admins, members } from '../rights.ts'
import { route } from '../route.ts'
import { presentSubscription } from '../subscription-answer.ts'

/** Where Stripe's pages lead back to. */
const billingTab = '/organizations?tab=billing'
const seatsTab = '/organizations?tab=seats'

export const organizationsRoutes = [
  // The live subscription, or else the latest one, so that a plan that has ended is shown as ended.
  route(getOrganizationSubscription, {
    rights: members({ organization: ({ query }) => query.orgId }),
    failure: rowsFailure('Failed to load billing information'),
  }).handle(async ({ query }, { db }) => {
    const owner_id = query.orgId
    const subscription =
      (await findLiveSubscription(db, owner_id)) ?? (await findLatestSubscription(db, owner_id))
    if (!subscription) return { hasSubscription: false, subscription: null }
    return { hasSubscription: isLive(subscription), subscription: presentSubscription(subscription) }
  }),

  route(createOrganizationSubscription, {
    rights: admins({ doing: 'manage billing', organization: ({ body }) => body.clerk_org_id }),
    failure: checkoutFailure('Failed to create subscription'),
  }).handle(async ({ body, user_id, requestLog, admin }, deps) => {
    const owner_id = body.clerk_org_id
    await findOrCreateAccount(deps, user_id)
    const { url, ...checkout } = await startSubscription(
      deps,
      {
        request: {
          user_id,
          owner_id,
          plan_type: body.plan_type,
          billing_frequency: body.billing_frequency,
          currency: (await chooseCurrency(deps.db, owner_id, body.currency)).code,
          seats: body.seats_total,
          ends_subscription_id: await ownPlanToEnd(deps.db, user_id, body.end_own_plan),
        },
        payer: organizationPayer(admin),
        shown_price: undefined,
        returns: returnPages(deps.settings, { success: '/payment/success', cancel: billingTab }),
      },
      requestLog,
    )
    return { checkout_url: url, ...checkout }
  }),

  route(createOrganizationBillingPortal, {
    rights: admins({ doing: 'manage billing', organization: ({ body }) => body.clerk_org_id }),
    failure: portalFailure('Failed to open billing portal'),
  }).handle(({ body, admin }, deps) => {
    const return_url = `${deps.settings.app_url}${billingTab}`
    return openPortal(deps, {
      payer: organizationPayer(admin),
      return_url,
      ...flowTo(body.flow, return_url),
    })
  }),

  // The total is the ledger's balance plus the month's usage, so that the figures add up (decision 093).
  route(getOrganizationCredits, {
    rights: members({ organization: ({ query }) => query.org_id }),
    failure: rowsFailure('Failed to load organization credits'),
  }).handle(async ({ query }, deps) => {
    const owner_id = query.org_id
    const now = deps.now()
    const since = await usageSince(deps.db, owner_id, now)
    // Two statements: usage that is posted between them counts as used while it is still part of the balance.
    const balance = await findBalance(deps.db, owner_id)
    const used = await sumUsageSince(deps.db, owner_id, since)
    return {
      total_credits: balance.available + balance.held + used,
      used_credits: used,
      held_credits: balance.held,
      remaining_credits: balance.available,
      plan_credits: balance.plan,
      purchased_credits: balance.purchased,
      since: since.toISOString(),
    }
  }),

  route(topUpOrganizationCredits, {
    rights: admins({ doing: 'top up credits', organization: ({ body }) => body.org_id }),
    failure: checkoutFailure('Failed to create top-up session'),
  }).handle(async ({ body, user_id, attempt_id, requestLog, admin }, deps) => {
    const { url, ...checkout } = await startCreditPurchase(
      deps,
      {
        attempt_id,
        user_id,
        payer: organizationPayer(admin),
        credits: body.credits_amount,
        currency: body.currency,
        returns: returnPages(deps.settings, { success: '/billing/success', cancel: billingTab }),
      },
      requestLog,
    )
    return { checkout_url: url, ...checkout }
  }),

  // The admin confirms the prorated amount on Stripe's page; seats change with its event.
  route(buySeats, {
    rights: admins({
      doing: 'buy seats',
      organization: ({ body }) => body.orgId,
      user: ({ body }) => body.clerkUserId,
    }),
    failure: portalFailure('Failed to create checkout session'),
  }).handle(async ({ body, admin }, deps) => {
    const plan = await readPresentPlan(deps, body.orgId, noSubscription)
    const return_url = `${deps.settings.app_url}${seatsTab}`
    // Added to Stripe's present number; ours follows by event.
    const seats = plan.item.quantity ?? 1
    const quantity = seats + body.quantity
    const most = deps.settings.maximum_seats
    if (quantity > most) throw tooManySeats({ most, has: seats })
    return openPortal(deps, {
      payer: organizationPayer(admin),
      return_url,
      // With the seats that the page has to wait for, until Stripe's event has been applied.
      ...flowToConfirm(plan, { quantity }, `${return_url}&seats=${quantity}`),
    })
  }),
]
