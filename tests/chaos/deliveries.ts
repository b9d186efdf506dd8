import { listedEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import type { System } from './system.ts'
import { untilDone } from './until-done.ts'

interface Delivery {
  readonly event: string
  readonly state: 'pending' | 'delivered' | 'abandoned' | 'withheld'
  readonly attempts: number
}

/** The outcome of the webhooks, by the senders' records. */
export async function whatStripeSent({ stripe, clerk }: Pick<System, 'stripe' | 'clerk'>) {
  const { deliveries } = await read<{ deliveries: Delivery[] }>(`${stripe.url}/_sandbox/deliveries`)
  const { data: ofClerk } = await read<{ data: { id: string; status: string }[] }>(
    `${clerk.url}/_sandbox/events`,
  )
  const listed = new Set<string>()
  for await (const event of stripe.client.events.list({ limit: 100, types: [...listedEventTypes] }))
    listed.add(event.id)
  const distinct = new Set(deliveries.map(({ event }) => event))
  const inState = (state: Delivery['state']) =>
    deliveries.filter((delivery) => delivery.state === state).length
  const sent = deliveries.length - inState('withheld')
  return {
    /** Stripe's events that must be in the inbox in the end. */
    events: [...distinct].filter((id) => listed.has(id)),
    figures: {
      'events of Stripe': distinct.size,
      'copies sent': sent,
      'tries of these': deliveries.reduce((sum, { attempts }) => sum + attempts, 0),
      'copies beyond the first': deliveries.length - distinct.size,
      'never sent': inState('withheld'),
      'events of Clerk': ofClerk.length,
      'of these never sent': ofClerk.filter(({ status }) => status === 'withheld').length,
    },
    /** Clerk's events that are still retried. */
    pendingOfClerk: ofClerk.filter(({ status }) => status === 'pending').map(({ id }) => id),
  }
}

/** How many copies of Stripe's events were sent so far. */
export async function countCopies({ stripe }: Pick<System, 'stripe'>): Promise<number> {
  const { deliveries } = await read<{ deliveries: Record<string, number> }>(`${stripe.url}/_sandbox`)
  const { withheld = 0, ...sent } = deliveries
  return Object.values(sent).reduce((sum, count) => sum + count, 0)
}

async function read<T>(url: string): Promise<T> {
  return untilDone(async () => (await (await fetch(url)).json()) as T)
}
