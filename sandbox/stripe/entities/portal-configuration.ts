import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredPortalConfiguration } from '../state.ts'

export type PortalFeatures = StoredPortalConfiguration['features']
export type FeatureChanges = { [Name in keyof PortalFeatures]?: Partial<PortalFeatures[Name]> | undefined }

export type ConfigurationInput = {
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
  const {
    customer_update,
    invoice_history,
    payment_method_update,
    subscription_cancel,
    subscription_update,
  } = changes
  return {
    customer_update: { ...features.customer_update, ...customer_update },
    invoice_history: { ...features.invoice_history, ...invoice_history },
    payment_method_update: { ...features.payment_method_update, ...payment_method_update },
    subscription_cancel: { ...features.subscription_cancel, ...subscription_cancel },
    subscription_pause: features.subscription_pause,
    subscription_update: { ...features.subscription_update, ...subscription_update },
  }
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
