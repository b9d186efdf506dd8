import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, describe, expect, inject, test } from 'vitest'
import { findEvent } from '../schema/inbox/events.ts'
import { findBalance } from '../schema/ledger/read/balances.ts'
import { verifyLedger } from '../schema/ledger/verify/verify.ts'
import { connectQueueBackend } from '../schema/queues/backend.ts'
import { QueueProducer } from '../schema/queues/producer.ts'
import { queueNames } from '../schema/queues/queues.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { eventOf, receiveStripeEvent, sessionOf } from '../tests/support/factories/events.ts'
import { buildPurchase } from '../tests/support/factories/purchases.ts'
import { ownRedisUrl } from '../tests/support/own-redis.ts'
import { createTestDependencies } from '../tests/support/product/test-worker.ts'
import { waitUntil } from '../tests/support/wait-until.ts'
import { startConsumers } from './consumers.ts'
import type { WorkerDependencies } from './dependencies.ts'

const database = testDatabase()
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const paid = (intentId: string, fields: Parameters<typeof sessionOf>[1] = {}) =>
  eventOf('checkout.session.completed', sessionOf(intentId, fields))
const eventRow = (id: string) => findEvent(database.owner, { source: 'stripe', id })

describe.each([
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
])('a job of several events, on $name', ({ redisUrl, missing }) => {
  const onError = () => undefined

  /** Adds events at the same moment and lets a worker run until the queue has none left; returns its log. */
  async function runJobOf(ids: readonly string[], overrides: Partial<WorkerDependencies> = {}) {
    const backend = connectQueueBackend({
      databaseUrl: database.url,
      redisUrl,
      role: 'tidemark_worker',
      poolMax: 14,
      whenUnavailable: 'wait',
      onError,
    })
    const producer = new QueueProducer(backend, { onError })
    const queue = producer.queue('stripe-events')
    // Nor does the claim of an earlier product come in between.
    for (const name of queueNames) await producer.queue(name).obliterate({ force: true })
    await Promise.all(
      ids.map((event_id) =>
        producer.add('stripe-events', event_id, { event_id }, { request_id: `request of ${event_id}` }),
      ),
    )
    const jobs = await queue.getJobs(['waiting'])
    const lines: Record<string, unknown>[] = []
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
    const deps = createTestDependencies(database, { producer, log, ...overrides })
    const consumers = startConsumers(deps, backend, { lockMs: 30_000, stalledMs: 30_000 })
    const isOver = async () => {
      const { waiting, active } = (await producer.counts())['stripe-events']
      return waiting === 0 && active === 0
    }
    await waitUntil(isOver, 'the queue to be empty')
    await consumers.close()
    const { failed } = (await producer.counts())['stripe-events']
    await producer.close()
    await backend.close()
    return { jobs, lines, failed }
  }

  test('a job of several events applies those that it can, and each of the others has an error and an attempt of its own', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const intents = []
    for (let i = 0; i < 4; i++) intents.push(await buildPurchase(database.server))
    const subscription = { object: 'subscription', id: 'sub_1' }
    const [first, wrong, second, third] = intents.map(({ id }) => id)
    const ids = []
    for (const event of [
      paid(first ?? ''),
      paid(wrong ?? '', { amount_total: 1 }),
      paid(second ?? ''),
      paid(randomUUID()),
      paid(third ?? ''),
      eventOf('customer.subscription.updated', subscription),
    ]) {
      ids.push(await receiveStripeEvent(database.server, event))
    }
    const { jobs, lines, failed } = await runJobOf(ids)
    expect(jobs.map(({ data }) => data.events.length)).toEqual([6])
    const rows = []
    for (const id of ids) rows.push(await eventRow(id))
    expect(rows).toMatchObject([
      { state: 'applied', attempts: 0 },
      { state: 'failed', attempts: 1, reason: expect.stringContaining('promised 700 EUR') },
      { state: 'applied', attempts: 0 },
      { state: 'received', attempts: 1, last_error: expect.stringContaining('has not been committed yet') },
      { state: 'applied', attempts: 0 },
      { state: 'received', attempts: 0, last_error: expect.stringContaining('connection to Stripe') },
    ])
    expect(failed).toBe(1)
    for (const [index, { owner_id }] of intents.entries()) {
      const { purchased } = await findBalance(database.owner, { owner_kind: 'user', owner_id })
      expect(purchased).toBe(index === 1 ? 0 : 500)
    }
    const processed = lines.filter(({ msg }) => msg === 'Event processed')
    expect(processed.map(({ event_id, request_id }) => ({ event_id, request_id }))).toEqual(
      expect.arrayContaining(
        [ids[0], ids[2], ids[4]].map((id) => ({ event_id: id, request_id: `request of ${id}` })),
      ),
    )
    expect(processed).toHaveLength(3)
  })
})
