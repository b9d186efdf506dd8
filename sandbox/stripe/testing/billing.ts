import type Stripe from 'stripe'
import { type Harness, startHarness } from './sandbox.ts'

/** Pro and Teams by the month and the year, in two currencies: a small catalogue. */
export async function newPlans({ stripe }: Harness) {
  const pro = await stripe.products.create({ name: 'Pro', description: 'For one developer' })
  const teams = await stripe.products.create({ name: 'Teams' })
  const price = (
    product: Stripe.Product,
    interval: 'month' | 'year',
    amounts: { eur: number; usd: number },
  ) =>
    stripe.prices.create({
      product: product.id,
      currency: 'eur',
      unit_amount: amounts.eur,
      tax_behavior: 'inclusive',
      currency_options: { usd: { unit_amount: amounts.usd, tax_behavior: 'inclusive' } },
      lookup_key: `${product.name.toLowerCase()}_${interval}`,
      recurring: { interval },
    })
  return {
    pro,
    teams,
    pro_monthly: await price(pro, 'month', { eur: 2000, usd: 2200 }),
    pro_yearly: await price(pro, 'year', { eur: 19_200, usd: 21_000 }),
    teams_monthly: await price(teams, 'month', { eur: 3000, usd: 3300 }),
  }
}

export function newSubscriptionCheckout(
  { stripe }: Harness,
  price: string,
  given: Partial<Stripe.Checkout.SessionCreateParams> = {},
) {
  return stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price, quantity: 1 }],
    success_url: 'http://shop.test/success?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://shop.test/cancelled',
    ...given,
  })
}

/** A customer with a card who has subscribed through the API. */
export async function newSubscriber(
  { stripe }: Harness,
  {
    card = 'pm_card_visa',
    ...given
  }: { card?: string } & Omit<Stripe.SubscriptionCreateParams, 'customer'> & {
      items: Stripe.SubscriptionCreateParams.Item[]
    },
) {
  const customer = await stripe.customers.create({ email: 'ada@example.com', name: 'Ada Lovelace' })
  const method = await stripe.paymentMethods.attach(card, { customer: customer.id })
  await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: method.id } })
  const subscription = await stripe.subscriptions.create({ customer: customer.id, ...given })
  return { customer, method, subscription, item: firstItem(subscription) }
}

export function firstItem(subscription: Stripe.Subscription): Stripe.SubscriptionItem {
  const [item] = subscription.items.data
  if (!item) throw new Error(`Subscription ${subscription.id} has no items.`)
  return item
}

/** What Stripe tells when a draft is finalized and its card is charged. */
export const collectedTypes = [
  'invoice.finalized',
  'payment_intent.created',
  'invoice.paid',
  'invoice.payment_succeeded',
  'invoice_payment.paid',
  'payment_intent.succeeded',
  'charge.succeeded',
]

/** The types of the events since a moment, for the events of one step. */
export async function typesSince(harness: Harness, step: () => Promise<unknown>): Promise<string[]> {
  const before = (await harness.eventTypes()).length
  await step()
  return (await harness.eventTypes()).slice(before)
}

/** A sandbox with the small catalogue and one subscriber. */
export async function startSubscribed({
  quantity = 1,
  plan = 'pro_monthly' as 'pro_monthly' | 'pro_yearly' | 'teams_monthly',
} = {}) {
  const harness = await startHarness()
  const plans = await newPlans(harness)
  const subscriber = await newSubscriber(harness, { items: [{ price: plans[plan].id, quantity }] })
  const current = () => harness.stripe.subscriptions.retrieve(subscriber.subscription.id)
  return { harness, stripe: harness.stripe, plans, current, ...subscriber }
}

/** The middle of the current period: exactly half is left. */
export function middleOf({ current_period_start, current_period_end }: Stripe.SubscriptionItem): number {
  return current_period_start + (current_period_end - current_period_start) / 2
}

/** A sandbox with the small catalogue, and the hand on its clock. */
export async function startClockwork() {
  const harness = await startHarness()
  const plans = await newPlans(harness)
  const advance = (seconds: number) => harness.knob('clock/advance', { seconds })
  return { harness, stripe: harness.stripe, plans, advance }
}

/** Subscribes to Pro by the month on the payment page's own path. */
export async function subscribe(
  { harness, stripe, plans }: Awaited<ReturnType<typeof startClockwork>>,
  card = '4242424242424242',
  given: Partial<Stripe.Checkout.SessionCreateParams> = {},
) {
  const session = await newSubscriptionCheckout(harness, plans.pro_monthly.id, given)
  await harness.pay(session.id, { card })
  const paid = await stripe.checkout.sessions.retrieve(session.id, { expand: ['subscription'] })
  return paid.subscription as Stripe.Subscription
}
