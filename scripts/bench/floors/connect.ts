import type { DatabaseRole } from '../../../schema/database/connect.ts'
import { createPool } from '../../../schema/database/pool.ts'
import { processEnvironment } from '../../../schema/env.ts'
import { connectQueueBackend } from '../../../schema/queues/backend.ts'

/**
 * What a floor's process has open: a pool as large as the product's, and the queues with `poolMax`
 * connections where they are in Postgres.
 */
export function connectFloor({ role, poolMax }: { readonly role: DatabaseRole; readonly poolMax: number }) {
  const env = processEnvironment(process.env)
  const onError = () => undefined
  const pool = createPool({ connectionString: env.DATABASE_URL, max: env.DATABASE_POOL_MAX }, onError)
  const backend = connectQueueBackend({
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    role,
    poolMax,
    whenUnavailable: 'wait',
    onError,
  })
  return { env, pool, backend, onError }
}
