import type Stripe from 'stripe'
import {
  cancelPlan,
  keepPlan,
  type PlanChangePreview,
  previewOwnPlanEnd,
  previewPlanChange,
  startPlanChange,
} from '../../schema/api/plan-changes.ts'
import { readUnusedRefund } from '../../schema/billing/position/unused-refund.ts'
import { findLiveSubscription, findRenewal } from '../../schema/billing/subscriptions/subscriptions.ts'
import type { BillingFrequency } from '../../schema/catalogue/plans.ts'
import { inSnapshot } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { planItemOf } from '../../schema/vendors/stripe/catalogue.ts'
import { releaseSchedule } from '../../schema/vendors/stripe/subscription-schedule.ts'
import { findOrCreateAccount } from '../auth/account.ts'
import { creditsAfterChange } from '../checkout/credits-after-change.ts'
import { flowToConfirm, openPortal } from '../checkout/open-portal.ts'
import { organizationPayer, personalPayer } from '../checkout/payer.ts'
import { type PresentPlan, readPresentPlan } from '../checkout/present-plan.ts'
import type { Dependencies } from '../dependencies.ts'
import { noPlan, refusal, renewalUnderWay, ServerError } from '../errors.ts'
import { portalFailure, subscriptionFailure } from '../failures.ts'
import { oneself, thePayer } from '../rights.ts'
import { route } from '../route.ts'

const admins = { doing: 'manage billing' }

export const planChangesRoutes = [
  route(previewPlanChange, {
    rights: thePayer(admins),
    failure: subscriptionFailure('The preview could not be loaded'),
  }).handle(async ({ owner_id }, deps) => {
    const plan = await readChangeablePlan(deps, owner_id)
    const to = plan.subscription.billing_frequency === 'monthly' ? 'yearly' : 'monthly'
    return preview(deps, { owner_id, plan, to })
  }),

  // The customer confirms the amount on Stripe's page; the plan changes with its event.
  route(startPlanChange, {
    rights: thePayer(admins),
    failure: portalFailure('Failed to create checkout session'),
  }).handle(async ({ body, owner_id, member, user_id }, deps) => {
    const plan = await readChangeablePlan(deps, owner_id)
    const { plan_type, billing_frequency: present } = plan.subscription
    const { billing_frequency } = body
    if (billing_frequency === present) {
      throw new ServerError(409, 'already_billed', `The plan is billed ${billing_frequency} already.`)
    }
    const { price_id } = await deps.catalogue.findPrice({ plan_type, billing_frequency })
    const return_url = `${deps.settings.app_url}${member ? '/organizations?tab=billing' : '/dashboard'}`
    // With what the page has to wait for, until Stripe's event has been applied.
    const done_url = `${return_url}${member ? '&' : '?'}billed=${billing_frequency}`
    const change = { price: price_id, quantity: plan.item.quantity ?? 1 }
    return openPortal(deps, {
      payer: member ? organizationPayer(member) : personalPayer(await findOrCreateAccount(deps, user_id)),
      return_url,
      ...flowToConfirm(plan, change, done_url),
    })
  }),

  route(previewOwnPlanEnd, {
    rights: oneself,
    failure: subscriptionFailure('The preview could not be loaded'),
  }).handle(async ({ user_id }, { db, now }) => {
    return inSnapshot(db, async (trx) => {
      const live = await findLiveSubscription(trx, user_id)
      if (!live) return { plan: null }
      const refund = await readUnusedRefund(trx, live, now())
      return {
        plan: {
          plan_type: live.plan_type,
          is_trial: live.status === 'trialing',
          refund_minor: refund?.amount_minor ?? 0,
          currency: live.currency,
          is_disputed: refund?.is_disputed ?? false,
          credits: (await findBalance(trx, user_id)).plan,
        },
      }
    })
  }),

  // Stripe's portal cannot change a subscription with a scheduled change, so these calls do (decision 054).
  route(keepPlan, {
    rights: thePayer(admins),
    failure: subscriptionFailure('Failed to keep the plan'),
  }).handle(async ({ owner_id }, deps) =>
    presentChanged(await releaseSchedule(deps.stripe, await requireSubscription(deps, owner_id))),
  ),

  route(cancelPlan, {
    rights: thePayer(admins),
    failure: subscriptionFailure('Failed to cancel subscription'),
  }).handle(async ({ owner_id }, deps) => {
    const released = await releaseSchedule(deps.stripe, await requireSubscription(deps, owner_id))
    if (released.cancel_at !== null) return presentChanged(released)
    return presentChanged(await deps.stripe.subscriptions.update(released.id, { cancel_at_period_end: true }))
  }),
]

async function readChangeablePlan(
  deps: Pick<Dependencies, 'db' | 'stripe' | 'now'>,
  owner_id: string,
): Promise<PresentPlan> {
  const plan = await readPresentPlan(deps, owner_id, noPlan)
  if (plan.subscription.cancel_at) throw refusal('plan_ending')
  const renewal = await findRenewal(deps.db, plan.subscription, deps.now())
  if (renewal) throw renewalUnderWay(renewal)
  return plan
}

/**
 * `shortening_interval` lets a change to monthly wait for the end of the year, `always_invoice` bills a
 * change to yearly at once, and `continue_trial` leaves a trial as it is (scripts/stripe/set-up-portals.ts).
 */
async function preview(
  deps: Pick<Dependencies, 'db' | 'stripe' | 'catalogue' | 'now'>,
  { owner_id, plan, to }: { owner_id: string; plan: PresentPlan; to: BillingFrequency },
): Promise<PlanChangePreview> {
  const { subscription, item } = plan
  const { plan_type, currency, trial_end } = subscription
  const price = await deps.catalogue.findPrice({ plan_type, billing_frequency: to })
  const common = {
    billing_frequency: to,
    price_minor: price.amount_minor * (item.quantity ?? 1),
    currency,
    due_minor: 0,
    credits: null,
  }
  if (subscription.status === 'trialing' && trial_end) {
    return { ...common, takes_effect: 'in_trial', at: trial_end.toISOString() }
  }
  if (to === 'monthly') {
    return { ...common, takes_effect: 'at_period_end', at: timeOf(item.current_period_end) }
  }
  const now = deps.now()
  // "about": the page sets its own moment (https://docs.stripe.com/billing/subscriptions/prorations).
  const { amount_due } = await deps.stripe.invoices.createPreview({
    subscription: subscription.stripe_subscription_id,
    subscription_details: {
      items: [{ id: item.id, price: price.price_id, quantity: item.quantity ?? 1 }],
      proration_behavior: 'always_invoice',
    },
  })
  return {
    ...common,
    takes_effect: 'now',
    at: now.toISOString(),
    due_minor: amount_due,
    credits: await creditsAfterChange(deps.db, {
      owner_id,
      subscription_id: subscription.stripe_subscription_id,
      seats: item.quantity ?? 1,
      price_minor: common.price_minor,
      period_end: new Date(item.current_period_end * 1000),
      now,
    }),
  }
}

async function requireSubscription({ db }: Pick<Dependencies, 'db'>, owner_id: string): Promise<string> {
  const subscription = await findLiveSubscription(db, owner_id)
  if (!subscription) throw noPlan()
  return subscription.stripe_subscription_id
}

function presentChanged({ items, cancel_at }: Stripe.Subscription) {
  return {
    success: true,
    seats: planItemOf(items.data)?.quantity ?? 1,
    cancel_at: cancel_at === null ? null : timeOf(cancel_at),
  } as const
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
