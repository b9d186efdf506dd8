import type Stripe from 'stripe'
import { currencies } from '../../catalogue/currency.ts'
import { type BillingFrequency, billingFrequencies, type PlanType } from '../../catalogue/plans.ts'
import { priceLookupKey, soldPlans } from '../../catalogue/sold-plans.ts'

/** A catalogue price as it must exist at Stripe, with the same number in every currency. */
export interface CataloguePrice {
  readonly lookup_key: string
  readonly product_id: string
  readonly plan_type: PlanType
  readonly billing_frequency: BillingFrequency
  readonly interval: 'month' | 'year'
  /** Minor units for one seat and one period. */
  readonly amount_minor: number
}

const intervals = { monthly: 'month', yearly: 'year' } as const

export const cataloguePrices: readonly CataloguePrice[] = soldPlans.flatMap(({ plan_type, price_minor }) =>
  billingFrequencies.map((billing_frequency) => ({
    lookup_key: priceLookupKey({ plan_type, billing_frequency }),
    product_id: productIdOf(plan_type),
    plan_type,
    billing_frequency,
    interval: intervals[billing_frequency],
    amount_minor: price_minor[billing_frequency],
  })),
)

/** We choose the ids of our products, so that the set-up and the server cannot disagree about them. */
export function productIdOf(plan: PlanType): string {
  return `plan_${plan}`
}

/**
 * The plan that a price sells; null for a price of something else. A price that was replaced has lost its
 * lookup key (https://docs.stripe.com/products-prices/manage-prices#transfer-lookup-key), and one that was
 * made by hand never had one, so the product counts as well.
 */
export function planOfPrice(price: {
  readonly lookup_key: string | null
  readonly product: string
}): PlanType | null {
  const found = cataloguePrices.find(
    ({ lookup_key, product_id }) => lookup_key === price.lookup_key || product_id === price.product,
  )
  return found?.plan_type ?? null
}

interface PricedItem {
  readonly price: { readonly lookup_key: string | null; readonly product: unknown }
}

/**
 * The item of a subscription that is the plan, wherever it stands: Stripe lists the newest item first
 * (https://docs.stripe.com/api/pagination), so an add-on that was sold later stands before it. One that
 * stands alone is the plan, whatever its price. Undefined when none or several could be it.
 */
export function planItemOf<Item extends PricedItem>(items: readonly Item[]): Item | undefined {
  const plans = items.filter(({ price: { lookup_key, product } }) =>
    planOfPrice({ lookup_key, product: productReference(product) }),
  )
  return items.length === 1 ? items[0] : plans.length === 1 ? plans[0] : undefined
}

function productReference(product: unknown): string {
  return typeof product === 'string' ? product : ''
}

/**
 * How a price at Stripe, fetched with its `currency_options`, differs from the catalogue's; null when it does
 * not. A differing price must not be sold.
 */
export function priceProblem(price: Stripe.Price, expected: CataloguePrice): string | null {
  if (!price.active) return 'it is not active'
  if (price.product !== expected.product_id) return `it belongs to the product ${String(price.product)}`
  if (price.billing_scheme !== 'per_unit') return `it is billed ${price.billing_scheme}`
  const { recurring } = price
  if (recurring?.interval !== expected.interval || recurring.interval_count !== 1) {
    return `it recurs every ${recurring?.interval_count} ${recurring?.interval}, not every ${expected.interval}`
  }
  if (recurring.usage_type !== 'licensed') return `its usage is ${recurring.usage_type}`
  for (const currency of currencies) {
    const amount = price.currency_options?.[currency.toLowerCase()]?.unit_amount
    if (amount !== expected.amount_minor) {
      return `it costs ${amount} in ${currency}, not ${expected.amount_minor}`
    }
  }
  return null
}

/**
 * Displayed amounts include tax (decision 071). Every price says so, because the billing portal cannot change
 * prices without it (https://docs.stripe.com/customer-management#customer-portal-limitations).
 */
export const taxBehavior = 'inclusive'

/**
 * What Stripe Tax takes it for: software as a service, for business or for personal use
 * (https://docs.stripe.com/tax/tax-codes). Plans by the seat, and credits for a pool, are for business.
 */
export const taxCodes = { organization: 'txcd_10103001', user: 'txcd_10103000' } as const

export interface TaxProblem {
  readonly text: string
  /** An unspecified value can be set once; a set value never changes (Stripe.Price, `tax_behavior`). */
  readonly can_be_set: boolean
}

/** How a price or one of its currencies differs in tax behavior; null when it does not. */
export function taxProblem(price: Stripe.Price): TaxProblem | null {
  const options = currencies.map(
    (currency) => [`in ${currency}`, price.currency_options?.[currency.toLowerCase()]?.tax_behavior] as const,
  )
  const differing = ([['', price.tax_behavior], ...options] as const).filter(
    ([, behavior]) => behavior !== taxBehavior,
  )
  const set = differing.find(([, behavior]) => behavior && behavior !== 'unspecified')
  const [where, behavior] = set ?? differing[0] ?? []
  if (where === undefined) return null
  return {
    text: `its tax behavior${where && ` ${where}`} is ${behavior ?? 'unspecified'}, not ${taxBehavior}`,
    can_be_set: !set,
  }
}

/** Stripe's billing portals, for people and for organizations, whose admins may also change seats. */
export const portalKinds = ['personal', 'organization'] as const
export type PortalKind = (typeof portalKinds)[number]

/**
 * One for each price that is or was sold, because a configuration decides at which prices a subscription can
 * be changed (Stripe.BillingPortal.Configuration.Features.SubscriptionUpdate.Product,
 * `prices`), and Stripe accepts only one monthly price of a product in it
 * (https://github.com/cobuildwithus/murph/pull/1258).
 */
export interface Portal {
  readonly kind: PortalKind
  /** Null for the portal of a payer without a plan, in which no subscription is changed. */
  readonly price_id: string | null
}

/** Our portals carry this metadata: a configuration has no lookup key. */
export const portalMetadataKey = 'portal_kind'
export const portalPriceMetadataKey = 'portal_price'

/** Whether a configuration at Stripe is this portal of ours. */
export function isPortal(
  { metadata }: Pick<Stripe.BillingPortal.Configuration, 'metadata'>,
  { kind, price_id }: Portal,
): boolean {
  return metadata?.[portalMetadataKey] === kind && (metadata[portalPriceMetadataKey] ?? null) === price_id
}
