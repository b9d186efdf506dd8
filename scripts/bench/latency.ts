import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { Pool } from 'undici'
import { send } from './http-load.ts'
import { lastId, makeDeliveriesFor, type SettledParts } from './settling.ts'
import { percentile, type Side } from './turns.ts'

export interface LatencyParts extends SettledParts {
  readonly perSecond: number
}

export interface Latency {
  readonly p50_ms: number
  readonly p99_ms: number
}

const patienceMs = 30_000

/**
 * Sends webhooks at a steady rate, whether or not those before have been answered, and returns how long it
 * took from sending one until what it brought was committed, by the time that Postgres keeps of each commit.
 */
export function createLatencySide({ perSecond, ...parts }: LatencyParts): Side<Latency> {
  const { server, pool, table } = parts
  return async (seconds) => {
    const before = await lastId(pool, table)
    const deliveries = await makeDeliveriesFor(parts, Math.ceil(seconds * perSecond))
    const client = new Pool(server.url, { connections: 32, pipelining: 1 })
    const sentMs = new Map<string, number>()
    const sending: Promise<void>[] = []
    const started = performance.now()
    try {
      for (const [index, delivery] of deliveries.entries()) {
        await delay(Math.max(0, started + (index * 1000) / perSecond - performance.now()))
        sentMs.set(delivery.event_id, Date.now())
        sending.push(send(client, delivery, 200))
      }
      await Promise.all(sending)
    } finally {
      await client.destroy()
    }
    const settledMs = await waitForAll(pool, { table, before, ids: [...sentMs.keys()] })
    const waited = [...sentMs].map(([id, sent]) => (settledMs.get(id) ?? Number.NaN) - sent)
    return { p50_ms: percentile(waited, 0.5), p99_ms: percentile(waited, 0.99) }
  }
}

interface Awaited {
  readonly table: string
  /** The last row that was there before. */
  readonly before: number
  readonly ids: readonly string[]
}

/** When what each event brought was committed. */
async function waitForAll(pool: pg.Pool, { table, before, ids }: Awaited): Promise<Map<string, number>> {
  const deadline = Date.now() + patienceMs
  for (;;) {
    const { rows } = await pool.query<{ event_id: string; ms: number }>(
      `SELECT event_id, (extract(epoch FROM pg_xact_commit_timestamp(xmin)) * 1000)::float8 AS ms FROM ${table}
       WHERE id > $1 AND event_id = ANY($2)`,
      [before, ids],
    )
    if (rows.length >= ids.length) return new Map(rows.map(({ event_id, ms }) => [event_id, ms]))
    if (Date.now() > deadline) throw new Error(`Only ${rows.length} of ${ids.length} events were settled`)
    await delay(100)
  }
}
