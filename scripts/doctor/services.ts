import { listPendingMigrations, OtherVersionError } from '../../schema/database/migrate.ts'
import { createPool } from '../../schema/database/pool.ts'
import { connectRedis } from '../../schema/inbox/queues/redis.ts'
import { explainError } from '../explain-error.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem } from './finding.ts'

/** Whether the database answers and has every migration. Reads only. */
export async function examineDatabase({ env }: Configuration): Promise<Finding> {
  const settings = { connectionString: env.DATABASE_URL, max: 1, connectionTimeoutMillis: 10_000 }
  const pool = createPool(settings, () => undefined)
  try {
    const [first, ...others] = await listPendingMigrations(pool)
    if (first === undefined) return ok('database', 'it answers, with every migration')
    return problem('database', {
      text: `${others.length + 1} migrations are missing, the first is ${first}`,
      means: 'Server and worker ask for tables and columns that are not there.',
      repair: 'Run `npm run db:migrate` with the login that owns the tables.',
    })
  } catch (error) {
    if (error instanceof OtherVersionError)
      return problem('database', {
        text: error.message,
        means: 'It cannot be migrated with these files, and server and worker may ask for what it lacks.',
        repair: 'Run the version that migrated it, or put the migrations right as it says.',
      })
    return problem('database', {
      text: `it does not answer: ${explainError(error)}`,
      means: 'Nothing works: server and worker wait for it.',
      repair: 'Correct DATABASE_URL, or start Postgres; without DATABASE_URL, run `npm start` first.',
    })
  } finally {
    await pool.end()
  }
}

/** Whether Redis answers. BullMQ examines its version and its eviction policy when a process starts. */
export async function examineQueues({ env }: Configuration): Promise<Finding> {
  if (env.REDIS_URL === undefined) return ok('queues', 'in Postgres')
  const redis = connectRedis(env.REDIS_URL, { whenUnavailable: 'give_up' })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    await redis.ping()
    return ok('queues', 'in Redis, which answers')
  } catch (error) {
    return problem('queues', {
      text: `Redis does not answer: ${explainError(error)}`,
      means: 'Events are applied minutes late, and rate limits count in each process alone.',
      repair: 'Correct REDIS_URL, or leave it out: the queues are then in Postgres.',
    })
  } finally {
    redis.disconnect()
  }
}
