import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type Stripe from 'stripe'
import { buySeats } from '../../schema/api/organizations.ts'
import { cancelPlan } from '../../schema/api/plan-changes.ts'
import { createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import type { Random } from '../support/random.ts'
import { atStripe, type Customer, turnKnob, type World } from './customer.ts'

/** Support gives money back, all of a payment or a part. */
export async function refund(world: World, customer: Customer, random: Random): Promise<void> {
  const charge = await chooseCharge(world, customer, random)
  if (!charge) return
  const left = charge.amount - charge.amount_refunded
  const amount = random.chance(0.5) ? left : random.int(1, left)
  customer.clawbacks++
  const once = { idempotencyKey: randomUUID() }
  await atStripe(world, (stripe) => stripe.refunds.create({ charge: charge.id, amount }, once))
}

export async function dispute(world: World, customer: Customer, random: Random): Promise<void> {
  const charge = await chooseCharge(world, customer, random)
  if (!charge || charge.disputed) return
  customer.clawbacks++
  await turnKnob(world, `charges/${charge.id}/dispute`)
}

/** The bank decides about the first dispute that is open. */
export async function closeDispute(world: World, customer: Customer, random: Random): Promise<void> {
  for (const charge of (await chargesOf(world, customer)).filter(({ disputed }) => disputed)) {
    const disputes = await atStripe(world, (stripe) => stripe.disputes.list({ charge: charge.id }))
    const open = disputes?.data.find(({ status }) => /needs_response|under_review/.test(status))
    if (!open) continue
    await turnKnob(world, `disputes/${open.id}/close`, { outcome: random.pick(['won', 'lost']) })
    return
  }
}

/** An organization cancels with us, a person on Stripe's page; sometimes support ends a plan at once. */
export async function cancel(world: World, customer: Customer, random: Random): Promise<void> {
  const subscription = await liveSubscription(world, customer)
  if (!subscription) return
  const { id } = subscription
  const { token, user_id } = customer.person
  if (random.chance(0.3)) {
    await atStripe(world, (stripe) => stripe.subscriptions.cancel(id))
  } else if (customer.organization_id) {
    const query = { payer: customer.organization_id }
    await world.client.call(cancelPlan, { token, query, body: {} })
  } else {
    await world.client.call(createCustomerPortalSession, { token, body: { userId: user_id } })
    await atStripe(world, (stripe) => stripe.subscriptions.update(id, { cancel_at_period_end: true }))
  }
}

/** More seats or fewer. Who buys some is led to Stripe's page by us. */
export async function changeSeats(world: World, customer: Customer, random: Random): Promise<void> {
  const subscription = await liveSubscription(world, customer)
  const item = subscription?.items.data[0]
  if (!subscription || !item || customer.kind !== 'team' || subscription.status !== 'active') return
  const from = item.quantity ?? 1
  const quantity = random.chance(0.65) ? from + random.int(1, 4) : random.int(1, from)
  if (quantity === from) return
  if (quantity > from && customer.organization_id) {
    const { token, user_id } = customer.person
    const body = { orgId: customer.organization_id, clerkUserId: user_id, quantity: quantity - from }
    await world.client.call(buySeats, { token, body })
  }
  const once = { idempotencyKey: randomUUID() }
  const changed = await atStripe(world, (stripe) =>
    stripe.subscriptions.update(
      subscription.id,
      {
        items: [{ id: item.id, quantity }],
        proration_behavior: 'always_invoice',
        expand: ['latest_invoice'],
      },
      once,
    ),
  )
  const invoice = changed?.latest_invoice
  if (!invoice || typeof invoice === 'string') return
  const made = { at: invoice.created, to: quantity, invoice: invoice.id ?? '', item: null }
  customer.seatChanges.set(subscription.id, [...(customer.seatChanges.get(subscription.id) ?? []), made])
}

async function chooseCharge(
  world: World,
  customer: Customer,
  random: Random,
): Promise<Stripe.Charge | undefined> {
  const charges = await chargesOf(world, customer)
  const open = charges.filter(({ amount, amount_refunded }) => amount_refunded < amount)
  return open.length > 0 ? random.pick(open) : undefined
}

async function chargesOf(world: World, { customers }: Customer): Promise<Stripe.Charge[]> {
  const found: Stripe.Charge[] = []
  for (const customer of customers) {
    const page = await atStripe(world, (stripe) => stripe.charges.list({ customer, limit: 100 }))
    found.push(...(page?.data.filter(({ status }) => status === 'succeeded') ?? []))
  }
  return found
}

async function liveSubscription(
  world: World,
  { customers }: Customer,
): Promise<Stripe.Subscription | undefined> {
  for (const customer of customers) {
    const page = await atStripe(world, (stripe) => stripe.subscriptions.list({ customer, limit: 100 }))
    const live = page?.data.find(({ status }) => ['active', 'trialing', 'past_due'].includes(status))
    if (!live) continue
    // Stripe's times are whole seconds, so events in the first second may precede it.
    const age_ms = (await world.system.now()).getTime() - live.start_date * 1000
    if (age_ms < 2000) await delay(2000 - age_ms)
    return live
  }
  return undefined
}
