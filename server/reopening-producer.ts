import type { QueueBackend } from '../schema/inbox/queues/backend.ts'
import { closeQueues, QueueProducer, type Queues } from '../schema/inbox/queues/producer.ts'

/**
 * A producer that recovers when the backend was unavailable at first. BullMQ never retries a queue that
 * failed to become ready, so queues are opened only when their connection answers, and failed ones are
 * replaced.
 */
export class ReopeningProducer extends QueueProducer {
  protected override async attempt<T>(call: (queues: Queues) => Promise<T>): Promise<T> {
    if (!this.queues) await probe(this.backend)
    const queues = this.open()
    try {
      return await call(queues)
    } catch (error) {
      if (this.queues === queues && !(await becameReady(queues))) {
        this.queues = undefined
        closeQueues(queues).catch(() => undefined)
      }
      throw error
    }
  }
}

async function probe({ kind, connection }: QueueBackend): Promise<void> {
  await (kind === 'redis' ? connection.ping() : connection.query('SELECT 1'))
}

async function becameReady(queues: Queues): Promise<boolean> {
  const outcomes = await Promise.allSettled([...queues.values()].map((queue) => queue.waitUntilReady()))
  return outcomes.every(({ status }) => status === 'fulfilled')
}
