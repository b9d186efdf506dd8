import type { Router } from '@koa/router'
import { z } from 'zod'
import { randomText } from '../../kit/id.ts'
import { accountOf } from '../entities/account.ts'
import { expireSession, newLineItem } from '../entities/checkout-session.ts'
import { checkCurrency, findCustomer } from '../entities/customer.ts'
import { mergeMetadata } from '../entities/metadata.ts'
import { debitTypeFor } from '../entities/payment-method.ts'
import { asPublished } from '../entities/published.ts'
import { invalidRequest } from '../errors.ts'
import type { Service } from '../service.ts'
import type { Account, CheckoutDetails, StoredCustomer, StoredLineItem, StoredSession } from '../state.ts'
import { type CreateSessionParams, createSessionParams } from '../wire/checkout-session-params.ts'
import { callsOf } from '../wire/handle.ts'
import { metadata, range, text } from '../wire/params.ts'
import { checkCollection, collectionOf } from './checkout-collection.ts'
import { type Line, priceLine, sessionCurrency } from './checkout-lines.ts'
import { resource } from './resource.ts'

export function checkoutSessionRoutes(router: Router, service: Service): void {
  const { store } = service
  const call = callsOf(router, service)

  const find = resource(router, service, {
    path: '/v1/checkout/sessions',
    noun: 'checkout.session',
    table: store.checkout_sessions,
    filters: {
      created: range.optional(),
      customer: text.optional(),
      payment_intent: text.optional(),
      status: z.enum(['complete', 'expired', 'open']).optional(),
      subscription: text.optional(),
    },
    changes: { metadata: metadata.optional() },
    update: (before, { params: { metadata } }) =>
      store.checkout_sessions.put({ ...before, metadata: mergeMetadata(before.metadata, metadata) }),
  })

  call('POST /v1/checkout/sessions', createSessionParams, ({ params }) => createSession(service, params))

  call('POST /v1/checkout/sessions/:id/expire', {}, ({ id, cause }) => {
    const session = find(id)
    if (session.status === 'open') return expireSession(service, session, cause)
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    )
  })
}

const smallest_total = 50
const largest_total = 99_999_999
const minute = 60
const day = 24 * 60 * minute

/** A new checkout. Validated completely before anything is stored. */
function createSession(service: Service, params: CreateSessionParams): StoredSession {
  const { store, clock, livemode, publicUrl } = service
  checkMode(params)
  if (params.customer !== undefined && params.customer_email !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.', {
      param: 'customer_email',
    })
  }
  const customer = params.customer === undefined ? null : findCustomer(service, params.customer, 'customer')
  const lines = params.line_items.map((item, index) =>
    priceLine(service, { item, mode: params.mode, param: `line_items[${index}]` }),
  )
  checkCollection(service, { params, customer, lines })
  const currency = sessionCurrency(params.currency, lines)
  if (customer && params.mode === 'subscription') checkCurrency(service, customer.id, currency)
  const is_trial = params.subscription_data?.trial_period_days !== undefined
  const line_items = lines.map(
    ({ price, product, quantity }): StoredLineItem =>
      newLineItem({ price, currency, quantity, description: product.name, is_free: is_trial }),
  )
  checkTotal(line_items)
  const is_payment = params.mode === 'payment'
  const id = `cs_${livemode ? 'live' : 'test'}_a1${randomText(58)}`
  const session = asPublished<StoredSession>({
    ...collectionOf({ params }),
    id,
    object: 'checkout.session',
    // https://docs.stripe.com/payments/currencies/localize-prices/adaptive-pricing
    adaptive_pricing: { enabled: params.adaptive_pricing?.enabled ?? true },
    allowed_payment_method_types: null,
    amount_subtotal: line_items.reduce((sum, item) => sum + item.amount_subtotal, 0),
    amount_total: is_trial
      ? trialTotal(accountOf(store), lines, currency)
      : line_items.reduce((sum, item) => sum + item.amount_total, 0),
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    collected_information: { business_name: null, individual_name: null, shipping_details: null },
    created: clock.now(),
    currency,
    custom_fields: [],
    customer: customer?.id ?? null,
    customer_creation: customer
      ? null
      : is_payment && !params.invoice_creation?.enabled
        ? 'if_required'
        : 'always',
    customer_details: buyerDetails(customer, params.customer_email ?? null),
    customer_email: params.customer_email ?? null,
    discounts: [],
    expires_at: expiry(params.expires_at, clock.now()),
    livemode,
    locale: params.locale ?? null,
    managed_payments: { enabled: false },
    metadata: mergeMetadata(null, params.metadata),
    mode: params.mode,
    payment_method_collection: is_payment ? 'if_required' : 'always',
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_method_types: paymentMethodTypes(params.mode, currency),
    payment_status: 'unpaid',
    phone_number_collection: { enabled: false },
    shipping_options: [],
    status: 'open',
    success_url: params.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: `${publicUrl}/c/pay/${id}`,
  })
  for (const line of lines) {
    if (!line.is_new) continue
    store.products.put(line.product)
    store.prices.put(line.price)
  }
  store.checkout_details.put({ id: session.id, line_items, ...detailsOf(params) })
  return store.checkout_sessions.put(session)
}

function trialTotal({ trial_total }: Account, lines: Line[], currency: string): number | null {
  if (trial_total === 'unknown') return null
  return trial_total === 'zero'
    ? 0
    : lines.reduce(
        (sum, { price, quantity }) => sum + (price.currency_options[currency]?.unit_amount ?? 0) * quantity,
        0,
      )
}

function detailsOf({
  customer_update,
  mode,
  payment_intent_data: intent_data,
  subscription_data,
}: CreateSessionParams): Omit<CheckoutDetails, 'id' | 'line_items'> {
  return {
    customer_update: customer_update
      ? { address: customer_update.address === 'auto', name: customer_update.name === 'auto' }
      : null,
    payment_intent: null,
    payment_intent_data: {
      description: intent_data?.description ?? null,
      metadata: mergeMetadata(null, intent_data?.metadata),
      setup_future_usage: mode === 'payment' ? null : 'off_session',
    },
    settles_at_ms: null,
    subscription_data:
      mode === 'payment'
        ? null
        : {
            description: subscription_data?.description ?? null,
            metadata: mergeMetadata(null, subscription_data?.metadata),
            trial_period_days: subscription_data?.trial_period_days ?? null,
          },
  }
}

function buyerDetails(
  customer: StoredCustomer | null,
  email: string | null,
): StoredSession['customer_details'] {
  if (!customer && !email) return null
  return {
    address: customer?.address ?? null,
    business_name: null,
    email: customer?.email ?? email,
    individual_name: null,
    name: customer?.name ?? null,
    phone: customer?.phone ?? null,
    tax_exempt: 'none',
    tax_ids: customer?.known_tax_ids ?? [],
  }
}

function checkTotal(line_items: StoredLineItem[]): void {
  const total = line_items.reduce((sum, item) => sum + item.amount_total, 0)
  if (total > 0 && total < smallest_total) {
    throw invalidRequest(
      "The Checkout Session's total amount must convert to at least 50 cents. Use a larger amount.",
      { code: 'amount_too_small' },
    )
  }
  if (total > largest_total) {
    throw invalidRequest("The Checkout Session's total amount must be no more than 999,999.99.", {
      code: 'amount_too_large',
    })
  }
}

function expiry(asked: number | undefined, now: number): number {
  if (asked === undefined) return now + day
  // Tolerates a small difference between the clocks.
  if (asked < now + 30 * minute - 5) {
    throw invalidRequest(
      'The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.',
      {
        param: 'expires_at',
      },
    )
  }
  if (asked > now + day + 5) {
    throw invalidRequest(
      'The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.',
      {
        param: 'expires_at',
      },
    )
  }
  return asked
}

/**
 * What fits the currency, as with Stripe's dynamic payment methods. A subscription is paid by card: the
 * sandbox's bank debits settle once, and only for a checkout.
 */
function paymentMethodTypes(mode: CreateSessionParams['mode'], currency: string): string[] {
  const debit = mode === 'payment' ? debitTypeFor(currency) : null
  return debit ? ['card', debit] : ['card']
}

const payment_only = ['invoice_creation', 'payment_intent_data'] as const
const subscription_only = ['subscription_data'] as const

/** Parameters that belong to one mode are refused in the other. */
function checkMode(params: CreateSessionParams): void {
  const foreign = params.mode === 'payment' ? subscription_only : payment_only
  const param = foreign.find((name) => params[name] !== undefined)
  if (param === undefined) return
  throw invalidRequest(`You can not pass \`${param}\` in \`${params.mode}\` mode.`, { param })
}
