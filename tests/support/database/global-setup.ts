import { rm } from 'node:fs/promises'
import type { TestProject } from 'vitest/node'
import { startPostgres } from '../../../scripts/postgres.ts'
import { startWatchdog } from '../../../scripts/processes/watchdog.ts'
import { wholeOrNothing } from '../../../scripts/processes/whole-or-nothing.ts'
import { findRedis, startRedis } from '../../../scripts/test/tools/redis.ts'
import { makeScratchFolder } from '../../../scripts/test/tools/scratch-folder.ts'
import { ensureTemplateDatabase } from './template-database.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser, database `postgres`: creates and drops the databases of test files. */
    adminUrl: string
    /** Migrated and empty; `CREATE DATABASE … TEMPLATE` it. */
    templateDatabase: string
    /** Undefined where there is no Redis; `redisReason` then says why. */
    redisUrl: string | undefined
    redisReason: string | undefined
  }
}

/**
 * Gives every test file a Postgres and, if available, a Redis. `npm test` passes both in the environment; a
 * single `vitest run schema/ledger` starts its own, in temporary folders.
 */
export function setup(project: TestProject): Promise<() => Promise<void>> {
  return wholeOrNothing(async (running) => {
    const adminUrl = process.env.TEST_DATABASE_URL || (await startOwnPostgres(running))
    const redis = await findRedisUrl(running)
    project.provide('adminUrl', adminUrl)
    project.provide('templateDatabase', await ensureTemplateDatabase(adminUrl))
    project.provide('redisUrl', redis.url)
    project.provide('redisReason', redis.reason)
    return () => running.disposeAsync()
  })
}

async function startOwnPostgres(running: AsyncDisposableStack): Promise<string> {
  const dataDir = await makeScratchFolder('tidemark-postgres')
  running.defer(() => rm(dataDir, { recursive: true, force: true }))
  const watchdog = startWatchdog()
  running.defer(() => watchdog.close())
  const postgres = await startPostgres({ dataDir, durable: false })
  watchdog.watch(postgres.pid, 0, 'SIGINT')
  running.defer(() => postgres.stop())
  return postgres.url
}

/** `npm test` sets TEST_REDIS_URL, or says in TEST_REDIS_REASON why it cannot. */
async function findRedisUrl(running: AsyncDisposableStack) {
  const { TEST_REDIS_URL, TEST_REDIS_REASON } = process.env
  if (TEST_REDIS_URL || TEST_REDIS_REASON) return { url: TEST_REDIS_URL, reason: TEST_REDIS_REASON }
  const program = await findRedis({ install: false, say: () => undefined })
  if (!program.found) return { url: undefined, reason: program.reason }
  const watchdog = startWatchdog()
  running.defer(() => watchdog.close())
  const redis = await startRedis({ program: program.value })
  watchdog.watch(redis.pid, 0, 'SIGTERM')
  running.defer(() => redis.stop())
  return { url: redis.url, reason: undefined }
}
