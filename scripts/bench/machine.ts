import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { migrateToLatest } from '../../schema/database/migrate.ts'
import { createDatabase } from '../database.ts'
import { repositoryRoot } from '../launch/script.ts'
import { startPostgres } from '../postgres.ts'
import { findFreePort } from '../processes/ports.ts'
import { startWatchdog } from '../processes/watchdog.ts'
import { findRedis, startRedis } from '../test/tools/redis.ts'
import { type BenchProcess, startBenchProcess } from './process.ts'
import { webhookSecret } from './webhooks.ts'

export type QueueKind = 'postgres' | 'redis'

/** Where a part of the product, or of a floor, works. Each has its own, so that their queues do not meet. */
export interface Place {
  readonly databaseUrl: string
  /** Undefined for queues in Postgres. */
  readonly redisUrl: string | undefined
}

/** What all rows share: one Postgres, one Redis, and a way to start processes. */
export interface Machine {
  readonly about: MachineFacts
  /** Redis when there is one, as in production. */
  readonly queues: QueueKind
  /** A new database with all migrations, and an empty Redis database when the queues are there. */
  createPlace(queues: QueueKind): Promise<Place>
  startServer(part: 'product' | 'floor', place: Place): Promise<BenchProcess & { readonly url: string }>
  startWorker(part: 'product' | 'floor', place: Place): Promise<BenchProcess>
  close(): Promise<void>
}

export interface MachineFacts {
  readonly cpu: string
  readonly cores: number
  readonly memory_gib: number
  readonly node: string
  readonly postgres: string
  readonly redis: string
}

/**
 * Durable and with memory as in production (docs/operations.md, "Settings of Postgres"). The time of each
 * commit is kept, because that is when a transfer is in the ledger, without asking for it all the time.
 */
const postgresSettings = {
  max_connections: '300',
  track_commit_timestamp: 'on',
  shared_buffers: '2GB',
  max_wal_size: '4GB',
}

/** Migrated, and never used itself: the others are copies of it. */
const template = 'bench_template'

/** Databases of the Redis: each side of each row has one of its own. */
const redisDatabases = 128

export async function openMachine(say: (message: string) => void): Promise<Machine> {
  const running = new AsyncDisposableStack()
  try {
    return await open(running, say)
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

async function open(running: AsyncDisposableStack, say: (message: string) => void): Promise<Machine> {
  const watchdog = startWatchdog()
  running.defer(() => watchdog.close())
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  await chmod(dataDir, 0o711)
  running.defer(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, durable: true, settings: postgresSettings })
  running.defer(() => postgres.stop())
  watchdog.watch(postgres.pid, 2, 'SIGINT')
  await createDatabase({ adminUrl: postgres.url, name: template })
  await migrateToLatest({ connectionString: postgres.urlOf(template) })
  const program = await findRedis({ install: true, say })
  const redis = program.found
    ? await startRedis({ program: program.value, settings: { databases: String(redisDatabases) } })
    : null
  if (redis) {
    running.defer(() => redis.stop())
    watchdog.watch(redis.pid, 1, 'SIGTERM')
  } else if (!program.found) say(`Queues are in Postgres only: ${program.reason}.`)
  const logs = join(repositoryRoot, 'reports/bench')
  await mkdir(logs, { recursive: true })
  const awayUrl = await serveNothing(running)

  let places = 0
  let processes = 0
  const start = (script: string, env: NodeJS.ProcessEnv, readyLine: string) => {
    processes += 1
    const logFile = join(logs, `${processes} ${script.replaceAll('/', ' ')}.log`)
    return startBenchProcess({
      script,
      env: { PATH: process.env.PATH, ...env },
      readyLine,
      logFile,
      watchdog,
    })
  }
  const scripts = {
    product: { server: 'server/main.ts', worker: 'worker/main.ts' },
    floor: { server: 'scripts/bench/floors/server.ts', worker: 'scripts/bench/floors/worker.ts' },
  }
  return {
    about: {
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: cpus().length,
      memory_gib: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
      postgres: await ask(postgres.url, 'SHOW server_version'),
      redis: redis ? await versionOf(redis.url) : 'none',
    },
    queues: redis ? 'redis' : 'postgres',
    async createPlace(queues) {
      places += 1
      if (queues === 'redis' && !redis) throw new Error('There is no Redis')
      if (queues === 'redis' && places >= redisDatabases) throw new Error('Redis has no database left')
      const name = `bench_${places}`
      await ask(postgres.url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
      return {
        databaseUrl: postgres.urlOf(name),
        redisUrl: queues === 'redis' ? `${redis?.url}/${places}` : undefined,
      }
    },
    async startServer(part, place) {
      const port = await findFreePort()
      const env = { ...environmentOf(place, awayUrl), PORT: String(port) }
      const server = await start(scripts[part].server, env, 'Server is ready')
      return { ...server, url: `http://127.0.0.1:${port}` }
    },
    startWorker: (part, place) =>
      start(scripts[part].worker, environmentOf(place, awayUrl), 'Worker is ready'),
    close: () => running.disposeAsync(),
  }
}

/** As in production, except that Stripe and Clerk are away: nothing that is measured asks them. */
function environmentOf(place: Place, awayUrl: string): Record<string, string> {
  return {
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    APP_URL: 'http://localhost:3000',
    DATABASE_URL: place.databaseUrl,
    REDIS_URL: place.redisUrl ?? '',
    STRIPE_SECRET_KEY: 'sk_test_bench',
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: awayUrl,
    CLERK_SECRET_KEY: 'sk_test_bench',
    CLERK_PUBLISHABLE_KEY: `pk_test_${Buffer.from('clerk.local.test$').toString('base64')}`,
    CLERK_WEBHOOK_SECRET: 'whsec_bench',
    CLERK_API_URL: `${awayUrl}/bapi`,
  }
}

/**
 * A Stripe whose lists are empty and that is away for everything else, as Clerk is. There is no clock, so
 * that the real time counts.
 */
async function serveNothing(running: AsyncDisposableStack): Promise<string> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json')
    const { pathname } = new URL(request.url ?? '/', 'http://away')
    if (pathname === '/_sandbox/clock') response.writeHead(404).end('{}')
    else if (/^\/v1\/[a-z_]+$/.test(pathname)) {
      response.end(JSON.stringify({ object: 'list', data: [], has_more: false, url: pathname }))
    } else response.writeHead(503).end(JSON.stringify({ error: { type: 'api_error', message: 'Away' } }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.defer(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function versionOf(redisUrl: string): Promise<string> {
  const redis = new Redis(redisUrl)
  const [, version] = /redis_version:(\S+)/.exec(await redis.info('server')) ?? []
  redis.disconnect()
  return version ?? 'unknown'
}

/** The first column of the first row. */
async function ask(url: string, question: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query({ text: question, rowMode: 'array' })
    return String(rows[0]?.[0] ?? '')
  } finally {
    await client.end()
  }
}
