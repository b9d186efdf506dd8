import type { StoredCustomer, StoredLineItem, StoredSession } from '../entities.ts'
import { randomText } from '../ids.ts'
import type { World } from '../world.ts'

export type SessionInput = {
  cancel_url: string | null
  client_reference_id: string | null
  currency: string
  customer: StoredCustomer | null
  customer_creation: 'always' | 'if_required' | null
  customer_email: string | null
  expires_at: number
  line_items: StoredLineItem[]
  metadata: Record<string, string>
  mode: 'payment' | 'subscription'
  payment_method_collection: 'always' | 'if_required'
  payment_method_types: string[]
  success_url: string
} & Pick<StoredSession, 'allow_promotion_codes' | 'billing_address_collection' | 'locale' | 'submit_type'>

export function newSession({ clock, public_url }: World, input: SessionInput): StoredSession {
  const id = `cs_test_a1${randomText(58)}`
  const total = input.line_items.reduce((sum, item) => sum + item.amount_total, 0)
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: input.allow_promotion_codes,
    allowed_payment_method_types: null,
    amount_subtotal: input.line_items.reduce((sum, item) => sum + item.amount_subtotal, 0),
    amount_total: total,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    billing_address_collection: input.billing_address_collection,
    cancel_url: input.cancel_url,
    client_reference_id: input.client_reference_id,
    client_secret: null,
    collected_information: { business_name: null, individual_name: null, shipping_details: null },
    consent: null,
    consent_collection: null,
    created: clock.now(),
    currency: input.currency,
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: input.customer?.id ?? null,
    customer_account: null,
    customer_creation: input.customer_creation,
    customer_details: detailsOf(input.customer, input.customer_email),
    customer_email: input.customer_email,
    discounts: [],
    expires_at: input.expires_at,
    integration_identifier: null,
    invoice: null,
    invoice_creation: input.mode === 'payment' ? noInvoice : null,
    livemode: false,
    locale: input.locale,
    managed_payments: { enabled: false },
    metadata: input.metadata,
    mode: input.mode,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: input.payment_method_collection,
    payment_method_configuration_details: null,
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: input.payment_method_types,
    payment_status: 'unpaid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'open',
    submit_type: input.submit_type,
    subscription: null,
    success_url: input.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${public_url()}/c/pay/${id}`,
    wallet_options: null,
  }
}

const noInvoice: StoredSession['invoice_creation'] = {
  enabled: false,
  invoice_data: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: null,
    metadata: {},
    rendering_options: null,
  },
}

function detailsOf(customer: StoredCustomer | null, email: string | null): StoredSession['customer_details'] {
  if (!customer && !email) return null
  return {
    address: customer?.address ?? null,
    business_name: null,
    email: customer?.email ?? email,
    individual_name: null,
    name: customer?.name ?? null,
    phone: customer?.phone ?? null,
    tax_exempt: 'none',
    tax_ids: [],
  }
}
