import { randomUUID } from 'node:crypto'
import type Stripe from 'stripe'
import {
  attachSession,
  insertIntent,
  type NewSubscriptionCheckout,
  recordCustomer,
} from '../../schema/checkout/intents.ts'
import { createStripe } from '../../schema/stripe/client.ts'
import { stripeEventSchema } from '../../schema/stripe/events.ts'
import type { WorkerDependencies } from '../../worker/dependencies.ts'
import { processInboxEvent } from '../../worker/jobs/inbox-event.ts'
import type { TestDatabase } from './database.ts'
import { insertPurchase, insertUser } from './records.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { receiveStripeEvent } from './stripe-events.ts'
import { createTestDependencies } from './worker.ts'

export interface Bought {
  readonly intent_id: string
  readonly owner: { readonly owner_kind: 'user' | 'organization'; readonly owner_id: string }
  readonly user_id: string
  readonly session_id: string
  readonly customer_id: string
  /** Null for credits. */
  readonly subscription_id: string | null
}

export interface PlanOrder {
  readonly plan_type?: 'pro' | 'teams'
  readonly billing_frequency?: 'monthly' | 'yearly'
  readonly seats?: number
  readonly trial_days?: number
  readonly card?: string
  /** As the catalogue had it when the checkout was opened. */
  readonly credits_per_seat?: number
  readonly owner?: Bought['owner']
}

/**
 * A worker's surroundings with the payment sandbox behind them, for tests of what follows from Stripe's events. Nothing is
 * delivered by itself: the test says which events arrive, in which order and how often.
 */
export interface Shop {
  readonly deps: WorkerDependencies
  readonly stripe: Stripe
  readonly sandbox: Sandbox
  buyPlan(order?: PlanOrder): Promise<Bought>
  buyCredits(): Promise<Bought>
  /** All events since the last call, oldest first. */
  takeEvents(): Promise<Stripe.Event[]>
  /** Lets them arrive in this order; one that comes too early is tried again afterwards, as the queue would. */
  deliver(events: readonly Stripe.Event[]): Promise<void>
  /** Lets everything that happened since arrive, in Stripe's order. */
  catchUp(): Promise<void>
  /** Lets time pass, at Stripe and for us. */
  advance(days: number): Promise<void>
  close(): Promise<void>
}

export async function openShop(database: TestDatabase): Promise<Shop> {
  const sandbox = await startSandbox('stripe', { env: { SANDBOX_STRIPE_DELAYED_PAYMENT_MS: 'never' } })
  const stripe = createStripe({ secretKey: 'sk_test_sandbox', apiBase: sandbox.url })
  let offsetMs = 0
  const deps = createTestDependencies(database, { stripe, now: () => new Date(Date.now() + offsetMs) })
  const prices = new Map<string, string>()
  const taken = new Set<string>()

  async function priceOf(
    plan: 'pro' | 'teams',
    frequency: 'monthly' | 'yearly',
  ): Promise<{ id: string; minor: number }> {
    const minor = { pro: { monthly: 2000, yearly: 19_200 }, teams: { monthly: 3000, yearly: 28_800 } }[plan][
      frequency
    ]
    const key = `${plan}_${frequency}`
    let id = prices.get(key)
    if (!id) {
      const product = await stripe.products.create({ name: plan })
      const interval = frequency === 'yearly' ? 'year' : 'month'
      const price = await stripe.prices.create({
        product: product.id,
        currency: 'eur',
        unit_amount: minor,
        recurring: { interval },
      })
      id = price.id
      prices.set(key, id)
    }
    return { id, minor }
  }

  async function eventsNow(): Promise<Stripe.Event[]> {
    const all: Stripe.Event[] = []
    for await (const event of stripe.events.list({ limit: 100 })) all.push(event)
    return all.reverse()
  }

  const shop: Shop = {
    deps,
    stripe,
    sandbox,
    async buyPlan(order = {}) {
      const {
        plan_type = 'pro',
        billing_frequency = 'monthly',
        seats = 1,
        trial_days = 0,
        credits_per_seat = 500,
      } = order
      const price = await priceOf(plan_type, billing_frequency)
      const user_id = await insertUser(database.server)
      const owner = order.owner ?? { owner_kind: 'user' as const, owner_id: user_id }
      const intent: NewSubscriptionCheckout = {
        id: randomUUID(),
        kind: 'subscription',
        user_id,
        ...owner,
        credits: credits_per_seat * seats,
        credits_per_seat,
        amount_minor: price.minor * seats,
        currency: 'EUR',
        plan_type,
        billing_frequency,
        seats,
        trial_days,
        sweep_at: new Date(Date.now() + 3_600_000),
      }
      await insertIntent(database.server, intent)
      const customer = await stripe.customers.create({ email: `${user_id}@tidemark.test` })
      await recordCustomer(database.server, { id: intent.id, stripe_customer_id: customer.id })
      const metadata = { intentId: intent.id }
      const session = await stripe.checkout.sessions.create({
        mode: 'subscription',
        customer: customer.id,
        client_reference_id: intent.id,
        metadata,
        subscription_data: { metadata, ...(trial_days > 0 && { trial_period_days: trial_days }) },
        line_items: [{ price: price.id, quantity: seats }],
        success_url: 'http://localhost:3000/payment/success?session_id={CHECKOUT_SESSION_ID}',
        cancel_url: 'http://localhost:3000/payment/cancelled',
      })
      await attachSession(database.server, { id: intent.id, stripe_session_id: session.id })
      await sandbox.knob(`sessions/${session.id}/pay`, order.card ? { card: order.card } : {})
      const paid = await stripe.checkout.sessions.retrieve(session.id)
      return {
        intent_id: intent.id,
        owner,
        user_id,
        session_id: session.id,
        customer_id: customer.id,
        subscription_id: typeof paid.subscription === 'string' ? paid.subscription : null,
      }
    },
    async buyCredits() {
      const intent = await insertPurchase(database.server)
      const customer = await stripe.customers.create({ email: `${intent.user_id}@tidemark.test` })
      await recordCustomer(database.server, { id: intent.id, stripe_customer_id: customer.id })
      const metadata = { intentId: intent.id, credits: '500' }
      const session = await stripe.checkout.sessions.create({
        mode: 'payment',
        customer: customer.id,
        client_reference_id: intent.id,
        metadata,
        payment_intent_data: { metadata },
        line_items: [
          {
            quantity: 1,
            price_data: { currency: 'eur', unit_amount: 700, product_data: { name: '500 credits' } },
          },
        ],
        success_url: 'http://localhost:3000/billing/success?session_id={CHECKOUT_SESSION_ID}',
      })
      await attachSession(database.server, { id: intent.id, stripe_session_id: session.id })
      await sandbox.knob(`sessions/${session.id}/pay`)
      return {
        intent_id: intent.id,
        owner: { owner_kind: 'user', owner_id: intent.owner_id },
        user_id: intent.user_id,
        session_id: session.id,
        customer_id: customer.id,
        subscription_id: null,
      }
    },
    async takeEvents() {
      const fresh = (await eventsNow()).filter((event) => !taken.has(event.id))
      for (const event of fresh) taken.add(event.id)
      return fresh
    },
    async deliver(events) {
      const early: string[] = []
      for (const event of events) {
        const id = await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
        await processInboxEvent(deps, { source: 'stripe', id }).catch(() => early.push(id))
      }
      for (const id of early) await processInboxEvent(deps, { source: 'stripe', id })
    },
    async catchUp() {
      await shop.deliver(await shop.takeEvents())
    },
    async advance(days) {
      offsetMs += days * 86_400_000
      await sandbox.knob('clock/advance', { seconds: Math.round(days * 86_400) })
    },
    close: () => sandbox.stop(),
  }
  return shop
}
