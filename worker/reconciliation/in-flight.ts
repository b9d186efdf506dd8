import { sql } from 'kysely'
import { listedEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { graceMs, seconds } from './comparison.ts'
import { oldMs } from './waiting-rows.ts'

const maximumEvents = 2000
/** More waiting events than these are a backlog, which is a finding of its own. */
const maximumWaiting = 5000

/** Where an event names what it is about. */
const fields = [
  'id',
  'charge',
  'subscription',
  'client_reference_id',
  'payment_intent',
  'organization_id',
] as const

/**
 * Ids of everything that is on its way to us at this moment: what Stripe has sent an event about within the
 * last minutes, and what the events are about that wait for a try, until they are too old to be only on their
 * way.
 */
export async function listInFlight(
  { stripe, db }: Pick<WorkerDependencies, 'stripe' | 'db'>,
  now: Date,
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  const recent = stripe.events.list({
    types: [...listedEventTypes],
    created: { gte: seconds(new Date(now.getTime() - graceMs)) },
    limit: 100,
  })
  let read = 0
  for await (const event of recent) {
    addIds(ids, event.data.object)
    if (++read === maximumEvents) break
  }
  const { rows } = await sql<{ object: unknown }>`
    SELECT jsonb_strip_nulls(jsonb_build_object(
      'id', e.payload #> '{data,object,id}', 'charge', e.payload #> '{data,object,charge}',
      'subscription', coalesce(e.payload #> '{data,object,subscription}',
        e.payload #> '{data,object,parent,subscription_details,subscription}'),
      'client_reference_id', e.payload #> '{data,object,client_reference_id}',
      'organization_id', coalesce(e.payload #> '{data,organization_id}', e.payload #> '{data,organization,id}'))) AS object
    FROM inbox_events e WHERE e.finished_at IS NULL AND e.received_at > ${new Date(now.getTime() - oldMs)}
    ORDER BY e.received_at DESC LIMIT ${maximumWaiting}`.execute(db)
  for (const { object } of rows) addIds(ids, object)
  return ids
}

function addIds(ids: Set<string>, object: unknown): void {
  if (typeof object !== 'object' || object === null) return
  for (const field of fields) {
    const value: unknown = Reflect.get(object, field)
    if (typeof value === 'string') ids.add(value)
  }
  const details: unknown = Reflect.get(Object(Reflect.get(object, 'parent')), 'subscription_details')
  const subscription: unknown = Reflect.get(Object(details), 'subscription')
  if (typeof subscription === 'string') ids.add(subscription)
}
