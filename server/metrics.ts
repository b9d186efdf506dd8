import { Counter, Gauge, Histogram } from 'prom-client'
import { queueNames } from '../schema/inbox/queues/queues.ts'
import { createRegistry, type MeasuredPool } from '../schema/metrics.ts'
import { clerkEventTypes } from '../schema/vendors/clerk/event-types.ts'
import { stripeEventTypes } from '../schema/vendors/stripe/event-types.ts'
import { measurements } from './measurements.ts'

export type ServerMetrics = ReturnType<typeof createServerMetrics>

export function createServerMetrics(pool?: MeasuredPool) {
  const registry = createRegistry(pool)
  const registers = [registry]
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
