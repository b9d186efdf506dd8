import type Stripe from 'stripe'
import type { Delivery, DeliveryRule } from '../kit/outbox.ts'
import { openStore, type Store } from '../kit/store.ts'
import type { Page } from './entities/list.ts'

/**
 * What lies in the store: Stripe's own types, with two differences that the wire has and the SDK's types
 * hide. A reference is always an id (only an answer expands it), and a decimal is a string (only the SDK
 * makes a Decimal of it).
 */
type ById<T, Reference extends keyof T> = Omit<T, Reference> & {
  [Key in Reference]: Extract<T[Key], string | null>
}

export type StoredCustomer = Omit<ById<Stripe.Customer, 'default_source' | 'test_clock'>, 'deleted'> & {
  /** A deleted customer leaves a stub behind, because others still refer to it. */
  deleted?: true
  /** Collected by Checkout; Stripe shows them only where `tax_ids` is expanded. */
  known_tax_ids?: { type: 'eu_vat' | 'gb_vat' | 'us_ein'; value: string }[]
}

export type StoredProduct = ById<Stripe.Product, 'default_price' | 'tax_code'>

export type StoredCurrencyOption = Omit<Stripe.Price.CurrencyOptions, 'unit_amount_decimal' | 'tiers'> & {
  unit_amount_decimal: string | null
}

export type StoredPrice = Omit<
  ById<Stripe.Price, 'product'>,
  'unit_amount_decimal' | 'currency_options' | 'tiers'
> & {
  unit_amount_decimal: string | null
  /** Kept beside the price, sent only when a caller expands it, as Stripe does. */
  currency_options: Record<string, StoredCurrencyOption>
}

/** A price as others carry it: the price list of its other currencies stays behind. */
export type EmbeddedPrice = Omit<StoredPrice, 'currency_options'>

export type StoredLineItem = Omit<Stripe.LineItem, 'price'> & { price: EmbeddedPrice }

export type StoredSession = Omit<
  ById<Stripe.Checkout.Session, 'customer' | 'invoice' | 'payment_intent' | 'setup_intent' | 'subscription'>,
  'currency_conversion' | 'line_items'
> & { currency_conversion: null }

export type StoredPaymentMethod = ById<Stripe.PaymentMethod, 'customer'>

export type StoredPaymentError = Omit<
  Stripe.PaymentIntent.LastPaymentError,
  'payment_method' | 'payment_intent' | 'setup_intent' | 'source'
> & { payment_method: StoredPaymentMethod }

export type StoredPaymentIntent = Omit<
  ById<
    Stripe.PaymentIntent,
    'application' | 'customer' | 'latest_charge' | 'on_behalf_of' | 'payment_method' | 'review' | 'source'
  >,
  'last_payment_error' | 'payment_record'
> & { last_payment_error: StoredPaymentError | null; payment_record: null }

export type StoredCharge = ById<
  Stripe.Charge,
  | 'application'
  | 'application_fee'
  | 'balance_transaction'
  | 'customer'
  | 'failure_balance_transaction'
  | 'on_behalf_of'
  | 'payment_intent'
  | 'review'
  | 'source_transfer'
>

export type StoredRefund = ById<
  Stripe.Refund,
  | 'balance_transaction'
  | 'charge'
  | 'customer'
  | 'payment_intent'
  | 'payment_method'
  | 'source_transfer_reversal'
  | 'transfer_reversal'
>

export type StoredCoupon = Omit<Stripe.Coupon, 'applies_to' | 'currency_options' | 'deleted'>

export type StoredDiscount = Omit<
  ById<Stripe.Discount, 'customer' | 'promotion_code'>,
  'deleted' | 'source'
> & {
  source: { coupon: string; type: 'coupon' }
}

type Plan = Omit<ById<Stripe.Plan, 'product'>, 'amount_decimal'> & { amount_decimal: string | null }

export type StoredSubscriptionItem = Omit<Stripe.SubscriptionItem, 'plan' | 'price' | 'quantity'> & {
  plan: Plan
  price: EmbeddedPrice
  quantity: number
}

export type StoredSubscription = Omit<
  ById<
    Stripe.Subscription,
    | 'application'
    | 'customer'
    | 'default_payment_method'
    | 'default_source'
    | 'latest_invoice'
    | 'on_behalf_of'
    | 'pending_setup_intent'
    | 'schedule'
    | 'test_clock'
  >,
  'discounts' | 'items'
> & { discounts: string[]; items: Page<StoredSubscriptionItem> }

/** What Stripe knows of a subscription and does not show. */
export type SubscriptionDetails = {
  id: string
  /** `customer.subscription.trial_will_end` has been sent. */
  is_trial_end_announced: boolean
}

export type StoredSchedule = Omit<
  ById<Stripe.SubscriptionSchedule, 'application' | 'customer' | 'subscription' | 'test_clock'>,
  'phases'
> & { phases: StoredPhase[] }

export type StoredPhase = Omit<Stripe.SubscriptionSchedule.Phase, 'default_payment_method' | 'items'> & {
  default_payment_method: string | null
  items: (Omit<Stripe.SubscriptionSchedule.Phase.Item, 'price' | 'plan'> & {
    plan: string
    price: string
    quantity: number
  })[]
}

/** The price of a line or invoice item; decimals are strings on the wire. */
export type StoredPricing = {
  type: 'price_details'
  price_details: { price: string; product: string }
  unit_amount_decimal: string
}

export type StoredInvoiceLine = Omit<
  ById<Stripe.InvoiceLineItem, 'subscription'>,
  'pricing' | 'quantity_decimal'
> & { pricing: StoredPricing; quantity_decimal: string }

export type StoredInvoice = Omit<
  ById<
    Stripe.Invoice,
    | 'application'
    | 'customer'
    | 'default_payment_method'
    | 'default_source'
    | 'latest_revision'
    | 'on_behalf_of'
    | 'test_clock'
  >,
  'deleted' | 'lines' | 'payments'
> & {
  customer: string
  lines: Page<StoredInvoiceLine>
  /** Removed from the API since `parent` names the subscription, but still in Stripe's published example. */
  subscription: null
}

/** An amount that waits for an invoice (`invoice` is null) or is on one. */
export type StoredInvoiceItem = Omit<
  ById<Stripe.InvoiceItem, 'customer' | 'invoice' | 'test_clock'>,
  'deleted' | 'pricing' | 'quantity_decimal'
> & { pricing: StoredPricing; quantity_decimal: string }

export type StoredInvoicePayment = Omit<ById<Stripe.InvoicePayment, 'invoice'>, 'payment'> & {
  payment: { type: 'payment_intent'; payment_intent: string }
}

export type StoredPortalConfiguration = ById<Stripe.BillingPortal.Configuration, 'application'>

export type StoredPortalSession = ById<Stripe.BillingPortal.Session, 'configuration'>

export type StoredDispute = ById<Stripe.Dispute, 'charge' | 'payment_intent'>

export type StoredEvent = Omit<Stripe.EventBase, 'data' | 'type' | 'pending_webhooks'> & {
  type: Stripe.Event.Type
  data: { object: object; previous_attributes?: object }
}

export type StoredWebhookEndpoint = Omit<Stripe.WebhookEndpoint, 'secret'>

/** Stored apart from its endpoint, because only the answer that creates the endpoint contains it. */
export type SigningSecret = { id: string; secret: string }

/** Details of a session that Stripe does not show: its lines, and the data of its payment. */
export type CheckoutDetails = {
  id: string
  line_items: StoredLineItem[]
  payment_intent_data: {
    description: string | null
    metadata: Record<string, string>
    setup_future_usage: 'off_session' | null
  }
  /** Data of the session's subscription; null in payment mode. */
  subscription_data: {
    description: string | null
    metadata: Record<string, string>
    trial_period_days: number | null
  } | null
  /** The intent of a declined attempt to subscribe: `session.payment_intent` is for payment mode only. */
  payment_intent: string | null
  /** Which fields of the customer the buyer's answers replace. */
  customer_update?: { address: boolean; name: boolean } | null
  /** When a delayed payment settles; null when it waits for a knob. Milliseconds of the sandbox's clock. */
  settles_at_ms: number | null
}

/** The stored answer to a call that carried an idempotency key. */
export type StoredAnswer = {
  id: string
  fingerprint: string
  status: number
  body: unknown
  request_id: string
  created_at_ms: number
}

/** Settings of Stripe's dashboard and unknown properties of a real account, changed by a knob. */
export type Account = {
  id: string
  /**
   * Whether Checkout shows people another currency than the session's, where the session does not say:
   * https://docs.stripe.com/payments/currencies/localize-prices/adaptive-pricing
   */
  adaptive_pricing: boolean
  /**
   * The total of an open session with a trial: Stripe documents it as nullable, without a figure for trials.
   */
  trial_total: 'first_period' | 'unknown' | 'zero'
  /** The address of the terms in Settings → Business → Public details; a new account has none. */
  terms_url: string | null
  /** Whether Stripe Tax knows where the business is: https://docs.stripe.com/tax/set-up */
  tax: 'active' | 'pending'
  /** How long the invoice of a renewal stays a draft: Settings → Billing → Invoices, an hour at Stripe. */
  finalization_grace_s: number
}

export type Settings = {
  id: 'settings'
  clock_offset_ms: number
  delivery_rules: DeliveryRule[]
  /** Ids of events that Stripe's list does not have yet, since it may lag. */
  unlisted_events: string[]
  account: Partial<Account>
}

type Tables = {
  settings: Settings
  customers: StoredCustomer
  products: StoredProduct
  prices: StoredPrice
  checkout_sessions: StoredSession
  checkout_details: CheckoutDetails
  coupons: StoredCoupon
  discounts: StoredDiscount
  payment_methods: StoredPaymentMethod
  payment_intents: StoredPaymentIntent
  charges: StoredCharge
  refunds: StoredRefund
  disputes: StoredDispute
  subscriptions: StoredSubscription
  subscription_details: SubscriptionDetails
  subscription_schedules: StoredSchedule
  invoices: StoredInvoice
  invoice_items: StoredInvoiceItem
  invoice_payments: StoredInvoicePayment
  portal_configurations: StoredPortalConfiguration
  portal_sessions: StoredPortalSession
  events: StoredEvent
  webhook_endpoints: StoredWebhookEndpoint
  signing_secrets: SigningSecret
  deliveries: Delivery
  answers: StoredAnswer
}

const tableNames = [
  'settings',
  'customers',
  'products',
  'prices',
  'checkout_sessions',
  'checkout_details',
  'coupons',
  'discounts',
  'payment_methods',
  'payment_intents',
  'charges',
  'refunds',
  'disputes',
  'subscriptions',
  'subscription_details',
  'subscription_schedules',
  'invoices',
  'invoice_items',
  'invoice_payments',
  'portal_configurations',
  'portal_sessions',
  'events',
  'webhook_endpoints',
  'signing_secrets',
  'deliveries',
  'answers',
] as const satisfies (keyof Tables)[]

export type State = Store<Tables>

/** Everything the sandbox knows. Null as a path keeps it in memory. */
export function openState(path: string | null): State {
  return openStore<Tables>(tableNames, path === null ? null : { path, service: 'stripe' })
}

export function hasObject(store: State, id: string): boolean {
  return tableNames.some((name) => store[name].get(id) !== undefined)
}
