import type Stripe from 'stripe'
import { objectOfStripeEvent } from '../../schema/vendors/stripe/event-types.ts'
import type { FaultyProduct } from './faulty-product.ts'
import type { Owner } from './owner.ts'
import type { Turn } from './owner-history.ts'
import { ignoreCut, withoutFaults } from './play.ts'

export interface Arrival extends Pick<Turn, 'order' | 'times'> {
  readonly share: number
  /** The dropped events are missing in Stripe's list for some minutes too. */
  readonly late?: boolean
  /** Delivers earlier events again, instead of new ones. */
  readonly again?: boolean
}

/**
 * Stripe lists events for 30 days (https://docs.stripe.com/api/events). A lost one that the reader has not
 * found by then cannot be found any more, so time that passes in one step loses none of that age.
 */
const listed_s = 29 * 86_400

/** Delivers a share of the webhook's events; those with 0 deliveries never arrive. */
export async function deliver(product: FaultyProduct, owner: Owner, arrival: Arrival): Promise<void> {
  const { share, order, times, again = false, late = false } = arrival
  const chosen = (await eventsOf(product, owner)).filter(({ id }) =>
    again ? owner.delivered.has(id) : isUnderWay(owner, id),
  )
  const ordered = {
    sent: chosen,
    reversed: chosen.toReversed(),
    // Random enough and the same for the same ids.
    shuffled: chosen.toSorted((a, b) => a.id.localeCompare(b.id)),
  }[order]
  for (const { id, created } of ordered.slice(0, Math.ceil(ordered.length * share))) {
    if (times === 0 && product.timeAtStripe() - created < listed_s) {
      owner.dropped.add(id)
      if (late) {
        await product.stripe.knob(`events/${id}/list`, { listed: false })
        owner.unlisted.add(id)
      }
      continue
    }
    await send(product, owner, { id, times: Math.max(1, times) })
  }
}

/** Lets the rest of the events arrive when the faults have begun. Stripe is asked for them before that. */
export async function deliverInto(
  product: FaultyProduct,
  owner: Owner,
  beginFaults: () => Promise<void>,
): Promise<void> {
  const events = (await eventsOf(product, owner)).filter(({ id }) => isUnderWay(owner, id))
  await beginFaults()
  for (const { id } of events) await send(product, owner, { id, times: 1 })
}

/** Lets the events of a customer arrive that is none of ours; none of them may be applied. */
export async function deliverContradicting(
  product: FaultyProduct,
  owner: Owner,
  customer: string,
): Promise<void> {
  for (const { id } of await eventsOf(product, { ...owner, customers: new Set([customer]) })) {
    await send(product, owner, { id, times: 1 })
    owner.forged.add(id)
  }
}

function isUnderWay({ delivered, dropped, damaged }: Owner, id: string): boolean {
  return !delivered.has(id) && !dropped.has(id) && !damaged.has(id)
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

/** Makes Stripe's list complete. */
export async function listLate({ stripe }: FaultyProduct, { unlisted }: Owner): Promise<void> {
  for (const id of unlisted) await stripe.knob(`events/${id}/list`, { listed: true })
  unlisted.clear()
}

/** Lets events arrive that Postgres cannot store as JSON. */
export async function deliverDamaged(product: FaultyProduct, owner: Owner): Promise<void> {
  for (const event of (await eventsOf(product, owner)).filter(({ id }) => isUnderWay(owner, id))) {
    const object = { ...event.data.object, description: 'A\0da' }
    if ((await post(product, { ...event, data: { object } })) === 200) owner.damaged.add(event.id)
  }
}

/** Sends a signed event, which Stripe never made, of a session that needed no payment. */
export async function claimFree(product: FaultyProduct, owner: Owner, sessionId: string): Promise<void> {
  const session = await withoutFaults(product, () =>
    product.stripe.client.checkout.sessions.retrieve(sessionId),
  )
  const id = `evt_forged_${sessionId.slice(-24)}`
  const status = await post(product, {
    id,
    object: 'event',
    type: 'checkout.session.completed',
    created: Math.floor(product.timeAtStripe()),
    data: { object: { ...session, status: 'complete', payment_status: 'no_payment_required' } },
  })
  if (status === 200) owner.forged.add(id)
}

/** Signs an event as Stripe does. Returns our answer's status; null when the wire was cut. */
async function post({ server, stripe }: FaultyProduct, event: object): Promise<number | null> {
  const payload = JSON.stringify(event)
  const secret = server.deps.settings.stripe_webhook_secrets[0]
  const signature = stripe.client.webhooks.generateTestHeaderString({ payload, secret })
  const answer = await fetch(`${server.url}/api/stripe/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'stripe-signature': signature },
    body: payload,
  }).catch(ignoreCut)
  return answer?.status ?? null
}

/** Every event of the owner's customers, oldest first. Refunds and disputes name a charge instead. */
async function eventsOf(product: FaultyProduct, owner: Owner): Promise<Stripe.Event[]> {
  return withoutFaults(product, async () => {
    const names = [...owner.customers]
    for (const customer of owner.customers)
      for await (const { id } of product.stripe.client.charges.list({ customer, limit: 100 })) names.push(id)
    const events: Stripe.Event[] = []
    const created = { gte: owner.born_at }
    for await (const event of product.stripe.client.events.list({ created, limit: 100 })) {
      const text = JSON.stringify(event.data.object)
      if (objectOfStripeEvent(event.type) && names.some((name) => text.includes(name))) events.push(event)
    }
    return events.reverse()
  })
}
