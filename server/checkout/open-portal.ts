import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import type { Portal } from '../../schema/stripe/catalogue.ts'
import type { Dependencies } from '../dependencies.ts'
import { ensureStripeCustomer, type Payer } from './payer.ts'

/** The address of a payer's billing portal, valid for minutes. Creates the customer if there is none. */
export async function openPortal(
  deps: Pick<Dependencies, 'db' | 'stripe' | 'catalogue'>,
  portal: Portal & {
    readonly payer: Payer
    readonly return_url: string
    readonly flow_data?: Stripe.BillingPortal.SessionCreateParams.FlowData
  },
): Promise<{ url: string }> {
  const [configuration, customer] = await Promise.all([
    deps.catalogue.findPortal({ kind: portal.kind, price_id: portal.price_id }),
    ensureStripeCustomer(deps, portal.payer, randomUUID()),
  ])
  const { url } = await deps.stripe.billingPortal.sessions.create({
    configuration,
    customer,
    return_url: portal.return_url,
    ...(portal.flow_data && { flow_data: portal.flow_data }),
  })
  return { url }
}
