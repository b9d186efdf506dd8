import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { queueNames } from '../schema/inbox/queues/queues.ts'
import { clerkEventTypes } from '../schema/vendors/clerk/event-types.ts'
import { stripeEventTypes } from '../schema/vendors/stripe/event-types.ts'

export interface ServerMetrics {
  readonly registry: Registry
  readonly httpSeconds: Histogram<'method' | 'route' | 'status'>
  readonly webhooksAccepted: Counter<'source' | 'type'>
  readonly enqueueFailures: Counter<'queue'>
  readonly checkouts: Counter<'outcome'>
  readonly inboxOldestSeconds: Gauge
  readonly failedRows: Gauge<'what'>
  readonly reconciledSeconds: Gauge
  readonly backupSeconds: Gauge<'what'>
  readonly eventsReaderLagSeconds: Gauge
  readonly queueJobs: Gauge<'queue' | 'state'>
  readonly findings: Gauge<'kind'>
  readonly unfinishedActs: Gauge<'state'>
  readonly unapprovedCredits: Gauge
  readonly ledgerProof: Gauge<'digest'>
}

/** The measured fields of a `pg` pool. */
interface MeasuredPool {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** One registry per server, so that several servers in one process (tests) do not share counters. */
export function createServerMetrics(pool?: MeasuredPool): ServerMetrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  new Gauge({
    name: 'tidemark_database_connections',
    help: 'Connections to the database: in_use, idle, and calls that are waiting for one',
    labelNames: ['state'],
    registers,
    collect() {
      if (!pool) return
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount)
      this.set({ state: 'idle' }, pool.idleCount)
      this.set({ state: 'waiting' }, pool.waitingCount)
    },
  })
  const metrics: ServerMetrics = {
    registry,
    httpSeconds: new Histogram({
      name: 'tidemark_http_request_duration_seconds',
      help: 'Seconds until a request was answered, by route',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
      registers,
    }),
    webhooksAccepted: new Counter({
      name: 'tidemark_webhooks_accepted_total',
      help: 'Signed events that are in the inbox and were answered 200, repeated deliveries included',
      labelNames: ['source', 'type'],
      registers,
    }),
    enqueueFailures: new Counter({
      name: 'tidemark_enqueue_failures_total',
      help: 'Jobs that could not be enqueued in time; their rows are claimed later',
      labelNames: ['queue'],
      registers,
    }),
    checkouts: new Counter({
      name: 'tidemark_checkouts_started_total',
      help: 'Checkouts by what came of opening a session: opened, refused or uncertain',
      labelNames: ['outcome'],
      registers,
    }),
    inboxOldestSeconds: new Gauge({
      name: 'tidemark_inbox_oldest_unapplied_seconds',
      help: 'Age of the oldest event that is not finished',
      registers,
    }),
    failedRows: new Gauge({
      name: 'tidemark_failed_rows',
      help: 'Rows that were given up on and wait for a person, by what they are; acts of support, those of a day',
      labelNames: ['what'],
      registers,
    }),
    reconciledSeconds: new Gauge({
      name: 'tidemark_reconciled_seconds',
      help: 'Time since a comparison of Stripe, Clerk and us last came to its end',
      registers,
    }),
    backupSeconds: new Gauge({
      name: 'tidemark_backup_age_seconds',
      help: 'Time since the database was last backed up whole (base), and since its log was last archived (log)',
      labelNames: ['what'],
      registers,
    }),
    eventsReaderLagSeconds: new Gauge({
      name: 'tidemark_events_reader_lag_seconds',
      help: "Time since the inbox was last known to hold everything in Stripe's list of events",
      registers,
    }),
    findings: new Gauge({
      name: 'tidemark_reconciliation_findings',
      help: 'Open differences between Stripe, Clerk and us, by kind',
      labelNames: ['kind'],
      registers,
    }),
    unfinishedActs: new Gauge({
      name: 'tidemark_support_acts_unfinished',
      help: 'Acts of support that wait for a second person (waiting_for_approval) or for the worker (queued)',
      labelNames: ['state'],
      registers,
    }),
    ledgerProof: new Gauge({
      name: 'tidemark_ledger_proven_transfer',
      help: 'The last transfer that was proven, with the digest of the proof: a copy that the database cannot change',
      labelNames: ['digest'],
      registers,
    }),
    unapprovedCredits: new Gauge({
      name: 'tidemark_support_unapproved_share',
      help: 'Credits that support adjusted within a day without a second person, of SUPPORT_ADJUSTMENT_TOTAL',
      registers,
    }),
    queueJobs: new Gauge({
      name: 'tidemark_queue_jobs',
      help: 'Jobs by queue and state',
      labelNames: ['queue', 'state'],
      registers,
    }),
  }
  // Prometheus sees no increase in a counter that appears with its first event.
  for (const source of ['stripe', 'clerk'] as const) {
    const types = source === 'stripe' ? stripeEventTypes : clerkEventTypes
    for (const type of [...types, 'other']) metrics.webhooksAccepted.inc({ source, type }, 0)
  }
  for (const sender of ['stripe', 'clerk'])
    metrics.httpSeconds.zero({ method: 'POST', route: `/api/${sender}/webhook`, status: '400' })
  for (const queue of queueNames) metrics.enqueueFailures.inc({ queue }, 0)
  for (const outcome of ['opened', 'refused', 'uncertain']) metrics.checkouts.inc({ outcome }, 0)
  return metrics
}
