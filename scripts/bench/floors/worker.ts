import { Worker } from 'bullmq'
import { connectFloor } from './connect.ts'
import { floorStatements } from './tables.ts'

/** The same queue with the same connections, and a job that only inserts a row. */
const { env, pool, backend, onError } = connectFloor({ role: 'tidemark_worker', poolMax: 14 })
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
