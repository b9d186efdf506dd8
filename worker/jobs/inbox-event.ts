import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import { type EventKey, failEvent, findEvent } from '../../schema/inbox/events.ts'
import { noteInSpan } from '../../schema/tracing.ts'
import { applyEvent, type PrepareEvent } from '../apply/apply-event.ts'
import { keepRoom } from '../apply/clerk/keep-room.ts'
import { prepareClerkEvent } from '../apply/clerk-event.ts'
import { prepareStripeEvent } from '../apply/stripe-event.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { tryRow } from './try-row.ts'

export const prepareBySource: Record<EventKey['source'], PrepareEvent> = {
  stripe: prepareStripeEvent,
  clerk: prepareClerkEvent,
}

/**
 * Tries to apply one event of the inbox. `claim` is the one that the try was made for; without it the try is made whatever happened
 * meanwhile. A failure is recorded on the row, where people can see it.
 */
export async function processInboxEvent(
  deps: WorkerDependencies,
  key: EventKey,
  claim?: number,
): Promise<void> {
  const event = await findEvent(deps.db, key)
  if (!event) throw new NotYetError(`Event ${key.id} is not in the inbox`)
  const log = deps.log.child({ event_id: key.id })
  if (event.state !== 'received' || (claim !== undefined && claim !== event.sweeps)) {
    return log.debug({ state: event.state }, 'There is nothing to do for this job any more')
  }
  const row = {
    what: 'event',
    table: 'inbox_events',
    key: { source: key.source, id: key.id },
    subject: event.subject,
    record: event,
    isScheduled: true,
    giveUp: (reason: string) => failEvent(deps.db, key, { reason, now: deps.now() }),
  } as const
  const applied = await tryRow(deps, row, () => applyEvent(deps, event, prepareBySource[key.source]))
  if (applied.outcome !== 'settled_before') {
    const seconds = (deps.now().getTime() - applied.received_at.getTime()) / 1000
    deps.metrics.settleSeconds.observe(
      { type: eventTypeLabel({ ...key, type: applied.type }) },
      Math.max(0, seconds),
    )
  }
  if (applied.outcome === 'settled_before') return log.info({ outcome: applied.outcome }, 'Event processed')
  const { intent_id } = applied
  noteInSpan({ ...(intent_id && { 'tidemark.intent_id': intent_id }), 'tidemark.event_type': applied.type })
  log.info({ outcome: applied.outcome, ...(intent_id && { intent_id }) }, 'Event processed')
  await keepRoom(deps, applied)
}
