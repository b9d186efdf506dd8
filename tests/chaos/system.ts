import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ClerkClient } from '@clerk/backend'
import { connectDatabase, type Database } from '../../schema/database/connect.ts'
import { migrateToLatest } from '../../schema/database/migrate.ts'
import type { QueueProducer } from '../../schema/inbox/queues/producer.ts'
import { openClerk } from '../../schema/vendors/clerk/client.ts'
import { stripeEventTypes } from '../../schema/vendors/stripe/event-types.ts'
import { createDatabase } from '../../scripts/database.ts'
import { startBalancer } from '../../scripts/launch/balance.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import { findFreePort } from '../../scripts/processes/ports.ts'
import { startWatchdog, type Watchdog } from '../../scripts/processes/watchdog.ts'
import { wholeOrNothing } from '../../scripts/processes/whole-or-nothing.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../../scripts/sandbox-environment.ts'
import { type RunningRedis, startRedis } from '../../scripts/test/tools/redis.ts'
import { openQueues } from '../support/services/queues.ts'
import { type Sandbox, startSandbox, testAppUrl } from '../support/services/sandbox.ts'
import { startStripe, type TestStripe } from '../support/services/stripe.ts'
import { type Member, startMember } from './member.ts'
import { patient, untilDone } from './until-done.ts'

export interface SystemOptions {
  /** The program, for queues on Redis; left out, they are in Postgres. */
  readonly redisProgram?: string | undefined
  /** The intervals of retries and claims; by default those of production. */
  readonly env?: Record<string, string>
  /** What the processes log. */
  readonly logFile: string
  /** What stands between the processes and Postgres or Redis; by default nothing. */
  readonly front?: (url: string, running: AsyncDisposableStack) => Promise<string>
}

/** All as real processes: Postgres, Redis, stand-ins, two servers behind one address, two workers. */
export interface System {
  readonly backend: 'postgres' | 'redis'
  readonly postgres: RunningPostgres
  readonly redis: RunningRedis | undefined
  readonly servers: readonly Member[]
  readonly workers: readonly Member[]
  readonly stripe: TestStripe
  readonly clerk: Sandbox & { readonly client: ClerkClient }
  readonly url: string
  /** As the tables' owner. */
  readonly database: Database
  /** Opened on first use, which must not be during a fault: BullMQ remembers a failed open for good. */
  readonly producer: () => QueueProducer
  now(): Promise<Date>
  /** When the clock was moved, in real milliseconds. Processes follow a moment later. */
  readonly clockMoves: number[]
  close(): Promise<void>
}

/** The stand-in's name for the endpoint that its environment names. */
const webhookEndpoint = 'we_sandbox_from_environment'

export function startSystem(options: SystemOptions): Promise<System> {
  return wholeOrNothing((running) => startParts(options, running))
}

async function startParts(options: SystemOptions, running: AsyncDisposableStack): Promise<System> {
  await mkdir(dirname(options.logFile), { recursive: true })
  const log = createWriteStream(options.logFile)
  running.defer(() => void log.end())
  const watchdog = startWatchdog()
  running.defer(() => watchdog.close())
  const serverPorts = [await findFreePort(), await findFreePort()]
  const port = await findFreePort()
  const balancer = await startBalancer({ port, servers: serverPorts })
  running.defer(() => balancer.stop())

  const postgres = await startOwnPostgres(running, watchdog)
  const databaseUrl = postgres.urlOf('tidemark')
  const redis = options.redisProgram
    ? await startOwnRedis(options.redisProgram, running, watchdog)
    : undefined
  const stripe = await startStripe({ serverPort: port })
  running.defer(() => stripe.stop())
  const sandbox = await startSandbox('clerk', {
    serverPort: port,
    env: { SANDBOX_CLERK_CLOCK_URL: `${stripe.url}/_sandbox/clock` },
  })
  running.defer(() => sandbox.stop())
  await stripe.setUp()
  // As `npm run stripe:setup` asks a real account for them: nothing that we do not handle is sent.
  await stripe.client.webhookEndpoints.update(webhookEndpoint, { enabled_events: [...stripeEventTypes] })

  const { front = async (url) => url } = options
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: 'test',
    APP_URL: testAppUrl,
    DATABASE_URL: await front(databaseUrl, running),
    DATABASE_POOL_MAX: '8',
    REDIS_URL: redis ? await front(redis.url, running) : '',
    ...stripeSandboxVariables({ stripePort: stripe.port }),
    ...clerkSandboxVariables({ clerkPort: sandbox.port }),
    ...options.env,
  }
  const start = async (room: 'server' | 'worker', index: number, more: Record<string, string>) => {
    const name = `${room} ${index + 1}`
    const line = room === 'server' ? 'Server is ready' : 'Worker is ready'
    const member = await startMember(
      { name, args: [`${room}/main.ts`], env: { ...env, ...more }, ready: { line } },
      { watchdog, onLine: (said) => log.write(`${name} ${said}\n`) },
    )
    running.defer(() => member.stop())
    return member
  }
  const [servers, workers] = await Promise.all([
    Promise.all(serverPorts.map((port, index) => start('server', index, { PORT: String(port) }))),
    Promise.all([0, 1].map((index) => start('worker', index, {}))),
  ])

  const onError = () => undefined
  const connection = connectDatabase({ connectionString: databaseUrl, role: 'owner', poolMax: 6, onError })
  running.defer(() => connection.close())
  let producer: QueueProducer | undefined
  const openProducer = () => {
    const opened = openQueues({ databaseUrl, redisUrl: redis?.url, role: 'tidemark_server', poolMax: 2 })
    running.defer(opened.close)
    return opened.producer
  }
  return {
    backend: redis ? 'redis' : 'postgres',
    postgres,
    redis,
    servers,
    workers,
    stripe: patient(stripe),
    clerk: {
      ...patient(sandbox),
      client: openClerk({ secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` }),
    },
    url: `http://127.0.0.1:${port}`,
    database: connection.db,
    producer() {
      producer ??= openProducer()
      return producer
    },
    async now() {
      const answer = await untilDone(async () => (await fetch(`${stripe.url}/_sandbox/clock`)).json())
      return new Date(Date.now() + (answer as { offset_ms: number }).offset_ms)
    },
    clockMoves: [],
    close: () => running.disposeAsync(),
  }
}

async function startOwnRedis(
  program: string,
  running: AsyncDisposableStack,
  watchdog: Watchdog,
): Promise<RunningRedis> {
  const redis = await startRedis({ program })
  running.defer(() => redis.stop())
  return watched(redis, () => watchdog.watch(redis.pid, 1, 'SIGTERM'))
}

/** Durable: committed rows must survive a power cut. */
async function startOwnPostgres(running: AsyncDisposableStack, watchdog: Watchdog): Promise<RunningPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-chaos-'))
  await chmod(dataDir, 0o711)
  running.defer(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, durable: true })
  running.defer(() => postgres.stop())
  await createDatabase({ adminUrl: postgres.url, name: 'tidemark' })
  await migrateToLatest({ connectionString: postgres.urlOf('tidemark') })
  return watched(postgres, () => watchdog.watch(postgres.pid, 1, 'SIGINT'))
}

/** Whatever was started again ends with us too. */
function watched<Service extends { readonly pid: number; restart(): Promise<void> }>(
  service: Service,
  watch: () => void,
): Service {
  watch()
  return {
    ...service,
    get pid() {
      return service.pid
    },
    async restart() {
      await service.restart()
      watch()
    },
  }
}
