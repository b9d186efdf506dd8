import {
  closeUnseenFindings,
  countFindings,
  type FoundDifference,
  saveFindings,
  withoutExplained,
} from '../../schema/billing/reconciliation/findings.ts'
import {
  deleteOldRuns,
  findProvenUntil,
  findRun,
  findUnendedRun,
  listRuns,
  moveRun,
  type Run,
  requestRun,
} from '../../schema/billing/reconciliation/runs.ts'
import { closeStatementDays } from '../../schema/billing/reconciliation/statement.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { isRefusedKey, kindOf, reasonOf } from '../failures.ts'
import { balanceTransactions } from './balance.ts'
import { type Comparison, dayMs, type UnconfirmedDifference } from './comparison.ts'
import { listInFlight } from './in-flight.ts'
import { invoices } from './invoices.ts'
import { liveSubscriptions } from './live-subscriptions.ts'
import { disputes, refunds } from './money-back.ts'
import { organizations } from './organizations.ts'
import { owners } from './owners.ts'
import { sessions } from './sessions.ts'
import { subscriptions } from './subscriptions.ts'
import { waitingRows } from './waiting-rows.ts'

/** In this order: each comes after what it may be explained by. */
const comparisons: readonly [Comparison, ...Comparison[]] = [
  sessions,
  invoices,
  refunds,
  disputes,
  subscriptions,
  liveSubscriptions,
  organizations,
  owners,
  waitingRows,
  balanceTransactions,
]

/** From the request of one run to that of the next. */
const everyMs = 6 * 3600 * 1000
/** Pages of a list, or as many rows of ours, that one job compares; the next one goes on. */
const stepsPerJob = 40
/** Before the first run has proven anything. */
const firstReachMs = 90 * dayMs
const keptMs = 400 * dayMs

/**
 * Goes on with the run that waits or runs, and begins one every few hours: see decision 108. A run only
 * reads; what it writes are findings, and the balance transactions that the statement is made of. Returns the
 * run, if there is one now.
 */
export async function reconcile(deps: WorkerDependencies): Promise<Run | undefined> {
  let run = (await findUnendedRun(deps.db)) ?? (await beginScheduled(deps))
  for (let step = 0; run && isUnended(run) && step < stepsPerJob; step += 1) {
    run = await takeStep(deps, run)
  }
  return run
}

/**
 * Compares everything, however long it takes, for a caller who waits for the answer. Another run that is
 * under way is finished instead.
 */
export async function reconcileAll(deps: WorkerDependencies, requested_by: string): Promise<Run> {
  let run: Run = await requestRun(deps.db, { requested_by, now: deps.now() })
  while (isUnended(run)) {
    // A worker may have moved it meanwhile, and then goes on with it.
    const moved = (await takeStep(deps, run)) ?? (await findRun(deps.db, run.id))
    if (!moved) throw new Error(`Run ${run.id} has gone`)
    run = moved
  }
  return run
}

function isUnended({ state }: Run): boolean {
  return state === 'waiting' || state === 'running'
}

async function beginScheduled(deps: WorkerDependencies): Promise<Run | undefined> {
  const now = deps.now()
  const [last] = await listRuns(deps.db, 1)
  const isDue = !last || now.getTime() - last.requested_at.getTime() >= everyMs
  return isDue ? requestRun(deps.db, { requested_by: 'schedule', now }) : undefined
}

/** Undefined when another worker has moved the run. */
async function takeStep(deps: WorkerDependencies, run: Run): Promise<Run | undefined> {
  try {
    return await (run.state === 'waiting' ? begin(deps, run) : compare(deps, run))
  } catch (error) {
    // Stripe or Clerk is away: the next job goes on at the same place.
    if (kindOf(error) === 'unavailable' && !isRefusedKey(error)) throw error
    deps.log.error({ err: error, run_id: run.id }, 'The reconciliation has failed')
    return moveRun(deps.db, run, { state: 'failed', error: reasonOf(error), ended_at: deps.now() })
  }
}

async function begin(deps: WorkerDependencies, run: Run): Promise<Run | undefined> {
  const now = deps.now()
  const proven = await findProvenUntil(deps.db)
  await deleteOldRuns(deps.db, new Date(now.getTime() - keptMs))
  return moveRun(deps.db, run, {
    state: 'running',
    // From the beginning of that day: what was on its way then is compared now.
    since: new Date(proven ? startOfDay(proven) : now.getTime() - firstReachMs),
    until: now,
    position: { comparison: comparisons[0].name, after: null },
  })
}

function startOfDay(date: Date): number {
  return Math.floor(date.getTime() / dayMs) * dayMs
}

async function compare(deps: WorkerDependencies, run: Run): Promise<Run | undefined> {
  const { position, since } = run
  const index = comparisons.findIndex(({ name }) => name === position?.comparison)
  const comparison = comparisons[index]
  // A new version of the program may compare other things: begin anew.
  if (!position || !since || !comparison) {
    const first = { comparison: comparisons[0].name, after: null }
    return moveRun(deps.db, run, { position: first, compared: {}, findings: 0 })
  }
  const now = deps.now()
  const { count, differences, next } = await comparison.step({ deps, since, now }, position.after)
  const found = await withoutExplained(deps.db, await withoutInFlight(deps, differences, now))
  const following = next === null ? comparisons[index + 1] : comparison
  const step = {
    position: { comparison: (following ?? comparison).name, after: next },
    compared: { ...run.compared, [comparison.name]: (run.compared[comparison.name] ?? 0) + count },
    findings: run.findings + found.length,
  }
  const moved = await deps.db.transaction().execute(async (trx) => {
    const after = await moveRun(trx, run, step)
    if (after) await saveFindings(trx, found, now)
    return after
  })
  return moved && !following ? finish(deps, moved) : moved
}

async function withoutInFlight(
  deps: WorkerDependencies,
  differences: readonly UnconfirmedDifference[],
  now: Date,
): Promise<FoundDifference[]> {
  if (differences.length === 0) return []
  const inFlight = await listInFlight(deps, now)
  return differences
    .filter(({ refs = [] }) => !refs.some((ref) => ref && inFlight.has(ref)))
    .map(({ refs: _, ...difference }) => difference)
}

async function finish(deps: WorkerDependencies, run: Run): Promise<Run | undefined> {
  const now = deps.now()
  const ended = await deps.db.transaction().execute(async (trx) => {
    await closeUnseenFindings(trx, { began_at: run.until ?? now, now })
    const counts = await countFindings(trx)
    const is_proven = counts.every(({ count }) => count === 0)
    return moveRun(trx, run, { state: 'done', is_proven, ended_at: now, position: null })
  })
  if (ended?.is_proven && ended.until) await closeStatementDays(deps.db, { proven_until: ended.until, now })
  deps.log.info({ run_id: run.id, compared: run.compared, findings: run.findings }, 'Reconciliation done')
  return ended
}
