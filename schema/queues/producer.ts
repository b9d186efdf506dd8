import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import { createBatches } from '../batches.ts'
import type { QueueBackend } from './backend.ts'
import {
  type JobOrigin,
  type JobPayload,
  jobOptionsOf,
  mostEventsTogether,
  originOptions,
  type QueueName,
  queueNames,
  queueSchemas,
} from './queues.ts'

/** Adds jobs to the queues. */
export interface QueueProducer {
  /**
   * Adds a job under its id; an id that is still kept, finished or not, is not added again. Stripe's events
   * that are added at the same moment share a job with an id of its own.
   */
  add<Name extends QueueName>(
    queue: Name,
    jobId: string,
    payload: JobPayload<Name>,
    origin?: JobOrigin,
  ): Promise<void>
  /** Adds several together, each as a job of its own. When that fails, some may have been added. */
  addMany<Name extends QueueName>(queue: Name, jobs: readonly NewJob<Name>[]): Promise<void>
  /** How many jobs of each queue are in which state. */
  counts(): Promise<Record<QueueName, Record<string, number>>>
  /** How many jobs of a queue no worker has begun. */
  countWaiting(queue: QueueName): Promise<number>
  queue(name: QueueName): Queue
  close(): Promise<void>
}

export interface NewJob<Name extends QueueName> {
  readonly jobId: string
  readonly payload: JobPayload<Name>
}

/**
 * An id that no kept job has: for a replay or a claim, which must run although the first job is still there.
 */
export function freshJobId(subject: string): string {
  return `${subject}.${randomUUID().slice(0, 8)}`
}

/** Opens all queues for adding. Errors of the connection go to `onError`; those of an `add` to its caller. */
export function createProducer(
  backend: QueueBackend,
  options: { onError: (error: Error) => void },
): QueueProducer {
  const queues = new Map<QueueName, Queue>(
    queueNames.map((name) => {
      const queue = new Queue(
        name,
        { connection: backend.connection, defaultJobOptions: jobOptionsOf(name), skipWaitingForReady: true },
        backend.factory,
      )
      queue.on('error', options.onError)
      return [name, queue]
    }),
  )
  const queueOf = (name: QueueName): Queue => {
    const queue = queues.get(name)
    if (!queue) throw new Error(`There is no queue ${name}`)
    return queue
  }
  const addJob: QueueProducer['add'] = async (name, jobId, payload, origin) => {
    await queueOf(name).add(name, queueSchemas[name].parse(payload), { jobId, ...originOptions(origin) })
  }
  const eventJobs = new EventJobs(addJob)
  return {
    add: (name, jobId, payload, origin) =>
      isOfEvent(name, payload)
        ? eventJobs.add({ jobId, payload, origin })
        : addJob(name, jobId, payload, origin),
    async addMany(name, jobs) {
      if (jobs.length === 0) return
      // On Postgres BullMQ makes a sequence and tables for such a call, which our roles may not.
      if (backend.kind === 'postgres') {
        await Promise.all(jobs.map(({ jobId, payload }) => addJob(name, jobId, payload)))
        return
      }
      await queueOf(name).addBulk(
        jobs.map(({ jobId, payload }) => ({
          name,
          data: queueSchemas[name].parse(payload),
          opts: { jobId },
        })),
      )
    },
    async counts() {
      const entries = await Promise.all(
        queueNames.map(async (name) => [
          name,
          await queueOf(name).getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
        ]),
      )
      return Object.fromEntries(entries)
    },
    countWaiting: (name) => queueOf(name).getJobCountByTypes('waiting'),
    queue: queueOf,
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()))
    },
  }
}

type EventPayload = Extract<JobPayload<'stripe-events'>, { event_id: string }>

interface EventJob {
  readonly jobId: string
  readonly payload: EventPayload
  readonly origin: JobOrigin | undefined
}

function isOfEvent(queue: QueueName, payload: object): payload is EventPayload {
  return queue === 'stripe-events' && 'event_id' in payload
}

/**
 * Adds events that come while others are being added, or in the same turn of the event loop, by one job: a
 * job costs a queue as much as applying an event costs the ledger.
 */
class EventJobs {
  readonly #addJob: QueueProducer['add']
  /** Adds an event, and returns when the job that has it is in the queue. */
  readonly add: (job: EventJob) => Promise<void>

  constructor(addJob: QueueProducer['add']) {
    this.#addJob = addJob
    this.add = createBatches({
      items_max: mostEventsTogether,
      batches_max: 2,
      keyOf: ({ jobId }) => jobId,
      together: (jobs) => this.#addTogether(jobs),
      isShared: () => true,
    })
  }

  async #addTogether(jobs: readonly EventJob[]): Promise<undefined[]> {
    const [first, ...others] = new Map(jobs.map((job) => [job.jobId, job])).values()
    if (!first) return []
    if (others.length === 0) {
      await this.#addJob('stripe-events', first.jobId, first.payload, first.origin)
    } else {
      const events = [first, ...others].map(({ payload, origin }) => ({ ...payload, origin }))
      await this.#addJob('stripe-events', freshJobId(first.jobId), { events })
    }
    return jobs.map(() => undefined)
  }
}
