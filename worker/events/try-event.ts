import { retryTransaction } from '../../schema/database/retry.ts'
import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import {
  claimableEvents,
  type EventKey,
  failEvent,
  findEvent,
  finishEvent,
  type InboxEvent,
  lockEvent,
} from '../../schema/inbox/events.ts'
import { noteInSpan } from '../../schema/tracing.ts'
import { idsIn } from '../../schema/vendors/stripe/log-ids.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError, PermanentError } from '../errors.ts'
import { tryRow } from '../jobs/try-row.ts'
import { syncSeatsWithClerk } from './clerk/sync-seats-with-clerk.ts'
import { readClerkSubject } from './clerk-subject.ts'
import type { Outcome } from './outcome.ts'
import { readStripeSubject } from './stripe-subject.ts'
import { applyFetched, fetchSubject, type Subject } from './sync-subject.ts'

/**
 * Tries one event of the inbox. `claim` is the one that the try was made for; without it the try is made
 * whatever happened meanwhile. A failure is recorded on the row, where people can see it, and thrown.
 */
export async function tryEvent(deps: WorkerDependencies, key: EventKey, claim?: number): Promise<void> {
  const event = await findEvent(deps.db, key)
  if (!event) throw new NotYetError('not_found', { what: 'event', id: key.id })
  const isToBeTried = ({ state, claims }: InboxEvent) =>
    state === 'received' && (claim === undefined || claim === claims)
  if (!isToBeTried(event)) return noteNoTry(deps, key)
  const ids = { event_id: key.id, ...idsIn(event.payload) }
  const row = {
    what: 'event',
    rows: claimableEvents,
    ids,
    key: { source: key.source, id: key.id },
    subject: event.subject,
    record: event,
    isScheduled: true,
    giveUp: (reason: string) => failEvent(deps.db, key, { reason, now: deps.now() }),
  } as const
  const inTry = { ...deps, log: deps.log.child(ids) }
  const outcome = await tryRow(deps, row, () => applyEvent(inTry, event, isToBeTried))
  if (!outcome) return noteNoTry(deps, key)
  const seconds = (deps.now().getTime() - event.received_at.getTime()) / 1000
  deps.metrics.eventSeconds.observe({ type: eventTypeLabel(event) }, Math.max(0, seconds))
  const named = { ...ids, ...outcome.ids }
  const { intent_id } = named
  noteInSpan({ ...(intent_id && { 'tidemark.intent_id': intent_id }), 'tidemark.event_type': event.type })
  deps.log.info({ outcome: outcome.state, ...named }, 'Event processed')
  await syncSeatsWithClerk(deps, outcome)
}

function noteNoTry({ log }: WorkerDependencies, { id }: EventKey): void {
  log.debug({ event_id: id }, 'The event needs no try any more')
}

/**
 * Applies one event: its subject is fetched, and then written down in one transaction that locks the event
 * and marks it. `isWanted` is asked of the locked row; where it says no, nothing happens, and undefined is
 * returned. Throws why the event cannot be applied; then nothing has happened.
 */
export async function applyEvent(
  deps: WorkerDependencies,
  event: InboxEvent,
  isWanted: (locked: InboxEvent) => boolean,
): Promise<Outcome | undefined> {
  const fetched = await fetchSubject(deps, subjectOf(event, deps))
  return retryTransaction(deps.db, async (trx) => {
    const locked = await lockEvent(trx, event)
    if (!locked || !isWanted(locked)) return undefined
    const { id: event_id, source: actor, occurred_at } = event
    const now = deps.now()
    const outcome = await applyFetched(trx, fetched, { event_id, actor, occurred_at, now })
    await finishEvent(trx, event, { ...outcome, now })
    return outcome
  })
}

function subjectOf({ source, payload }: InboxEvent, us: Pick<WorkerDependencies, 'livemode'>): Subject {
  if (payload === null) throw new PermanentError('payload_removed')
  return source === 'stripe' ? readStripeSubject(payload, us) : readClerkSubject(payload)
}
