import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { build } from '../schema/build.ts'
import { openClock } from '../schema/clock.ts'
import { connectDatabase, type DatabaseConnection } from '../schema/database/connect.ts'
import { OtherSessionError, refuseOtherSession } from '../schema/database/verify-session.ts'
import { EnvironmentError, processEnvironment } from '../schema/env.ts'
import { connectQueueBackend } from '../schema/inbox/queues/backend.ts'
import { QueueProducer } from '../schema/inbox/queues/producer.ts'
import { createLogger, type Logger } from '../schema/log.ts'
import { startTracing } from '../schema/tracing.ts'
import { OtherAccountError, refuseOtherAccount } from '../schema/vendors/stripe/account.ts'
import { isLiveKey } from '../schema/vendors/stripe/mode.ts'
import { startConsumers } from './consumers.ts'
import { createDependencies } from './dependencies.ts'
import { serveHealth } from './health.ts'
import { keepSchedule } from './tasks/schedule.ts'

/**
 * Each of the six BullMQ workers keeps one connection on Postgres to LISTEN, the rest is for claiming and
 * finishing.
 */
const queuePoolMax = 14

async function main(): Promise<void> {
  const env = processEnvironment(process.env)
  const log = createLogger({ process: 'worker', level: env.LOG_LEVEL })
  const tracing = await startTracing(env, {
    process: 'worker',
    onError: (error) => log.warn({ err: error }, 'Spans were not delivered'),
  })
  const onError = (error: Error) => log.warn({ err: error }, 'A connection was lost')
  const database = connectDatabase({
    connectionString: env.DATABASE_URL,
    role: 'tidemark_worker',
    livemode: isLiveKey(env.STRIPE_SECRET_KEY),
    mails: env.SMTP_URL !== undefined || env.NODE_ENV !== 'production',
    poolMax: env.DATABASE_POOL_MAX,
    onError,
  })
  await waitForDatabase(database, log)
  const backend = connectQueueBackend({
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    role: 'tidemark_worker',
    poolMax: queuePoolMax,
    whenUnavailable: 'wait',
    onError,
  })
  const producer = new QueueProducer(backend, { onError })
  const clock = openClock(env)
  await clock.ready
  const deps = createDependencies({ env, database, backend, producer, log, now: clock.now })
  await refuseOtherAccount(deps)
  const health = await serveHealth(deps, { host: env.METRICS_HOST, port: env.METRICS_PORT })
  const consumers = startConsumers(deps, backend, { lockMs: env.JOB_LOCK_MS, stalledMs: env.JOB_STALLED_MS })
  const schedule = keepSchedule(producer, { claim_every_ms: env.CLAIM_EVERY_MS, log })
  const { port } = health.address() as AddressInfo
  log.info({ queues: backend.kind, metrics_port: port, revision: build.revision }, 'Worker is ready')

  let isStopping = false
  const stop = async (signal: string) => {
    if (isStopping) return
    isStopping = true
    log.info({ signal }, 'Worker is finishing its running jobs')
    schedule.stop()
    await consumers.close()
    await producer.close()
    await backend.close()
    health.close()
    await database.close()
    clock.stop()
    await tracing.close()
    log.info('Worker has stopped')
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).then(
        () => process.exit(0),
        (error: unknown) => {
          log.error({ err: error }, 'Worker could not stop cleanly')
          process.exit(1)
        },
      )
    })
  }
}

/**
 * BullMQ remembers for good that a queue could not be opened, so nothing is opened before Postgres answers.
 */
async function waitForDatabase(database: DatabaseConnection, log: Logger): Promise<void> {
  for (;;) {
    try {
      await refuseOtherSession(database)
      return
    } catch (error) {
      if (error instanceof OtherSessionError) throw error
      log.warn({ err: error }, 'Waiting for the database')
      await setTimeout(1000)
    }
  }
}

main().catch((error: unknown) => {
  const refusals = [EnvironmentError, OtherAccountError, OtherSessionError]
  const isExplained = refusals.some((refusal) => error instanceof refusal)
  process.stderr.write(`${isExplained ? (error as Error).message : ((error as Error).stack ?? error)}\n`)
  process.exit(1)
})
