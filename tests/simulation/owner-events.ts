import type Stripe from 'stripe'
import { isStripeEventType } from '../../schema/stripe/event-types.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import type { Turn } from './owner-history.ts'
import { withoutFaults } from './play.ts'

export interface Arrival extends Pick<Turn, 'order' | 'times'> {
  readonly share: number
  /** Those that have arrived before, instead of the others. */
  readonly again?: boolean
}

/** Lets a share of the events arrive, of the types that our webhook asks for; those that arrive 0 times never do. */
export async function deliver(product: FaultyProduct, owner: Owner, arrival: Arrival): Promise<void> {
  const { share, order, times, again = false } = arrival
  const chosen = (await eventsOf(product, owner)).filter(
    ({ id }) => owner.delivered.has(id) === again && !owner.dropped.has(id),
  )
  const ordered = {
    sent: chosen,
    reversed: chosen.toReversed(),
    // Random enough and the same for the same ids.
    shuffled: chosen.toSorted((a, b) => a.id.localeCompare(b.id)),
  }[order]
  for (const { id } of ordered.slice(0, Math.ceil(ordered.length * share))) {
    if (times === 0) {
      owner.dropped.add(id)
      continue
    }
    await send(product, owner, { id, times })
  }
}

/** Lets the rest of the events arrive when `trouble` has begun, which ends by itself. */
export async function deliverInto(
  product: FaultyProduct,
  owner: Owner,
  trouble: () => Promise<void>,
): Promise<void> {
  const events = (await eventsOf(product, owner)).filter(
    ({ id }) => !owner.delivered.has(id) && !owner.dropped.has(id),
  )
  const troubled = trouble()
  for (const { id } of events) await send(product, owner, { id, times: 1 })
  await troubled
}

async function send(
  product: FaultyProduct,
  owner: Owner,
  { id, times }: { id: string; times: number },
): Promise<void> {
  const { deliveries } = await product.stripe.knob<{ deliveries: { status?: number | null }[] }>(
    `events/${id}/deliver`,
    { times, parallel: times > 1 },
  )
  if (deliveries.some(({ status }) => status === 200)) owner.delivered.add(id)
}

/** Sends a signed event, which Stripe never made, of a session that needed no payment. */
export async function claimFree(product: FaultyProduct, owner: Owner, sessionId: string): Promise<void> {
  const session = await withoutFaults(product, () =>
    product.stripe.client.checkout.sessions.retrieve(sessionId),
  )
  const id = `evt_forged_${sessionId.slice(-24)}`
  const payload = JSON.stringify({
    id,
    object: 'event',
    type: 'checkout.session.completed',
    created: Math.floor(product.clock.now().getTime() / 1000),
    data: { object: { ...session, status: 'complete', payment_status: 'no_payment_required' } },
  })
  const { server } = product
  const stripe = product.stripe.client
  const secret = server.deps.settings.stripe_webhook_secret
  const signature = stripe.webhooks.generateTestHeaderString({ payload, secret })
  const answer = await fetch(`${server.url}/api/stripe/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: payload,
  })
  if (answer.status === 200) owner.forged.add(id)
}

/** Every event of the owner's customers, oldest first. Refunds and disputes name a charge instead. */
async function eventsOf(product: FaultyProduct, owner: Owner): Promise<Stripe.Event[]> {
  return withoutFaults(product, async () => {
    const names = [...owner.customers]
    for (const customer of owner.customers)
      for await (const { id } of product.stripe.client.charges.list({ customer, limit: 100 })) names.push(id)
    const events: Stripe.Event[] = []
    for await (const event of product.stripe.client.events.list({ limit: 100 })) {
      if (event.created < owner.born_at) break
      const text = JSON.stringify(event.data.object)
      if (isStripeEventType(event.type) && names.some((name) => text.includes(name))) events.push(event)
    }
    return events.reverse()
  })
}
