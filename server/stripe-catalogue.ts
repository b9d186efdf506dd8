import type Stripe from 'stripe'
import {
  type CataloguePrice,
  cataloguePrices,
  isPortal,
  type Portal,
  portalMetadataKey,
  priceProblem,
} from '../schema/vendors/stripe/catalogue.ts'
import { priceUnavailable, StripeAnswerError } from './errors.ts'

export type StripeCatalogue = ReturnType<typeof createStripeCatalogue>

export interface FoundPrice extends CataloguePrice {
  readonly price_id: string
}

/** How long a checked price is cached: its amount cannot change, only its lookup key can be moved. */
const cachedForMs = 60_000

/**
 * Our price list and portals as they are at Stripe, where `npm run stripe:setup` has made them. Caches correct
 * ones for a minute; missing or wrong ones are fetched again.
 */
export function createStripeCatalogue(deps: { stripe: Stripe; now: () => Date }) {
  const cache = new Map<string, { value: string; until_ms: number }>()
  const cached = async (key: string, fetch: () => Promise<string>) => {
    const known = cache.get(key)
    if (known && known.until_ms > deps.now().getTime()) return known.value
    const value = await fetch()
    cache.set(key, { value, until_ms: deps.now().getTime() + cachedForMs })
    return value
  }
  return {
    /** The price of one seat and period. Throws `priceUnavailable` unless it is the catalogue's. */
    async findPrice(wanted: Pick<CataloguePrice, 'plan_type' | 'billing_frequency'>): Promise<FoundPrice> {
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
    /**
     * The id of the configuration: of the subscription's price, or any of the kind where there is no
     * subscription or no configuration for its price, in which Stripe then allows everything but a change of
     * seats. Throws Stripe's error, or StripeAnswerError when there is none of the kind.
     */
    findPortal: (wanted: Portal) =>
      cached(`portal ${wanted.kind} ${wanted.price_id}`, () => fetchPortal(deps.stripe, wanted)),
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

async function fetchPortal(stripe: Stripe, wanted: Portal): Promise<string> {
  let of_kind: string | undefined
  for await (const found of stripe.billingPortal.configurations.list({ active: true, limit: 100 })) {
    if (isPortal(found, wanted)) return found.id
    if (found.metadata?.[portalMetadataKey] === wanted.kind) of_kind ??= found.id
  }
  if (of_kind) return of_kind
  throw new StripeAnswerError(
    `The ${wanted.kind} portal is missing at Stripe (npm run stripe:setup makes it)`,
  )
}
