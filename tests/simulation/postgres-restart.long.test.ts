import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { migrateToLatest } from '../../schema/database/migrate.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { createDatabase } from '../../scripts/database.ts'
import { type RunningPostgres, startPostgres } from '../../scripts/postgres.ts'
import { connectTestDatabase } from '../support/database/test-database.ts'
import { madeOnce } from '../support/made.ts'
import { ownRedisUrl } from '../support/own-redis.ts'
import { testProduct } from '../support/product/start-test-product.ts'
import { signUp } from '../support/services/clerk.ts'
import { tried } from '../support/tried.ts'
import { waitUntil } from '../support/wait-until.ts'

const buyers = 40
/** A busy machine takes minutes for them. */
const patience_ms = 10 * 60_000

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
]

describe.each(backends)('on $name', ({ redisUrl, missing }) => {
  const postgres = madeOnce(
    async () => (missing ? undefined : startDurablePostgres()),
    (made) => made.stop(),
  )
  const database = madeOnce(
    () => (missing ? undefined : connectTestDatabase(postgres.urlOf('tidemark'))),
    (made) => made.close(),
  )
  const product = testProduct(() =>
    missing
      ? undefined
      : {
          database,
          redisUrl,
          stripe: 'empty',
          clerk: 'sandbox',
          worker: 'process',
          webhooks: ['stripe'],
          server: { settings: { claim_after_ms: 500 } },
        },
  )

  test('a Postgres that is killed twice under load loses and doubles nothing, and no process has to be restarted', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const worker = product.workerProcess
    let workerEnded = false
    worker.ended.then(() => {
      workerEnded = true
    })
    let paid = 0
    tried({ purchases: buyers })
    const shopping = Promise.all(
      Array.from({ length: buyers }, async () => {
        const userId = await buy()
        paid++
        return userId
      }),
    )
    for (const share of [0.3, 0.7]) {
      await waitUntil(() => paid >= buyers * share, `${share} of the buyers to have paid`, patience_ms)
      tried({ kills: 1 })
      await postgres.kill()
      await postgres.restart()
    }
    const userIds = await shopping
    for (const owner_id of userIds) {
      await waitUntil(
        async () => (await findBalance(database.owner, owner_id)).total > 0,
        () => `${owner_id} to have credits\n${worker.lines.slice(-5).join('\n')}`,
        patience_ms,
      )
    }
    const report = await verifyLedger(database.owner)
    expect(report.problems).toEqual([])
    expect(report.counts).toMatchObject({ transfers: buyers, settled_intents: buyers })
    expect(workerEnded).toBe(false)
  })

  /** Buys like a person: presses the button again when there was an error, and then pays. */
  async function buy(): Promise<string> {
    const { user_id, token } = await signUp(product.clerk)
    const body = { clerkUserId: user_id, credits: 500, amount: 7, currency: 'EUR' } as const
    const sessionId = await waitUntil(
      async () => {
        const answer = await product.server.api(purchaseCredits, { token, body })
        return answer.status === 200 && (answer.body as { sessionId: string }).sessionId
      },
      'the purchase to start',
      patience_ms,
    )
    await product.stripe.knob(`sessions/${sessionId}/pay`)
    return user_id
  }
})

/** Durable: committed rows must survive the power cut. */
async function startDurablePostgres(): Promise<RunningPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-restart-'))
  const postgres = await startPostgres({ dataDir, durable: true })
  await createDatabase({ adminUrl: postgres.url, name: 'tidemark' })
  await migrateToLatest({ connectionString: postgres.urlOf('tidemark') })
  return {
    ...postgres,
    async stop() {
      await postgres.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
