import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { findLiveSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { planItemOf } from '../../schema/vendors/stripe/catalogue.ts'
import { idOf } from '../../schema/vendors/stripe/events.ts'
import { releaseCard } from '../../schema/vendors/stripe/release-card.ts'
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
    // The plan's card becomes the customer's: nothing changes by that, and what is chosen there is charged
    // (https://docs.stripe.com/customer-management/portal-deep-links).
    const { default_payment_method } = plan
    if (default_payment_method) {
      await stripe.customers.update(idOf(plan.customer), {
        invoice_settings: { default_payment_method: idOf(default_payment_method) },
      })
    }
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
