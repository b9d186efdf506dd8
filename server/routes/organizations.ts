import type Stripe from 'stripe'
import {
  buySeats,
  cancelOrganizationSubscription,
  createOrganizationBillingPortal,
  createOrganizationSubscription,
  getOrganizationCredits,
  getOrganizationSubscription,
  keepSeats,
  topUpOrganizationCredits,
} from '../../schema/api/organizations.ts'
import { defaultCurrency } from '../../schema/catalogue/currency.ts'
import { maximumSeats } from '../../schema/catalogue/plans.ts'
import type { Database } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { findMonthStart, sumUsageSince } from '../../schema/ledger/spend/usage.ts'
import { planItemOf } from '../../schema/stripe/catalogue.ts'
import { nextPhase, releaseSchedule } from '../../schema/stripe/subscription-schedule.ts'
import {
  findLatestSubscription,
  findLiveSubscription,
  isLive,
  type Subscription,
} from '../../schema/subscriptions/subscriptions.ts'
import { findOrCreateAccount } from '../auth/own-account.ts'
import { openPortal } from '../checkout/open-portal.ts'
import { organizationPayer } from '../checkout/payer.ts'
import { returnPages } from '../checkout/return-address.ts'
import { startCreditPurchase } from '../checkout/start-credit-purchase.ts'
import { startSubscription } from '../checkout/start-subscription.ts'
import type { Dependencies } from '../dependencies.ts'
import {
  noSubscription,
  paymentOverdue,
  StripeAnswerError,
  seatReductionScheduled,
  tooManySeats,
} from '../errors.ts'
import { checkoutFailure, portalFailure, rowsFailure, subscriptionFailure } from '../failures.ts'
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
    const owner = organizationOwner(query.orgId)
    const subscription = (await findLiveSubscription(db, owner)) ?? (await findLatestSubscription(db, owner))
    if (!subscription) return { hasSubscription: false, subscription: null }
    return {
      hasSubscription: isLive(subscription),
      subscription: {
        ...presentSubscription(subscription),
        price_per_seat_minor: await findPricePerSeat(db, subscription),
        current_period_start: subscription.current_period_start.toISOString(),
      },
    }
  }),

  route(createOrganizationSubscription, {
    rights: admins({ doing: 'manage billing', organization: ({ body }) => body.clerk_org_id }),
    failure: checkoutFailure('Failed to create subscription'),
  }).handle(async ({ body, user_id, requestLog, admin }, deps) => {
    await findOrCreateAccount(deps, user_id)
    const { url, ...checkout } = await startSubscription(
      deps,
      {
        request: {
          user_id,
          ...organizationOwner(body.clerk_org_id),
          plan_type: body.plan_type,
          billing_frequency: body.billing_frequency,
          currency: defaultCurrency,
          seats: body.seats_total,
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
  }).handle(async ({ body, admin }, deps) => {
    const subscription = await findLiveSubscription(deps.db, organizationOwner(body.clerk_org_id))
    return openPortal(deps, {
      kind: 'organization',
      price_id: subscription ? await findPriceId(deps.stripe, subscription) : null,
      payer: organizationPayer(admin),
      return_url: `${deps.settings.app_url}${billingTab}`,
    })
  }),

  // The total is the ledger's balance plus the month's usage, so the three always add up (decision 053).
  route(getOrganizationCredits, {
    rights: members({ organization: ({ query }) => query.org_id }),
    failure: rowsFailure('Failed to load organization credits'),
  }).handle(async ({ query }, deps) => {
    const owner = organizationOwner(query.org_id)
    const now = deps.now()
    const since = (await findMonthStart(deps.db, owner, now)) ?? calendarMonthOf(now)
    // Two statements: usage that is posted between them counts as used while it is still part of the balance.
    const balance = await findBalance(deps.db, owner)
    const used = await sumUsageSince(deps.db, owner, { since, now })
    return {
      total_credits: balance.total + used,
      used_credits: used,
      remaining_credits: balance.total,
      plan_credits: balance.plan,
      purchased_credits: balance.purchased,
      since: since.toISOString(),
    }
  }),

  // The request names no currency: an organization pays for its credits in that of its plan.
  route(topUpOrganizationCredits, {
    rights: admins({ doing: 'top up credits', organization: ({ body }) => body.org_id }),
    failure: checkoutFailure('Failed to create top-up session'),
  }).handle(async ({ body, user_id, attempt_id, requestLog, admin }, deps) => {
    const subscription = await findLiveSubscription(deps.db, organizationOwner(body.org_id))
    const { url, ...checkout } = await startCreditPurchase(
      deps,
      {
        attempt_id,
        user_id,
        payer: organizationPayer(admin),
        credits: body.credits_amount,
        currency: subscription?.currency ?? defaultCurrency,
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
    const { update, price_id } = await prepareSeatUpdate(deps, body)
    const return_url = `${deps.settings.app_url}${seatsTab}`
    const seats = update.items[0]?.quantity
    return openPortal(deps, {
      kind: 'organization',
      price_id,
      payer: organizationPayer(admin),
      return_url,
      flow_data: {
        type: 'subscription_update_confirm',
        subscription_update_confirm: update,
        // With the seats that the page has to wait for, until Stripe's event has been applied.
        after_completion: { type: 'redirect', redirect: { return_url: `${return_url}&seats=${seats}` } },
      },
    })
  }),

  // Stripe's portal cannot change a subscription with a scheduled change, so these calls do (decision 072).
  route(keepSeats, {
    rights: admins({ doing: 'change seats', organization: ({ body }) => body.clerk_org_id }),
    failure: subscriptionFailure('Failed to keep seats'),
  }).handle(async ({ body }, { db, stripe }) => {
    const { stripe_subscription_id } = await requireSubscription(db, body.clerk_org_id)
    return presentChanged(await releaseSchedule(stripe, stripe_subscription_id))
  }),

  route(cancelOrganizationSubscription, {
    rights: admins({ doing: 'manage billing', organization: ({ body }) => body.clerk_org_id }),
    failure: subscriptionFailure('Failed to cancel subscription'),
  }).handle(async ({ body }, { db, stripe }) => {
    const { stripe_subscription_id } = await requireSubscription(db, body.clerk_org_id)
    const released = await releaseSchedule(stripe, stripe_subscription_id)
    if (released.cancel_at !== null) return presentChanged(released)
    return presentChanged(await stripe.subscriptions.update(released.id, { cancel_at_period_end: true }))
  }),
]

async function requireSubscription(db: Database, organization_id: string): Promise<Subscription> {
  const subscription = await findLiveSubscription(db, organizationOwner(organization_id))
  if (!subscription) throw noSubscription()
  return subscription
}

function presentChanged({ items, cancel_at }: Stripe.Subscription) {
  return {
    success: true,
    seats: planItemOf(items.data)?.quantity ?? 1,
    cancel_at: cancel_at === null ? null : new Date(cancel_at * 1000).toISOString(),
  } as const
}

function organizationOwner(owner_id: string) {
  return { owner_kind: 'organization', owner_id } as const
}

function calendarMonthOf(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth()))
}

/** The price at which it was bought; later prices of the catalogue apply only to later buyers. */
async function findPricePerSeat(db: Database, subscription: Subscription): Promise<number> {
  const intent = await db
    .selectFrom('checkout_intents')
    .select(['amount_minor', 'seats'])
    .where('id', '=', subscription.intent_id)
    .executeTakeFirstOrThrow()
  return Math.round(intent.amount_minor / (intent.seats ?? 1))
}

/** The price at Stripe, which decides in which portal the seats can be changed. */
async function findPriceId(stripe: Stripe, { stripe_subscription_id }: Subscription): Promise<string | null> {
  const { items } = await stripe.subscriptions.retrieve(stripe_subscription_id)
  return planItemOf(items.data)?.price.id ?? null
}

interface SeatUpdate {
  readonly update: Stripe.BillingPortal.SessionCreateParams.FlowData.SubscriptionUpdateConfirm
  readonly price_id: string
}

/** Stripe's confirmation page. New seats are added to Stripe's present number; ours follows by event. */
async function prepareSeatUpdate(
  { db, stripe }: Pick<Dependencies, 'db' | 'stripe'>,
  request: { readonly orgId: string; readonly quantity: number },
): Promise<SeatUpdate> {
  const subscription = await requireSubscription(db, request.orgId)
  if (subscription.status !== 'active' && subscription.status !== 'trialing') throw paymentOverdue()
  const id = subscription.stripe_subscription_id
  const { items, schedule } = await stripe.subscriptions.retrieve(id, { expand: ['schedule'] })
  const item = planItemOf(items.data)
  if (!item) throw new StripeAnswerError(`Not one item of subscription ${id} is a plan`)
  if (schedule !== null && typeof schedule !== 'string') {
    // Stripe would apply both changes, one on top of the other.
    if (nextPhase(schedule)) throw seatReductionScheduled()
    await releaseSchedule(stripe, id)
  }
  const seats = item.quantity ?? 1
  const quantity = seats + request.quantity
  if (quantity > maximumSeats) throw tooManySeats(seats)
  const update = { subscription: id, items: [{ id: item.id, quantity }] }
  return { update, price_id: item.price.id }
}
