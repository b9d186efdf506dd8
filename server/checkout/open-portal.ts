import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import type { Owner } from '../../schema/ledger/accounts.ts'
import { planItemOf } from '../../schema/stripe/catalogue.ts'
import { findLiveSubscription } from '../../schema/subscriptions/subscriptions.ts'
import type { Dependencies } from '../dependencies.ts'
import { ensureStripeCustomer, type OwningPayer } from './payer.ts'

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
  const kind = payer.owner.owner_kind === 'user' ? 'personal' : 'organization'
  const [configuration, customer] = await Promise.all([
    findPriceId(deps, payer.owner).then((price_id) => deps.catalogue.findPortal({ kind, price_id })),
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

/**
 * A page of the portal that does one thing and leads back. Changing the card makes it the customer's default
 * (https://docs.stripe.com/customer-management/portal-deep-links), which Stripe's next try charges.
 */
export function flowTo(
  type: 'payment_method_update' | undefined,
  return_url: string,
): { flow_data: Stripe.BillingPortal.SessionCreateParams.FlowData } | undefined {
  if (!type) return undefined
  return { flow_data: { type, after_completion: { type: 'redirect', redirect: { return_url } } } }
}
