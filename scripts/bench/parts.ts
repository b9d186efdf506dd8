import { type StdioOptions, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, open, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { connectDatabase, type DatabaseConnection } from '../../schema/database/connect.ts'
import { migrateToLatest } from '../../schema/database/migrate.ts'
import { adjustmentGrant } from '../../schema/ledger/grants.ts'
import { postTransfers } from '../../schema/ledger/post/post.ts'
import { createDatabase } from '../database.ts'
import { repositoryRoot } from '../launch/script.ts'
import { startPostgres } from '../postgres.ts'
import { findFreePort } from '../processes/ports.ts'
import { findRedis, startRedis } from '../test/tools/redis.ts'

/** Whose credits move: so many users, and one organization in which each of them has a seat. */
export const [wallets, pool] = [1000, 'org_bench']
export const walletId = (index: number) => `user_bench_${index}`
export const tokenOf = (index: number) => `tide_bench_${index}`
export const webhookSecret = 'whsec_bench'
/** No measurement uses them up. */
const credits = 100_000_000

/** A running server and worker, of the product or of the floor, with a database of their own. */
export interface Part {
  readonly url: string
  /** As the tables' owner. */
  readonly database: DatabaseConnection
}

/**
 * Durable and with memory as in production (docs/operations.md, "Settings of Postgres"). The time of each
 * commit is kept, because that is when a transfer is in the ledger, without asking for it all the time.
 */
const settings = { track_commit_timestamp: 'on', shared_buffers: '2GB', max_wal_size: '4GB' }

/** The product and its floor, in the same Postgres and Redis. `sessions` are what Stripe knows. */
export async function startParts(running: AsyncDisposableStack, sessions: ReadonlyMap<string, object>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-bench-'))
  await chmod(dataDir, 0o711)
  running.defer(() => rm(dataDir, { recursive: true, force: true }))
  const postgres = await startPostgres({ dataDir, durable: true, settings })
  running.defer(() => postgres.stop())
  const program = await findRedis({ install: true, say: () => undefined })
  if (!program.found) throw new Error(program.reason)
  const redis = await startRedis({ program: program.value })
  running.defer(() => redis.stop())
  const stripeUrl = await serveSessions(sessions, running)
  const logs = join(repositoryRoot, 'reports/bench')
  await mkdir(logs, { recursive: true })

  const start = async (name: 'product' | 'floor'): Promise<Part> => {
    await createDatabase({ adminUrl: postgres.url, name })
    const connectionString = postgres.urlOf(name)
    await migrateToLatest({ connectionString })
    const database = connectDatabase({
      connectionString,
      role: 'owner',
      poolMax: 4,
      onError: () => undefined,
    })
    running.defer(() => database.close())
    await (name === 'product' ? createWallets(database) : createFloorTables(database))
    const port = await findFreePort()
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: 'test',
      LOG_LEVEL: 'info',
      APP_URL: 'http://localhost:3000',
      PORT: String(port),
      DATABASE_URL: connectionString,
      REDIS_URL: `${redis.url}/${name === 'product' ? 0 : 1}`,
      STRIPE_SECRET_KEY: 'sk_test_bench',
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_BASE: stripeUrl,
      // More than the purchases of a second: the path is measured, not the limit of Stripe's calls.
      STRIPE_CALLS_PER_SECOND: '80',
      CLERK_SECRET_KEY: 'sk_test_bench',
      CLERK_PUBLISHABLE_KEY: `pk_test_${Buffer.from('clerk.local.test$').toString('base64')}`,
      CLERK_WEBHOOK_SECRET: webhookSecret,
      CLERK_API_URL: `${stripeUrl}/bapi`,
      // The wallets spend by their own tokens, as the floor's do.
      METERED_BY: 'editor',
    }
    for (const kind of ['server', 'worker']) {
      const args = name === 'product' ? [`${kind}/main.ts`] : ['scripts/bench/floor.ts', kind]
      // Output goes to a file without passing through this process, which has to be cheap.
      const log = await open(join(logs, `${name}-${kind}.log`), 'w')
      const stdio: StdioOptions = ['ignore', log.fd, log.fd]
      const child = spawn(process.execPath, args, { cwd: repositoryRoot, env, stdio })
      await log.close()
      const exited = new Promise((resolve) => child.once('exit', resolve))
      running.defer(async () => {
        child.kill('SIGKILL')
        await exited
      })
    }
    const url = `http://127.0.0.1:${port}`
    for (let asked = 0; !(await fetch(url).catch(() => null)); asked++) {
      if (asked > 300) throw new Error(`The server of the ${name} did not start: see ${logs}`)
      await delay(100)
    }
    return { url, database }
  }
  return { product: await start('product'), floor: await start('floor') }
}

/** A Stripe that knows some sessions and whose lists are empty, and a Clerk that knows nothing. */
async function serveSessions(sessions: ReadonlyMap<string, object>, running: AsyncDisposableStack) {
  const server = createServer((request, response) => {
    const [, list, id] = /^\/v1\/([a-z_/]+?)(?:\/(cs_\w+))?(?:\?|$)/.exec(request.url ?? '') ?? []
    const found = id ? sessions.get(id) : list && { object: 'list', data: [], has_more: false, url: list }
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  running.defer(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function createWallets({ db, pool: sql }: DatabaseConnection): Promise<void> {
  await sql.query(`
    INSERT INTO users (clerk_id, email, profile_updated_at)
    SELECT 'user_bench_' || i, i || '@tidemark.test', now() FROM generate_series(0, ${wallets - 1}) i;
    INSERT INTO extension_tokens (id, user_id, token_hash, created_at, expires_at, last_used_at)
    SELECT gen_random_uuid(), 'user_bench_' || i, sha256(('tide_bench_' || i)::bytea), now(), now() + interval '1 month',
      now() + interval '1 hour' FROM generate_series(0, ${wallets - 1}) i;
    INSERT INTO seats (organization_id, email, user_id, role, status)
    SELECT '${pool}', email, clerk_id, 'member', 'active' FROM users`)
  const users = Array.from({ length: wallets }, (_, index) => walletId(index))
  for (const owner_id of [...users, pool]) {
    await postTransfers(db, [
      {
        idempotency_key: `bench/${owner_id}`,
        kind: 'adjustment',
        occurred_at: new Date(),
        intent_id: null,
        event_id: null,
        actor: 'bench',
        reason: 'Bench',
        grant: adjustmentGrant(owner_id, 'purchased'),
        plan: 0,
        purchased: credits,
        house: 'adjusted',
      },
    ])
  }
  await sql.query('ANALYZE')
}

async function createFloorTables({ pool: sql }: DatabaseConnection): Promise<void> {
  await sql.query(`
    CREATE SCHEMA floor;
    CREATE TABLE floor.inbox (id text PRIMARY KEY, payload jsonb NOT NULL);
    CREATE TABLE floor.settled (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, event_id text NOT NULL);
    CREATE TABLE floor.wallets (id text PRIMARY KEY, balance bigint NOT NULL);
    INSERT INTO floor.wallets SELECT 'user_bench_' || i, ${credits} FROM generate_series(0, ${wallets - 1}) i;
    INSERT INTO floor.wallets VALUES ('${pool}', ${credits})`)
}
