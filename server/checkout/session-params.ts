import type Stripe from 'stripe'
import { priceLookupKey } from '../../schema/catalogue/plans.ts'
import type {
  NewCheckoutIntent,
  NewCreditPurchase,
  NewSubscriptionCheckout,
} from '../../schema/checkout/intents.ts'
import type { CheckoutMetadata } from '../../schema/stripe/metadata.ts'

export interface ReturnAddresses {
  readonly success_url: string
  readonly cancel_url: string
}

type SessionParams = Omit<Stripe.Checkout.SessionCreateParams, 'customer'>

/** What a session says of its intent, on Stripe's pages and in the answers of session-status. */
export function metadataOf(intent: NewCheckoutIntent) {
  return {
    intentId: intent.id,
    credits: String(intent.credits),
    currency: intent.currency,
    ...(intent.owner_kind === 'organization' && intent.owner_id && { organizationId: intent.owner_id }),
    ...(intent.kind === 'subscription' && {
      planType: intent.plan_type,
      billingFrequency: intent.billing_frequency,
      seats: String(intent.seats),
      priceId: priceLookupKey(intent),
    }),
  } satisfies CheckoutMetadata
}

export function creditPurchaseParams(intent: NewCreditPurchase, returns: ReturnAddresses): SessionParams {
  const metadata = metadataOf(intent)
  return {
    mode: 'payment',
    client_reference_id: intent.id,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: intent.currency.toLowerCase(),
          unit_amount: intent.amount_minor,
          product_data: { name: `${intent.credits.toLocaleString('en-US')} credits` },
        },
      },
    ],
    ...returns,
  }
}

/** The subscription carries the same metadata as the session, because its later events name no session. */
export function subscriptionParams(
  intent: NewSubscriptionCheckout,
  price_id: string,
  returns: ReturnAddresses,
): SessionParams {
  const metadata = metadataOf(intent)
  return {
    mode: 'subscription',
    client_reference_id: intent.id,
    metadata,
    subscription_data: {
      metadata,
      ...(intent.trial_days > 0 && { trial_period_days: intent.trial_days }),
    },
    currency: intent.currency.toLowerCase(),
    line_items: [{ price: price_id, quantity: intent.seats }],
    ...returns,
  }
}
