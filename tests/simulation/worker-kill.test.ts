import { randomUUID } from 'node:crypto'
import { describe, expect, inject, test } from 'vitest'
import type { Database } from '../../schema/database/connect.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { findAct } from '../../schema/support/acts.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { buildAct } from '../support/factories/acts.ts'
import { receiveCheckoutEvent } from '../support/factories/events.ts'
import { buildPaidCredits, type PaidPurchase } from '../support/factories/paid-purchases.ts'
import { type Strike, startFaultProxy } from '../support/faults/fault-proxy.ts'
import { isLong } from '../support/long.ts'
import { madeOnce } from '../support/made.ts'
import { ownRedisUrl } from '../support/own-redis.ts'
import { startProductProcess } from '../support/product/product-process.ts'
import { openQueues } from '../support/services/queues.ts'
import { startStripe } from '../support/services/stripe.ts'
import { tried } from '../support/tried.ts'
import { waitUntil } from '../support/wait-until.ts'

/** More than a worker sends for one; the test stops at the first number that it does not reach. */
const mostStatements = { payment: 30, refund: 90 }
const fewestStatements = 6
type Work = keyof typeof mostStatements

/** Of the rows that are due. */
const claim = ['ctid FROM "inbox_events"']
/** Of the transaction that applies an event, or does an act. */
const commit = ['update "inbox_events"', 'commit']
const commitOfAct = ['update "support_acts"', 'commit']

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
    () => openQueues({ databaseUrl: database.url, redisUrl, role: 'tidemark_server' }),
    (made) => made.close(),
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
    { work: 'payment', name: 'before its claim', isEnqueued: false, statement: claim, moment: 'before' },
    { work: 'payment', name: 'after its claim', isEnqueued: false, statement: claim, moment: 'after' },
    { work: 'payment', name: 'before its commit', isEnqueued: true, statement: commit, moment: 'before' },
    { work: 'payment', name: 'after its commit', isEnqueued: true, statement: commit, moment: 'after' },
    { work: 'refund', name: 'before its commit', isEnqueued: true, statement: commitOfAct, moment: 'before' },
    { work: 'refund', name: 'after its commit', isEnqueued: true, statement: commitOfAct, moment: 'after' },
  ] as const)(
    'a worker that is killed by kill -9 $name of a $work does it once, by itself, after a restart',
    async (strike, { skip }) => {
      if (missing) skip(`no Redis: ${missing}`)
      expect(await applyWithKill(strike)).toBe(true)
      expect((await verifyLedger(database.owner)).problems).toEqual([])
    },
  )

  const works: readonly Work[] = isLong ? ['payment', 'refund'] : []
  test.for(
    works.flatMap((work) => [{ work, moment: 'before' } as const, { work, moment: 'after' } as const]),
  )(
    'a worker that is killed by kill -9 $moment any statement of a $work does it once, by itself, after a restart',
    async ({ work, moment }, { skip }) => {
      if (missing) skip(`no Redis: ${missing}`)
      let statement = 0
      while (++statement <= mostStatements[work]) {
        const killed = await applyWithKill({ work, statement, moment, isEnqueued: true })
        if (!killed) break
      }
      expect(statement, 'statements that a kill was tried at').toBeGreaterThan(fewestStatements)
      expect(statement).toBeLessThan(mostStatements[work])
      expect((await verifyLedger(database.owner)).problems).toEqual([])
    },
  )

  /** Returns whether the worker was killed: it is not when it needs fewer statements. */
  async function applyWithKill({
    work,
    statement,
    moment,
    isEnqueued,
  }: Strike & { work: Work; isEnqueued: boolean }): Promise<boolean> {
    const bought = await buildPaidCredits({ database, stripe })
    const paid = await receiveCheckoutEvent(database.server, bought)
    const strike = () => {
      const victim = present.worker
      proxy.strike({ statement, moment, action: () => process.kill(victim.pid, 'SIGKILL') })
      return victim
    }
    if (work === 'payment') {
      const victim = strike()
      if (isEnqueued) await queues.producer.add('stripe-events', paid, { event_id: paid })
      return endsOnce(victim, { bought, total: 500, isDone: () => isApplied(database.owner, paid) })
    }
    await queues.producer.add('stripe-events', paid, { event_id: paid })
    await waitUntil(() => isApplied(database.owner, paid), 'the payment to be applied')
    const refund = { amount_minor: 350, currency: 'EUR', refunded_minor: 0, stripe_reason: null }
    const act = await buildAct(database, {
      kind: 'refund',
      target: { kind: 'intent', id: bought.intent_id },
      params: { refund },
      // Each within the limit of a day.
      requested_by: `cli:${randomUUID()}`,
      // Its job comes first, and its claim later.
      next_try_at: new Date(Date.now() + 1000),
    })
    const victim = strike()
    await queues.producer.add('support-acts', act.id, { act_id: act.id })
    const isDone = async () => (await findAct(database.owner, act.id))?.state === 'done'
    const killed = await endsOnce(victim, { bought, total: 250, isDone })
    const { data } = await stripe.client.charges.list({ customer: bought.customer_id })
    const refunds = await stripe.client.refunds.list({ charge: data[0]?.id ?? '' })
    expect(refunds.data, `killed ${moment} statement ${statement}`).toMatchObject([{ amount: 350 }])
    return killed
  }

  async function endsOnce(
    victim: { readonly ended: Promise<unknown> },
    work: { bought: PaidPurchase; total: number; isDone: () => Promise<boolean> },
  ): Promise<boolean> {
    const { bought, total, isDone } = work
    await Promise.race([victim.ended, waitUntil(isDone, 'the work to be done or the worker to be killed')])
    const killed = proxy.struck
    proxy.disarm()
    tried({ purchases: 1, kills: killed ? 1 : 0 })
    if (killed) {
      await victim.ended
      present.worker = await startWorker()
    }
    await waitUntil(isDone, () => `the work to be done\n${present.worker.lines.slice(-20).join('\n')}`)
    const balance = await findBalance(database.owner, bought.owner_id)
    expect(balance).toMatchObject({ total, version: total === 500 ? 1 : 2 })
    return killed
  }
})

async function isApplied(db: Database, id: string): Promise<boolean> {
  const row = await db.selectFrom('inbox_events').select('state').where('id', '=', id).executeTakeFirst()
  return row?.state === 'applied'
}
