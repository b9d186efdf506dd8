import type Stripe from 'stripe'
import { maximumSeats, minimumSeats } from '../../schema/catalogue/plans.ts'
import {
  type PortalKind,
  portalKinds,
  portalMetadataKey,
  productIdOf,
} from '../../schema/stripe/catalogue.ts'
import type { SoldPrice } from './set-up-prices.ts'

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features

/**
 * Creates the two portals, or updates them. Stripe's answer about a portal leaves fields out, so it is written again rather
 * than compared; only a new one counts as a change.
 */
export async function setUpPortals(
  stripe: Stripe,
  options: { readonly app_url: string; readonly brand_name: string },
  prices: readonly SoldPrice[],
): Promise<string[]> {
  const known: Stripe.BillingPortal.Configuration[] = []
  for await (const found of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    known.push(found)
  }
  const changes: string[] = []
  for (const kind of portalKinds) {
    const params = {
      features: featuresOf(kind, prices),
      business_profile: { headline: `${options.brand_name}: billing` },
      default_return_url: `${options.app_url}${kind === 'personal' ? '/billing' : '/organizations'}`,
      metadata: { [portalMetadataKey]: kind },
    }
    const found = known.find((candidate) => candidate.metadata?.[portalMetadataKey] === kind)
    if (found) {
      await stripe.billingPortal.configurations.update(found.id, params)
    } else {
      const { id } = await stripe.billingPortal.configurations.create(params)
      changes.push(`portal ${kind}: made ${id}`)
    }
  }
  return changes
}

/**
 * Plan and period cannot be changed in the portal: only what we have promised may be paid. Seats may be changed by
 * organizations; more are paid at once for the rest of the period, fewer begin with the next one, because the credits of this
 * one have been granted already.
 */
function featuresOf(kind: PortalKind, prices: readonly SoldPrice[]): Features {
  const common = {
    customer_update: { enabled: true, allowed_updates: ['name', 'email', 'address'] },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true, mode: 'at_period_end' },
  } satisfies Features
  if (kind === 'personal') return { ...common, subscription_update: { enabled: false } }
  return {
    ...common,
    subscription_update: {
      enabled: true,
      default_allowed_updates: ['quantity'],
      proration_behavior: 'always_invoice',
      schedule_at_period_end: { conditions: [{ type: 'decreasing_item_amount' }] },
      products: [
        {
          product: productIdOf('teams'),
          prices: prices.filter((price) => price.plan_type === 'teams').map((price) => price.price_id),
          adjustable_quantity: { enabled: true, minimum: minimumSeats, maximum: maximumSeats },
        },
      ],
    },
  }
}
