import { invalidRequest, type StripeFault } from '../errors.ts'
import type { Service } from '../service.ts'
import type { EmbeddedPrice, StoredSubscription } from '../state.ts'
import { nextPhase } from './subscription-schedule.ts'

/**
 * What Stripe's portal never allows, however it is configured:
 * https://docs.stripe.com/customer-management#customer-portal-limitations. The rules are documented, the
 * texts of the refusals are not.
 */
export type PortalLimit = 'has_scheduled_update' | 'has_unspecified_tax'

/** A change that waits for the end of the period keeps the portal from another one, and from cancelling. */
export function cancelLimit(service: Service, subscription: StoredSubscription): PortalLimit | null {
  return nextPhase(service, subscription) ? 'has_scheduled_update' : null
}

/** Nor is a price changed of which is not known whether taxes come on top. */
export function updateLimit(service: Service, subscription: StoredSubscription): PortalLimit | null {
  const { currency, items } = subscription
  const lacks = items.data.some(({ price }) => lacksTaxBehavior(service, price, currency))
  return cancelLimit(service, subscription) ?? (lacks ? 'has_unspecified_tax' : null)
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

export function scheduledUpdate({ id }: StoredSubscription, param: string): StripeFault {
  return invalidRequest(
    `The subscription ${id} has an update scheduled by a subscription schedule and cannot be updated or canceled in the customer portal.`,
    { param },
  )
}
