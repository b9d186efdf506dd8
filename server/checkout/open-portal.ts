import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { planItemOf } from '../../schema/stripe/catalogue.ts'
import { findLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { Dependencies } from '../dependencies.ts'
import { ensureStripeCustomer, type OwningPayer } from './payer.ts'
import type { PresentPlan } from './present-plan.ts'

interface PortalRequest {
  readonly payer: OwningPayer
  readonly return_url: string
  /** Of the plan, where the caller has read it from Stripe. */
  readonly price_id?: string
  readonly flow_data?: Stripe.BillingPortal.SessionCreateParams.FlowData
}

/**
 * The address of a payer's billing portal, valid for minutes. Creates the customer if there is none. The
 * price of the plan decides what can be changed there.
 */
export async function openPortal(
  deps: Pick<Dependencies, 'db' | 'stripe' | 'catalogue'>,
  { payer, return_url, flow_data, ...known }: PortalRequest,
): Promise<{ url: string }> {
  const kind = payer.owner.owner_kind === 'user' ? 'personal' : 'organization'
  const findConfiguration = async () =>
    deps.catalogue.findPortal({ kind, price_id: known.price_id ?? (await findPriceId(deps, payer.owner)) })
  const [configuration, customer] = await Promise.all([
    findConfiguration(),
    ensureStripeCustomer(deps, payer, randomUUID()),
  ])
  const { url } = await deps.stripe.billingPortal.sessions.create({
    configuration,
    customer,
    return_url,
    ...(flow_data && { flow_data }),
  })
  return { url }
}

/** The price of the live plan at Stripe; null without one. */
async function findPriceId(
  { db, stripe }: Pick<Dependencies, 'db' | 'stripe'>,
  owner: Owner,
): Promise<string | null> {
  const subscription = await findLiveSubscription(db, owner)
  if (!subscription) return null
  const { items } = await stripe.subscriptions.retrieve(subscription.stripe_subscription_id)
  return planItemOf(items.data)?.price.id ?? null
}

/** The page on which a change of the plan is confirmed, and that then leads to `return_url`. */
export function flowToConfirm(
  { subscription, item }: PresentPlan,
  change: { readonly price?: string; readonly quantity: number },
  return_url: string,
): Pick<PortalRequest, 'price_id' | 'flow_data'> {
  return {
    price_id: item.price.id,
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

/**
 * A page of the portal that does one thing and leads back. Changing the card makes it the customer's default
 * (https://docs.stripe.com/customer-management/portal-deep-links), which Stripe's next try charges.
 */
export function flowTo(
  type: 'payment_method_update' | undefined,
  return_url: string,
): Pick<PortalRequest, 'flow_data'> | undefined {
  if (!type) return undefined
  return { flow_data: { type, after_completion: { type: 'redirect', redirect: { return_url } } } }
}
