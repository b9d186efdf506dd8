import { openClock } from '../schema/clock.ts'
import { connectDatabase } from '../schema/database/connect.ts'
import { type ProcessEnvironment, processEnvironment } from '../schema/env.ts'
import { connectQueueBackend } from '../schema/inbox/queues/backend.ts'
import { QueueProducer } from '../schema/inbox/queues/producer.ts'
import { createLogger } from '../schema/log.ts'
import { refuseOtherAccount } from '../schema/vendors/stripe/account.ts'
import { isLiveKey } from '../schema/vendors/stripe/mode.ts'
import { createDependencies, type WorkerDependencies } from '../worker/dependencies.ts'
import { withDatabase } from './database.ts'
import { launcherData, standInVariables } from './launch/stand-ins.ts'

/**
 * Runs tasks of the worker from the terminal, with its rights. A service that the environment does not name
 * is the stand-in of the `npm start` of `dataDir`, this clone's unless it is told otherwise.
 */
export function withWorkerDependencies<T>(
  raw: Readonly<Record<string, string | undefined>>,
  work: (deps: WorkerDependencies, env: ProcessEnvironment) => Promise<T>,
  dataDir = launcherData,
): Promise<T> {
  return withDatabase(async (databaseUrl) => {
    const named = { ...raw, DATABASE_URL: databaseUrl }
    const env = processEnvironment({ ...named, ...(await standInVariables(named, dataDir)) })
    const onError = () => undefined
    const livemode = isLiveKey(env.STRIPE_SECRET_KEY)
    const connection = { connectionString: env.DATABASE_URL, role: 'tidemark_worker', livemode } as const
    const database = connectDatabase({ ...connection, poolMax: 4, onError })
    const backend = connectQueueBackend({
      databaseUrl: env.DATABASE_URL,
      redisUrl: env.REDIS_URL,
      role: 'tidemark_worker',
      poolMax: 4,
      whenUnavailable: 'fail_fast',
      onError,
    })
    const producer = new QueueProducer(backend, { onError })
    const clock = openClock(env)
    await clock.ready
    try {
      const log = createLogger({ process: 'worker', level: 'silent' })
      const deps = createDependencies({ env, database, backend, producer, log, now: clock.now })
      await refuseOtherAccount(deps)
      return await work(deps, env)
    } finally {
      clock.stop()
      await producer.close()
      await backend.close()
      await database.close()
    }
  }, raw)
}
