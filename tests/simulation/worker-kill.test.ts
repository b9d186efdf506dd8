import { describe, expect, inject, test } from 'vitest'
import type { Database } from '../../schema/database/connect.ts'
import { connectQueueBackend } from '../../schema/inbox/queues/backend.ts'
import { QueueProducer } from '../../schema/inbox/queues/producer.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { receiveCheckoutEvent } from '../support/factories/events.ts'
import { buildPaidCredits } from '../support/factories/paid-purchases.ts'
import { type Strike, startFaultProxy } from '../support/faults/fault-proxy.ts'
import { isLong } from '../support/long.ts'
import { madeOnce } from '../support/made.ts'
import { ownRedisUrl } from '../support/own-redis.ts'
import { startProductProcess } from '../support/product/product-process.ts'
import { startStripe } from '../support/services/stripe.ts'
import { tried } from '../support/tried.ts'
import { waitUntil } from '../support/wait-until.ts'

/** More than a worker sends to apply one event; the test stops at the first number that it does not reach. */
const mostStatements = 30
const fewestStatements = 6

/** Of the rows that are due. */
const claim = ['ctid FROM "inbox_events"']
/** Of the transaction that applies an event. */
const commit = ['update "inbox_events"', 'commit']

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  ...(isLong ? [{ name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') }] : []),
]

describe.each(backends)('on $name, a worker that is killed', ({ redisUrl, missing }) => {
  const database = testDatabase()
  const proxy = madeOnce(
    () => startFaultProxy(database.url),
    (made) => made.close(),
  )
  const queues = madeOnce(
    () => {
      const onError = () => undefined
      const backend = connectQueueBackend({
        databaseUrl: database.url,
        redisUrl,
        role: 'tidemark_server',
        poolMax: 4,
        whenUnavailable: 'wait',
        onError,
      })
      return { backend, producer: new QueueProducer(backend, { onError }) }
    },
    async ({ backend, producer }) => {
      await producer.close()
      await backend.close()
    },
  )
  const stripe = madeOnce(startStripe, (made) => made.stop())
  const startWorker = () =>
    startProductProcess('worker', {
      databaseUrl: proxy.url(database.url),
      stripeUrl: stripe.url,
      redisUrl,
    })
  /** The worker that lives; a killed one has a successor. */
  const present = madeOnce(
    async () => (missing ? undefined : { worker: await startWorker() }),
    ({ worker }) => worker.kill(),
  )

  // `try-event.test.ts` cuts the connection at every statement, in one process.
  test.for([
    { name: 'before its claim', isEnqueued: false, statement: claim, moment: 'before' },
    { name: 'after its claim', isEnqueued: false, statement: claim, moment: 'after' },
    { name: 'before its commit', isEnqueued: true, statement: commit, moment: 'before' },
    { name: 'after its commit', isEnqueued: true, statement: commit, moment: 'after' },
  ] as const)(
    'a worker that is killed by kill -9 $name of a payment grants once, by itself, after a restart',
    async (strike, { skip }) => {
      if (missing) skip(`no Redis: ${missing}`)
      expect(await applyWithKill(strike)).toBe(true)
      expect((await verifyLedger(database.owner)).problems).toEqual([])
    },
  )

  test.for(isLong ? (['before', 'after'] as const) : [])(
    'a worker that is killed by kill -9 %s any statement of applying a payment grants once, by itself, after a restart',
    async (moment, { skip }) => {
      if (missing) skip(`no Redis: ${missing}`)
      let statement = 0
      while (++statement <= mostStatements) {
        const killed = await applyWithKill({ statement, moment, isEnqueued: true })
        if (!killed) break
      }
      expect(statement, 'statements that a kill was tried at').toBeGreaterThan(fewestStatements)
      expect(statement).toBeLessThan(mostStatements)
      expect((await verifyLedger(database.owner)).problems).toEqual([])
    },
  )

  /** Returns whether the worker was killed: it is not when it needs fewer statements. */
  async function applyWithKill({
    statement,
    moment,
    isEnqueued,
  }: Strike & { isEnqueued: boolean }): Promise<boolean> {
    const victim = present.worker
    const bought = await buildPaidCredits({ database, stripe })
    const event_id = await receiveCheckoutEvent(database.server, bought)
    proxy.strike({ statement, moment, action: () => process.kill(victim.pid, 'SIGKILL') })
    if (isEnqueued) await queues.producer.add('stripe-events', event_id, { event_id })
    const isDone = () => isApplied(database.owner, event_id)
    await Promise.race([
      victim.ended,
      waitUntil(isDone, 'the event to be applied or the worker to be killed'),
    ])
    const killed = proxy.struck
    proxy.disarm()
    tried({ purchases: 1, kills: killed ? 1 : 0 })
    if (killed) {
      await victim.ended
      present.worker = await startWorker()
    }
    await waitUntil(
      isDone,
      () => `event ${event_id} to be applied\n${present.worker.lines.slice(-20).join('\n')}`,
    )
    const balance = await findBalance(database.owner, bought.owner_id)
    expect(balance, `killed ${moment} statement ${statement}`).toMatchObject({ total: 500, version: 1 })
    return killed
  }
})

async function isApplied(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom('inbox_events').select('state').where('id', '=', id).executeTakeFirst()
  return row?.state === 'applied'
}
