import { accountOf } from '../entities/account.ts'
import { offeredByDefault } from '../entities/checkout-session.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { StoredCustomer, StoredSession } from '../state.ts'
import type { CreateSessionParams } from '../wire/checkout-session-params.ts'
import type { Line } from './checkout-lines.ts'

type Asked = { params: CreateSessionParams; customer: StoredCustomer | null; lines: Line[] }

/**
 * What a session may ask of the buyer, in Stripe's words. Reports of each refusal:
 * https://github.com/TryGhost/Ghost/pull/20105 (address),
 * https://github.com/laravel/cashier-stripe/issues/1585 (business name),
 * https://github.com/laravel/cashier-stripe/pull/1538 (no customer). The terms' URL is required by
 * Stripe.Checkout.SessionCreateParams.ConsentCollection.
 */
export function checkCollection(service: Service, { params, customer, lines }: Asked): void {
  const { automatic_tax, consent_collection, customer_update, tax_id_collection } = params
  const { tax, terms_url } = accountOf(service.store)
  if (customer_update && !customer) {
    throw invalidRequest('`customer_update` can only be used with `customer` or `customer_account`.')
  }
  if (automatic_tax?.enabled && tax === 'pending') {
    throw invalidRequest('You must have a valid head office address to enable automatic tax calculation.')
  }
  if (
    automatic_tax?.enabled &&
    customer &&
    !customer.address?.country &&
    customer_update?.address !== 'auto'
  ) {
    throw invalidRequest(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set `customer_update[address]` to 'auto' to save the billing address entered in Checkout to the Customer.",
      { code: 'customer_tax_location_invalid' },
    )
  }
  if (automatic_tax?.enabled && lines.some(({ price }) => price.tax_behavior !== 'inclusive')) {
    throw invalidRequest('The sandbox works out the tax of prices that include it.', {
      param: 'automatic_tax',
    })
  }
  if (tax_id_collection?.enabled && customer && customer_update?.name !== 'auto') {
    throw invalidRequest(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
    )
  }
  if (
    consent_collection?.terms_of_service === 'required' &&
    (terms_url ?? service.settings.termsUrl) === null
  ) {
    throw invalidRequest(
      'You cannot collect consent to your terms of service unless a URL is set in the Stripe Dashboard. Update your public business details in the Dashboard https://dashboard.stripe.com/settings/public with a Terms of service URL to collect terms of service consent.',
      { param: 'consent_collection[terms_of_service]' },
    )
  }
}

type Collected = Pick<
  StoredSession,
  | 'automatic_tax'
  | 'consent_collection'
  | 'custom_text'
  | 'invoice_creation'
  | 'saved_payment_method_options'
  | 'tax_id_collection'
>

/** The same as the session shows it. */
export function collectionOf({ params }: Pick<Asked, 'params'>): Collected {
  const { automatic_tax, consent_collection, custom_text, invoice_creation, mode } = params
  const is_taxed = automatic_tax?.enabled ?? false
  const is_agreed = consent_collection?.terms_of_service === 'required'
  const data = invoice_creation?.invoice_data
  const saved = params.saved_payment_method_options
  return {
    automatic_tax: {
      enabled: is_taxed,
      liability: is_taxed ? { type: 'self' } : null,
      provider: is_taxed ? 'stripe' : null,
      status: is_taxed ? 'requires_location_inputs' : null,
    },
    consent_collection: is_agreed
      ? { payment_method_reuse_agreement: null, promotions: null, terms_of_service: 'required' }
      : null,
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: custom_text?.terms_of_service_acceptance ?? null,
    },
    invoice_creation:
      mode === 'payment'
        ? {
            enabled: invoice_creation?.enabled ?? false,
            invoice_data: {
              account_tax_ids: null,
              custom_fields: null,
              description: data?.description ?? null,
              footer: null,
              issuer: null,
              metadata: mergeMetadata(null, data?.metadata),
              rendering_options: null,
            },
          }
        : null,
    saved_payment_method_options: saved
      ? {
          allow_redisplay_filters: saved.allow_redisplay_filters ?? [...offeredByDefault],
          payment_method_remove: 'disabled',
          payment_method_save: saved.payment_method_save ?? null,
        }
      : null,
    ...(params.tax_id_collection && {
      tax_id_collection: { enabled: params.tax_id_collection.enabled, required: 'never' as const },
    }),
  }
}
