import type Stripe from 'stripe'
import { processPaymentSuccess } from '../../schema/api/checkout.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { type Person, signUp } from '../support/services/clerk.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { FaultyProduct } from './faulty-product.ts'
import { isMishap, strike } from './mishaps.ts'
import type { PlanHistory, PlannedPlan, PlanStep } from './plan-history.ts'
import { ignoreCut, ignoreRefusal, sessionAt, withoutFaults } from './play.ts'

export interface PlayedPlan {
  readonly person: Person
  readonly customer_id: string
  readonly subscription_id: string
}

interface Playing extends PlayedPlan {
  readonly session_id: string
  readonly delivered: Set<string>
}

/** Buys the plan as a person would and lets happen to it what the history says. */
export async function playPlan(product: FaultyProduct, history: PlanHistory): Promise<PlayedPlan> {
  const playing = await buy(product, history.plan)
  for (const step of history.steps) await take(product, playing, step)
  return playing
}

async function buy(product: FaultyProduct, plan: PlannedPlan): Promise<Playing> {
  const person = await signUp(product.clerk, { first_name: 'Ada' })
  const session_id = await waitUntil(async () => {
    const { status, body } = await product.server.api(createCheckoutSession, {
      token: person.token,
      body: {
        planType: plan.plan,
        billingFrequency: plan.frequency,
        currency: 'EUR',
        seats: plan.seats,
        clerkUserId: person.user_id,
      },
    })
    return status === 200 && (body as { sessionId: string }).sessionId
  }, 'the checkout of a plan to start')
  await product.stripe.knob(
    `sessions/${session_id}/pay`,
    plan.card === 'fails_later' ? { card: '4000000000000341' } : {},
  )
  const session = await sessionAt(product, session_id)
  return {
    person,
    session_id,
    customer_id: String(session.customer),
    subscription_id: String(session.subscription),
    delivered: new Set(),
  }
}

async function take(product: FaultyProduct, playing: Playing, step: PlanStep): Promise<void> {
  if (isMishap(step)) return strike(product, step)
  const stripe = product.stripe.client
  switch (step.do) {
    case 'deliver':
      return deliver(product, playing, step)
    case 'return':
      await product.server
        .api(processPaymentSuccess, {
          token: playing.person.token,
          body: { sessionId: playing.session_id, clerkUserId: playing.person.user_id },
        })
        .catch(ignoreCut)
      return
    case 'days':
      product.clock.advance(step.days * 86_400_000)
      await product.stripe.knob('clock/advance', { seconds: step.days * 86_400 })
      return
    case 'seats':
      return changeSeats(product, playing, step.seats)
    case 'refund': {
      const charge = await latestCharge(product, playing)
      if (!charge) return
      const left = charge.amount - charge.amount_refunded
      const amount = Math.min(left, Math.ceil((charge.amount * step.percent) / 100))
      if (amount > 0)
        await withoutFaults(product, () => stripe.refunds.create({ charge: charge.id, amount })).catch(
          ignoreStripe,
        )
      return
    }
    case 'dispute': {
      const charge = await latestCharge(product, playing)
      if (charge) await product.stripe.knob(`charges/${charge.id}/dispute`).catch(ignoreRefusal)
      return
    }
    case 'close_dispute': {
      const charge = await latestCharge(product, playing)
      if (!charge) return
      const { data } = await withoutFaults(product, () =>
        stripe.disputes.list({ charge: charge.id, limit: 1 }),
      )
      if (data[0])
        await product.stripe
          .knob(`disputes/${data[0].id}/close`, { outcome: step.outcome })
          .catch(ignoreRefusal)
      return
    }
    case 'cancel':
      await withoutFaults(product, () =>
        step.when === 'now'
          ? stripe.subscriptions.cancel(playing.subscription_id)
          : stripe.subscriptions.update(playing.subscription_id, { cancel_at_period_end: true }),
      ).catch(ignoreStripe)
  }
}

async function changeSeats(product: FaultyProduct, playing: Playing, quantity: number): Promise<void> {
  const subscription = await withoutFaults(product, () =>
    product.stripe.client.subscriptions.retrieve(playing.subscription_id),
  )
  const [item] = subscription.items.data
  if (!item || item.quantity === 1 || subscription.status !== 'active') return
  await withoutFaults(product, () =>
    product.stripe.client.subscriptions.update(subscription.id, {
      items: [{ id: item.id, quantity }],
      proration_behavior: 'always_invoice',
    }),
  ).catch(ignoreStripe)
}

async function latestCharge(product: FaultyProduct, playing: PlayedPlan): Promise<Stripe.Charge | undefined> {
  const { data } = await withoutFaults(product, () =>
    product.stripe.client.charges.list({ customer: playing.customer_id, limit: 10 }),
  )
  return data.find((charge) => charge.status === 'succeeded')
}

/** Stripe refuses what cannot be done any more, such as cancelling twice. */
function ignoreStripe(error: unknown): void {
  if (
    !(
      error instanceof Error &&
      'statusCode' in error &&
      (error.statusCode === 400 || error.statusCode === 404)
    )
  )
    throw error
}

async function deliver(
  product: FaultyProduct,
  playing: Playing,
  step: { readonly share: number; readonly order: 'sent' | 'reversed' | 'shuffled'; readonly times: number },
): Promise<void> {
  const waiting = (await eventsOf(product, playing)).filter((event) => !playing.delivered.has(event.id))
  const ordered = {
    sent: waiting,
    reversed: waiting.toReversed(),
    // Random enough and the same for the same ids.
    shuffled: waiting.toSorted((a, b) => a.id.localeCompare(b.id)),
  }[step.order]
  for (const event of ordered.slice(0, Math.ceil(ordered.length * step.share))) {
    const { deliveries } = await product.stripe.knob<{ deliveries: { status?: number | null }[] }>(
      `events/${event.id}/deliver`,
      { times: step.times, parallel: step.times > 1 },
    )
    if (deliveries.some(({ status }) => status === 200)) playing.delivered.add(event.id)
  }
}

/** Every event of the person's customer, oldest first. Refunds and disputes name a charge instead. */
export async function eventsOf(product: FaultyProduct, played: PlayedPlan): Promise<Stripe.Event[]> {
  return withoutFaults(product, async () => {
    const charges = await product.stripe.client.charges.list({ customer: played.customer_id, limit: 100 })
    const names = [played.customer_id, ...charges.data.map((charge) => charge.id)]
    const events: Stripe.Event[] = []
    for await (const event of product.stripe.client.events.list({ limit: 100 })) {
      const text = JSON.stringify(event.data.object)
      if (names.some((name) => text.includes(name))) events.push(event)
      if (event.type === 'customer.created' && text.includes(played.customer_id)) break
    }
    return events.reverse()
  })
}
