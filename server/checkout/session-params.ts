import type Stripe from 'stripe'
import { priceLookupKey } from '../../schema/catalogue/plans.ts'
import type {
  CheckoutIntent,
  NewCreditPurchase,
  NewSubscriptionCheckout,
} from '../../schema/checkout/intents.ts'
import { taxBehavior } from '../../schema/stripe/catalogue.ts'
import type { CheckoutMetadata } from '../../schema/stripe/metadata.ts'

export interface ReturnAddresses {
  readonly success_url: string
  readonly cancel_url: string
}

type SessionParams = Omit<Stripe.Checkout.SessionCreateParams, 'customer'>

/** A row, or an intent that is about to become one. */
type Described = Pick<CheckoutIntent, 'id' | 'credits' | 'currency' | 'owner_kind' | 'owner_id'> &
  Partial<Pick<CheckoutIntent, 'plan_type' | 'billing_frequency' | 'seats'>>

/** What a session says about its intent, in Stripe's dashboard and in the answers of session-status. */
export function metadataOf(intent: Described) {
  const { plan_type, billing_frequency, seats } = intent
  return {
    intentId: intent.id,
    credits: String(intent.credits),
    currency: intent.currency,
    ...(intent.owner_kind === 'organization' && intent.owner_id && { organizationId: intent.owner_id }),
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
const promisedCurrencyOnly = { adaptive_pricing: { enabled: false } } as const

export function creditPurchaseParams(intent: NewCreditPurchase, returns: ReturnAddresses): SessionParams {
  const metadata = metadataOf(intent)
  return {
    mode: 'payment',
    ...promisedCurrencyOnly,
    client_reference_id: intent.id,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: intent.currency.toLowerCase(),
          unit_amount: intent.amount_minor,
          tax_behavior: taxBehavior,
          product_data: { name: `${intent.credits.toLocaleString('en-US')} credits` },
        },
      },
    ],
    ...returns,
  }
}

/** The same metadata as the session's, because later events do not name the session. */
export function subscriptionParams(
  intent: NewSubscriptionCheckout,
  price_id: string,
  returns: ReturnAddresses,
): SessionParams {
  const metadata = metadataOf(intent)
  return {
    mode: 'subscription',
    ...promisedCurrencyOnly,
    client_reference_id: intent.id,
    metadata,
    subscription_data: {
      metadata,
      ...(intent.trial_days > 0 && { trial_period_days: intent.trial_days }),
    },
    currency: intent.currency.toLowerCase(),
    line_items: [{ price: price_id, quantity: intent.seats }],
    // What a plan costs after its trial is in its prices only.
    expand: ['line_items.data.price.currency_options'],
    ...returns,
  }
}
