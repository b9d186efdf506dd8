import { type CheckoutPromise, lockIntentsOfEvents } from '../../schema/checkout/intents.ts'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { retryTransactionAfter } from '../../schema/database/one-trip.ts'
import { type EventToTry, lockEvents, settleEvents } from '../../schema/inbox/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { applyCheckouts, type CheckoutVerdict } from './apply-checkout.ts'
import { type AppliedEvent, appliedEvent, type EventOutcome, isToBeTried } from './apply-event.ts'
import { outcomeOfCheckout, readStripeEvent, type StripeEventNeeds } from './stripe-event.ts'

/**
 * What became of one event of several: `alone`, when it has to be applied by itself because something is wrong with it or has to be
 * fetched; `nothing_to_do`, when it was claimed again.
 */
export type AppliedOfSeveral =
  | AppliedEvent
  | { readonly outcome: 'alone' }
  | { readonly outcome: 'nothing_to_do' }

interface TriedEvent {
  readonly id: string
  /** The one that the try was made for; see `isToBeTried`. */
  readonly claim?: number
}

interface ReadEvent {
  readonly event: EventToTry
  readonly read: Exclude<StripeEventNeeds, { needs: 'fetch' }>
}

/**
 * Applies several of Stripe's events in one transaction: those for which nothing has to be fetched. One that cannot be decided is left as it
 * was, with what comes after it of the same checkout, and keeps nobody else's from being applied. Each event is given once; outcomes are by
 * their ids. When the transaction fails, so does this, and nothing has happened.
 */
export async function applyEvents(
  deps: Pick<WorkerDependencies, 'db' | 'livemode' | 'now'>,
  tried: readonly TriedEvent[],
): Promise<ReadonlyMap<string, AppliedOfSeveral>> {
  const ids = tried.map(({ id }) => id)
  const lock = (trip: DatabaseTransaction) =>
    Promise.all([lockEvents(trip, { source: 'stripe', ids }), lockIntentsOfEvents(trip, ids)])
  return retryTransactionAfter(deps.db, lock, async (trx, [events, intents]) => {
    const locked = new Map(events.map((event) => [event.id, event]))
    const due = tried.flatMap(({ id, claim }) => {
      const event = locked.get(id)
      return event && isToBeTried(event, claim) ? [event] : []
    })
    const outcomes = await settle(
      trx,
      due.flatMap((event) => readWithoutFetching(deps, event) ?? []),
      { intents, now: deps.now() },
    )
    const left = new Set(due.map(({ id }) => id))
    return new Map(
      ids.map((id): [string, AppliedOfSeveral] => {
        const event = locked.get(id)
        const outcome = outcomes.get(id)
        if (event && outcome) return [id, appliedEvent(event, outcome)]
        if (!event || left.has(id)) return [id, { outcome: 'alone' }]
        return [id, { outcome: event.state === 'received' ? 'nothing_to_do' : 'settled_before' }]
      }),
    )
  })
}

function readWithoutFetching(
  deps: Pick<WorkerDependencies, 'livemode'>,
  event: EventToTry,
): ReadEvent | undefined {
  try {
    const read = readStripeEvent(event.payload, deps)
    return read.needs === 'fetch' ? undefined : { event, read }
  } catch {
    // Its form is not known: applying it alone finds that too, and records it.
    return undefined
  }
}

/** Carries out what follows from each, marks it, and says what that was. Those that cannot be decided are missing. */
async function settle(
  trx: DatabaseTransaction,
  events: readonly ReadEvent[],
  { intents, now }: { readonly intents: readonly CheckoutPromise[]; readonly now: Date },
): Promise<ReadonlyMap<string, EventOutcome>> {
  const outcomes = new Map<string, EventOutcome>()
  for (const { event, read } of events) {
    if (read.needs === 'nothing') outcomes.set(event.id, { state: 'ignored', reason: read.reason })
  }
  const undecided = new Set<string>()
  let marked = 0
  // Where none is of a checkout there is one round of nothing, in which the others are marked.
  const [first = [], ...later] = inRounds(events)
  for (const round of [first, ...later]) {
    const decidable = round.filter(({ intent_id }) => !undecided.has(intent_id))
    // What was written in the first round is read anew.
    const locked = round === first ? intents : []
    const alsoWrite = async (trip: DatabaseTransaction, verdicts: readonly CheckoutVerdict[]) => {
      for (const [index, { event_id, intent_id }] of decidable.entries()) {
        const verdict = verdicts[index]
        if (verdict?.verdict === 'decided')
          outcomes.set(event_id, outcomeOfCheckout(intent_id, verdict.decision))
        else undecided.add(intent_id)
      }
      const toMark = [...outcomes].slice(marked)
      marked = outcomes.size
      await mark(trip, toMark, now)
    }
    await applyCheckouts(trx, decidable, { locked, alsoWrite })
  }
  return outcomes
}

async function mark(
  db: DatabaseTransaction,
  outcomes: readonly (readonly [id: string, EventOutcome])[],
  now: Date,
): Promise<void> {
  if (outcomes.length === 0) return
  const settled = outcomes.map(([id, { state, reason }]) => ({
    source: 'stripe' as const,
    id,
    state,
    reason,
  }))
  await settleEvents(db, settled, now)
}

type NewsOfEvent = Extract<StripeEventNeeds, { needs: 'intent' }>['checkout'] & { readonly event_id: string }

/** The news of one checkout are applied one after the other, in the order in which they came. */
function inRounds(events: readonly ReadEvent[]): NewsOfEvent[][] {
  const rounds: NewsOfEvent[][] = []
  const timesSeen = new Map<string, number>()
  for (const { event, read } of events) {
    if (read.needs !== 'intent') continue
    const { intent_id } = read.checkout
    const times = timesSeen.get(intent_id) ?? 0
    timesSeen.set(intent_id, times + 1)
    const news = { ...read.checkout, event_id: event.id }
    const round = rounds[times]
    if (round) round.push(news)
    else rounds[times] = [news]
  }
  return rounds
}
