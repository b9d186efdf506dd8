import type Stripe from 'stripe'
import {
  attachSession,
  type CheckoutIntent,
  recordCustomer,
} from '../../../schema/billing/checkout/intents.ts'
import { soldPlanOf } from '../../../schema/catalogue/sold-plans.ts'
import { productIdOf } from '../../../schema/vendors/stripe/catalogue.ts'
import type { TestProduct } from '../product/start-test-product.ts'
import type { TestStripe } from '../services/stripe.ts'
import { buildPlanOrder, buildPurchase, type PlanTerms } from './purchases.ts'
import { buildUser } from './users.ts'

export interface PaidPurchase {
  readonly intent_id: string
  readonly owner_id: string
  readonly user_id: string
  readonly session_id: string
  readonly customer_id: string
  /** Null for credits. */
  readonly subscription_id: string | null
}

export interface PlanOrder extends Omit<PlanTerms, 'currency' | 'price_minor'> {
  readonly card?: string
  /** Null for a team whose organization is made when it is paid. */
  readonly owner_id?: string | null
  /** The checkout's amount, when it is not the price. */
  readonly intended_minor?: number
  /** The trial of the order, when the checkout has another. */
  readonly intended_trial_days?: number
  /** The buyer; a new user by default. */
  readonly user_id?: string
  /** What happens to the customer before the checkout is opened. */
  readonly prepare?: (customerId: string) => Promise<unknown>
  /** The buyer's plan that ends when this one is paid. */
  readonly ends_subscription_id?: string | null
}

type Shop = Pick<TestProduct, 'database' | 'stripe'>

/** A plan that a new user has paid at Stripe. Its events are left to the worker. */
export async function buildPaidPlan(
  { database, stripe }: Shop,
  order: PlanOrder = {},
): Promise<PaidPurchase> {
  const { plan_type = 'pro', billing_frequency = 'monthly', seats = 1, trial_days = 0 } = order
  const amountMinor = soldPlanOf(plan_type).price_minor[billing_frequency]
  const user_id = order.user_id ?? (await buildUser(database.server))
  const owner_id = order.owner_id === undefined ? user_id : order.owner_id
  const intent = await buildPlanOrder(database, {
    user_id,
    owner_id,
    plan_type,
    billing_frequency,
    seats,
    trial_days: order.intended_trial_days ?? trial_days,
    ...(order.credits_per_seat && { credits_per_seat: order.credits_per_seat }),
    ...(order.intended_minor && { price_minor: order.intended_minor / seats }),
    ends_subscription_id: order.ends_subscription_id ?? null,
  })
  const price = await priceOf(stripe, { plan_type, billing_frequency, unit_amount: amountMinor })
  const subscription_data = {
    metadata: { intentId: intent.id },
    ...(trial_days > 0 && { trial_period_days: trial_days }),
  }
  const opened = await openPage(
    { database, stripe },
    intent,
    { mode: 'subscription', subscription_data, line_items: [{ quantity: seats, price }] },
    order.prepare,
  )
  await stripe.knob(`sessions/${opened.session_id}/pay`, order.card ? { card: order.card } : {})
  const { subscription } = await stripe.client.checkout.sessions.retrieve(opened.session_id)
  return { ...opened, subscription_id: typeof subscription === 'string' ? subscription : null }
}

/** The same, applied by the worker with all that waits. */
export async function buyPlan(product: TestProduct, order?: PlanOrder): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, order)
  await product.worker.catchUp()
  return bought
}

type CreditsOrder = Pick<PlanOrder, 'user_id'> & { readonly credits?: number }

/** 500 credits, or as many as asked for, that a new user has paid at Stripe. */
export async function buildPaidCredits(shop: Shop, order: CreditsOrder = {}): Promise<PaidPurchase> {
  const opened = await buildOpenCredits(shop, order)
  await shop.stripe.knob(`sessions/${opened.session_id}/pay`)
  return opened
}

/** The same, applied by the worker with all that waits. */
export async function buyCredits(product: TestProduct, order?: CreditsOrder): Promise<PaidPurchase> {
  const bought = await buildPaidCredits(product, order)
  await product.worker.catchUp()
  return bought
}

/** 500 credits, or as many as asked for, before anything is paid. */
export async function buildOpenCredits(
  { database, stripe }: Shop,
  order: CreditsOrder = {},
): Promise<PaidPurchase> {
  const intent = await buildPurchase(database.server, order)
  const metadata = { intentId: intent.id, credits: String(intent.credits) }
  const price_data = {
    currency: 'eur',
    unit_amount: intent.amount_minor,
    product_data: { name: 'Credits' },
  }
  return openPage({ database, stripe }, intent, {
    mode: 'payment',
    metadata,
    payment_intent_data: { metadata },
    line_items: [{ quantity: 1, price_data }],
  })
}

/** The payment page of an order, for a new customer. */
async function openPage(
  { database, stripe }: Shop,
  { id, user_id, owner_id }: CheckoutIntent,
  params: Stripe.Checkout.SessionCreateParams,
  prepare?: PlanOrder['prepare'],
): Promise<PaidPurchase> {
  const { id: customer_id } = await stripe.client.customers.create({ email: `${user_id}@tidemark.test` })
  await recordCustomer(database.server, { id, stripe_customer_id: customer_id })
  await prepare?.(customer_id)
  const { id: session_id } = await stripe.client.checkout.sessions.create({
    customer: customer_id,
    client_reference_id: id,
    metadata: { intentId: id },
    success_url: 'http://localhost:3000/payment/success?session_id={CHECKOUT_SESSION_ID}',
    ...params,
  })
  await attachSession(database.server, { id, stripe_session_id: session_id })
  return { intent_id: id, owner_id: owner_id ?? '', user_id, session_id, customer_id, subscription_id: null }
}

/** A price of its own for each plan, found again by its lookup key. */
async function priceOf(
  stripe: TestStripe,
  plan: {
    readonly plan_type: string
    readonly billing_frequency: string
    readonly unit_amount: number
  },
): Promise<string> {
  const lookup_key = `${plan.plan_type}_${plan.billing_frequency}`
  const { data } = await stripe.client.prices.list({ lookup_keys: [lookup_key], limit: 1 })
  if (data[0]) return data[0].id
  const product = productIdOf(plan.plan_type)
  await stripe.client.products
    .retrieve(product)
    .catch(() => stripe.client.products.create({ id: product, name: plan.plan_type }))
  const price = await stripe.client.prices.create({
    product,
    lookup_key,
    currency: 'eur',
    unit_amount: plan.unit_amount,
    recurring: { interval: plan.billing_frequency === 'yearly' ? 'year' : 'month' },
  })
  return price.id
}
