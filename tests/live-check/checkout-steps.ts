import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import { creditRate } from '../../schema/catalogue/credits.ts'
import { soldPlanOf } from '../../schema/catalogue/sold-plans.ts'
import { offeredCards } from '../../server/checkout/offered-card.ts'
import { creditPurchaseParams, subscriptionParams } from '../../server/checkout/session-params.ts'
import type { Finding, Step } from './findings.ts'
import { currency, findPrice, newCustomer, type StripeAccount } from './stripe-account.ts'

/** Payment pages, asked for as the product asks for them. */
export function checkoutSteps({ stripe, app_url, running }: StripeAccount): Step[] {
  const returns = {
    success_url: `${app_url}/payment/success?session_id={CHECKOUT_SESSION_ID}`,
    cancel_url: `${app_url}/payment/cancelled`,
  }
  const collected = { stripe_tax: false, terms_url: undefined }
  const ofBuyer = {
    id: randomUUID(),
    currency,
    owner_id: 'user_live_check',
    trial_days: 0,
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
  const plan = async (plan_type: string, seats: number) => {
    const price = await findPrice(stripe, plan_type)
    const { credits_per_seat, trial_days } = soldPlanOf(plan_type)
    const intent = {
      ...ofBuyer,
      plan_type,
      seats,
      trial_days,
      amount_minor: (price.currency_options?.eur?.unit_amount ?? 0) * seats,
      billing_frequency: 'monthly',
      credits: credits_per_seat * seats,
    } as const
    return open(subscriptionParams(intent, { price_id: price.id, returns, collected }))
  }
  const { credits, amount_minor } = creditRate
  const pack = { ...ofBuyer, amount_minor, credits, plan_type: null, billing_frequency: null, seats: null }
  return [
    ['a payment page for a trial of Pro', () => plan('pro', 1)],
    ['a payment page for three seats of Teams', () => plan('teams', 3)],
    [
      'a payment page for 500 credits',
      () => open(creditPurchaseParams(pack, { returns, collected, offered: offeredCards })),
    ],
  ]
}
