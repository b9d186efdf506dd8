import { type Job, Worker } from 'bullmq'
import type { QueueBackend } from '../schema/queues/backend.ts'
import {
  type JobOrigin,
  type JobPayload,
  mostEventsTogether,
  originOf,
  type QueueName,
  queueNames,
  queueSchemas,
} from '../schema/queues/queues.ts'
import { inSpan } from '../schema/tracing.ts'
import type { WorkerDependencies } from './dependencies.ts'
import { EventTries, tryEvent } from './events/try-event.ts'
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

/** What a job asks for. Of several events each is asked for by itself. */
type Ask<Name extends QueueName> = Exclude<JobPayload<Name>, { events: unknown }>

type Handlers = {
  readonly [Name in QueueName]: (deps: WorkerDependencies, ask: Ask<Name>) => Promise<unknown>
}

/** What a job of each queue does by itself. The job that the webhook enqueued came before any claim. */
const handlers: Handlers = {
  'stripe-events': (deps, { event_id, claim = 0 }) =>
    tryEvent(deps, { source: 'stripe', id: event_id }, claim),
  'clerk-events': (deps, { event_id, claim = 0 }) => tryEvent(deps, { source: 'clerk', id: event_id }, claim),
  'checkout-completions': processCheckoutCompletion,
  'subscription-syncs': processSubscriptionSync,
  'support-acts': processSupportAct,
  tasks: (deps, { task }) => runTask(deps, task),
}

/** The same in a worker, where events that wait together are applied together. */
function createHandlers(deps: WorkerDependencies): Handlers {
  const tries = { stripe: new EventTries(deps, 'stripe'), clerk: new EventTries(deps, 'clerk') }
  return {
    ...handlers,
    'stripe-events': (jobDeps, { event_id, claim = 0 }) => tries.stripe.try(jobDeps, { id: event_id, claim }),
    'clerk-events': (jobDeps, { event_id, claim = 0 }) => tries.clerk.try(jobDeps, { id: event_id, claim }),
  }
}

const concurrency: Record<QueueName, number> = {
  'stripe-events': mostEventsTogether,
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

/** Runs the jobs of every queue. */
export function startConsumers(
  deps: WorkerDependencies,
  backend: QueueBackend,
  settings: ConsumerSettings,
): Consumers {
  const handlersOfWorker = createHandlers(deps)
  const workers = queueNames.map((name) => startConsumer(name, deps, { backend, settings, handlersOfWorker }))
  return {
    workers,
    async close(force = false) {
      await Promise.all(workers.map((worker) => worker.close(force)))
    },
  }
}

/**
 * Does what a job of a queue asks for. Its lines in the log and its spans lead back to the request that it
 * came from, if it came from one.
 */
export async function processJob<Name extends QueueName>(
  deps: WorkerDependencies,
  name: Name,
  data: unknown,
  origin?: JobOrigin,
  { [name]: handle }: Handlers = handlers,
): Promise<void> {
  const payload = queueSchemas[name].parse(data)
  if ('events' in payload) {
    const ended = await Promise.allSettled(
      payload.events.map(({ origin, ...ask }) => doAsAsked(deps, name, ask as Ask<Name>, { handle, origin })),
    )
    // The job lasts until each of its events has an outcome.
    const errors = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []))
    if (errors.length > 0)
      throw new AggregateError(errors, `${errors.length} of ${ended.length} events failed`)
  } else await doAsAsked(deps, name, payload as Ask<Name>, { handle, origin })
}

async function doAsAsked<Name extends QueueName>(
  deps: WorkerDependencies,
  name: Name,
  ask: Ask<Name>,
  { handle, origin }: { readonly handle: Handlers[Name]; readonly origin: JobOrigin | undefined },
): Promise<void> {
  const { request_id, traceparent } = origin ?? {}
  const log = request_id ? deps.log.child({ request_id }) : deps.log
  await inSpan(
    `job ${name}`,
    { kind: 'consumer', traceparent, attributes: () => attributesOf(name, ask) },
    () => handle({ ...deps, log }, ask),
  )
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

function startConsumer<Name extends QueueName>(
  name: Name,
  deps: WorkerDependencies,
  {
    backend,
    settings,
    handlersOfWorker,
  }: {
    readonly backend: QueueBackend
    readonly settings: ConsumerSettings
    readonly handlersOfWorker: Handlers
  },
): Worker {
  const worker = new Worker(
    name,
    (job: Job) => processJob(deps, name, job.data, originOf(job), handlersOfWorker),
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
