import type Stripe from 'stripe'
import type { Delivery, DeliveryRule } from '../kit/outbox.ts'
import { openStore, type Store, table } from '../kit/store.ts'
import type { Page } from './entities/list.ts'

/**
 * Stripe's own type as it lies in the store, with two differences that the wire has and the SDK's types hide: a
 * reference is always an id (only an answer expands it), and a decimal is a string (only the SDK makes a Decimal
 * of it).
 */
type Wire<T> = { [Key in keyof T]: WireValue<T[Key]> }
type WireValue<Value> =
  Extract<Value, { object: string }> extends never
    ? Undecimal<Value>
    : Extract<Value, string> extends never
      ? Value
      : Extract<Value, string | null | undefined>
type Undecimal<Value> = Value extends Stripe.Decimal ? string : Value

export type StoredCustomer = Omit<Wire<Stripe.Customer>, 'deleted'> & {
  /** A deleted customer leaves a stub behind, because others still refer to it. */
  deleted?: true
  /** Collected by Checkout; Stripe shows them only where `tax_ids` is expanded. */
  known_tax_ids?: { type: 'eu_vat' | 'gb_vat' | 'us_ein'; value: string }[]
}

export type StoredProduct = Wire<Stripe.Product>

export type StoredCurrencyOption = Omit<Wire<Stripe.Price.CurrencyOptions>, 'tiers'>

export type StoredPrice = Omit<Wire<Stripe.Price>, 'currency_options' | 'tiers'> & {
  /** Kept beside the price, sent only when a caller expands it, as Stripe does. */
  currency_options: Record<string, StoredCurrencyOption>
}

/** A price as others carry it: the price list of its other currencies stays behind. */
export type EmbeddedPrice = Omit<StoredPrice, 'currency_options'>

export type StoredLineItem = Omit<Stripe.LineItem, 'price'> & { price: EmbeddedPrice }

export type StoredSession = Omit<Wire<Stripe.Checkout.Session>, 'currency_conversion' | 'line_items'> & {
  currency_conversion: null
}

export type StoredPaymentMethod = Wire<Stripe.PaymentMethod>

export type StoredPaymentError = Omit<
  Stripe.PaymentIntent.LastPaymentError,
  'payment_method' | 'payment_intent' | 'setup_intent' | 'source'
> & { payment_method: StoredPaymentMethod }

export type StoredPaymentIntent = Omit<
  Wire<Stripe.PaymentIntent>,
  'last_payment_error' | 'payment_record'
> & { last_payment_error: StoredPaymentError | null; payment_record: null }

export type StoredCharge = Wire<Stripe.Charge>

export type StoredRefund = Wire<Stripe.Refund>

export type StoredCoupon = Omit<Stripe.Coupon, 'applies_to' | 'currency_options' | 'deleted'>

export type StoredDiscount = Omit<Wire<Stripe.Discount>, 'deleted' | 'source'> & {
  source: { coupon: string; type: 'coupon' }
}

export type StoredSubscriptionItem = Omit<Stripe.SubscriptionItem, 'plan' | 'price' | 'quantity'> & {
  price: EmbeddedPrice
  quantity: number
}

export type StoredSubscription = Omit<Wire<Stripe.Subscription>, 'discounts' | 'items'> & {
  discounts: string[]
  items: Page<StoredSubscriptionItem>
}

/** What Stripe knows of a subscription and does not show. */
export type SubscriptionDetails = {
  id: string
  /** `customer.subscription.trial_will_end` has been sent. */
  is_trial_end_announced: boolean
}

export type StoredSchedule = Omit<Wire<Stripe.SubscriptionSchedule>, 'phases'> & { phases: StoredPhase[] }

export type StoredPhase = Omit<Stripe.SubscriptionSchedule.Phase, 'default_payment_method' | 'items'> & {
  default_payment_method: string | null
  items: (Omit<Stripe.SubscriptionSchedule.Phase.Item, 'price' | 'plan'> & {
    plan: string
    price: string
    quantity: number
  })[]
}

/** The price of a line or invoice item. */
export type StoredPricing = {
  type: 'price_details'
  price_details: { price: string; product: string }
  unit_amount_decimal: string
}

export type StoredInvoiceLine = Omit<Wire<Stripe.InvoiceLineItem>, 'pricing' | 'quantity_decimal'> & {
  pricing: StoredPricing
  quantity_decimal: string
}

export type StoredInvoice = Omit<Wire<Stripe.Invoice>, 'customer' | 'deleted' | 'lines' | 'payments'> & {
  customer: string
  lines: Page<StoredInvoiceLine>
  /** Removed from the API since `parent` names the subscription, but still in Stripe's published example. */
  subscription: null
}

/** An amount that waits for an invoice (`invoice` is null) or is on one. */
export type StoredInvoiceItem = Omit<Wire<Stripe.InvoiceItem>, 'deleted' | 'pricing' | 'quantity_decimal'> & {
  pricing: StoredPricing
  quantity_decimal: string
}

export type StoredInvoicePayment = Omit<Wire<Stripe.InvoicePayment>, 'payment'> & {
  payment: { type: 'payment_intent'; payment_intent: string }
}

export type StoredPortalConfiguration = Wire<Stripe.BillingPortal.Configuration>

export type StoredPortalSession = Wire<Stripe.BillingPortal.Session>

export type StoredDispute = Wire<Stripe.Dispute>

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
   * The total of an open session with a trial: Stripe documents it as nullable, without a figure for trials.
   */
  trial_total: 'first_period' | 'unknown' | 'zero'
  /** The address of the terms in Settings → Business → Public details; a new account has none. */
  terms_url: string | null
  /** Whether Stripe Tax knows where the business is: https://docs.stripe.com/tax/set-up */
  tax: 'active' | 'pending'
}

export type Settings = {
  id: 'settings'
  clock_offset_ms: number
  delivery_rules: DeliveryRule[]
  /** Ids of events that Stripe's list does not have yet, since it may lag. */
  unlisted_events: string[]
  account: Partial<Account>
}

const tables = {
  settings: table<Settings>(),
  customers: table<StoredCustomer>(),
  products: table<StoredProduct>(),
  prices: table<StoredPrice>(),
  checkout_sessions: table<StoredSession>(),
  checkout_details: table<CheckoutDetails>(),
  coupons: table<StoredCoupon>(),
  discounts: table<StoredDiscount>(),
  payment_methods: table<StoredPaymentMethod>(),
  payment_intents: table<StoredPaymentIntent>(),
  charges: table<StoredCharge>(),
  refunds: table<StoredRefund>(),
  disputes: table<StoredDispute>(),
  subscriptions: table<StoredSubscription>(),
  subscription_details: table<SubscriptionDetails>(),
  subscription_schedules: table<StoredSchedule>(),
  invoices: table<StoredInvoice>(),
  invoice_items: table<StoredInvoiceItem>(),
  invoice_payments: table<StoredInvoicePayment>(),
  portal_configurations: table<StoredPortalConfiguration>(),
  portal_sessions: table<StoredPortalSession>(),
  events: table<StoredEvent>(),
  webhook_endpoints: table<StoredWebhookEndpoint>(),
  signing_secrets: table<SigningSecret>(),
  deliveries: table<Delivery>(),
  answers: table<StoredAnswer>(),
}

export type State = Store<typeof tables>

/** Everything the sandbox knows. Null as a path keeps it in memory. */
export function openState(path: string | null): State {
  return openStore(tables, path === null ? null : { path, service: 'stripe' })
}

export function hasObject(store: State, id: string): boolean {
  return Object.keys(tables).some((name) => store[name as keyof typeof tables].get(id) !== undefined)
}
