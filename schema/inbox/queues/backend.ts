import { type BackendFactory, createPostgresBackend, createRedisBackend } from 'bullmq'
import type { DatabaseRole } from '../../database/connect.ts'
import { createPool } from '../../database/pool.ts'
import { queueSchema } from './migrate.ts'
import { connectRedis } from './redis.ts'

/**
 * Where BullMQ keeps its queues. `connection` and `factory` are handed to every Queue and Worker of a
 * process, which share them. Everything else of our code is the same on both.
 */
export interface QueueBackend {
  readonly kind: 'postgres' | 'redis'
  // biome-ignore lint/suspicious/noExplicitAny: BullMQ types the connection by backend, and this is either.
  readonly connection: any
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly factory: BackendFactory<any, any>
  /** Closes the shared connection; close queues and workers first. */
  close(): Promise<void>
}

export interface QueueBackendOptions {
  readonly databaseUrl: string
  readonly redisUrl?: string | undefined
  readonly role: DatabaseRole
  /** Each BullMQ worker on Postgres keeps one connection to LISTEN. */
  readonly poolMax: number
  /** `fail_fast` for the server (the row is already in Postgres), `wait` for the worker. */
  readonly whenUnavailable: 'fail_fast' | 'wait'
  readonly onError: (error: Error) => void
}

/** Redis when `redisUrl` is set, the same Postgres otherwise. */
export function connectQueueBackend(options: QueueBackendOptions): QueueBackend {
  return options.redisUrl ? connectToRedis(options.redisUrl, options) : connectPostgres(options)
}

function connectToRedis(redisUrl: string, options: QueueBackendOptions): QueueBackend {
  const redis = connectRedis(redisUrl, options)
  redis.on('error', options.onError)
  return {
    kind: 'redis',
    connection: redis,
    factory: createRedisBackend,
    close: async () => {
      redis.disconnect()
    },
  }
}

function connectPostgres(options: QueueBackendOptions): QueueBackend {
  const pool = createPool(
    {
      connectionString: options.databaseUrl,
      application_name: `${options.role}-queue`,
      session: { search_path: queueSchema, role: options.role },
      max: options.poolMax,
      connectionTimeoutMillis: options.whenUnavailable === 'wait' ? 10_000 : 2000,
    },
    options.onError,
  )
  // Every Queue and Worker that shares it listens.
  pool.setMaxListeners(0)
  return { kind: 'postgres', connection: pool, factory: createPostgresBackend, close: () => pool.end() }
}
