import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { sendRequests } from './http-load.ts'
import type { BenchProcess } from './process.ts'
import type { Side } from './turns.ts'
import { type Delivery, makeDeliveries } from './webhooks.ts'

/** Where webhooks are sent to, and where it is seen that they are settled. */
export interface SettledParts {
  readonly server: { readonly url: string }
  /** In the database. */
  readonly pool: pg.Pool
  /** Where a row says that an event is settled; its ids grow. */
  readonly table: 'ledger_transfers' | 'floor.settled'
}

export interface SettlingParts extends SettledParts {
  readonly worker: BenchProcess
}

const patienceMs = 60_000
/** A worker ends its jobs in the queue after it has committed them. */
const finishingMs = 250
/**
 * Enough that V8 has compiled what each process does all the time: a server and a worker run for days, and
 * not for a second.
 */
const firstEvents = 1500

/**
 * Lets webhooks pile up while the worker stands still, then lets it go and returns how many events a second
 * it settled: from that moment until the last commit, whose time Postgres keeps.
 */
export async function createSettlingSide({ worker, ...parts }: SettlingParts): Promise<Side> {
  worker.thaw()
  await warmUp(parts)
  worker.freeze()
  let perSecond = 150
  return async (seconds) => {
    const count = Math.max(100, Math.round(perSecond * seconds))
    const awaited = await deliver(parts, count)
    const startedMs = Date.now()
    worker.thaw()
    const lastMs = await waitUntilSettled(parts.pool, awaited)
    await delay(finishingMs)
    worker.freeze()
    perSecond = count / ((lastMs - startedMs) / 1000)
    return perSecond
  }
}

/**
 * Has some thousand events settled as fast as that goes, so that connections are open and code is compiled,
 * and lets Postgres look at how large its tables have become, as autovacuum does every minute: the plans that
 * connections keep were made when they were empty.
 */
export async function warmUp(parts: SettledParts): Promise<void> {
  await waitUntilSettled(parts.pool, await deliver(parts, firstEvents))
  await parts.pool.query('ANALYZE')
  await delay(finishingMs)
}

async function deliver(parts: SettledParts, count: number): Promise<Awaited> {
  const { server, pool, table } = parts
  const before = await lastId(pool, table)
  const deliveries = await makeDeliveriesFor(parts, count)
  let sent = 0
  await sendRequests(server.url, () => deliveries[sent++], { seconds: 60, status: 200 })
  return { table, before, count }
}

/** The product has to know what was ordered; a floor settles every event. */
export function makeDeliveriesFor({ pool, table }: SettledParts, count: number): Promise<Delivery[]> {
  return makeDeliveries(count, table === 'ledger_transfers' ? pool : null)
}

/** The last row of a table whose ids grow. */
export async function lastId(pool: pg.Pool, table: string): Promise<number> {
  const { rows } = await pool.query(`SELECT coalesce(max(id), 0)::float8 AS id FROM ${table}`)
  return rows[0].id
}

interface Awaited {
  readonly table: string
  readonly before: number
  readonly count: number
}

/** When the last of them was committed. */
async function waitUntilSettled(pool: pg.Pool, { table, before, count }: Awaited): Promise<number> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const { rows } = await pool.query(`SELECT count(*)::integer AS settled FROM ${table} WHERE id > $1`, [
      before,
    ])
    const { settled } = rows[0]
    if (settled >= count) break
    if (Date.now() > deadline) throw new Error(`Only ${settled} of ${count} events were settled in a minute`)
    await delay(50)
  }
  const { rows } = await pool.query(
    `SELECT max(extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS last_ms FROM ${table} WHERE id > $1`,
    [before],
  )
  return rows[0].last_ms
}
