import type { EventSource, InboxEvent } from '../../schema/inbox/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { readClerkEvent } from './clerk-event.ts'
import type { EventNeeds } from './event-needs.ts'
import { readStripeEvent } from './stripe-event.ts'

/** Reads an event of the inbox. Throws when its format is not recognized, or its payload cannot be read now. */
export function readEvent(
  deps: Pick<WorkerDependencies, 'livemode'>,
  source: EventSource,
  { id, state, payload }: Pick<InboxEvent, 'id' | 'state' | 'payload'>,
): EventNeeds {
  // A statement that is planned before a month is made, and reads after a payload was moved there, misses it.
  if (payload === null && state === 'received') {
    throw new NotYetError(`The payload of event ${id} moves to another month`)
  }
  return source === 'stripe' ? readStripeEvent(payload, deps) : readClerkEvent(payload)
}
