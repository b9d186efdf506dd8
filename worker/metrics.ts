import { Counter, Histogram } from 'prom-client'
import { actKinds } from '../schema/api/support-acts.ts'
import { queueNames } from '../schema/inbox/queues/queues.ts'
import { createRegistry, type MeasuredPool } from '../schema/metrics.ts'
import { stripeEventTypes } from '../schema/vendors/stripe/event-types.ts'

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>

export function createWorkerMetrics(pool?: MeasuredPool) {
  const registry = createRegistry(pool)
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const histogram = <Label extends string>(
    name: string,
    { help, label, buckets }: { readonly help: string; readonly label: Label; readonly buckets: number[] },
  ) => new Histogram({ name, help, labelNames: [label], buckets, registers: [registry] })
  const buckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60]
  const metrics = {
    registry,
    jobs: counter(
      'tidemark_jobs_total',
      'Jobs that a worker finished, by queue and outcome',
      'queue',
      'outcome',
    ),
    jobSeconds: histogram('tidemark_job_duration_seconds', {
      help: 'Seconds that a worker spent on a job',
      label: 'queue',
      buckets,
    }),
    eventSeconds: histogram('tidemark_event_seconds', {
      help: 'Seconds from the receipt of an event to the commit that applied it',
      label: 'type',
      buckets: [...buckets, 300, 3600],
    }),
    claimed: counter('tidemark_claimed_total', 'Rows that were due, claimed and enqueued', 'what'),
    failedTries: counter(
      'tidemark_failed_tries_total',
      'Tries of a row that failed, by what it is and why: unavailable, not_yet, contradiction or defect',
      'what',
      'kind',
    ),
    givenUp: counter('tidemark_failed_total', 'Rows that have failed for good and need a person', 'what'),
    eventsMissed: counter(
      'tidemark_events_missed_total',
      "Events that never came by webhook and were found in Stripe's list",
      'type',
    ),
    supportActs: counter(
      'tidemark_support_acts_total',
      'Acts of support by kind and outcome: changed, unchanged, dry_run or failed',
      'kind',
      'outcome',
    ),
    seatsCorrected: counter(
      'tidemark_seats_corrected_total',
      "Seats that did not agree with Clerk's memberships until they were compared",
    ),
  }
  beginAtZero(metrics)
  return metrics
}

/**
 * Prometheus sees no increase in a counter that appears with its first event: each is there from the
 * beginning, with every label that it can have.
 */
function beginAtZero({
  claimed,
  failedTries,
  givenUp,
  eventsMissed,
  jobs,
  supportActs,
}: Omit<WorkerMetrics, 'registry'>): void {
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
