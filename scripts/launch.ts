import { join } from 'node:path'
import { connectDatabase } from '../schema/database/connect.ts'
import {
  EnvironmentError,
  liveKeysInDevelopment,
  parseEnvironment,
  processEnvironment,
} from '../schema/env.ts'
import { createOperatorKey, revokeOperatorKeys } from '../schema/extension/operator-keys.ts'
import { ensureWebBuilt } from './build-web.ts'
import { openDatabase } from './database.ts'
import { decideDemo } from './demo/begin.ts'
import { demoDays, playDemo } from './demo/play.ts'
import { lockDataFolder } from './launch/data-lock.ts'
import { type GroupMember, startGroup } from './launch/group.ts'
import { choosePorts, type ProductPorts } from './launch/ports.ts'
import { migrateDatabase, repositoryRoot, setUpStripeSandbox } from './launch/script.ts'
import { startWatchdog } from './processes/watchdog.ts'
import { wholeOrNothing } from './processes/whole-or-nothing.ts'
import {
  clerkSandboxEnvironment,
  clerkSandboxVariables,
  editorSandboxEnvironment,
  gatewaySandboxEnvironment,
  type SandboxPlaces,
  stripeSandboxEnvironment,
  stripeSandboxVariables,
} from './sandbox-environment.ts'

export type LaunchOptions = {
  /** `process.env` with `.env` merged in. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Persistent data: the database and the sandboxes' state. */
  readonly dataDir: string
  readonly onLine: (source: string, line: string) => void
  readonly say: (message: string) => void
  /** Watch mode: Vite serves the web app on PORT, and the server restarts on a change. */
  readonly watch?: boolean
  /** Plays the demo where the data folder is new. */
  readonly demo?: boolean
  /** Aborts a start in progress; everything already running is stopped. */
  readonly signal?: AbortSignal
}

export type RunningProduct = {
  readonly url: string
  readonly databaseUrl: string
  /** Undefined when the real Stripe or Clerk is used. */
  readonly stripeSandboxUrl: string | undefined
  readonly clerkSandboxUrl: string | undefined
  /** Undefined when neither is a stand-in. */
  readonly sampleEditorUrl: string | undefined
  readonly embeddedPostgres: boolean
  readonly queues: 'Redis' | 'Postgres'
  /** Undefined where none is played. Rejects when it fails; the product runs on. */
  readonly demo: Promise<void> | undefined
  /** What is not as in production, of a rehearsal. */
  readonly differences?: readonly string[]
  readonly stop: () => Promise<void>
}

/**
 * Starts the whole product, with a stand-in for every external service that the environment does not name,
 * never in production. Resolves when all processes are healthy; when one cannot start, the others are stopped
 * before the error is thrown.
 */
export function launchProduct(options: LaunchOptions): Promise<RunningProduct> {
  return wholeOrNothing((running) => launch(options, running))
}

async function launch(options: LaunchOptions, running: AsyncDisposableStack): Promise<RunningProduct> {
  const environment = parseEnvironment(options.env)
  if (environment.NODE_ENV === 'production') processEnvironment(options.env)
  const unsafe = liveKeysInDevelopment(environment)
  if (unsafe.length > 0) throw new EnvironmentError(unsafe)
  const lock = lockDataFolder(options.dataDir)
  running.defer(() => lock.release())
  const demo = decideDemo(options.dataDir, { env: options.env, wanted: options.demo ?? false })
  const sandboxes = { stripe: !environment.STRIPE_SECRET_KEY, clerk: !environment.CLERK_SECRET_KEY }
  const ports = await choosePorts({
    env: options.env,
    port: environment.PORT,
    metricsPort: environment.METRICS_PORT,
    sandboxes,
    watch: options.watch ?? false,
  })
  const url = environment.APP_URL ?? `http://localhost:${ports.public}`
  lock.setAddresses({ url, stripe_port: ports.stripe, clerk_port: ports.clerk })
  const places = placesOf({ ports, url, options })
  const isSandbox = sandboxes.stripe || sandboxes.clerk
  const sampleEditorUrl = isSandbox ? `http://localhost:${ports.editor}` : undefined
  const watchdog = startWatchdog()
  running.defer(() => watchdog.close())
  const { onLine, say, signal } = options
  const built = options.watch ? undefined : ensureWebBuilt({ say })
  built?.catch(() => undefined)
  const database = environment.DATABASE_URL
    ? { url: environment.DATABASE_URL, embedded: false }
    : await openDatabase({ dataDir: options.dataDir, startsOver: demo.startsOver, watchdog, say, running })
  if (demo.startsOver && !demo.isPlayed) demo.end()
  const env = {
    ...options.env,
    ...(sandboxes.stripe ? stripeSandboxVariables(places) : {}),
    ...(sandboxes.clerk ? clerkSandboxVariables(places) : {}),
    SAMPLE_EDITOR_URL: sampleEditorUrl,
    ...(isSandbox && { SAMPLE_GATEWAY_URL: `http://localhost:${ports.gateway}` }),
    NODE_ENV: environment.NODE_ENV,
    DATABASE_URL: database.url,
    APP_URL: url,
    PORT: String(ports.server),
    METRICS_PORT: String(ports.server_metrics),
  }
  processEnvironment(env)
  signal?.throwIfAborted()
  const group = { watchdog, onLine, log: say, running, signal }
  const outside = startGroup({
    ...group,
    rank: 1,
    members: sandboxMembers({ sandboxes, places, ports, env, begins_days_ago: demo.isPlayed ? demoDays : 0 }),
  })
  outside.catch(() => undefined)
  await migrateDatabase(env)
  await outside
  if (sandboxes.stripe) await setUpStripeSandbox(env)
  await built
  signal?.throwIfAborted()
  const operatorKey = isSandbox
    ? await makeSandboxKey(environment.DATABASE_MIGRATION_URL ?? database.url)
    : undefined
  const gateway = operatorKey
    ? [gatewayMember({ env, appUrl: url, port: ports.gateway, key: operatorKey })]
    : []
  const members = [...productMembers({ env, ports, options }), ...gateway]
  await startGroup({ ...group, rank: 0, members })
  const stripeSandboxUrl = `http://localhost:${ports.stripe}`
  const clerkSandboxUrl = `http://localhost:${ports.clerk}`
  const stopping = new AbortController()
  const play = () =>
    playDemo({ url, stripeSandboxUrl, clerkSandboxUrl, operatorKey, signal: stopping.signal })
  const playing = demo.isPlayed ? play().finally(() => stopping.signal.aborted || demo.end()) : undefined
  playing?.catch(() => undefined)
  running.defer(async () => {
    stopping.abort()
    await playing?.catch(() => undefined)
  })
  return {
    url,
    databaseUrl: database.url,
    stripeSandboxUrl: sandboxes.stripe ? stripeSandboxUrl : undefined,
    clerkSandboxUrl: sandboxes.clerk ? clerkSandboxUrl : undefined,
    demo: playing,
    sampleEditorUrl,
    embeddedPostgres: database.embedded,
    queues: environment.REDIS_URL ? 'Redis' : 'Postgres',
    stop: () => running.disposeAsync(),
  }
}

export function placesOf(input: {
  ports: ProductPorts
  url: string
  options: Pick<LaunchOptions, 'env' | 'dataDir'>
}): SandboxPlaces {
  const publicUrl = input.options.env.SANDBOX_STRIPE_PUBLIC_URL
  return {
    appUrl: input.url,
    serverPort: input.ports.server,
    stripePort: input.ports.stripe,
    clerkPort: input.ports.clerk,
    stripeStateFile: join(input.options.dataDir, 'sandbox-stripe.db'),
    clerkStateFile: join(input.options.dataDir, 'sandbox-clerk.db'),
    ...(publicUrl ? { stripePublicUrl: publicUrl } : {}),
  }
}

/** The sandboxes get none of the product's environment: the real services would not have it either. */
export function sandboxMembers(input: {
  sandboxes: { stripe: boolean; clerk: boolean }
  places: SandboxPlaces
  ports: ProductPorts
  env: Record<string, string | undefined>
  begins_days_ago: number
  /** Beside what each of them is told, or instead of it. */
  more?: Record<string, string | undefined>
}) {
  const { PATH, LOG_LEVEL, SANDBOX_STRIPE_DELAYED_PAYMENT_MS, TERMS_URL } = input.env
  const own = { PATH, LOG_LEVEL, ...input.more }
  const stripe = {
    name: 'stripe',
    args: ['sandbox/stripe/main.ts'],
    env: {
      SANDBOX_STRIPE_DELAYED_PAYMENT_MS,
      SANDBOX_STRIPE_TERMS_URL: TERMS_URL,
      SANDBOX_STRIPE_BEGINS_DAYS_AGO:
        input.env.SANDBOX_STRIPE_BEGINS_DAYS_AGO ?? String(input.begins_days_ago),
      ...stripeSandboxEnvironment(input.places),
      ...own,
    },
    ready: { line: 'sandbox/stripe ready on' },
  }
  const clock = input.sandboxes.stripe
    ? { SANDBOX_CLERK_CLOCK_URL: `http://localhost:${input.places.stripePort}/_sandbox/clock` }
    : {}
  const clerk = {
    name: 'clerk',
    args: ['sandbox/clerk/main.ts'],
    // As many people as seats are sold; by default Clerk lets five into an organization.
    env: { ...clerkSandboxEnvironment(input.places), SANDBOX_CLERK_MEMBERSHIP_LIMIT: '0', ...clock, ...own },
    ready: { line: 'sandbox/clerk ready on' },
  }
  const editor = {
    name: 'editor',
    args: ['sandbox/editor/main.ts'],
    env: {
      ...own,
      ...editorSandboxEnvironment({ ...input.ports, appUrl: input.places.appUrl }),
    },
    ready: { line: 'sandbox/editor ready on' },
  }
  const standIns = [...(input.sandboxes.stripe ? [stripe] : []), ...(input.sandboxes.clerk ? [clerk] : [])]
  return standIns.length > 0 ? [...standIns, editor] : []
}

/** A new key at each start, in place of that of the last one, which nothing has any more. */
async function makeSandboxKey(connectionString: string): Promise<string> {
  const database = connectDatabase({ connectionString, role: 'owner', poolMax: 1, onError: () => undefined })
  const by = { name: 'sandbox-gateway', actor: 'cli:npm-start', now: new Date() }
  try {
    await revokeOperatorKeys(database.db, by)
    return (await createOperatorKey(database.db, by)).key
  } finally {
    await database.close()
  }
}

function gatewayMember({
  env: { PATH, LOG_LEVEL },
  ...own
}: { env: Record<string, string | undefined> } & Parameters<
  typeof gatewaySandboxEnvironment
>[0]): GroupMember {
  return {
    name: 'gateway',
    args: ['sandbox/gateway/main.ts'],
    env: { PATH, LOG_LEVEL, ...gatewaySandboxEnvironment(own) },
    ready: { line: 'sandbox/gateway ready on' },
  }
}

function productMembers(input: {
  env: Record<string, string | undefined>
  ports: ProductPorts
  options: LaunchOptions
}) {
  const { env, ports } = input
  const watch = input.options.watch ? ['--watch', '--watch-preserve-output'] : []
  const server = {
    name: 'server',
    args: [...watch, 'server/main.ts'],
    env,
    ready: { url: `http://localhost:${ports.server}/readyz` },
  }
  const worker = {
    name: 'worker',
    args: [...watch, 'worker/main.ts'],
    env: { ...env, METRICS_PORT: String(ports.worker_metrics) },
    ready: { url: `http://localhost:${ports.worker_metrics}/healthz` },
  }
  if (!input.options.watch) return [server, worker]
  const vite = join(repositoryRoot, 'node_modules/vite/bin/vite.js')
  const web = {
    name: 'web',
    args: [vite, '--config', 'web/vite.config.ts', '--port', String(ports.public), '--strictPort'],
    env: { ...env, API_URL: `http://localhost:${ports.server}` },
    ready: { url: `http://localhost:${ports.public}/` },
  }
  return [server, worker, web]
}
