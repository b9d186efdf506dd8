import type Stripe from 'stripe'
import type { BillingFrequency, SoldPlanType } from '../schema/catalogue/plans.ts'
import {
  type CataloguePrice,
  cataloguePrices,
  type PortalKind,
  portalMetadataKey,
  priceProblem,
} from '../schema/stripe/catalogue.ts'
import { priceUnavailable, StripeAnswerError } from './errors.ts'

/** Our price list and portals as they are at Stripe, where `npm run stripe:setup` has made them. */
export interface StripeCatalogue {
  /** The price of one seat and period. Throws `priceUnavailable` unless it is the catalogue's. */
  findPrice(wanted: { plan_type: SoldPlanType; billing_frequency: BillingFrequency }): Promise<FoundPrice>
  /** The id of the portal's configuration. Throws Stripe's error, or StripeAnswerError when it is missing. */
  findPortal(kind: PortalKind): Promise<string>
}

export interface FoundPrice extends CataloguePrice {
  readonly price_id: string
}

/** How long a checked price is cached: its amount cannot change, only its lookup key can be moved. */
const cachedForMs = 60_000

/** Caches correct prices and portals for a minute; missing or wrong ones are fetched again. */
export function createStripeCatalogue(deps: { stripe: Stripe; now: () => Date }): StripeCatalogue {
  const cache = new Map<string, { value: string; until_ms: number }>()
  const cached = async (key: string, fetch: () => Promise<string>) => {
    const known = cache.get(key)
    if (known && known.until_ms > deps.now().getTime()) return known.value
    const value = await fetch()
    cache.set(key, { value, until_ms: deps.now().getTime() + cachedForMs })
    return value
  }
  return {
    async findPrice(wanted) {
      const expected = cataloguePrices.find(
        (price) =>
          price.plan_type === wanted.plan_type && price.billing_frequency === wanted.billing_frequency,
      )
      if (!expected)
        throw new Error(`The catalogue has no price ${wanted.plan_type} ${wanted.billing_frequency}`)
      try {
        const price_id = await cached(expected.lookup_key, () => fetchPrice(deps.stripe, expected))
        return { ...expected, price_id }
      } catch (error) {
        throw priceUnavailable(error)
      }
    },
    findPortal: (kind) => cached(`portal ${kind}`, () => fetchPortal(deps.stripe, kind)),
  }
}

async function fetchPrice(stripe: Stripe, expected: CataloguePrice): Promise<string> {
  const { lookup_key } = expected
  const list = await stripe.prices.list({
    lookup_keys: [lookup_key],
    active: true,
    expand: ['data.currency_options'],
  })
  const [price] = list.data
  const problem = price ? priceProblem(price, expected) : 'it is missing (npm run stripe:setup makes it)'
  if (!price || problem) {
    throw new StripeAnswerError(`The price ${lookup_key} at Stripe differs from the catalogue: ${problem}`)
  }
  return price.id
}

async function fetchPortal(stripe: Stripe, kind: PortalKind): Promise<string> {
  for await (const found of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (found.metadata?.[portalMetadataKey] === kind) return found.id
  }
  throw new StripeAnswerError(`The ${kind} portal is missing at Stripe (npm run stripe:setup makes it)`)
}
