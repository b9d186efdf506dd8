import { retryTransaction } from '../../schema/database/retry.ts'
import { type EventToTry, lockEvents, settleEvents } from '../../schema/inbox/events.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { applyCheckouts } from './apply-checkout.ts'
import { type AppliedEvent, appliedEvent, type EventOutcome } from './apply-event.ts'
import { outcomeOfCheckout, readStripeEvent, type StripeEventNeeds } from './stripe-event.ts'

/** What became of one event of several: `alone`, when it has to be applied by itself because something is wrong with it or has to be fetched. */
export type AppliedOfSeveral = AppliedEvent | { readonly outcome: 'alone' }

type WaitingEvent = Pick<EventToTry, 'id' | 'payload'>

interface ReadEvent {
  readonly event: WaitingEvent
  readonly read: Exclude<StripeEventNeeds, { needs: 'fetch' }>
}

/**
 * Applies several of Stripe's events together, as many as can be in one transaction: those for which nothing has to be fetched. One that
 * cannot be decided is left as it was, with what comes after it of the same checkout, and keeps nobody else's from being applied. Each event
 * is given once; outcomes are by their ids. When a transaction fails, so does this, and what an earlier one committed is found settled by
 * the next try.
 */
export async function applyEvents(
  deps: Pick<WorkerDependencies, 'db' | 'livemode' | 'now'>,
  events: readonly WaitingEvent[],
): Promise<ReadonlyMap<string, AppliedOfSeveral>> {
  const outcomes = new Map<string, AppliedOfSeveral>(events.map(({ id }) => [id, { outcome: 'alone' }]))
  const undecided = new Set<string>()
  const read = events.flatMap((event) => readWithoutFetching(deps, event) ?? [])
  for (const round of inRounds(read)) {
    const decidable = round.filter((one) => !undecided.has(intentOf(one) ?? ''))
    for (const [id, applied] of await applyTogether(deps, decidable)) outcomes.set(id, applied)
    for (const one of round) {
      const intent_id = intentOf(one)
      if (intent_id && outcomes.get(one.event.id)?.outcome === 'alone') undecided.add(intent_id)
    }
  }
  return outcomes
}

function intentOf({ read }: ReadEvent): string | null {
  return read.needs === 'intent' ? read.checkout.intent_id : null
}

function readWithoutFetching(
  deps: Pick<WorkerDependencies, 'livemode'>,
  event: WaitingEvent,
): ReadEvent | undefined {
  try {
    const read = readStripeEvent(event.payload, deps)
    return read.needs === 'fetch' ? undefined : { event, read }
  } catch {
    // Its form is not known: applying it alone finds that too, and records it.
    return undefined
  }
}

/** The news of one checkout are applied one after the other, in the order in which they came. */
function inRounds(events: readonly ReadEvent[]): ReadEvent[][] {
  const rounds: ReadEvent[][] = []
  const timesSeen = new Map<string, number>()
  for (const one of events) {
    const intent_id = intentOf(one)
    const times = intent_id === null ? 0 : (timesSeen.get(intent_id) ?? 0)
    if (intent_id !== null) timesSeen.set(intent_id, times + 1)
    const round = rounds[times]
    if (round) round.push(one)
    else rounds[times] = [one]
  }
  return rounds
}

async function applyTogether(
  deps: Pick<WorkerDependencies, 'db' | 'now'>,
  events: readonly ReadEvent[],
): Promise<ReadonlyMap<string, AppliedOfSeveral>> {
  if (events.length === 0) return new Map()
  const ids = events.map(({ event }) => event.id)
  return retryTransaction(deps.db, async (trx) => {
    const locked = new Map((await lockEvents(trx, { source: 'stripe', ids })).map((row) => [row.id, row]))
    const waiting = events.filter(({ event }) => locked.get(event.id)?.state === 'received')
    const checkouts = waiting.flatMap(({ event, read }) =>
      read.needs === 'intent' ? [{ event_id: event.id, ...read.checkout }] : [],
    )
    const verdicts = await applyCheckouts(trx, checkouts)
    const decided = new Map<string, EventOutcome>()
    for (const [index, { event_id, intent_id }] of checkouts.entries()) {
      const verdict = verdicts[index]
      if (verdict?.verdict === 'decided')
        decided.set(event_id, outcomeOfCheckout(intent_id, verdict.decision))
    }
    for (const { event, read } of waiting) {
      if (read.needs === 'nothing') decided.set(event.id, { state: 'ignored', reason: read.reason })
    }
    const settled = [...decided].map(([id, { state, reason }]) => ({
      source: 'stripe' as const,
      id,
      state,
      reason,
    }))
    await settleEvents(trx, settled, deps.now())
    return new Map(
      ids.map((id): [string, AppliedOfSeveral] => {
        const row = locked.get(id)
        const outcome = decided.get(id)
        if (row && outcome) return [id, appliedEvent(row, outcome)]
        return [id, { outcome: row?.state === 'received' ? 'alone' : 'settled_before' }]
      }),
    )
  })
}
