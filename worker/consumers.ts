import { type Job, Worker } from 'bullmq'
import { isDatabaseUnavailable } from '../schema/database/unavailable.ts'
import type { QueueBackend } from '../schema/inbox/queues/backend.ts'
import {
  type JobOrigin,
  type JobPayload,
  originOf,
  type QueueName,
  queueNames,
  queueSchemas,
} from '../schema/inbox/queues/queues.ts'
import { withoutAddresses } from '../schema/mail-addresses.ts'
import { inSpan } from '../schema/tracing.ts'
import { tryAgain } from '../schema/try-again.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { tryEvent } from './events/try-event.ts'
import { processCheckoutCompletion } from './jobs/checkout-completion.ts'
import { processSubscriptionSync } from './jobs/subscription-sync.ts'
import { processSupportAct } from './support/support-act.ts'
import { runTask, taskNames } from './tasks/schedule.ts'

export interface ConsumerSettings {
  /**
   * How long a job stays locked by a worker that has stopped responding, in milliseconds. The same in every
   * worker.
   */
  readonly lockMs: number
  /** How often workers check for such jobs, in milliseconds. The same in every worker. */
  readonly stalledMs: number
}

const concurrency: Record<QueueName, number> = {
  // They mostly wait for Stripe, and each holds a connection in the end.
  'stripe-events': 8,
  'checkout-completions': 4,
  'clerk-events': 2,
  'subscription-syncs': 2,
  // Each holds two connections.
  'support-acts': 2,
  tasks: taskNames.length,
}

/**
 * A job whose worker was killed is run by another one: it is still the same try, which ends when the row is
 * claimed again, so that there is never more than one. A worker may be killed any number of times; that alone
 * never makes anything fail.
 */
const maximumStalls = 1000

export interface Consumers {
  readonly workers: readonly Worker[]
  /**
   * Finishes the running jobs and starts no new ones; `force` abandons them, and another worker finds them
   * stalled.
   */
  close(force?: boolean): Promise<void>
}

export function startConsumers(
  deps: WorkerDependencies,
  backend: QueueBackend,
  settings: ConsumerSettings,
): Consumers {
  const workers = queueNames.map((name) => startConsumer(name, deps, backend, settings))
  return {
    workers,
    async close(force = false) {
      await Promise.all(workers.map((worker) => worker.close(force)))
    },
  }
}

type Ask = { readonly [Name in QueueName]: { readonly queue: Name } & JobPayload<Name> }[QueueName]

/**
 * Does what a job of a queue asks for. The lines in the log and the spans lead back to the request that it
 * came from, if it came from one.
 */
export async function processJob(
  deps: WorkerDependencies,
  queue: QueueName,
  data: unknown,
  origin?: JobOrigin,
): Promise<void> {
  const payload = queueSchemas[queue].parse(data)
  const { request_id, traceparent } = origin ?? {}
  const inRequest = request_id ? { ...deps, log: deps.log.child({ request_id }) } : deps
  const options = { kind: 'consumer', traceparent, attributes: () => attributesOf(queue, payload) } as const
  return inSpan(`job ${queue}`, options, async () => {
    const ask = { queue, ...payload } as Ask
    switch (ask.queue) {
      // The job that the webhook enqueued came before any claim.
      case 'stripe-events':
        return tryEvent(inRequest, { source: 'stripe', id: ask.event_id }, ask.claim ?? 0)
      case 'clerk-events':
        return tryEvent(inRequest, { source: 'clerk', id: ask.event_id }, ask.claim ?? 0)
      case 'checkout-completions':
        return processCheckoutCompletion(inRequest, ask)
      case 'subscription-syncs':
        return processSubscriptionSync(inRequest, ask)
      case 'support-acts':
        return processSupportAct(inRequest, ask)
      case 'tasks':
        return runTask(inRequest, ask.task)
    }
  })
}

function attributesOf(queue: QueueName, payload: object): Record<string, string> {
  const { event_id, intent_id, task } = payload as { event_id?: string; intent_id?: string; task?: string }
  return {
    'messaging.system': 'bullmq',
    'messaging.destination.name': queue,
    ...(event_id && { 'tidemark.event_id': event_id }),
    ...(intent_id && { 'tidemark.intent_id': intent_id }),
    ...(task && { 'tidemark.task': task }),
  }
}

function idsOfJob(payload: unknown): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(payload ?? {}).filter(([name]) => name.endsWith('_id')))
}

/** Where a database fails over or its pooler restarts, the next connection works; the row is due much later. */
const waits_ms = [100, 500, 2000]

function startConsumer(
  name: QueueName,
  deps: WorkerDependencies,
  backend: QueueBackend,
  settings: ConsumerSettings,
): Worker {
  const worker = new Worker(
    name,
    (job: Job) =>
      tryAgain(() => processJob(deps, name, job.data, originOf(job)), waits_ms, isDatabaseUnavailable).catch(
        (error: unknown) => {
          throw withoutAddressesIn(error)
        },
      ),
    {
      connection: backend.connection,
      concurrency: concurrency[name],
      lockDuration: settings.lockMs,
      stalledInterval: settings.stalledMs,
      maxStalledCount: maximumStalls,
      // After a lost connection the loop waits this long; its default is 15 seconds.
      runRetryDelay: 1000,
    },
    backend.factory,
  )
  worker.on('completed', ({ processedOn, finishedOn }) => {
    deps.metrics.jobs.inc({ queue: name, outcome: 'completed' })
    if (processedOn && finishedOn)
      deps.metrics.jobSeconds.observe({ queue: name }, (finishedOn - processedOn) / 1000)
  })
  worker.on('failed', (job, error) => {
    deps.metrics.jobs.inc({ queue: name, outcome: 'failed' })
    deps.log.warn({ queue: name, job_id: job?.id, ...idsOfJob(job?.data), err: error }, 'Job failed')
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

/** The queue keeps the message and the stack of a job's failure. */
function withoutAddressesIn(error: unknown): unknown {
  if (!(error instanceof Error) || withoutAddresses(error.message) === error.message) return error
  const { message, stack = '' } = error
  return Object.assign(new Error(withoutAddresses(message)), { stack: withoutAddresses(stack) })
}
