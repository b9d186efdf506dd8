import { randomUUID } from 'node:crypto'
import { Worker } from 'bullmq'
import { connectQueueBackend } from '../../schema/queues/backend.ts'
import { freshJobId } from '../../schema/queues/producer.ts'
import type { Path } from './paths.ts'

const jobs = 10

/** Adds jobs to the queue and takes, runs and finishes each, as a worker does, but one at a time. */
export const runJobs: Path = async ({ database, server }) => {
  const backend = connectQueueBackend({
    databaseUrl: database.url,
    role: 'tidemark_worker',
    poolMax: 4,
    whenUnavailable: 'wait',
    onError: () => undefined,
  })
  const worker = new Worker('stripe-events', null, { connection: backend.connection, autorun: false }, backend.factory)
  await worker.waitUntilReady()
  const { producer } = server.deps
  const runOne = async () => {
    const job = await worker.getNextJob('token')
    await job?.moveToCompleted(null, 'token', false)
  }
  // What finished jobs there are too many goes with the first that finishes.
  await producer.add('stripe-events', freshJobId('evt_first'), { event_id: 'evt_first' })
  for (;;) {
    const job = await worker.getNextJob('token', { block: false })
    if (!job) break
    await job.moveToCompleted(null, 'token', false)
  }
  return async () => {
    for (let i = 0; i < jobs; i++) {
      const id = `evt_${randomUUID()}`
      await producer.add('stripe-events', freshJobId(id), { event_id: id })
      await runOne()
    }
    await worker.close()
    await backend.close()
  }
}
