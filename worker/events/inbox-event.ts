import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import { claimableEvents, type EventKey, failEvent, findEvent } from '../../schema/inbox/events.ts'
import { noteInSpan } from '../../schema/tracing.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { tryRow } from '../jobs/try-row.ts'
import { type AppliedEvent, applyEvent, isToBeTried, type PrepareEvent } from './apply-event.ts'
import { keepRoom } from './clerk/keep-room.ts'
import { prepareClerkEvent } from './clerk-event.ts'
import { prepareStripeEvent } from './stripe-event.ts'

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
  if (!isToBeTried(event, claim)) return reportNothingToDo(deps, key)
  const row = {
    what: 'event',
    rows: claimableEvents,
    key: { source: key.source, id: key.id },
    subject: event.subject,
    record: event,
    isScheduled: true,
    giveUp: (reason: string) => failEvent(deps.db, key, { reason, now: deps.now() }),
  } as const
  const applied = await tryRow(deps, row, () => applyEvent(deps, event, prepareBySource[key.source]))
  reportApplied(deps, key, applied)
  if (applied.outcome !== 'settled_before') await keepRoom(deps, applied)
}

export function reportNothingToDo(deps: WorkerDependencies, { id }: EventKey): void {
  deps.log.debug({ event_id: id }, 'There is nothing to do for this job any more')
}

export function reportApplied(deps: WorkerDependencies, key: EventKey, applied: AppliedEvent): void {
  const { outcome } = applied
  if (outcome === 'settled_before') {
    deps.log.info({ event_id: key.id, outcome }, 'Event processed')
    return
  }
  const { type, intent_id } = applied
  const seconds = (deps.now().getTime() - applied.received_at.getTime()) / 1000
  deps.metrics.settleSeconds.observe({ type: eventTypeLabel({ ...key, type }) }, Math.max(0, seconds))
  noteInSpan({ ...(intent_id && { 'tidemark.intent_id': intent_id }), 'tidemark.event_type': type })
  deps.log.info({ event_id: key.id, outcome, ...(intent_id && { intent_id }) }, 'Event processed')
}
