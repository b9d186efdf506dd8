import { attachSession, recordCustomer } from '../../../schema/billing/checkout/intents.ts'
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
  const customer_id = await customerOf({ database, stripe }, intent)
  await order.prepare?.(customer_id)
  const metadata = { intentId: intent.id }
  const session = await stripe.client.checkout.sessions.create({
    mode: 'subscription',
    customer: customer_id,
    client_reference_id: intent.id,
    metadata,
    subscription_data: { metadata, ...(trial_days > 0 && { trial_period_days: trial_days }) },
    line_items: [
      {
        quantity: seats,
        price: await priceOf(stripe, { plan_type, billing_frequency, unit_amount: amountMinor }),
      },
    ],
    success_url: 'http://localhost:3000/payment/success?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:3000/payment/cancelled',
  })
  await attachSession(database.server, { id: intent.id, stripe_session_id: session.id })
  await stripe.knob(`sessions/${session.id}/pay`, order.card ? { card: order.card } : {})
  const paid = await stripe.client.checkout.sessions.retrieve(session.id)
  return {
    intent_id: intent.id,
    owner_id: owner_id ?? '',
    user_id,
    session_id: session.id,
    customer_id,
    subscription_id: typeof paid.subscription === 'string' ? paid.subscription : null,
  }
}

type CreditsOrder = Pick<PlanOrder, 'user_id'> & { readonly credits?: number }

/** 500 credits, or as many as asked for, that a new user has paid at Stripe. */
export async function buildPaidCredits(shop: Shop, order: CreditsOrder = {}): Promise<PaidPurchase> {
  const opened = await buildOpenCredits(shop, order)
  await shop.stripe.knob(`sessions/${opened.session_id}/pay`)
  return opened
}

/** The same before anything is paid. */
export async function buildOpenCredits(
  { database, stripe }: Shop,
  order: CreditsOrder = {},
): Promise<PaidPurchase> {
  const intent = await buildPurchase(database.server, order)
  const customer_id = await customerOf({ database, stripe }, intent)
  const metadata = { intentId: intent.id, credits: String(intent.credits) }
  const session = await stripe.client.checkout.sessions.create({
    mode: 'payment',
    customer: customer_id,
    client_reference_id: intent.id,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: { currency: 'eur', unit_amount: intent.amount_minor, product_data: { name: 'Credits' } },
      },
    ],
    success_url: 'http://localhost:3000/billing/success?session_id={CHECKOUT_SESSION_ID}',
  })
  await attachSession(database.server, { id: intent.id, stripe_session_id: session.id })
  return {
    intent_id: intent.id,
    owner_id: intent.owner_id,
    user_id: intent.user_id,
    session_id: session.id,
    customer_id,
    subscription_id: null,
  }
}

async function customerOf(
  { database, stripe }: Shop,
  intent: { readonly id: string; readonly user_id: string },
): Promise<string> {
  const customer = await stripe.client.customers.create({ email: `${intent.user_id}@tidemark.test` })
  await recordCustomer(database.server, { id: intent.id, stripe_customer_id: customer.id })
  return customer.id
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
