import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { parseEnvironment, processEnvironment } from '../../schema/env.ts'
import { ensureWebBuilt } from '../build-web.ts'
import { openDatabase } from '../database.ts'
import { type LaunchOptions, placesOf, type RunningProduct, sandboxMembers } from '../launch.ts'
import { findFreePort } from '../processes/ports.ts'
import type { Supervised } from '../processes/supervise.ts'
import { startWatchdog } from '../processes/watchdog.ts'
import { wholeOrNothing } from '../processes/whole-or-nothing.ts'
import { clerkSandboxVariables, stripeSandboxVariables } from '../sandbox-environment.ts'
import { findProgram } from '../test/tools/find-program.ts'
import { findRedis, startRedis } from '../test/tools/redis.ts'
import { startBalancer } from './balance.ts'
import { lockDataFolder } from './data-lock.ts'
import { type GroupMember, startGroup } from './group.ts'
import { choosePorts } from './ports.ts'
import { migrateDatabase, repositoryRoot, setUpStripeSandbox } from './script.ts'

export interface RunningRehearsal extends RunningProduct {
  readonly differences: readonly string[]
  /** Of a server. Its secrets are of this start alone. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Two servers and two workers. */
  readonly processes: readonly Supervised[]
}

/**
 * `npm start -- --production`: production on one machine, at the stand-ins, which REHEARSAL_VENDORS alone
 * allows. Two servers and two workers with the logins of docs/going-live.md, a proxy, and Redis where it is
 * installed. Of the environment's vendors, database and secrets nothing is used.
 */
export function launchRehearsal(options: LaunchOptions): Promise<RunningRehearsal> {
  return wholeOrNothing((running) => rehearse(options, running))
}

async function rehearse(options: LaunchOptions, running: AsyncDisposableStack): Promise<RunningRehearsal> {
  const { dataDir, onLine, say, signal } = options
  const lock = lockDataFolder(dataDir)
  running.defer(() => lock.release())
  const ports = await choosePorts({
    env: options.env,
    port: parseEnvironment({ PORT: options.env.PORT }).PORT,
    metricsPort: 0,
    sandboxes: { stripe: true, clerk: true },
    watch: true,
  })
  const servers = [ports.server, await findFreePort()]
  const caddy = await findProgram(['caddy'], 'version')
  // Not localhost: browsers would keep to https for every port of that name (Strict-Transport-Security), and
  // not of an address (RFC 6797, 8.3).
  const url = `${caddy ? 'https' : 'http'}://127.0.0.1:${ports.public}`
  lock.setAddresses({ url, stripe_port: ports.stripe, clerk_port: ports.clerk })
  const places = placesOf({ ports, url, options })
  const watchdog = startWatchdog()
  running.defer(() => watchdog.close())
  const group = { watchdog, onLine, log: say, running, signal }
  const built = ensureWebBuilt({ say })
  built.catch(() => undefined)
  const { url: superuserUrl } = await openDatabase({ dataDir, watchdog, say, running })
  const loginOf = loginsOf(superuserUrl)
  const owner = loginOf('tidemark')
  await giveToOwner(superuserUrl, owner)
  const redis = await findRedis({ install: false, say })
  const queues = redis.found ? await startRedis({ program: redis.value }) : undefined
  if (queues) {
    watchdog.watch(queues.pid, 1, 'SIGTERM')
    running.defer(() => queues.stop())
  }
  const certificates = join(dataDir, 'caddy')
  if (caddy)
    await startGroup({ ...group, rank: 1, members: [await proxyOf({ caddy, url, servers, certificates })] })
  else {
    const balancer = await startBalancer({ port: ports.public, servers })
    running.defer(() => balancer.stop())
  }

  const { STRIPE_CALLS_PER_SECOND: _none, ...stripe } = stripeSandboxVariables(places)
  const secrets = {
    STRIPE_SECRET_KEY: `sk_test_${random()}`,
    STRIPE_WEBHOOK_SECRET: `whsec_${random()}`,
    CLERK_SECRET_KEY: `sk_test_${random()}`,
    CLERK_PUBLISHABLE_KEY: `pk_test_${btoa('clerk.rehearsal.test$')}`,
    CLERK_WEBHOOK_SECRET: `whsec_${btoa(random())}`,
    SIGN_IN_SECRET: random(),
  }
  const environment = {
    ...options.env,
    ...stripe,
    ...clerkSandboxVariables(places),
    ...secrets,
    REHEARSAL_VENDORS: 'stand-ins',
    SAMPLE_EDITOR_URL: `http://localhost:${ports.editor}`,
    NODE_ENV: 'production',
    APP_URL: url,
    HOST: '127.0.0.1',
    PORT: String(ports.server),
    TRUSTED_PROXIES: 'loopback',
    METRICS_PORT: '0',
    DATABASE_MIGRATION_URL: undefined,
    DATABASE_SERVER_URL: undefined,
    DATABASE_WORKER_URL: undefined,
    DATABASE_URL: loginOf('tidemark_server_login'),
    REDIS_URL: queues?.url,
  }
  const workerUrl = loginOf('tidemark_worker_login')
  processEnvironment(environment)
  signal?.throwIfAborted()
  const outside = startGroup({
    ...group,
    rank: 1,
    members: sandboxMembers({
      ...{ sandboxes: { stripe: true, clerk: true }, places, ports, env: environment, begins_days_ago: 0 },
      more: {
        NODE_EXTRA_CA_CERTS: caddy && join(certificates, rootCertificate),
        SANDBOX_STRIPE_WEBHOOK_URL: `${url}/api/stripe/webhook`,
        SANDBOX_STRIPE_WEBHOOK_SECRET: secrets.STRIPE_WEBHOOK_SECRET,
        SANDBOX_CLERK_WEBHOOK_URL: `${url}/api/clerk/webhook`,
        SANDBOX_CLERK_WEBHOOK_SECRET: secrets.CLERK_WEBHOOK_SECRET,
        SANDBOX_CLERK_SECRET_KEY: secrets.CLERK_SECRET_KEY,
        SANDBOX_CLERK_PUBLISHABLE_KEY: secrets.CLERK_PUBLISHABLE_KEY,
      },
    }),
  })
  outside.catch(() => undefined)
  const logins = { DATABASE_SERVER_URL: environment.DATABASE_URL, DATABASE_WORKER_URL: workerUrl }
  await migrateDatabase({ ...environment, ...logins, DATABASE_URL: owner })
  await outside
  await setUpStripeSandbox(environment)
  await built
  signal?.throwIfAborted()
  const members: GroupMember[] = []
  for (const [index, port] of servers.entries()) {
    members.push({
      name: `server-${index + 1}`,
      args: ['server/main.ts'],
      env: { ...environment, PORT: String(port) },
      ready: { url: `http://127.0.0.1:${port}/readyz` },
    })
    const health = await findFreePort()
    members.push({
      name: `worker-${index + 1}`,
      args: ['worker/main.ts'],
      env: { ...environment, DATABASE_URL: workerUrl, METRICS_PORT: String(health) },
      ready: { url: `http://127.0.0.1:${health}/healthz` },
    })
  }
  const processes = await startGroup({ ...group, rank: 0, members })
  return {
    url,
    databaseUrl: superuserUrl,
    stripeSandboxUrl: `http://localhost:${ports.stripe}`,
    clerkSandboxUrl: `http://localhost:${ports.clerk}`,
    sampleEditorUrl: environment.SAMPLE_EDITOR_URL,
    embeddedPostgres: true,
    queues: queues ? 'Redis' : 'Postgres',
    demo: undefined,
    differences: [
      'stand-ins of Stripe and Clerk with test keys, and their clock: REHEARSAL_VENDORS allows them',
      caddy
        ? `the certificate is of Caddy’s own authority: ${join(certificates, rootCertificate)}`
        : 'no TLS: caddy is not installed, and the launcher passes calls on to the servers',
      queues ? 'Redis without a password, kept nowhere' : 'queues in Postgres: redis-server is not installed',
      'Postgres without an archive of its log and without backups',
      'one machine and no containers; the launcher starts again what ends',
      'passwords and secrets are new with each start; the environment’s own are not used',
    ],
    environment,
    processes,
    stop: () => running.disposeAsync(),
  }
}

const random = () => randomBytes(24).toString('hex')

/** The address of a login, with a new password. */
function loginsOf(superuserUrl: string): (name: string) => string {
  return (name) => Object.assign(new URL(superuserUrl), { username: name, password: random() }).href
}

/** As docs/going-live.md makes owner and database. */
async function giveToOwner(superuserUrl: string, owner: string): Promise<void> {
  const client = new pg.Client({ connectionString: superuserUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query("SELECT FROM pg_roles WHERE rolname = 'tidemark'")
    const password = client.escapeLiteral(new URL(owner).password)
    await client.query(
      `${rowCount ? 'ALTER' : 'CREATE'} ROLE tidemark LOGIN CREATEROLE PASSWORD ${password};
       ALTER DATABASE tidemark OWNER TO tidemark`,
    )
  } finally {
    await client.end()
  }
}

/** Below the folder of Caddy's storage. */
const rootCertificate = 'pki/authorities/local/root.crt'

/** The Caddyfile of production, with servers that are known and a certificate of Caddy's own authority. */
async function proxyOf(options: {
  readonly caddy: string
  readonly url: string
  readonly servers: readonly number[]
  readonly certificates: string
}): Promise<GroupMember> {
  const { certificates } = options
  await mkdir(certificates, { recursive: true })
  const file = join(certificates, 'Caddyfile')
  const storage = `storage file_system "${certificates}"`
  const settings = ['admin off', 'skip_install_trust', 'auto_https disable_redirects', storage]
  const site = (await readFile(join(repositoryRoot, 'Caddyfile'), 'utf8'))
    .replace(/^.*\{\$APP_URL\} \{$/m, '$&\n\ttls internal')
    .replace(/dynamic a \{[^}]*\}/, `to ${options.servers.map((port) => `127.0.0.1:${port}`).join(' ')}`)
  await writeFile(file, `{\n${settings.join('\n')}\n}\n${site}`)
  return {
    name: 'proxy',
    program: options.caddy,
    args: ['run', '--config', file, '--adapter', 'caddyfile'],
    env: { PATH: process.env.PATH, HOME: certificates, APP_URL: options.url },
    ready: { line: 'serving initial configuration' },
  }
}
