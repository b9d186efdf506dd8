import { type CheckoutTerms, lockIntentsOfEvents } from '../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransactionWithLocks } from '../../schema/database/pipelined.ts'
import { type EventSource, type EventToTry, finishEvents, lockEvents } from '../../schema/inbox/events.ts'
import { idsIn, type LogIds } from '../../schema/stripe/log-ids.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { NotYetError } from '../errors.ts'
import { applyCheckouts, type CheckoutToApply, type CheckoutVerdict } from './apply-checkout.ts'
import { readClerkEvent } from './clerk-event.ts'
import type { ApplyInTransaction, EventNeeds, EventOutcome } from './event-needs.ts'
import { notCommitted, outcomeOfCheckout } from './prepare-event.ts'
import { readStripeEvent } from './stripe-event.ts'

export interface TriedEvent {
  readonly id: string
  /** The claim that the try was made for; without one it is made whatever happened meanwhile. */
  readonly claim?: number | undefined
  /** What was fetched for it, ready to be written. */
  readonly fetched?: ApplyInTransaction | undefined
}

/**
 * An event that needs no other try: it is applied or ignored, or it was before, or it has been claimed again.
 */
export type TriedEventDone =
  | {
      readonly outcome: 'applied' | 'ignored'
      /** Why nothing followed from it. */
      readonly reason: string | null
      readonly type: string
      readonly received_at: Date
      /** For the log. */
      readonly ids: LogIds
      readonly seats_changed_in: string | undefined
    }
  | { readonly outcome: 'finished_before' }
  | { readonly outcome: 'nothing_to_do' }

export type TriedOutcome =
  | TriedEventDone
  /** It is not in the inbox. */
  | { readonly outcome: 'unknown' }
  /** It is as it was: what it is about has to be fetched first. */
  | { readonly outcome: 'to_be_fetched'; readonly fetch: Extract<EventNeeds, { needs: 'fetch' }>['fetch'] }
  /** It is as it was, because of this error. */
  | { readonly outcome: 'refused'; readonly error: unknown }

/** Whether a try that was made for a claim still counts. */
export function isToBeTried(event: Pick<EventToTry, 'state' | 'claims'>, claim: number | undefined): boolean {
  return event.state === 'received' && (claim === undefined || claim === event.claims)
}

/**
 * A statement that is planned before a month of payloads is made, and reads after one was moved there, finds
 * none.
 */
export function requirePayload({ id, state, payload }: Pick<EventToTry, 'id' | 'state' | 'payload'>): void {
  if (payload === null && state === 'received')
    throw new NotYetError(`The payload of event ${id} moves to another month`)
}

/**
 * Applies events of one sender in one transaction: their rows are locked, what follows from each is carried
 * out, and they are marked. An event that cannot be decided is left as it was, with what comes after it of
 * the same checkout, and keeps no other from being applied. Nothing is fetched here, so that no lock is held
 * while Stripe or Clerk answers. Outcomes come in the order of the tries; of several tries of one event one
 * counts. When the transaction fails, so does this, and nothing has happened. `isReplay`: a person asked for
 * it again, whatever became of it; one that was applied stays as it is, and a forged one is never applied.
 */
export async function applyEvents(
  deps: Pick<WorkerDependencies, 'db' | 'livemode' | 'now'>,
  source: EventSource,
  tried: readonly TriedEvent[],
  { isReplay = false }: { readonly isReplay?: boolean } = {},
): Promise<TriedOutcome[]> {
  const ids = tried.map(({ id }) => id)
  const lock = (trip: DatabaseTransaction) =>
    Promise.all([
      lockEvents(trip, { source, ids }),
      source === 'stripe' ? lockIntentsOfEvents(trip, ids) : [],
    ])
  return retryTransactionWithLocks(deps.db, lock, async (trx, [events, intents]) => {
    const locked = new Map(events.map((event) => [event.id, event]))
    const counting = new Map<string, TriedEvent>()
    const outcomes = new Map<string, TriedOutcome>()
    const applied = new Map<string, EventOutcome>()
    const checkouts: CheckoutOfEvent[] = []
    for (const one of tried) {
      const { id, claim, fetched } = one
      const event = locked.get(id)
      if (!event || counting.has(id)) continue
      if (isReplay ? event.state === 'forged' : !isToBeTried(event, claim)) continue
      counting.set(id, one)
      if (fetched) {
        applied.set(id, await fetched(trx))
        continue
      }
      try {
        requirePayload(event)
        const read =
          source === 'stripe' ? readStripeEvent(event.payload, deps) : readClerkEvent(event.payload)
        if (read.needs === 'nothing') applied.set(id, { state: 'ignored', reason: read.reason })
        else if (read.needs === 'checkout') checkouts.push({ ...read.checkout, event_id: id })
        else outcomes.set(id, { outcome: 'to_be_fetched', fetch: read.fetch })
      } catch (error) {
        outcomes.set(id, { outcome: 'refused', error })
      }
    }
    const refused = await applyAndMark(trx, { source, checkouts, applied, intents, now: deps.now() })
    for (const [id, error] of refused) outcomes.set(id, { outcome: 'refused', error })
    for (const [id, { state, ...outcome }] of applied) {
      const { type, received_at, payload } = locked.get(id) as EventToTry
      const { ids, seats_changed_in } = outcome as Partial<Extract<EventOutcome, { state: 'applied' }>>
      outcomes.set(id, {
        outcome: state,
        reason: outcome.reason,
        type,
        received_at,
        ids: { ...idsIn(payload), ...ids },
        seats_changed_in,
      })
    }
    return tried.map((one): TriedOutcome => {
      const outcome = counting.get(one.id) === one ? outcomes.get(one.id) : undefined
      return outcome ?? outcomeOfNoTry(locked.get(one.id))
    })
  })
}

/** Of a try that did not count. */
function outcomeOfNoTry(event: EventToTry | undefined): TriedOutcome {
  if (!event) return { outcome: 'unknown' }
  return { outcome: event.state === 'received' ? 'nothing_to_do' : 'finished_before' }
}

type CheckoutOfEvent = CheckoutToApply & { readonly event_id: string }

/**
 * Carries out what follows for checkouts, adds their outcomes to `applied` and marks all that are there.
 * Returns the errors of those that cannot be decided, by the ids of their events.
 */
async function applyAndMark(
  trx: DatabaseTransaction,
  {
    source,
    checkouts,
    applied,
    intents,
    now,
  }: {
    readonly source: EventSource
    readonly checkouts: readonly CheckoutOfEvent[]
    readonly applied: Map<string, EventOutcome>
    readonly intents: readonly CheckoutTerms[]
    readonly now: Date
  },
): Promise<ReadonlyMap<string, unknown>> {
  const refused = new Map<string, unknown>()
  const errors = new Map<string, unknown>()
  let marked = 0
  // Without any checkout there is one round of nothing, in which the others are marked.
  const [first = [], ...later] = inRounds(checkouts)
  for (const round of [first, ...later]) {
    for (const { event_id, intent_id } of round) {
      if (errors.has(intent_id)) refused.set(event_id, errors.get(intent_id))
    }
    const decidable = round.filter(({ intent_id }) => !errors.has(intent_id))
    const alsoWrite = async (trip: DatabaseTransaction, verdicts: readonly CheckoutVerdict[]) => {
      for (const [index, checkout] of decidable.entries()) {
        const { event_id, intent_id } = checkout
        const verdict = verdicts[index]
        if (verdict?.verdict === 'decided')
          applied.set(event_id, outcomeOfCheckout(intent_id, verdict.decision))
        else {
          const error = verdict?.verdict === 'refused' ? verdict.error : notCommitted(checkout)
          errors.set(intent_id, error)
          refused.set(event_id, error)
        }
      }
      const toMark = [...applied].slice(marked)
      marked = applied.size
      await mark(trip, source, toMark, now)
    }
    // What was written in the first round is read anew.
    const locked = round === first ? intents : []
    const carriedOut = await applyCheckouts(trx, decidable, { locked, alsoWrite })
    for (const [index, { event_id, intent_id }] of decidable.entries()) {
      const done = carriedOut[index]
      if (done?.verdict === 'decided')
        applied.set(event_id, outcomeOfCheckout(intent_id, done.decision, done.transfer_ids))
    }
  }
  return refused
}

async function mark(
  trip: DatabaseTransaction,
  source: EventSource,
  outcomes: readonly (readonly [id: string, EventOutcome])[],
  now: Date,
): Promise<void> {
  if (outcomes.length === 0) return
  const finished = outcomes.map(([id, { state, reason }]) => ({ source, id, state, reason }))
  await finishEvents(trip, finished, now)
}

/** The news of one checkout are applied one after the other, in the order in which they came. */
function inRounds(checkouts: readonly CheckoutOfEvent[]): CheckoutOfEvent[][] {
  const rounds: CheckoutOfEvent[][] = []
  const timesSeen = new Map<string, number>()
  for (const checkout of checkouts) {
    const times = timesSeen.get(checkout.intent_id) ?? 0
    timesSeen.set(checkout.intent_id, times + 1)
    const round = rounds[times]
    if (round) round.push(checkout)
    else rounds[times] = [checkout]
  }
  return rounds
}
