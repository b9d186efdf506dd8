import { createBatches } from '../../schema/batches.ts'
import { freshJobId } from '../../schema/queues/producer.ts'
import { type JobOrigin, mostEventsTogether } from '../../schema/queues/queues.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { type AppliedOfSeveral, applyEvents } from './apply-events.ts'
import { processInboxEvent, reportApplied, reportNothingToDo } from './inbox-event.ts'

/** While one batch is with the database, the next is read; and one that waits for somebody's lock does not hold up everything. */
const mostBatches = 2

/** Events that are applied alone mostly wait for Stripe, and each holds a connection in the end. */
const mostAlone = 8

interface Try {
  readonly id: string
  readonly claim: number
}

/** A try for a job. */
interface TryOfJob extends Try {
  /** It shares the job with others. */
  readonly isOneOfSeveral?: boolean
  /** It has to be tried alone; see the payloads of jobs. */
  readonly isAlone?: boolean
  readonly origin?: JobOrigin | undefined
}

const leftAlone: AppliedOfSeveral = { outcome: 'alone' }

/** Tries one of Stripe's events, for a job with a log of its own. */
export type TryStripeEvent = (deps: WorkerDependencies, tried: TryOfJob) => Promise<void>

/**
 * Tries events of the jobs in hand together: what comes while the worker is busy waits, and then all that wait are taken. One that comes
 * alone goes at once. What cannot be applied together, and everything after a failure, is tried one by one, so
 * that each event has an outcome and an error of its own.
 */
export function createEventTries(deps: WorkerDependencies): TryStripeEvent {
  const together = createBatches<Try, AppliedOfSeveral>({
    items_max: mostEventsTogether,
    batches_max: mostBatches,
    keyOf: ({ id }) => id,
    together: (tries) => tryTogether(deps, tries),
    isShared: () => true,
  })
  const alone = atMost(mostAlone)
  return async (jobDeps, tried) => {
    const key = { source: 'stripe', id: tried.id } as const
    const applied = tried.isAlone ? leftAlone : await together(tried)
    if (applied.outcome === 'alone') {
      if (tried.isOneOfSeveral) return addAlone(jobDeps, tried)
      return alone(() => processInboxEvent(jobDeps, key, tried.claim))
    }
    if (applied.outcome === 'nothing_to_do' || applied.outcome === 'settled_before') {
      return reportNothingToDo(jobDeps, key)
    }
    reportApplied(jobDeps, key, applied)
  }
}

/** So a job of several events ends soon, whatever one of them waits for, and a worker never has many of those in hand. */
async function addAlone(deps: WorkerDependencies, { id, claim, origin }: TryOfJob): Promise<void> {
  const payload = { event_id: id, claim, is_alone: true } as const
  await deps.producer
    .add('stripe-events', freshJobId(id), payload, origin)
    .catch((error: unknown) =>
      deps.log.warn({ err: error, event_id: id }, 'Job not enqueued; the sweep will enqueue it'),
    )
}

async function tryTogether(
  deps: WorkerDependencies,
  tries: readonly Try[],
): Promise<readonly AppliedOfSeveral[]> {
  // A sweep may have enqueued what is in hand already: the latest claim counts.
  const latest = new Map(tries.toSorted((a, b) => a.claim - b.claim).map((tried) => [tried.id, tried]))
  try {
    const applied = await applyEvents(
      deps,
      tries.filter((tried) => latest.get(tried.id) === tried),
    )
    return tries.map((tried) => {
      if (latest.get(tried.id) !== tried) return { outcome: 'nothing_to_do' }
      return applied.get(tried.id) ?? leftAlone
    })
  } catch (error) {
    deps.log.warn({ err: error, events: tries.length }, 'Events that failed together are tried one by one')
    return tries.map(() => leftAlone)
  }
}

function atMost(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  let working = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (working < most) working++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else working--
    }
  }
}
