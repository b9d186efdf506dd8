import { randomUUID, randomUUIDv7 } from 'node:crypto'
import type pg from 'pg'
import Stripe from 'stripe'
import type { HttpRequest } from './http-load.ts'
import { walletId, wallets } from './wallets.ts'

export const webhookSecret = 'whsec_bench'

const stripe = new Stripe('sk_test_bench')

export interface Delivery extends HttpRequest {
  readonly event_id: string
}

/**
 * Signed deliveries of paid sessions, each of a purchase of its own by one of the wallets. With `intents` the
 * purchases are in the database, as they are before they can be paid.
 */
export async function makeDeliveries(count: number, intents: pg.Pool | null): Promise<Delivery[]> {
  // Of a purchase in the order of time, as ours are; what Stripe calls its session and event is in none.
  const ids = Array.from({ length: count }, () => randomUUIDv7())
  const sessions = ids.map(() => randomUUID().replaceAll('-', ''))
  if (intents) {
    await intents.query(
      `INSERT INTO checkout_intents (id, kind, user_id, owner_kind, owner_id, credits, amount_minor, currency, state,
         stripe_session_id, sweep_at)
       SELECT id, 'credit_purchase', owner, 'user', owner, 500, 700, 'EUR', 'open', 'cs_test_' || session, now() + interval '1 day'
       FROM unnest($1::uuid[], $2::text[], $3::text[]) AS purchase (id, session, owner)`,
      [ids, sessions, ids.map((_, index) => walletId(index % wallets))],
    )
  }
  const timestamp = Math.floor(Date.now() / 1000)
  return ids.map((id, index) => {
    const event = paidSession(id, sessions[index] ?? '', walletId(index % wallets), timestamp)
    const payload = JSON.stringify(event)
    const signature = stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret, timestamp })
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature }
    return {
      event_id: event.id,
      method: 'POST',
      path: '/api/stripe/webhook',
      headers,
      body: Buffer.from(payload),
    }
  })
}

/** As Stripe sends it, in form and size. */
function paidSession(intentId: string, session: string, owner: string, created: number) {
  const object = {
    id: `cs_test_${session}`,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: null,
    amount_subtotal: 700,
    amount_total: 700,
    automatic_tax: { enabled: true, liability: { type: 'self' }, provider: 'stripe', status: 'complete' },
    billing_address_collection: 'auto',
    cancel_url: 'https://app.example.com/payment/cancelled',
    client_reference_id: intentId,
    client_secret: null,
    collected_information: { business_name: null, individual_name: null, shipping_details: null },
    consent: null,
    consent_collection: null,
    created,
    currency: 'eur',
    currency_conversion: null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer: `cus_${owner}`,
    customer_creation: null,
    customer_details: {
      address: {
        city: 'Berlin',
        country: 'DE',
        line1: 'Unter den Linden 1',
        line2: null,
        postal_code: '10117',
        state: null,
      },
      business_name: null,
      email: `${owner}@tidemark.test`,
      individual_name: null,
      name: 'Ada Lovelace',
      phone: null,
      tax_exempt: 'none',
      tax_ids: [],
    },
    customer_email: null,
    discounts: [],
    expires_at: created + 86_400,
    invoice: null,
    invoice_creation: {
      enabled: false,
      invoice_data: {
        account_tax_ids: null,
        custom_fields: null,
        description: null,
        footer: null,
        metadata: {},
      },
    },
    livemode: false,
    locale: null,
    metadata: { intentId, credits: '500' },
    mode: 'payment',
    origin_context: null,
    payment_intent: `pi_${session}`,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: ['card', 'link'],
    payment_status: 'paid',
    permissions: null,
    phone_number_collection: { enabled: false },
    recovered_from: null,
    saved_payment_method_options: {
      allow_redisplay_filters: ['always'],
      payment_method_remove: 'disabled',
      payment_method_save: null,
    },
    setup_intent: null,
    shipping_address_collection: null,
    shipping_cost: null,
    shipping_options: [],
    status: 'complete',
    submit_type: null,
    subscription: null,
    success_url: 'https://app.example.com/payment/success?session_id={CHECKOUT_SESSION_ID}',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 112 },
    ui_mode: 'hosted',
    url: null,
    wallet_options: null,
  }
  return {
    id: `evt_${session}`,
    object: 'event',
    api_version: '2026-10-28.endive',
    created,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: 'checkout.session.completed',
  }
}
