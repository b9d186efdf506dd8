import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { findLiveSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { planItemOf } from '../../schema/vendors/stripe/catalogue.ts'
import type { Dependencies } from '../dependencies.ts'
import { ensureStripeCustomer, type OwningPayer } from './payer.ts'
import type { PresentPlan } from './present-plan.ts'

interface PortalRequest {
  readonly payer: OwningPayer
  readonly return_url: string
  readonly flow_data?: Stripe.BillingPortal.SessionCreateParams.FlowData
}

/**
 * The address of a payer's billing portal, valid for minutes. Creates the customer if there is none. The
 * price of the plan decides what can be changed there.
 */
export async function openPortal(
  deps: Pick<Dependencies, 'db' | 'stripe' | 'catalogue'>,
  { payer, return_url, flow_data }: PortalRequest,
): Promise<{ url: string }> {
  const { stripe } = deps
  const kind = kindOf(payer.owner_id) === 'user' ? 'personal' : 'organization'
  const findConfiguration = async () => {
    const live = await findLiveSubscription(deps.db, payer.owner_id)
    if (!live) return deps.catalogue.findPortal({ kind, price_id: null })
    const plan = await stripe.subscriptions.retrieve(live.stripe_subscription_id, {
      expand: ['schedule'],
    })
    await releaseCard(stripe, plan)
    return deps.catalogue.findPortal({ kind, price_id: planItemOf(plan.items.data)?.price.id ?? null })
  }
  const [configuration, customer] = await Promise.all([
    findConfiguration(),
    ensureStripeCustomer(deps, payer, randomUUID()),
  ])
  const { url } = await stripe.billingPortal.sessions.create({
    configuration,
    customer,
    return_url,
    ...(flow_data && { flow_data }),
  })
  return { url }
}

/**
 * Checkout makes its card the subscription's own, and Stripe charges that one whatever card the portal makes
 * the customer's default. So the card becomes the customer's default before the portal opens: nothing changes
 * by that, and what is chosen there is charged. A phase of a schedule has a card, too, which a subscription
 * gets when it begins; phases are given anew as a whole, so what a phase has beside items and discounts is lost.
 * https://docs.stripe.com/api/subscriptions/object#subscription_object-default_payment_method
 * https://docs.stripe.com/customer-management/portal-deep-links
 * https://docs.stripe.com/api/subscription_schedules/update#update_subscription_schedule-phases
 */
async function releaseCard(
  stripe: Stripe,
  { id, customer, default_payment_method, schedule }: Stripe.Subscription,
): Promise<void> {
  if (default_payment_method) {
    await stripe.customers.update(idOf(customer), {
      invoice_settings: { default_payment_method: idOf(default_payment_method) },
    })
    await stripe.subscriptions.update(id, { default_payment_method: '' })
  }
  if (schedule === null || typeof schedule === 'string') return
  if (!schedule.phases.some((phase) => phase.default_payment_method)) return
  await stripe.subscriptionSchedules.update(schedule.id, {
    phases: schedule.phases.map(({ start_date, end_date, items, discounts }) => ({
      start_date,
      end_date,
      proration_behavior: 'none' as const,
      items: items.map(({ price, quantity = 1 }) => ({ price: idOf(price), quantity })),
      ...(discounts.length > 0 && {
        discounts: discounts.flatMap(({ discount }) => (discount ? [{ discount: idOf(discount) }] : [])),
      }),
    })),
  })
}

function idOf(object: string | { readonly id: string }): string {
  return typeof object === 'string' ? object : object.id
}

/** The page on which a change of the plan is confirmed, and that then leads to `return_url`. */
export function flowToConfirm(
  { subscription, item }: PresentPlan,
  change: { readonly price?: string; readonly quantity: number },
  return_url: string,
): Pick<PortalRequest, 'flow_data'> {
  return {
    flow_data: {
      type: 'subscription_update_confirm',
      subscription_update_confirm: {
        subscription: subscription.stripe_subscription_id,
        items: [{ id: item.id, ...change }],
      },
      after_completion: { type: 'redirect', redirect: { return_url } },
    },
  }
}

/** A page of the portal that does one thing and leads back. */
export function flowTo(
  type: 'payment_method_update' | undefined,
  return_url: string,
): Pick<PortalRequest, 'flow_data'> | undefined {
  if (!type) return undefined
  return { flow_data: { type, after_completion: { type: 'redirect', redirect: { return_url } } } }
}
