import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'
import { getAccountSummary } from '../../schema/api/account.ts'
import { getSessionStatus } from '../../schema/api/checkout.ts'
import { explainBalance } from '../../schema/api/explanation.ts'
import { getExtensionBalance, reportUsage } from '../../schema/api/extension.ts'
import type { Database, DatabaseTransaction, ReadDatabase } from '../../schema/database/connect.ts'
import { processEnvironment } from '../../schema/env.ts'
import type { findBalance } from '../../schema/ledger/read/balances.ts'
import type { spendCredits } from '../../schema/ledger/spend/usage.ts'
import { examineReplica } from '../../scripts/doctor/database.ts'
import { startStandby } from '../support/database/standby.ts'
import { connectTestDatabase } from '../support/database/test-database.ts'
import { buildExtensionToken } from '../support/factories/extension-tokens.ts'
import { buildPaidCredits } from '../support/factories/paid-purchases.ts'
import { productionEnvironment } from '../support/factories/production-environment.ts'
import { buildUser } from '../support/factories/users.ts'
import { madeOnce } from '../support/made.ts'
import { testProduct } from '../support/product/start-test-product.ts'
import type { TestServer } from '../support/product/test-server.ts'
import { waitUntil } from '../support/wait-until.ts'

test('a query that writes, or decides by a balance, cannot be given the replica', () => {
  expectTypeOf<Database>().toExtend<ReadDatabase>()
  expectTypeOf<DatabaseTransaction>().toExtend<ReadDatabase>()
  expectTypeOf<ReadDatabase>().not.toExtend<Database>()
  expectTypeOf<ReadDatabase>().not.toExtend<Parameters<typeof spendCredits>[0]>()
  expectTypeOf<ReadDatabase>().not.toExtend<Parameters<typeof findBalance>[0]>()
})

describe('with a streaming replica', () => {
  const standby = madeOnce(startStandby, (made) => made.stop())
  const database = madeOnce(
    async () => connectTestDatabase(standby.primaryUrl),
    (made) => made.close(),
  )
  const product = testProduct(() => ({
    database,
    stripe: 'with_prices',
    clerk: 'trusting',
    server: { env: { DATABASE_READ_URL: standby.replicaUrl, DATABASE_READ_MAX_AGE_MS: '3600000' } },
  }))
  const { server, worker } = product

  async function buy(user_id: string): Promise<string> {
    const { session_id } = await buildPaidCredits(product, { user_id })
    await worker.catchUp()
    return session_id
  }

  const historyOf = async (token: string, from: TestServer = server, query: { cursor?: string } = {}) =>
    (await from.ask(explainBalance, { token, query: { limit: '1', ...query } })).data

  /** The newest entry, once it is the replica that has it. */
  const untilListed = (token: string, amount: number) =>
    waitUntil(
      async () => (await historyOf(token)).items[0]?.change.total === amount,
      `${amount} to be in the history`,
    )

  test('money and rights are read from the primary at once while the history is still old', async () => {
    const ada = await buildUser(database.server)
    const editor = await buildExtensionToken(database, ada)
    const use = (credits: number) =>
      server.api(reportUsage, { token: editor, body: { credits, idempotency_key: randomUUID() } })
    await buy(ada)
    await use(1)
    await untilListed(ada, -1)

    await onReplica('SELECT pg_wal_replay_pause()')
    onTestFinished(async () => void (await onReplica('SELECT pg_wal_replay_resume()')))
    await waitUntil(
      async () => (await onReplica('SELECT pg_get_wal_replay_pause_state() AS value')) === 'paused',
      'the replay to pause',
    )
    const session_id = await buy(ada)
    // The replica knows of 499.
    expect(await use(700)).toMatchObject({ status: 200, body: { charged: 700, balance: { available: 299 } } })
    expect(await use(300)).toMatchObject({ status: 402, body: { available: 299 } })
    const status = await server.ask(getSessionStatus, { token: ada, query: { session_id } })
    expect(status.data.fulfilment).toMatchObject({ state: 'applied' })
    const summary = await server.ask(getAccountSummary, { token: ada, query: {} })
    expect(summary.balance).toMatchObject({ total: 299 })
    const balance = await server.ask(getExtensionBalance, { token: editor, query: {} })
    expect(balance).toMatchObject({ available: 299 })

    // The history says of when it is.
    const old = await waitUntil(async () => {
      const data = await historyOf(ada)
      return !data.is_now && data
    }, 'the history to be old')
    expect(old).toMatchObject({ items: [{ change: { total: -1 } }], balance: { total: 499 } })

    // A server that takes nothing so old reads the primary, and the page after one of its pages has no gap.
    const strict = await product.startServer({
      env: { DATABASE_READ_URL: standby.replicaUrl, DATABASE_READ_MAX_AGE_MS: '1' },
    })
    try {
      const fresh = await historyOf(ada, strict)
      expect(fresh).toMatchObject({ items: [{ change: { total: -700 } }], is_now: true })
      expect(await readsOf(strict)).toMatchObject({ behind: 1 })
      const next = await historyOf(ada, server, { cursor: fresh.next_cursor ?? '' })
      expect(next).toMatchObject({ items: [{ change: { total: 500 } }], is_now: true })
    } finally {
      await strict.close()
    }

    await onReplica('SELECT pg_wal_replay_resume()')
    await untilListed(ada, -700)
  })

  test('the primary serves all reads when the replica is unavailable, and the server stays ready', async () => {
    const bob = await buildUser(database.server)
    await buy(bob)
    await untilListed(bob, 500)
    await standby.replica.stop()
    await buy(bob)
    const { items, next_cursor } = await historyOf(bob)
    expect(items).toMatchObject([{ balance_after: { total: 1000 } }])
    expect(await historyOf(bob, server, { cursor: next_cursor ?? '' })).toMatchObject({
      items: [{ balance_after: { total: 500 } }],
    })
    await waitUntil(async () => {
      await historyOf(bob)
      return (await readsOf(server)).away > 0
    }, 'the replica to be missed')
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)

    await standby.replica.restart()
    const { replica: before } = await readsOf(server)
    await waitUntil(async () => {
      await historyOf(bob)
      return (await readsOf(server)).replica > before
    }, 'the replica to be read again')
  })

  test('the doctor distinguishes a replica from a database without our tables', async () => {
    const examined = (DATABASE_READ_URL: string) =>
      examineReplica({
        env: processEnvironment({ ...productionEnvironment, DATABASE_READ_URL }),
        sandbox: { stripe: false, clerk: false },
        now: () => new Date(),
      })
    expect(await examined(standby.replicaUrl)).toMatchObject([{ level: 'ok' }])
    expect(await examined(standby.primaryUrl)).toMatchObject([{ level: 'problem', text: 'it is no replica' }])
    expect(await examined('postgres://a@127.0.0.1:1/b')).toMatchObject([{ level: 'warning' }])
  })

  async function onReplica(statement: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: standby.replicaUrl })
    await client.connect()
    try {
      return (await client.query(statement)).rows[0]?.value
    } finally {
      await client.end()
    }
  }

  async function readsOf(from: TestServer) {
    const { values } = await from.deps.metrics.replicaReads.get()
    const count = (outcome: string) => values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0
    return { replica: count('replica'), behind: count('behind'), away: count('away') }
  }
})
