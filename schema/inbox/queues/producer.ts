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

/** What routes, jobs and tests are given: a producer, or something that does the same. */
export type Producer = Pick<QueueProducer, keyof QueueProducer>

export type Queues = ReadonlyMap<QueueName, Queue>

/** Adds jobs to the queues. Errors of the connection go to `onError`; those of an `add` to its caller. */
export class QueueProducer {
  protected readonly backend: QueueBackend
  protected queues: Queues | undefined
  readonly #onError: (error: Error) => void

  constructor(backend: QueueBackend, { onError }: { readonly onError: (error: Error) => void }) {
    this.backend = backend
    this.#onError = onError
  }

  /** Adds a job under its id; an id that is still kept, finished or not, is not added again. */
  async add<Name extends QueueName>(
    queue: Name,
    jobId: string,
    payload: JobPayload<Name>,
    origin?: JobOrigin,
  ): Promise<void> {
    const data = queueSchemas[queue].parse(payload)
    await this.attempt((queues) =>
      queueIn(queues, queue).add(queue, data, { jobId, ...originOptions(origin) }),
    )
  }

  /** Adds several together, each as a job of its own. When that fails, some may have been added. */
  async addMany<Name extends QueueName>(queue: Name, jobs: readonly NewJob<Name>[]): Promise<void> {
    if (jobs.length === 0) return
    // On Postgres BullMQ makes a sequence and tables for such a call, which our roles may not.
    if (this.backend.kind === 'postgres') {
      await Promise.all(jobs.map(({ jobId, payload }) => this.add(queue, jobId, payload)))
      return
    }
    const added = jobs.map(({ jobId, payload }) => ({
      name: queue,
      data: queueSchemas[queue].parse(payload),
      opts: { jobId },
    }))
    await this.attempt((queues) => queueIn(queues, queue).addBulk(added))
  }

  async counts(): Promise<Record<QueueName, Record<string, number>>> {
    const entries = await this.attempt((queues) =>
      Promise.all(
        queueNames.map(async (name) => [
          name,
          await queueIn(queues, name).getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
        ]),
      ),
    )
    return Object.fromEntries(entries)
  }

  countWaiting(queue: QueueName): Promise<number> {
    return this.attempt((queues) => queueIn(queues, queue).getJobCountByTypes('waiting'))
  }

  queue(name: QueueName): Queue {
    return queueIn(this.open(), name)
  }

  async close(): Promise<void> {
    if (this.queues) await closeQueues(this.queues)
  }

  /** The queues for a call that may fail. */
  protected attempt<T>(call: (queues: Queues) => Promise<T>): Promise<T> {
    return call(this.open())
  }

  protected open(): Queues {
    this.queues ??= new Map(queueNames.map((name) => [name, this.#openQueue(name)]))
    return this.queues
  }

  #openQueue(name: QueueName): Queue {
    const { connection, factory } = this.backend
    const options = { connection, defaultJobOptions: jobOptionsOf(name), skipWaitingForReady: true }
    const queue = new Queue(name, options, factory)
    queue.on('error', this.#onError)
    return queue
  }
}

function queueIn(queues: Queues, name: QueueName): Queue {
  const queue = queues.get(name)
  if (!queue) throw new Error(`There is no queue ${name}`)
  return queue
}

export async function closeQueues(queues: Queues): Promise<void> {
  await Promise.all([...queues.values()].map((queue) => queue.close()))
}
