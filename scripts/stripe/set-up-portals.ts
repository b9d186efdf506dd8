import type Stripe from 'stripe'
import { maximumSeats, minimumSeats } from '../../schema/catalogue/plans.ts'
import {
  isPortal,
  type Portal,
  type PortalKind,
  portalMetadataKey,
  portalPriceMetadataKey,
  productIdOf,
} from '../../schema/stripe/catalogue.ts'
import { listSeatPrices } from './set-up-prices.ts'

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features

/** Creates or updates every portal. Stripe omits fields in its answer, so they are always written. */
export async function setUpPortals(
  stripe: Stripe,
  options: { readonly app_url: string; readonly brand_name: string },
): Promise<string[]> {
  const changes: string[] = []
  for (const { portal, found } of await findPortals(stripe)) {
    const { kind, price_id } = portal
    const params = {
      features: featuresOf(portal),
      business_profile: { headline: `${options.brand_name}: billing` },
      default_return_url: `${options.app_url}${kind === 'personal' ? '/billing' : '/organizations'}`,
      metadata: { [portalMetadataKey]: kind, ...(price_id && { [portalPriceMetadataKey]: price_id }) },
    }
    if (found) {
      await stripe.billingPortal.configurations.update(found.id, params)
    } else {
      const { id } = await stripe.billingPortal.configurations.create(params)
      changes.push(`portal ${portalName(portal)}: made ${id}`)
    }
  }
  return changes
}

export interface FoundPortal {
  readonly portal: Portal
  readonly found: Stripe.BillingPortal.Configuration | undefined
}

/** The portals that there should be, and what there is of them at Stripe. Changes nothing. */
export async function findPortals(stripe: Stripe): Promise<FoundPortal[]> {
  const wanted: Portal[] = [{ kind: 'personal', price_id: null }]
  for (const { id } of await listSeatPrices(stripe)) wanted.push({ kind: 'organization', price_id: id })
  const known = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 })
    .autoPagingToArray({ limit: 10_000 })
  return wanted.map((portal) => ({ portal, found: known.find((one) => isPortal(one, portal)) }))
}

export function portalName({ kind, price_id }: Portal): string {
  return price_id === null ? kind : `${kind} at ${price_id}`
}

/** How a portal allows more than ours does; null when it does not. The set-up rewrites the rest. */
export function portalProblem(
  kind: PortalKind,
  { features }: Stripe.BillingPortal.Configuration,
): string | null {
  const { subscription_cancel, subscription_update, payment_method_update } = features
  if (!payment_method_update.enabled) return 'customers cannot change their card'
  if (!subscription_cancel.enabled) return 'customers cannot cancel'
  if (subscription_cancel.mode !== 'at_period_end') return `it cancels ${subscription_cancel.mode}`
  if (kind === 'personal') return subscription_update.enabled ? 'plans can be changed there' : null
  if (!subscription_update.enabled) return 'seats cannot be changed'
  const allowed = subscription_update.default_allowed_updates.join(', ')
  if (allowed !== 'quantity')
    return `${allowed || 'nothing'} can be changed there, not the number of seats only`
  const { proration_behavior } = subscription_update
  return proration_behavior === 'always_invoice' ? null : `more seats are charged by ${proration_behavior}`
}

/**
 * The portal cannot change plan or period, since only the checkout's terms may be paid. Organizations may
 * change seats: added ones are paid at once for the rest of the period, a reduction begins with the next one,
 * because this one's credits are already granted.
 */
function featuresOf({ price_id }: Portal): Features {
  const common = {
    // A company's tax id is on its invoices, also where Stripe does not work out the tax.
    customer_update: { enabled: true, allowed_updates: ['name', 'email', 'address', 'tax_id'] },
    invoice_history: { enabled: true },
    payment_method_update: { enabled: true },
    subscription_cancel: { enabled: true, mode: 'at_period_end' },
  } satisfies Features
  if (price_id === null) return { ...common, subscription_update: { enabled: false } }
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
          prices: [price_id],
          adjustable_quantity: { enabled: true, minimum: minimumSeats, maximum: maximumSeats },
        },
      ],
    },
  }
}
