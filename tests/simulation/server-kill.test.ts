import { describe, expect, inject, test } from 'vitest'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { createStripe } from '../../schema/stripe/client.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { eventOf, sessionOf } from '../support/factories/events.ts'
import { buildPurchase } from '../support/factories/purchases.ts'
import { startFaultProxy } from '../support/faults/fault-proxy.ts'
import { madeOnce } from '../support/made.ts'
import { ownRedisUrl } from '../support/own-redis.ts'
import { startProductProcess, webhookSecret } from '../support/product/product-process.ts'
import { waitUntil } from '../support/wait-until.ts'

const backends = [
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
]

describe.each(backends)('on $name', ({ redisUrl, missing }) => {
  const database = testDatabase()
  const proxy = madeOnce(
    () => startFaultProxy(database.url),
    (made) => {
      made.cut()
      return made.close()
    },
  )

  test('a server that is killed between the commit of an event and its job loses nothing, although Stripe does not send the event again', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const intent = await buildPurchase(database.server)
    const body = JSON.stringify(eventOf('checkout.session.completed', sessionOf(intent.id)))
    const server = await startProductProcess('server', { databaseUrl: proxy.url(database.url), redisUrl })
    // The event's row is the first thing that the server writes; its answer never arrives.
    proxy.strike({ statement: 1, moment: 'after', action: () => process.kill(server.pid, 'SIGKILL') })
    const signature = createStripe({ secretKey: 'sk_test_sandbox' }).webhooks.generateTestHeaderString({
      payload: body,
      secret: webhookSecret,
    })
    const delivery = fetch(`http://127.0.0.1:${server.ready.port}/api/stripe/webhook`, {
      method: 'POST',
      headers: { 'stripe-signature': signature, 'content-type': 'application/json' },
      body,
    })
    await expect(delivery).rejects.toThrow()
    await server.ended
    const rows = await database.owner.selectFrom('inbox_events').select('state').execute()
    expect(rows).toEqual([{ state: 'received' }])

    const worker = await startProductProcess('worker', { databaseUrl: database.url, redisUrl })
    const owner = { owner_kind: 'user', owner_id: intent.owner_id } as const
    await waitUntil(
      async () => (await findBalance(database.owner, owner)).total === 500,
      () => `the claim to find the event\n${worker.lines.slice(-10).join('\n')}`,
    )
    await worker.kill()
    expect((await verifyLedger(database.owner)).problems).toEqual([])
  })
})
