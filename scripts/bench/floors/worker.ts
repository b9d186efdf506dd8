import { Worker } from 'bullmq'
import { createPool } from '../../../schema/database/pool.ts'
import { processEnvironment } from '../../../schema/env.ts'
import { connectQueueBackend } from '../../../schema/queues/backend.ts'
import { floorStatements } from './tables.ts'

/** The same queue with the same connections, and a job that only inserts a row. */
const env = processEnvironment(process.env)
const onError = () => undefined
const pool = createPool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_MAX }, onError)
const backend = connectQueueBackend({
  databaseUrl: env.DATABASE_URL,
  redisUrl: env.REDIS_URL,
  role: 'tidemark_worker',
  poolMax: 14,
  whenUnavailable: 'wait',
  onError,
})
/** As many jobs at once as the product's worker takes of this queue; fewer are slower here too. */
const mostTogether = 50

const worker = new Worker(
  'stripe-events',
  async (job) => {
    await pool.query({ ...floorStatements.insertSettled, values: [job.data.event_id] })
  },
  {
    connection: backend.connection,
    concurrency: mostTogether,
    lockDuration: env.JOB_LOCK_MS,
    stalledInterval: env.JOB_STALLED_MS,
  },
  backend.factory,
)
worker.on('error', onError)
await worker.waitUntilReady()
process.stdout.write('Worker is ready\n')
