import type Stripe from 'stripe'
import type { CheckoutIntent } from '../../schema/billing/checkout/intents.ts'
import { priceLookupKey } from '../../schema/catalogue/sold-plans.ts'
import { kindOf } from '../../schema/ledger/accounts.ts'
import { taxBehavior, taxCodes } from '../../schema/vendors/stripe/catalogue.ts'
import type { CheckoutMetadata } from '../../schema/vendors/stripe/metadata.ts'
import type { Settings } from '../settings.ts'

export interface ReturnAddresses {
  readonly success_url: string
  readonly cancel_url: string
}

type SessionParams = Omit<Stripe.Checkout.SessionCreateParams, 'customer'>

/** The terms of an intent that its session repeats. */
type Terms = Pick<
  CheckoutIntent,
  | 'id'
  | 'owner_id'
  | 'currency'
  | 'credits'
  | 'amount_minor'
  | 'plan_type'
  | 'billing_frequency'
  | 'seats'
  | 'trial_days'
>

/** What a session says about its intent, in Stripe's dashboard and in the answers of session-status. */
export function metadataOf(intent: Terms) {
  const { plan_type, billing_frequency, seats } = intent
  return {
    intentId: intent.id,
    credits: String(intent.credits),
    currency: intent.currency,
    ...(intent.owner_id && kindOf(intent.owner_id) === 'organization' && { organizationId: intent.owner_id }),
    ...(plan_type &&
      billing_frequency && {
        planType: plan_type,
        billingFrequency: billing_frequency,
        seats: String(seats),
        priceId: priceLookupKey({ plan_type, billing_frequency }),
      }),
  } satisfies CheckoutMetadata
}

/**
 * Without this the account's dashboard decides whether another currency is shown
 * (https://docs.stripe.com/payments/currencies/localize-prices/adaptive-pricing).
 */
const intentCurrencyOnly = { adaptive_pricing: { enabled: false } } as const

/** What Checkout asks of buyers beside the payment. */
export type Collected = Pick<Settings, 'stripe_tax' | 'terms_url'>

/**
 * Tax is switched on for each session: the account's own default covers payment mode only
 * (https://docs.stripe.com/tax/checkout/automatic-tax-default). For an existing customer Stripe refuses
 * automatic tax unless the address is saved, and tax ids unless the name is
 * (https://docs.stripe.com/tax/checkout/tax-ids). Prices include tax, so the total stays what the intent
 * promises.
 *
 * A card is offered again when its owner lets Checkout save it, as Stripe recommends for returning customers:
 * https://support.stripe.com/questions/prefilling-saved-cards-in-checkout
 *
 * Consent needs the terms' address in the dashboard too
 * (Stripe.Checkout.SessionCreateParams.ConsentCollection).
 */
function collectionParams({ stripe_tax, terms_url }: Collected) {
  return {
    saved_payment_method_options: { payment_method_save: 'enabled' },
    ...(stripe_tax && {
      automatic_tax: { enabled: true },
      customer_update: { address: 'auto', name: 'auto' },
      tax_id_collection: { enabled: true },
    }),
    ...(terms_url && {
      consent_collection: { terms_of_service: 'required' },
      custom_text: {
        terms_of_service_acceptance: { message: `I agree to the [Terms of Service](${terms_url})` },
      },
    }),
  } satisfies Partial<SessionParams>
}

interface CreditPurchaseOptions {
  readonly returns: ReturnAddresses
  readonly collected: Collected
  /** Which saved cards the page offers. */
  readonly offered: readonly Stripe.PaymentMethod.AllowRedisplay[]
}

/** The invoice is for those who have to book their credits; it belongs to no subscription (decision 071). */
export function creditPurchaseParams(
  intent: Terms,
  { returns, collected, offered }: CreditPurchaseOptions,
): SessionParams {
  const metadata = metadataOf(intent)
  return {
    mode: 'payment',
    ...intentCurrencyOnly,
    client_reference_id: intent.id,
    metadata,
    payment_intent_data: { metadata },
    invoice_creation: { enabled: true, invoice_data: { metadata } },
    ...collectionParams(collected),
    saved_payment_method_options: {
      payment_method_save: 'enabled',
      allow_redisplay_filters: [...offered],
    },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: intent.currency.toLowerCase(),
          unit_amount: intent.amount_minor,
          tax_behavior: taxBehavior,
          product_data: {
            name: `${intent.credits.toLocaleString('en-US')} credits`,
            tax_code: taxCodes[intent.owner_id === null ? 'organization' : kindOf(intent.owner_id)],
          },
        },
      },
    ],
    ...returns,
  }
}

/** The same metadata as the session's, because later events do not name the session. */
export function subscriptionParams(
  intent: Terms,
  {
    price_id,
    returns,
    collected,
  }: { readonly price_id: string; readonly returns: ReturnAddresses; readonly collected: Collected },
): SessionParams {
  const metadata = metadataOf(intent)
  return {
    mode: 'subscription',
    ...intentCurrencyOnly,
    client_reference_id: intent.id,
    metadata,
    subscription_data: {
      metadata,
      ...(intent.trial_days > 0 && { trial_period_days: intent.trial_days }),
    },
    ...collectionParams(collected),
    currency: intent.currency.toLowerCase(),
    line_items: [{ price: price_id, quantity: intent.seats ?? 1 }],
    // What a plan costs after its trial is in its prices only.
    expand: ['line_items.data.price.currency_options'],
    ...returns,
  }
}
