import { randomUUID } from 'node:crypto'
import { Queue } from 'bullmq'
import type { QueueBackend } from './backend.ts'
import {
  type JobOrigin,
  type JobPayload,
  jobOptionsOf,
  originOptions,
  type QueueName,
  queueNames,
  queueSchemas,
} from './queues.ts'

/** Adds jobs to the queues. */
export interface QueueProducer {
  /** Adds a job under its id; an id that is still kept, finished or not, is not added again. */
  add<Name extends QueueName>(
    queue: Name,
    jobId: string,
    payload: JobPayload<Name>,
    origin?: JobOrigin,
  ): Promise<void>
  /** How many jobs of each queue are in which state. */
  counts(): Promise<Record<QueueName, Record<string, number>>>
  /** How many jobs of a queue no worker has begun. */
  countWaiting(queue: QueueName): Promise<number>
  queue(name: QueueName): Queue
  close(): Promise<void>
}

/** An id that no kept job has: for a replay or a sweep, which must run although the first job is still there. */
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
  return {
    async add(name, jobId, payload, origin) {
      await queueOf(name).add(name, queueSchemas[name].parse(payload), { jobId, ...originOptions(origin) })
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
