import type Stripe from 'stripe'
import type { Owner } from './owner.ts'
import type { Turn } from './owner-history.ts'
import { withoutFaults } from './play.ts'
import type { World } from './world.ts'

export interface Arrival extends Pick<Turn, 'order' | 'times'> {
  readonly share: number
  /** Those that have arrived before, instead of the others. */
  readonly again?: boolean
}

/** Lets a share of the events arrive; those that arrive 0 times never do. */
export async function deliver(world: World, owner: Owner, arrival: Arrival): Promise<void> {
  const { share, order, times, again = false } = arrival
  const chosen = (await eventsOf(world, owner)).filter(
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
    const { deliveries } = await world.stripeSandbox.knob<{ deliveries: { status?: number | null }[] }>(
      `events/${id}/deliver`,
      { times, parallel: times > 1 },
    )
    if (deliveries.some(({ status }) => status === 200)) owner.delivered.add(id)
  }
}

/** Every event of the owner's customers, oldest first. Refunds and disputes name a charge instead. */
async function eventsOf(world: World, owner: Owner): Promise<Stripe.Event[]> {
  return withoutFaults(world, async () => {
    const names = [...owner.customers]
    for (const customer of owner.customers)
      for await (const { id } of world.stripe.charges.list({ customer, limit: 100 })) names.push(id)
    const events: Stripe.Event[] = []
    for await (const event of world.stripe.events.list({ limit: 100 })) {
      if (event.created < owner.born_at) break
      const text = JSON.stringify(event.data.object)
      if (names.some((name) => text.includes(name))) events.push(event)
    }
    return events.reverse()
  })
}
