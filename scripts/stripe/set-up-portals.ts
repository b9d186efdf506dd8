import type Stripe from 'stripe'
import { maximumSeats, minimumSeats } from '../../schema/catalogue/plans.ts'
import { type SoldPlan, soldPlans } from '../../schema/catalogue/sold-plans.ts'
import {
  isPortal,
  type Portal,
  portalKinds,
  portalMetadataKey,
  portalPriceMetadataKey,
  productIdOf,
} from '../../schema/vendors/stripe/catalogue.ts'
import { comparePrices, listPlanPrices } from './set-up-prices.ts'

type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features

/** Creates or updates every portal. Stripe omits fields in its answer, so they are always written. */
export async function setUpPortals(
  stripe: Stripe,
  options: {
    readonly app_url: string
    readonly brand_name: string
    /** Where Clerk allows fewer than the catalogue. */
    readonly maximum_seats?: number
  },
): Promise<string[]> {
  const changes: string[] = []
  for (const { portal, found, update } of await findPortals(stripe, options.maximum_seats)) {
    const { kind, price_id } = portal
    const params = {
      features: { ...commonFeatures, subscription_update: update ?? { enabled: false } },
      // At most 60 characters, by https://github.com/stripe/openapi.
      business_profile: { headline: `${options.brand_name}: billing`.slice(0, 60) },
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

type SubscriptionUpdate = NonNullable<Features['subscription_update']>

interface FoundPortal {
  readonly portal: Portal
  /** What customers may change there; null for nothing. */
  readonly update: SubscriptionUpdate | null
  readonly found: Stripe.BillingPortal.Configuration | undefined
}

/** The portals that there should be, and what there is of them at Stripe. Changes nothing. */
async function findPortals(stripe: Stripe, maximum = maximumSeats): Promise<FoundPortal[]> {
  const wanted: Omit<FoundPortal, 'found'>[] = portalKinds.map((kind) => ({
    portal: { kind, price_id: null },
    update: null,
  }))
  const sold = await comparePrices(stripe)
  for (const plan of soldPlans) {
    for (const { id, recurring } of await listPlanPrices(stripe, plan.plan_type)) {
      const other = sold.find(
        ({ price, found }) =>
          price.plan_type === plan.plan_type && found && price.interval !== recurring?.interval,
      )
      wanted.push({
        portal: { kind: plan.per_seat ? 'organization' : 'personal', price_id: id },
        update: updateOf(plan, [id, ...(other?.found ? [other.found.id] : [])], maximum),
      })
    }
  }
  const known = await stripe.billingPortal.configurations
    .list({ active: true, limit: 100 })
    .autoPagingToArray({ limit: 10_000 })
  return wanted.map((one) => ({ ...one, found: known.find((found) => isPortal(found, one.portal)) }))
}

function portalName({ kind, price_id }: Portal): string {
  return price_id === null ? kind : `${kind} at ${price_id}`
}

const commonFeatures = {
  // A company's tax id is on its invoices, also where Stripe does not work out the tax.
  customer_update: { enabled: true, allowed_updates: ['name', 'email', 'address', 'tax_id'] },
  invoice_history: { enabled: true },
  payment_method_update: { enabled: true },
  subscription_cancel: { enabled: true, mode: 'at_period_end' },
} satisfies Features

/**
 * Yearly billing and more seats are paid at once for the rest of the period. Monthly billing and fewer seats
 * begin with the next period, because this one's credits are already granted. A trial goes on
 * (https://docs.stripe.com/changelog/clover/2025-09-30/customer-portal-trial-behavior).
 */
function updateOf({ plan_type, per_seat }: SoldPlan, prices: string[], maximum: number): SubscriptionUpdate {
  return {
    enabled: true,
    default_allowed_updates: per_seat ? ['price', 'quantity'] : ['price'],
    proration_behavior: 'always_invoice',
    schedule_at_period_end: {
      conditions: [{ type: 'decreasing_item_amount' }, { type: 'shortening_interval' }],
    },
    trial_update_behavior: 'continue_trial',
    products: [
      {
        product: productIdOf(plan_type),
        prices,
        ...(per_seat && {
          adjustable_quantity: { enabled: true, minimum: minimumSeats, maximum },
        }),
      },
    ],
  }
}
