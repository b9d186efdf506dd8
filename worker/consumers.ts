import { type Job, Worker } from 'bullmq'
import type { QueueBackend } from '../schema/queues/backend.ts'
import { type JobPayload, type QueueName, queueSchemas, retryDelayMs } from '../schema/queues/queues.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { processCheckoutCompletion } from './jobs/checkout-completion.ts'
import { syncDueInvitations } from './jobs/due-invitations.ts'
import { processInboxEvent } from './jobs/inbox-event.ts'
import { sweep } from './jobs/maintenance.ts'
import { processSubscriptionSync } from './jobs/subscription-sync.ts'

export interface ConsumerSettings {
  /** How long a silent worker keeps its job, in milliseconds. The same in every worker. */
  readonly lockMs: number
  /** How often the jobs of silent workers are searched for, in milliseconds. The same in every worker. */
  readonly stalledMs: number
}

type Handlers = {
  [Name in QueueName]: (deps: WorkerDependencies, payload: JobPayload<Name>) => Promise<unknown>
}

const handlers: Handlers = {
  'stripe-events': (deps, payload) => processInboxEvent(deps, { source: 'stripe', id: payload.event_id }),
  'clerk-events': (deps, payload) => processInboxEvent(deps, { source: 'clerk', id: payload.event_id }),
  'checkout-completions': processCheckoutCompletion,
  'subscription-syncs': processSubscriptionSync,
  maintenance: async (deps) => {
    await sweep(deps)
    await syncDueInvitations(deps)
  },
}

const concurrency: Record<QueueName, number> = {
  'stripe-events': 8,
  'checkout-completions': 4,
  'clerk-events': 2,
  'subscription-syncs': 2,
  maintenance: 1,
}

/** A worker may be killed in the middle of a job any number of times; that alone never makes the job fail. */
const maximumStalls = 1000

export interface Consumers {
  readonly workers: readonly Worker[]
  /** Finishes the running jobs and starts no new ones; `force` abandons them, and another worker finds them stalled. */
  close(force?: boolean): Promise<void>
}

/** Runs the jobs of every queue. */
export function startConsumers(
  deps: WorkerDependencies,
  backend: QueueBackend,
  settings: ConsumerSettings,
): Consumers {
  const workers = (Object.keys(handlers) as QueueName[]).map((name) =>
    startConsumer(name, deps, backend, settings),
  )
  return {
    workers,
    async close(force = false) {
      await Promise.all(workers.map((worker) => worker.close(force)))
    },
  }
}

function startConsumer<Name extends QueueName>(
  name: Name,
  deps: WorkerDependencies,
  backend: QueueBackend,
  settings: ConsumerSettings,
): Worker {
  const handle: Handlers[Name] = handlers[name]
  const worker = new Worker(
    name,
    (job: Job) => handle(deps, queueSchemas[name].parse(job.data) as JobPayload<Name>),
    {
      connection: backend.connection,
      concurrency: concurrency[name],
      lockDuration: settings.lockMs,
      stalledInterval: settings.stalledMs,
      maxStalledCount: maximumStalls,
      // After a lost connection the loop waits this long; its default is 15 seconds.
      runRetryDelay: 1000,
      settings: { backoffStrategy: (attempts) => retryDelayMs(attempts) },
    },
    backend.factory,
  )
  worker.on('completed', () => deps.metrics.jobs.inc({ queue: name, outcome: 'completed' }))
  worker.on('failed', (job, error) => {
    deps.metrics.jobs.inc({ queue: name, outcome: 'failed' })
    deps.log.warn({ queue: name, job_id: job?.id, err: error }, 'Job failed')
  })
  // While the queue is unavailable BullMQ reports it many times a second.
  let silentUntilMs = 0
  worker.on('error', (error) => {
    if (Date.now() < silentUntilMs) return
    silentUntilMs = Date.now() + 10_000
    deps.log.warn({ queue: name, err: error }, 'The queue is unavailable')
  })
  return worker
}
