import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import type { NewCreditPurchase, NewSubscriptionCheckout } from '../../schema/checkout/intents.ts'
import { offeredCards } from '../../server/checkout/offered-card.ts'
import { creditPurchaseParams, subscriptionParams } from '../../server/checkout/session-params.ts'
import type { Finding, Step } from './findings.ts'
import { currency, findPrice, newCustomer, type StripeAccount } from './stripe-account.ts'

const trial_days = 14

/** Payment pages, asked for as the product asks for them. */
export function checkoutSteps({ stripe, app_url, running }: StripeAccount): Step[] {
  const returns = {
    success_url: `${app_url}/payment/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${app_url}/payment/cancelled`,
  }
  const collected = { stripe_tax: false, terms_url: undefined }
  const ofBuyer = {
    id: randomUUID(),
    user_id: 'user_live_check',
    currency,
    owner_id: 'user_live_check',
    owner_kind: 'user',
    created_at: new Date(),
    next_try_at: new Date(),
  } as const
  const open = async (params: Omit<Stripe.Checkout.SessionCreateParams, 'customer'>): Promise<Finding> => {
    const customer = await newCustomer({ stripe, running })
    const session = await stripe.checkout.sessions.create({ ...params, customer: customer.id })
    const { adaptive_pricing, amount_total, mode, payment_method_collection, payment_status, status } =
      session
    const expired = await stripe.checkout.sessions.expire(session.id)
    return {
      adaptive_pricing: adaptive_pricing?.enabled ?? null,
      amount_total,
      currency: session.currency,
      mode,
      payment_method_collection,
      payment_status,
      status,
      has_address: session.url !== null,
      after_expiring: { status: expired.status, has_address: expired.url !== null },
    }
  }
  const plan = async (terms: Pick<NewSubscriptionCheckout, 'plan_type' | 'seats' | 'trial_days'>) => {
    const price = await findPrice(stripe, terms.plan_type)
    const intent: NewSubscriptionCheckout = {
      ...ofBuyer,
      ...terms,
      kind: 'subscription',
      amount_minor: (price.currency_options?.eur?.unit_amount ?? 0) * terms.seats,
      billing_frequency: 'monthly',
      credits: 500,
      credits_per_seat: 500,
    }
    return open(subscriptionParams(intent, { price_id: price.id, returns, collected }))
  }
  return [
    ['a payment page for a trial of Pro', () => plan({ plan_type: 'pro', seats: 1, trial_days })],
    ['a payment page for three seats of Teams', () => plan({ plan_type: 'teams', seats: 3, trial_days: 0 })],
    [
      'a payment page for 500 credits',
      () => {
        const intent: NewCreditPurchase = {
          ...ofBuyer,
          kind: 'credit_purchase',
          amount_minor: 700,
          credits: 500,
        }
        return open(creditPurchaseParams(intent, { returns, collected, offered: offeredCards }))
      },
    ],
  ]
}
