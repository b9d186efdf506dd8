import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { queueNames } from '../schema/inbox/queues/queues.ts'
import { clerkEventTypes } from '../schema/vendors/clerk/event-types.ts'
import { stripeEventTypes } from '../schema/vendors/stripe/event-types.ts'
import { measurements } from './measurements.ts'

export type ServerMetrics = ReturnType<typeof createServerMetrics>

/** The measured fields of a `pg` pool. */
interface MeasuredPool {
  readonly totalCount: number
  readonly idleCount: number
  readonly waitingCount: number
}

/** One registry per server, so that several servers in one process (tests) do not share counters. */
export function createServerMetrics(pool?: MeasuredPool) {
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
  const metrics = {
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
    /** Read when they are asked for. */
    measured: measurements.map((measurement) => {
      const { name, help, labelNames = [] } = measurement
      return { gauge: new Gauge<string>({ name, help, labelNames, registers }), measurement }
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
