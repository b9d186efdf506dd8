import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { processPaymentSuccess, purchaseCredits } from '../../schema/api/checkout.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { findRedis, startRedis } from '../../scripts/test/tools/redis.ts'
import { type FaultProxy, startFaultProxy } from '../support/faults/fault-proxy.ts'
import { pgBouncer, type RunningPgBouncer, startPgBouncer } from '../support/services/pgbouncer.ts'
import { createClient } from './client.ts'
import { type Customer, newCustomer, type World } from './customer.ts'
import { type System, type SystemOptions, startSystem } from './system.ts'

const times = 3
const buyers = 4
/** Purchases that are paid before and after each change. */
const purchasesPerSide = 6
const credits = 100
/** A customer may open so many pages a minute. */
const pagesEach = 8
/** A purchase is looked for so often, a tenth of a second apart: many times the 15 seconds that it may take. */
const looks = 3000

/** Starts all processes and lets customers buy while `change` happens, time and again. */
async function play(
  options: Pick<SystemOptions, 'front' | 'redisProgram'> & { readonly name: string },
  change: (system: System) => Promise<void>,
): Promise<void> {
  const logFile = join(import.meta.dirname, `../../reports/chaos/failover-${options.name}.log`)
  const system = await startSystem({ ...options, logFile })
  try {
    let isClosing = false
    const world: World = { system, client: createClient(system.url), isClosing: () => isClosing }
    const customers: Customer[] = []
    const countPaid = () => customers.reduce((sum, { paid }) => sum + paid.size, 0)
    const crowd = Promise.all(
      Array.from({ length: buyers }, async () => {
        while (!isClosing) {
          const customer = await newCustomer(world, 'user')
          customers.push(customer)
          for (let page = 0; page < pagesEach && !isClosing; page++) await buy(world, customer)
        }
      }),
    )
    const changedAt: number[] = []
    for (let time = 0; time < times; time++) {
      await look(
        `purchases before change ${time + 1}`,
        async () => countPaid() >= (2 * time + 1) * purchasesPerSide,
      )
      changedAt.push(Date.now())
      await change(system)
      const until = countPaid() + purchasesPerSide
      await look(`purchases after change ${time + 1}`, async () => countPaid() >= until)
      await look(
        'all of them to have landed',
        async () => (await landings(system)).length >= countPaid() - buyers,
      )
    }
    isClosing = true
    await crowd
    await look('all purchases to have landed', async () => (await landings(system)).length >= countPaid())
    const posted = (await landings(system)).map(({ posted_at_ms }) => posted_at_ms)
    const first_ms = changedAt.map((at) => Math.min(...posted.filter((time) => time > at)) - at)
    console.log(
      `${options.name}: from each change to the next credits ${first_ms.map(Math.round).join(', ')} ms`,
    )
    expect((await landings(system)).filter(({ transfers }) => transfers !== 1)).toEqual([])
    expect([...system.servers, ...system.workers].flatMap(({ unexpectedExits }) => unexpectedExits)).toEqual(
      [],
    )
  } finally {
    await system.close()
  }
}

/** As a browser does: it asks again until there is an answer, pays, and comes back. */
async function buy({ system, client }: World, { person, paid }: Customer): Promise<void> {
  const { token, user_id } = person
  const amount = creditsCostMinor(credits) / 100
  const { sessionId } = await client.ask(purchaseCredits, {
    token,
    body: { clerkUserId: user_id, credits, amount, currency: 'EUR' },
  })
  await system.stripe.knob(`sessions/${sessionId}/pay`, {})
  paid.add(sessionId)
  await client.call(processPaymentSuccess, { token, body: { sessionId, clerkUserId: user_id } })
}

async function landings({ database }: System) {
  const { rows } = await sql<{ transfers: number; posted_at_ms: number }>`
    SELECT count(*)::integer AS transfers, extract(epoch FROM min(transfer.posted_at))::float8 * 1000 AS posted_at_ms
    FROM checkout_intents intent
    JOIN ledger_grants grant_of ON grant_of.intent_id = intent.id
    JOIN ledger_transfers transfer ON transfer.grant_id = grant_of.id
    GROUP BY intent.id`.execute(database)
  return rows
}

async function look(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let count = 0; count < looks; count++) {
    if (await isSo().catch(() => false)) return
    await delay(100)
  }
  expect.fail(`${what}: not seen in ${looks} looks`)
}

describe('while customers buy, every purchase lands once', () => {
  test('every purchase lands once when Redis is demoted three times', async ({ skip }) => {
    const tool = await findRedis({ install: false, say: () => undefined })
    if (!tool.found) return skip(`no Redis: ${tool.reason}`)
    const other = await startRedis({ program: tool.value })
    let proxy: FaultProxy | undefined
    let [primary, replica] = ['', other.url]
    await play(
      {
        name: 'redis',
        redisProgram: tool.value,
        async front(url, running) {
          if (!url.startsWith('redis:')) return url
          primary = url
          proxy = await startFaultProxy(url)
          running.defer(proxy.close)
          await command(replica, (redis) => redis.replicaof('127.0.0.1', new URL(primary).port))
          return proxy.url(url)
        },
      },
      async () => {
        await command(replica, (redis) => redis.replicaof('NO', 'ONE'))
        proxy?.move(replica)
        await command(primary, (redis) => redis.replicaof('127.0.0.1', new URL(replica).port))
        ;[primary, replica] = [replica, primary]
      },
    ).finally(other.stop)
  })

  test('every purchase lands once when Postgres is demoted under its sessions three times', async () => {
    await play({ name: 'postgres' }, async ({ postgres }) => {
      const run = (statement: string) => asSuperuser(postgres.url, statement)
      const [before] = await run('SELECT now()::text AS now')
      // The database's own setting is read by new sessions alone, the cluster's also by those that are there.
      await run('ALTER DATABASE tidemark SET default_transaction_read_only = off')
      await run('ALTER SYSTEM SET default_transaction_read_only = on')
      await run('SELECT pg_reload_conf()')
      const old = async () =>
        run(`SELECT 1 FROM pg_stat_activity WHERE datname = 'tidemark' AND application_name ~ '^tidemark_(server|worker)'
             AND backend_start < '${before?.now}'`)
      await look('every old session to be left', async () => (await old()).length === 0)
      await run('ALTER SYSTEM RESET default_transaction_read_only')
      await run('ALTER DATABASE tidemark RESET default_transaction_read_only')
      await run('SELECT pg_reload_conf()')
      // Sessions of now have the database's setting; the next change is for those that follow.
      await run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'tidemark'`)
    })
  })

  test('every purchase lands once when PgBouncer is restarted three times', async ({ skip }) => {
    if (!pgBouncer) return skip('no pgbouncer is installed')
    let bouncer: RunningPgBouncer | undefined
    await play(
      {
        name: 'pgbouncer',
        async front(url, running) {
          bouncer = await startPgBouncer(url, 'session')
          running.use(bouncer)
          return bouncer.url
        },
      },
      async () => bouncer?.restart(),
    )
  })
})

async function command(url: string, work: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(url)
  await work(redis)
  redis.disconnect()
}

async function asSuperuser(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url, options: '-c default_transaction_read_only=off' })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}
