import type { QueueBackend } from '../schema/queues/backend.ts'
import { createProducer, type QueueProducer } from '../schema/queues/producer.ts'
import { queueNames } from '../schema/queues/queues.ts'

/**
 * A producer that recovers when the backend was unavailable at first. BullMQ never retries a queue that
 * failed to become ready, so queues are opened only when their connection answers, and failed ones are
 * replaced.
 */
export function createReopeningProducer(
  backend: QueueBackend,
  options: { onError: (error: Error) => void },
): QueueProducer {
  let current: QueueProducer | undefined

  const open = (): QueueProducer => {
    current ??= createProducer(backend, options)
    return current
  }

  async function attempt<T>(work: (producer: QueueProducer) => Promise<T>): Promise<T> {
    if (!current) await probe(backend)
    const producer = open()
    try {
      return await work(producer)
    } catch (error) {
      if (current === producer && !(await becameReady(producer))) {
        current = undefined
        producer.close().catch(() => undefined)
      }
      throw error
    }
  }

  return {
    add: (queue, jobId, payload, origin) =>
      attempt((producer) => producer.add(queue, jobId, payload, origin)),
    addMany: (queue, jobs) => attempt((producer) => producer.addMany(queue, jobs)),
    counts: () => attempt((producer) => producer.counts()),
    countWaiting: (queue) => attempt((producer) => producer.countWaiting(queue)),
    queue: (name) => open().queue(name),
    close: async () => current?.close(),
  }
}

async function probe({ kind, connection }: QueueBackend): Promise<void> {
  await (kind === 'redis' ? connection.ping() : connection.query('SELECT 1'))
}

async function becameReady(producer: QueueProducer): Promise<boolean> {
  const outcomes = await Promise.allSettled(queueNames.map((name) => producer.queue(name).waitUntilReady()))
  return outcomes.every(({ status }) => status === 'fulfilled')
}
