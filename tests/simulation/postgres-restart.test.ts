import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { connectDatabase, type DatabaseConnection } from '../../schema/database/connect.ts'
import { migrateToLatest } from '../../schema/database/migrate.ts'
import { findBalance } from '../../schema/ledger/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify.ts'
import { createDatabase } from '../../scripts/database.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import { findFreePort } from '../../scripts/processes/ports.ts'
import { type ProductProcess, startProductProcess } from '../support/product/product-process.ts'
import { type Sandbox, signUp, startSandbox } from '../support/sandbox.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { waitUntil } from '../support/wait-until.ts'

const buyers = 40

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: inject('redisUrl'), missing: inject('redisReason') },
]

describe.each(backends)('on $name', ({ redisUrl, missing }) => {
  let dataDir: string
  let postgres: RunningPostgres
  let database: DatabaseConnection
  let stripe: Sandbox
  let clerk: Sandbox
  let server: TestServer
  let worker: ProductProcess

  beforeAll(async () => {
    if (missing) return
    dataDir = await mkdtemp(join(tmpdir(), 'tidemark-restart-'))
    // Durable: what was committed before the power cut must be there after it.
    postgres = await startPostgres({ dataDir, durable: true })
    await createDatabase({ adminUrl: postgres.url, name: 'tidemark' })
    const databaseUrl = postgres.urlOf('tidemark')
    await migrateToLatest({ connectionString: databaseUrl })
    database = connectDatabase({
      connectionString: databaseUrl,
      role: 'owner',
      poolMax: 4,
      onError: () => undefined,
    })
    const serverPort = await findFreePort()
    ;[stripe, clerk] = await Promise.all([startSandbox('stripe', { serverPort }), startSandbox('clerk')])
    server = await startTestServer({
      databaseUrl,
      redisUrl,
      stripe,
      clerk,
      port: serverPort,
      settings: { sweep_after_ms: 500 },
    })
    worker = await startProductProcess('worker', { databaseUrl, redisUrl, stripeUrl: stripe.url })
  })
  afterAll(async () => {
    await worker?.kill()
    await server?.close()
    await Promise.all([stripe?.stop(), clerk?.stop()])
    await database?.close()
    await postgres?.stop()
    if (dataDir) await rm(dataDir, { recursive: true, force: true })
  })

  test('a Postgres that is killed twice under load loses and doubles nothing, and no process has to be restarted', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    let workerEnded = false
    worker.ended.then(() => {
      workerEnded = true
    })
    let paid = 0
    const shopping = Promise.all(
      Array.from({ length: buyers }, async () => {
        const userId = await buy()
        paid++
        return userId
      }),
    )
    for (const share of [0.3, 0.7]) {
      await waitUntil(() => paid >= buyers * share, `${share} of the buyers to have paid`)
      await postgres.kill()
      await postgres.restart()
    }
    const userIds = await shopping
    for (const owner_id of userIds) {
      await waitUntil(
        async () => (await findBalance(database.db, { owner_kind: 'user', owner_id })).total > 0,
        () => `${owner_id} to have credits\n${worker.lines.slice(-5).join('\n')}`,
        60_000,
      )
    }
    const report = await verifyLedger(database.db)
    expect(report.problems).toEqual([])
    expect(report.counts).toMatchObject({ transfers: buyers, settled_intents: buyers })
    expect(workerEnded).toBe(false)
  })

  /** Buys like a person: presses the button again when there was an error, and then pays. */
  async function buy(): Promise<string> {
    const { user_id, token } = await signUp(clerk)
    const body = { clerkUserId: user_id, credits: 500, amount: 7, currency: 'EUR' } as const
    const sessionId = await waitUntil(async () => {
      const answer = await server.api(purchaseCredits, { token, body })
      return answer.status === 200 && (answer.body as { sessionId: string }).sessionId
    }, 'the purchase to start')
    await stripe.knob(`sessions/${sessionId}/pay`)
    return user_id
  }
})
