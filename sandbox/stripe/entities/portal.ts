import type Stripe from 'stripe'
import { newId } from '../../kit/id.ts'
import { invalidRequest, type StripeFault } from '../errors.ts'
import type { Service } from '../service.ts'
import type {
  EmbeddedPrice,
  StoredPortalConfiguration,
  StoredPortalSession,
  StoredSubscription,
} from '../state.ts'
import { asPublished } from './published.ts'
import { nextPhase } from './subscription-schedule.ts'

export type PortalFeatures = StoredPortalConfiguration['features']
export type FeatureChanges = { [Name in keyof PortalFeatures]?: Partial<PortalFeatures[Name]> | undefined }

type ConfigurationInput = {
  business_profile: Partial<StoredPortalConfiguration['business_profile']>
  default_return_url: string | null
  features: FeatureChanges
  is_default: boolean
  metadata: Record<string, string>
  name: string | null
}

export function newPortalConfiguration(
  { clock, livemode }: Service,
  input: ConfigurationInput,
): StoredPortalConfiguration {
  const now = clock.now()
  return {
    id: newId('bpc'),
    object: 'billing_portal.configuration',
    active: true,
    application: null,
    business_profile: {
      headline: null,
      privacy_policy_url: null,
      terms_of_service_url: null,
      ...input.business_profile,
    },
    created: now,
    default_return_url: input.default_return_url,
    features: withFeatures(nothing, input.features),
    is_default: input.is_default,
    livemode,
    login_page: { enabled: false, url: null },
    metadata: input.metadata,
    name: input.name,
    updated: now,
  }
}

export function withFeatures(features: PortalFeatures, changes: FeatureChanges): PortalFeatures {
  const changed = Object.entries(features).map(([name, feature]) => [
    name,
    { ...feature, ...changes[name as keyof PortalFeatures] },
  ])
  return Object.fromEntries(changed)
}

const nothing: PortalFeatures = {
  customer_update: { allowed_updates: [], enabled: false },
  invoice_history: { enabled: false },
  payment_method_update: { enabled: false, payment_method_configuration: null },
  subscription_cancel: {
    cancellation_reason: {
      enabled: false,
      feedback_options: null,
      options: [
        'too_expensive',
        'missing_features',
        'switched_service',
        'unused',
        'customer_service',
        'too_complex',
        'low_quality',
        'other',
      ],
    },
    enabled: false,
    mode: 'at_period_end',
    proration_behavior: 'none',
  },
  subscription_pause: { duration: { interval_options: [], type: 'indefinite' }, enabled: false },
  subscription_update: {
    billing_cycle_anchor: null,
    default_allowed_updates: [],
    enabled: false,
    products: [],
    proration_behavior: 'none',
    schedule_at_period_end: { conditions: [] },
    trial_update_behavior: 'end_trial',
  },
}

/** The default configuration: everything but changes of the plan, as at Stripe. */
export function defaultConfiguration(service: Service): StoredPortalConfiguration {
  const { store } = service
  for (const configuration of store.portal_configurations.oldestFirst()) {
    if (configuration.is_default) return configuration
  }
  return store.portal_configurations.put(
    newPortalConfiguration(service, {
      business_profile: {},
      default_return_url: null,
      features: {
        invoice_history: { enabled: true },
        payment_method_update: { enabled: true },
        subscription_cancel: { enabled: true },
      },
      is_default: true,
      metadata: {},
      name: null,
    }),
  )
}

export type PortalFlow = Stripe.BillingPortal.Session.Flow

type NewSession = {
  configuration: StoredPortalConfiguration
  customer: string
  flow: PortalFlow | null
  locale: string | null
  return_url: string | null
}

export function newPortalSession(
  { clock, livemode, publicUrl }: Service,
  { configuration, customer, flow, locale, return_url }: NewSession,
): StoredPortalSession {
  const id = newId('bps')
  return asPublished<StoredPortalSession>({
    id,
    object: 'billing_portal.session',
    after_expiration: null,
    configuration: configuration.id,
    created: clock.now(),
    customer,
    flow,
    livemode,
    locale,
    return_url,
    url: `${publicUrl}/p/session/${id}`,
  })
}

/**
 * What Stripe's portal never allows, however it is configured:
 * https://docs.stripe.com/customer-management#customer-portal-limitations. The rules are documented, the
 * texts of the refusals are not. Null where there is no such limit.
 *
 * A change that waits for the end of the period keeps the portal from another one, and from cancelling; a
 * schedule does not, "when there's no future Phases" on it
 * (https://github.com/invertase/stripe-firebase-extensions/issues/158).
 */
export function cancelLimit(service: Service, subscription: StoredSubscription): StripeFault | null {
  if (!nextPhase(service, subscription)) return null
  return invalidRequest(
    `The subscription ${subscription.id} has an update scheduled by a subscription schedule and cannot be updated or canceled in the customer portal.`,
    { param: 'flow_data' },
  )
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
): StripeFault | null {
  const { currency, items } = subscription
  const ids = items.data.map(({ price }) => price.id)
  const untaxed = ids.find((id) => lacksTaxBehavior(service, { id }, currency))
  const unlisted = ids.find((id) => !isListed(configuration, id))
  const limit = cancelLimit(service, subscription)
  if (limit) return limit
  if (untaxed) return unspecifiedTax(untaxed, 'flow_data')
  return unlisted ? unlistedPrice(unlisted, 'flow_data') : null
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
