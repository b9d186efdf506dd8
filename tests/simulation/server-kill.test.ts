import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { createStripe } from '../../schema/vendors/stripe/client.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { buildEditor } from '../support/factories/editors.ts'
import { eventOf, sessionOf } from '../support/factories/events.ts'
import { user } from '../support/factories/grants.ts'
import { buildPaidCredits } from '../support/factories/paid-purchases.ts'
import { type Strike, startFaultProxy } from '../support/faults/fault-proxy.ts'
import { isLong } from '../support/long.ts'
import { madeOnce } from '../support/made.ts'
import { ownRedisUrl } from '../support/own-redis.ts'
import {
  type ProductProcess,
  startProductProcess,
  webhookSecret,
} from '../support/product/product-process.ts'
import { startStripe } from '../support/services/stripe.ts'
import { tried } from '../support/tried.ts'
import { waitUntil } from '../support/wait-until.ts'

const database = testDatabase()
const proxy = madeOnce(
  () => startFaultProxy(database.url),
  (made) => {
    made.cut()
    return made.close()
  },
)
const next = madeOnce(
  () => startProductProcess('server', { databaseUrl: database.url }),
  (made) => made.kill(),
)
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

/** Asks a server, once it is ready, that is killed at a statement. */
async function abandon(
  { redisUrl, prepare, ...strike }: Strike & { redisUrl?: string | undefined; prepare?: Ask },
  ask: Ask,
) {
  const server = await startProductProcess('server', { databaseUrl: proxy.url(database.url), redisUrl })
  await prepare?.(server)
  proxy.strike({ ...strike, action: () => process.kill(server.pid, 'SIGKILL') })
  tried({ kills: 1 })
  await expect(ask(server)).rejects.toThrow()
  await server.ended
}

type Ask = (server: ProductProcess) => Promise<unknown>

describe('an editor asks the next server again', () => {
  async function buildAsker() {
    const { user_id, token } = await buildEditor(database, { purchased: 100 })
    const ask = async (server: ProductProcess, method: string, path: string, body?: object) => {
      const response = await fetch(`http://127.0.0.1:${server.ready.port}/api/extension/${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return (await response.json()) as { hold?: { id: string }; replayed?: boolean; charged?: number }
    }
    return {
      reserve: (server: ProductProcess) =>
        ask(server, 'POST', 'holds', { credits: 75, idempotency_key: 'chat-1' }),
      settle: (server: ProductProcess, id = '') => ask(server, 'POST', `holds/${id}/settle`, { credits: 60 }),
      /** After it the server does not look for the token again. */
      readBalance: (server: ProductProcess) => ask(server, 'GET', 'balance'),
      balance: async () => {
        const { purchased, held } = await findBalance(database.owner, user(user_id))
        return { purchased, held }
      },
    }
  }

  test.for(
    isLong
      ? ([
          { moment: 'before', held: 0, replayed: false },
          { moment: 'after', held: 75, replayed: true },
        ] as const)
      : [],
  )(
    'a reservation whose server is killed $moment the commit is there once when it is asked for again',
    async ({ moment, held, replayed }) => {
      const { reserve, readBalance, balance } = await buildAsker()
      // The first statement reads who pays.
      await abandon({ statement: 2, moment, prepare: readBalance }, reserve)
      expect(await balance()).toEqual({ purchased: 100, held })
      expect(await reserve(next)).toMatchObject({ replayed, hold: { state: 'open', credits: 75 } })
      expect(await balance()).toEqual({ purchased: 100, held: 75 })
    },
  )

  test.for([
    { moment: 'before', left: { purchased: 100, held: 75 }, replayed: false },
    { moment: 'after', left: { purchased: 40, held: 0 }, replayed: true },
  ] as const)(
    'a settlement whose server is killed $moment the commit is charged once when it is asked for again',
    async ({ moment, left, replayed }) => {
      const { reserve, settle, readBalance, balance } = await buildAsker()
      const { hold } = await reserve(next)
      // The first statement looks for the hold.
      await abandon({ statement: 2, moment, prepare: readBalance }, (server) => settle(server, hold?.id))
      expect(await balance()).toEqual(left)
      expect(await settle(next, hold?.id)).toMatchObject({ charged: 60, replayed })
      expect(await balance()).toEqual({ purchased: 40, held: 0 })
    },
  )
})

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
]

// By default, worker-kill.test.ts has events without a job, which is what such a server leaves.
test.for(isLong ? backends : [])(
  'on $name, a server that is killed between the commit of an event and its job loses nothing, although Stripe does not send the event again',
  async ({ redisUrl, missing }, { skip }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const stripe = await startStripe()
    onTestFinished(() => stripe.stop())
    const bought = await buildPaidCredits({ database, stripe })
    const session = sessionOf(bought.intent_id, { id: bought.session_id })
    const event = eventOf('checkout.session.completed', session)
    const body = JSON.stringify(event)
    const signature = createStripe({ secretKey: 'sk_test_sandbox' }).webhooks.generateTestHeaderString({
      payload: body,
      secret: webhookSecret,
    })
    // The event's row is the first thing that the server writes; its answer never arrives.
    await abandon({ statement: 1, moment: 'after', redisUrl }, (server) =>
      fetch(`http://127.0.0.1:${server.ready.port}/api/stripe/webhook`, {
        method: 'POST',
        headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
        body,
      }),
    )
    const row = database.owner.selectFrom('inbox_events').select('state').where('id', '=', event.id)
    expect(await row.execute()).toEqual([{ state: 'received' }])

    const urls = { databaseUrl: database.url, stripeUrl: stripe.url }
    const worker = await startProductProcess('worker', { ...urls, redisUrl })
    await waitUntil(
      async () => (await findBalance(database.owner, bought.owner_id)).total === 500,
      () => `the claim to find the event\n${worker.lines.slice(-10).join('\n')}`,
    )
    await worker.kill()
  },
)
