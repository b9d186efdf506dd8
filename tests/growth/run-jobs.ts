import { randomUUID } from 'node:crypto'
import { Worker } from 'bullmq'
import type { QueueBackend } from '../../schema/inbox/queues/backend.ts'
import { freshJobId } from '../../schema/inbox/queues/producer.ts'
import { type QueueName, queueNames } from '../../schema/inbox/queues/queues.ts'
import type { TestProduct } from '../support/product/start-test-product.ts'
import { openQueues } from '../support/services/queues.ts'
import type { Path } from './paths.ts'

const jobs = 10
const token = 'growth'

/** Adds jobs to the queue, and takes and finishes each, as a worker does, but one at a time. */
export const runJobs: Path = async (product) => {
  const { backend, close } = openQueues({ databaseUrl: product.database.url })
  const worker = await openWorker(backend, 'stripe-events')
  await finishAll(worker)
  return async () => {
    for (let i = 0; i < jobs; i++) {
      await product.server.deps.producer.add('stripe-events', freshJobId('evt'), { event_id: randomUUID() })
      await finishAll(worker)
    }
    await worker.close()
    await close()
  }
}

/** One job of each queue succeeds and one fails: with them goes what an earlier setting would have kept. */
export async function settleQueues(product: TestProduct): Promise<void> {
  const { backend, producer, close } = openQueues({ databaseUrl: product.database.url })
  for (const name of queueNames) {
    const worker = await openWorker(backend, name)
    const queue = producer.queue(name)
    await finishAll(worker)
    await queue.add(name, {}, { jobId: randomUUID() })
    const failing = await worker.getNextJob(token, { block: false })
    await failing?.moveToFailed(new Error('Fails'), token, false)
    await queue.add(name, {}, { jobId: randomUUID() })
    await finishAll(worker)
    await worker.close()
  }
  await close()
}

async function openWorker({ connection, factory }: QueueBackend, queue: QueueName): Promise<Worker> {
  const worker = new Worker(queue, null, { connection, autorun: false }, factory)
  await worker.waitUntilReady()
  return worker
}

async function finishAll(worker: Worker): Promise<void> {
  for (;;) {
    const job = await worker.getNextJob(token, { block: false })
    if (!job) return
    await job.moveToCompleted(null, token, false)
  }
}
