import type Stripe from 'stripe'
import { newPlans, newSubscriber } from './billing.ts'
import { startHarness } from './sandbox.ts'

export type Features = Stripe.BillingPortal.ConfigurationCreateParams.Features

/** A subscriber of five seats, a configuration that allows everything, and ways to use its pages. */
export async function startPortal({ card = 'pm_card_visa', quantity = 5, features = {} as Features } = {}) {
  const harness = await startHarness({ businessName: 'Tidemark' })
  const { stripe } = harness
  const plans = await newPlans(harness)
  const subscriber = await newSubscriber(harness, {
    card,
    items: [{ price: plans.teams_monthly.id, quantity }],
  })
  const products = [
    { product: plans.pro.id, prices: [plans.pro_monthly.id, plans.pro_yearly.id] },
    {
      product: plans.teams.id,
      prices: [plans.teams_monthly.id],
      adjustable_quantity: { enabled: true, minimum: 1, maximum: 100 },
    },
  ]
  const configuration = await stripe.billingPortal.configurations.create({
    features: {
      invoice_history: { enabled: true },
      payment_method_update: { enabled: true },
      subscription_cancel: { enabled: true },
      subscription_update: {
        enabled: true,
        default_allowed_updates: ['price', 'quantity'],
        proration_behavior: 'always_invoice',
        products,
      },
      ...features,
      ...(features.subscription_update?.enabled && {
        subscription_update: { products, ...features.subscription_update },
      }),
    },
  })
  const open = (params: Partial<Stripe.BillingPortal.SessionCreateParams> = {}) =>
    stripe.billingPortal.sessions.create({
      customer: subscriber.customer.id,
      configuration: configuration.id,
      return_url: 'http://shop.test/billing',
      ...params,
    })
  const subscription = () => stripe.subscriptions.retrieve(subscriber.subscription.id)
  const post = (url: string, fields: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', redirect: 'manual', body: new URLSearchParams(fields) })
  return { harness, stripe, plans, configuration, ...subscriber, open, current: subscription, post }
}

export const textOf = async (url: string) => (await fetch(url)).text()
export const placeOf = (answer: Response) => answer.headers.get('location') ?? ''
