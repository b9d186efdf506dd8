import { Batches } from '../../schema/batches.ts'
import { eventTypeLabel } from '../../schema/inbox/event-type-label.ts'
import {
  claimableEvents,
  type EventKey,
  type EventSource,
  failEvent,
  findEvent,
  type InboxEvent,
} from '../../schema/inbox/events.ts'
import { mostEventsTogether } from '../../schema/queues/queues.ts'
import { idsIn } from '../../schema/stripe/log-ids.ts'
import { noteInSpan } from '../../schema/tracing.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { tryRow } from '../jobs/try-row.ts'
import {
  applyEvents,
  isToBeTried,
  requirePayload,
  type TriedEventDone,
  type TriedOutcome,
} from './apply-events.ts'
import { followSeats } from './clerk/follow-seats.ts'
import { readClerkEvent } from './clerk-event.ts'
import { readStripeEvent } from './stripe-event.ts'

/**
 * Tries one event of the inbox, as a batch of one. `claim` is the one that the try was made for; without it
 * the try is made whatever happened meanwhile. A failure is recorded on the row, where people can see it, and
 * thrown.
 */
export async function tryEvent(deps: WorkerDependencies, key: EventKey, claim?: number): Promise<void> {
  const event = await findEvent(deps.db, key)
  if (!event) throw new NotYetError(`Event ${key.id} is not in the inbox`)
  if (!isToBeTried(event, claim)) return report(deps, key, { outcome: 'nothing_to_do' })
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
  await report(deps, key, await tryRow(deps, row, () => applyEvent(inTry, event, { claim })))
}

/**
 * Applies one event, after fetching what it is about if it needs that. Its row is not locked before: within
 * an act of support, which is one transaction, a lock would last while Stripe or Clerk answers. Throws why it
 * cannot be applied; then nothing has happened.
 */
export async function applyEvent(
  deps: WorkerDependencies,
  event: EventKey & Pick<InboxEvent, 'state' | 'payload'>,
  { claim, isReplay = false }: { readonly claim?: number | undefined; readonly isReplay?: boolean },
): Promise<TriedEventDone> {
  const { source, id, payload } = event
  requirePayload(event)
  const read = source === 'stripe' ? readStripeEvent(payload, deps) : readClerkEvent(payload)
  const fetched = read.needs === 'fetch' ? await read.fetch(deps) : undefined
  const [outcome] = await applyEvents(deps, source, [{ id, claim, fetched }], { isReplay })
  if (outcome?.outcome === 'refused') throw outcome.error
  if (!outcome || outcome.outcome === 'unknown' || outcome.outcome === 'to_be_fetched') {
    throw new NotYetError(`Event ${id} is not in the inbox`)
  }
  return outcome
}

async function report(deps: WorkerDependencies, key: EventKey, applied: TriedEventDone): Promise<void> {
  if (applied.outcome === 'nothing_to_do' || applied.outcome === 'finished_before') {
    deps.log.debug({ event_id: key.id, outcome: applied.outcome }, 'The event needs no try any more')
    return
  }
  const { outcome, type, ids } = applied
  const seconds = (deps.now().getTime() - applied.received_at.getTime()) / 1000
  deps.metrics.eventSeconds.observe({ type: eventTypeLabel({ ...key, type }) }, Math.max(0, seconds))
  const { intent_id } = ids
  noteInSpan({ ...(intent_id && { 'tidemark.intent_id': intent_id }), 'tidemark.event_type': type })
  deps.log.info({ event_id: key.id, outcome, ...ids }, 'Event processed')
  await followSeats(deps, applied)
}

/**
 * While one batch is with the database, the next is read; and a batch that waits for a lock does not hold up
 * everything.
 */
const mostBatches = 2

/**
 * Events of which something is fetched mostly wait for their sender, and each holds a connection in the end.
 */
const mostAlone = 8

interface ClaimedTry {
  readonly id: string
  readonly claim: number
}

/**
 * The events of one sender that a worker has in hand. Those that come while others are being applied wait,
 * and then all that wait are applied together. An event of which something has to be fetched, or that its
 * batch left as it was, is tried again as a batch of one, so that each has an outcome and an error of its
 * own: a group that failed costs its members no attempt.
 */
export class EventTries {
  readonly #source: EventSource
  readonly #deps: WorkerDependencies
  readonly #batches = new Batches<ClaimedTry, TriedOutcome>({
    items_max: mostEventsTogether,
    batches_max: mostBatches,
    keyOf: ({ id }) => id,
    isShared: () => true,
  })
  #underWay = 0
  readonly #waiting: (() => void)[] = []

  constructor(deps: WorkerDependencies, source: EventSource) {
    this.#deps = deps
    this.#source = source
  }

  /** `jobDeps` have the log of the job. */
  async try(jobDeps: WorkerDependencies, tried: ClaimedTry): Promise<void> {
    const key = { source: this.#source, id: tried.id }
    const applied = await this.#batches
      .run(tried, (tries) => applyEvents(this.#deps, this.#source, tries))
      .catch((error: unknown): TriedOutcome => {
        jobDeps.log.warn({ err: error, event_id: tried.id }, 'A batch failed; its event is tried by itself')
        return { outcome: 'refused', error }
      })
    switch (applied.outcome) {
      case 'to_be_fetched':
      case 'refused':
      case 'unknown':
        return this.#tryAlone(() => tryEvent(jobDeps, key, tried.claim))
      default:
        return report(jobDeps, key, applied)
    }
  }

  async #tryAlone(work: () => Promise<void>): Promise<void> {
    if (this.#underWay < mostAlone) this.#underWay += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#underWay -= 1
    }
  }
}
