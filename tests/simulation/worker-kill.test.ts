import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Database } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify.ts'
import { connectQueueBackend, type QueueBackend } from '../../schema/queues/backend.ts'
import { createProducer, type QueueProducer } from '../../schema/queues/producer.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { type ProductProcess, startProductProcess } from '../support/product-process.ts'
import { insertPurchase } from '../support/records.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../support/stripe-events.ts'
import { waitUntil } from '../support/wait-until.ts'

/** More than a worker sends to apply one event; the test stops at the first number that it does not reach. */
const mostStatements = 30
const fewestStatements = 6

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: inject('redisUrl'), missing: inject('redisReason') },
]

describe.each(backends)('on $name, a worker that is killed', ({ redisUrl, missing }) => {
  let database: TestDatabase
  let proxy: FaultProxy
  let backend: QueueBackend
  let producer: QueueProducer
  let worker: ProductProcess

  beforeAll(async () => {
    database = await createTestDatabase()
    const { hostname, port } = new URL(database.url)
    proxy = await startFaultProxy({ host: hostname, port: Number(port) })
    backend = connectQueueBackend({
      databaseUrl: database.url,
      redisUrl,
      role: 'tidemark_server',
      poolMax: 4,
      whenUnavailable: 'wait',
      onError: () => undefined,
    })
    producer = createProducer(backend, { onError: () => undefined })
    if (!missing)
      worker = await startProductProcess('worker', { databaseUrl: proxy.url(database.url), redisUrl })
  })
  afterAll(async () => {
    await worker?.kill()
    await producer?.close()
    await backend?.close()
    await proxy?.close()
    await database?.close()
  })

  test.for(['before', 'after'] as const)(
    'by kill -9 %s any statement of applying a payment grants once, by itself, after a restart',
    async (moment, { skip }) => {
      if (missing) skip(`no Redis: ${missing}`)
      let statement = 0
      while (++statement <= mostStatements) {
        const killed = await applyWithKill({ statement, moment })
        if (!killed) break
      }
      expect(statement, 'statements that a kill was tried at').toBeGreaterThan(fewestStatements)
      expect(statement).toBeLessThan(mostStatements)
      expect((await verifyLedger(database.owner)).problems).toEqual([])
    },
  )

  /** Returns whether the worker was killed: it is not when it needs fewer statements. */
  async function applyWithKill(strike: { statement: number; moment: 'before' | 'after' }): Promise<boolean> {
    const victim = worker
    const intent = await insertPurchase(database.server)
    const event = eventOf('checkout.session.completed', sessionOf(intent.id))
    await receiveStripeEvent(database.server, event)
    proxy.strike({ ...strike, action: () => process.kill(victim.pid, 'SIGKILL') })
    await producer.add('stripe-events', event.id, { event_id: event.id })
    const isDone = () => isApplied(database.owner, event.id)
    await Promise.race([
      victim.ended,
      waitUntil(isDone, 'the event to be applied or the worker to be killed'),
    ])
    const killed = proxy.struck
    proxy.disarm()
    if (killed) {
      await victim.ended
      worker = await startProductProcess('worker', { databaseUrl: proxy.url(database.url), redisUrl })
    }
    await waitUntil(isDone, () => `event ${event.id} to be applied\n${worker.lines.slice(-20).join('\n')}`)
    const balance = await findBalance(database.owner, { owner_kind: 'user', owner_id: intent.owner_id })
    expect(balance, `killed ${strike.moment} statement ${strike.statement}`).toMatchObject({
      total: 500,
      version: 1,
    })
    return killed
  }
})

async function isApplied(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom('inbox_events').select('state').where('id', '=', id).executeTakeFirst()
  return row?.state === 'applied'
}
