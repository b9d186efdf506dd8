import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { actKinds } from '../schema/api/support-acts.ts'
import { queueNames } from '../schema/inbox/queues/queues.ts'
import { stripeEventTypes } from '../schema/vendors/stripe/event-types.ts'

export interface WorkerMetrics {
  readonly registry: Registry
  readonly jobs: Counter<'queue' | 'outcome'>
  readonly jobSeconds: Histogram<'queue'>
  /** From the moment something happened at the sender to the commit that applied it. */
  readonly eventSeconds: Histogram<'type'>
  readonly claimed: Counter<'what'>
  /** Kinds of `worker/failures.ts`. */
  readonly failedTries: Counter<'what' | 'kind'>
  readonly givenUp: Counter<'what'>
  readonly eventsMissed: Counter<'type'>
  readonly seatsCorrected: Counter
  readonly supportActs: Counter<'kind' | 'outcome'>
}

/** What is read of a pool of `pg`. */
interface MeasuredPool {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

export function createWorkerMetrics(pool?: MeasuredPool): WorkerMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Gauge({
    name: 'tidemark_database_connections',
    help: 'Connections to the database: in_use, idle, and calls that are waiting for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      if (!pool) return
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })
  const metrics: WorkerMetrics = {
    registry,
    jobs: new Counter({
      name: 'tidemark_jobs_total',
      help: 'Jobs that a worker finished, by queue and outcome',
      labelNames: ['queue', 'outcome'],
      registers: [registry],
    }),
    jobSeconds: new Histogram({
      name: 'tidemark_job_duration_seconds',
      help: 'Seconds that a worker spent on a job',
      labelNames: ['queue'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
      registers: [registry],
    }),
    eventSeconds: new Histogram({
      name: 'tidemark_event_seconds',
      help: 'Seconds from the receipt of an event to the commit that applied it',
      labelNames: ['type'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
      registers: [registry],
    }),
    claimed: new Counter({
      name: 'tidemark_claimed_total',
      help: 'Rows that were due, claimed and enqueued',
      labelNames: ['what'],
      registers: [registry],
    }),
    failedTries: new Counter({
      name: 'tidemark_failed_tries_total',
      help: 'Tries of a row that failed, by what it is and why: unavailable, not_yet, contradiction or defect',
      labelNames: ['what', 'kind'],
      registers: [registry],
    }),
    givenUp: new Counter({
      name: 'tidemark_failed_total',
      help: 'Rows that have failed for good and need a person',
      labelNames: ['what'],
      registers: [registry],
    }),
    eventsMissed: new Counter({
      name: 'tidemark_events_missed_total',
      help: "Events that never came by webhook and were found in Stripe's list",
      labelNames: ['type'],
      registers: [registry],
    }),
    supportActs: new Counter({
      name: 'tidemark_support_acts_total',
      help: 'Acts of support by kind and outcome: changed, unchanged, dry_run or failed',
      labelNames: ['kind', 'outcome'],
      registers: [registry],
    }),
    seatsCorrected: new Counter({
      name: 'tidemark_seats_corrected_total',
      help: "Seats that did not agree with Clerk's memberships until they were compared",
      registers: [registry],
    }),
  }
  beginAtZero(metrics)
  return metrics
}

/**
 * Prometheus sees no increase in a counter that appears with its first event: each is there from the
 * beginning, with every label that it can have.
 */
function beginAtZero(metrics: WorkerMetrics): void {
  const { claimed, failedTries, givenUp, eventsMissed, jobs, supportActs } = metrics
  for (const queue of queueNames)
    for (const outcome of ['completed', 'failed']) jobs.inc({ queue, outcome }, 0)
  for (const kind of actKinds)
    for (const outcome of ['changed', 'unchanged', 'dry_run', 'failed']) supportActs.inc({ kind, outcome }, 0)
  for (const what of ['event', 'intent', 'subscription', 'invitation', 'act']) {
    givenUp.inc({ what }, 0)
    claimed.inc({ what }, 0)
    for (const kind of ['unavailable', 'not_yet', 'contradiction', 'defect'])
      failedTries.inc({ what, kind }, 0)
  }
  for (const type of [...stripeEventTypes, 'other']) eventsMissed.inc({ type }, 0)
}
