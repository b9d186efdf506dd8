import { z } from 'zod'
import type { Asked } from './handle.ts'
import { currency, flag, integer, metadata, text, webUrl } from './params.ts'
import { inlinePrice } from './price-params.ts'
import { quantity, trialDays } from './subscription-params.ts'

const lineItem = z
  .strictObject({
    price: text.optional(),
    price_data: z
      .strictObject({
        ...inlinePrice.shape,
        product_data: z.strictObject({
          name: text.min(1),
          description: text.optional(),
          metadata: metadata.optional(),
          tax_code: text.optional(),
        }),
      })
      .optional(),
    adjustable_quantity: z
      .strictObject({
        enabled: z.literal('false', 'The sandbox does not support changing a quantity on the payment page'),
      })
      .optional(),
    quantity,
  })
  .refine(({ price, price_data }) => !price !== !price_data, 'You must pass either `price` or `price_data`')

/** The parameters of a new session that the sandbox acts on. Any other is refused rather than ignored. */
export const createSessionParams = {
  adaptive_pricing: z.strictObject({ enabled: flag.optional() }).optional(),
  automatic_tax: z.strictObject({ enabled: flag }).optional(),
  cancel_url: webUrl.optional(),
  client_reference_id: text.max(200, 'Invalid string: it can have up to 200 characters').optional(),
  consent_collection: z
    .strictObject({ terms_of_service: z.enum(['none', 'required']).optional() })
    .optional(),
  currency: currency.optional(),
  custom_text: z
    .strictObject({ terms_of_service_acceptance: z.strictObject({ message: text.max(1200) }).optional() })
    .optional(),
  customer: text.optional(),
  customer_email: z.email('Invalid email address').optional(),
  customer_update: z
    .strictObject({
      address: z.enum(['auto', 'never']).optional(),
      name: z.enum(['auto', 'never']).optional(),
    })
    .optional(),
  expires_at: integer.optional(),
  invoice_creation: z
    .strictObject({
      enabled: flag,
      invoice_data: z
        .strictObject({ description: text.optional(), metadata: metadata.optional() })
        .optional(),
    })
    .optional(),
  line_items: z.array(lineItem).min(1).max(100),
  locale: text.optional(),
  metadata: metadata.optional(),
  mode: z.enum(['payment', 'subscription'], 'The sandbox does payment and subscription mode only'),
  payment_intent_data: z
    .strictObject({
      description: text.optional(),
      metadata: metadata.optional(),
    })
    .optional(),
  saved_payment_method_options: z
    .strictObject({
      allow_redisplay_filters: z.array(z.enum(['always', 'limited', 'unspecified'])).optional(),
      payment_method_save: z.enum(['disabled', 'enabled']).optional(),
    })
    .optional(),
  subscription_data: z
    .strictObject({
      description: text.optional(),
      metadata: metadata.optional(),
      trial_period_days: trialDays.optional(),
    })
    .optional(),
  success_url: webUrl,
  tax_id_collection: z.strictObject({ enabled: flag }).optional(),
  ui_mode: z.literal('hosted_page', 'The sandbox has the hosted page only').optional(),
}

export type CreateSessionParams = Asked<typeof createSessionParams>
