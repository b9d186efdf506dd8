import { invalidRequest, type StripeFault } from '../errors.ts'
import type { Service } from '../service.ts'
import type { EmbeddedPrice, StoredPortalConfiguration, StoredSubscription } from '../state.ts'
import { nextPhase } from './subscription-schedule.ts'

/**
 * What Stripe's portal never allows, however it is configured:
 * https://docs.stripe.com/customer-management#customer-portal-limitations. The rules are documented, the
 * texts of the refusals are not.
 */
export type PortalLimit = 'has_scheduled_update' | 'has_unlisted_price' | 'has_unspecified_tax'

/**
 * A change that waits for the end of the period keeps the portal from another one, and from cancelling; a
 * schedule does not, "when there's no future Phases" on it
 * (https://github.com/invertase/stripe-firebase-extensions/issues/158).
 */
export function cancelLimit(service: Service, subscription: StoredSubscription): PortalLimit | null {
  return nextPhase(service, subscription) ? 'has_scheduled_update' : null
}

/**
 * Nor does the portal change a price that does not say whether it includes tax, or the quantity at a price
 * that the configuration does not list: `products.prices` is "the list of price IDs which, when subscribed
 * to, a subscription can be updated"
 * (Stripe.BillingPortal.Configuration.Features.SubscriptionUpdate.Product).
 */
export function updateLimit(
  service: Service,
  subscription: StoredSubscription,
  configuration: StoredPortalConfiguration,
): PortalLimit | null {
  const { currency, items } = subscription
  const limit = cancelLimit(service, subscription)
  if (limit) return limit
  if (items.data.some(({ price }) => lacksTaxBehavior(service, price, currency))) return 'has_unspecified_tax'
  return items.data.every(({ price }) => isListed(configuration, price.id)) ? null : 'has_unlisted_price'
}

export function isListed({ features }: StoredPortalConfiguration, price_id: string): boolean {
  const { products } = features.subscription_update
  return (products ?? []).some(({ prices }) => prices.includes(price_id))
}

export function lacksTaxBehavior(
  { store }: Service,
  { id }: Pick<EmbeddedPrice, 'id'>,
  currency?: string,
): boolean {
  const price = store.prices.get(id)
  if (!price) return false
  const { tax_behavior, currency_options } = price
  const options = currency === undefined ? Object.values(currency_options) : [currency_options[currency]]
  return tax_behavior === 'unspecified' || options.some((option) => option?.tax_behavior === 'unspecified')
}

export function unspecifiedTax(id: string, param: string): StripeFault {
  return invalidRequest(
    `The price ${id} has an unspecified \`tax_behavior\`. Prices that customers can change to in the portal must be inclusive or exclusive of tax.`,
    { param },
  )
}

export function unlistedPrice(id: string, param: string): StripeFault {
  return invalidRequest(`The portal configuration does not offer the price ${id}.`, { param })
}

export function scheduledUpdate({ id }: StoredSubscription, param: string): StripeFault {
  return invalidRequest(
    `The subscription ${id} has an update scheduled by a subscription schedule and cannot be updated or canceled in the customer portal.`,
    { param },
  )
}
