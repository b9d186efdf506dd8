import { z } from 'zod'
import { defined } from '../../kit/defined.ts'
import type { FeatureChanges } from '../entities/portal.ts'
import type { Asked } from './handle.ts'
import { clearable, flag, integer, metadata, text, webUrl } from './params.ts'
import { prorationBehavior, quantity } from './subscription-params.ts'

const emptyList = z.literal('').transform(() => [])
const clearableUrl = z.union([z.literal('').transform(() => null), webUrl])

const businessProfile = z.strictObject({
  // https://github.com/stripe/openapi: `maxLength` of a portal configuration's `business_profile.headline`.
  headline: z
    .string()
    .max(60)
    .optional()
    .transform((value) => (value === '' ? null : value)),
  privacy_policy_url: clearableUrl.optional(),
  terms_of_service_url: clearableUrl.optional(),
})

const product = z.strictObject({
  adjustable_quantity: z
    .strictObject({
      enabled: flag,
      maximum: integer.nullable().default(null),
      minimum: integer.default(1),
    })
    .default({ enabled: false, maximum: null, minimum: 1 }),
  prices: z.array(text).min(1).max(20),
  product: text,
})

const features = z.strictObject({
  customer_update: z
    .strictObject({
      allowed_updates: z
        .union([emptyList, z.array(z.enum(['address', 'email', 'name', 'phone', 'shipping', 'tax_id']))])
        .optional(),
      enabled: flag.optional(),
    })
    .optional(),
  invoice_history: z.strictObject({ enabled: flag }).optional(),
  payment_method_update: z.strictObject({ enabled: flag }).optional(),
  subscription_cancel: z
    .strictObject({
      enabled: flag.optional(),
      mode: z.literal('at_period_end', 'In the portal of the sandbox a plan ends with its period').optional(),
    })
    .optional(),
  subscription_update: z
    .strictObject({
      billing_cycle_anchor: z.literal('unchanged', 'The sandbox keeps the billing cycle').optional(),
      default_allowed_updates: z
        .union([emptyList, z.array(z.enum(['price', 'quantity'], 'The sandbox knows no promotion codes'))])
        .optional(),
      enabled: flag.optional(),
      products: z.union([emptyList, z.array(product).max(10)]).optional(),
      proration_behavior: prorationBehavior.optional(),
      schedule_at_period_end: z
        .strictObject({
          conditions: z
            .union([
              emptyList,
              z.array(z.strictObject({ type: z.enum(['decreasing_item_amount', 'shortening_interval']) })),
            ])
            .default([]),
        })
        .optional(),
      trial_update_behavior: z.enum(['continue_trial', 'end_trial']).optional(),
    })
    .optional(),
})

const shared = {
  business_profile: businessProfile.optional(),
  default_return_url: clearableUrl.optional(),
  metadata: metadata.optional(),
  name: clearable.optional(),
}

export const createConfigurationParams = { ...shared, features }
export const updateConfigurationParams = {
  ...shared,
  active: flag.optional(),
  features: features.optional(),
}

/** What a call changes of the features; a part that it does not name stays. */
export function readFeatures(params: z.output<typeof features>): FeatureChanges {
  const changes = Object.entries(params).map(([name, feature]) => [name, defined(feature ?? {})])
  return Object.fromEntries(changes)
}

const afterCompletion = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('portal_homepage') }),
  z.strictObject({ type: z.literal('redirect'), redirect: z.strictObject({ return_url: webUrl }) }),
])

const ofSubscription = z.strictObject({ subscription: text })

export const createPortalSessionParams = {
  configuration: text.optional(),
  customer: text,
  flow_data: z
    .strictObject({
      after_completion: afterCompletion.optional(),
      subscription_cancel: ofSubscription.optional(),
      subscription_update_confirm: z
        .strictObject({
          items: z
            .array(z.strictObject({ id: text, price: text.optional(), quantity: quantity.optional() }))
            .length(1, 'The subscription_update_confirm flow takes exactly one item'),
          subscription: text,
        })
        .optional(),
      type: z.enum(['payment_method_update', 'subscription_cancel', 'subscription_update_confirm']),
    })
    .optional(),
  locale: text.optional(),
  return_url: webUrl.optional(),
}

export type CreatePortalSessionParams = Asked<typeof createPortalSessionParams>
