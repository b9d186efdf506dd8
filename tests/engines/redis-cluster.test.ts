import type { Cluster, RedisOptions } from 'ioredis'
import { describe, expect, test } from 'vitest'
import { processEnvironment } from '../../schema/env.ts'
import { selectEvents } from '../../schema/inbox/events.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { connectRedis } from '../../schema/queues/redis.ts'
import { examineRedis } from '../../scripts/doctor/redis.ts'
import { findRedis } from '../../scripts/test/tools/redis.ts'
import { buildPaidCredits, type PaidPurchase } from '../support/factories/paid-purchases.ts'
import { productionEnvironment } from '../support/factories/production-environment.ts'
import { madeOnce } from '../support/made.ts'
import { testProduct } from '../support/product/start-test-product.ts'
import { startRedisCluster } from '../support/redis-cluster.ts'
import { waitUntil } from '../support/wait-until.ts'

const program = await findRedis({ install: false, say: () => undefined })

describe('with queues on a Redis Cluster of three nodes', () => {
  const cluster = madeOnce(
    async () => (program.found ? startRedisCluster(program.value) : undefined),
    (made) => made.stop(),
  )
  const product = testProduct(() =>
    program.found
      ? {
          redisUrl: cluster.url,
          stripe: 'with_prices',
          webhooks: ['stripe'],
          worker: 'process',
          server: { env: { CLAIM_AFTER_MS: '500' } },
        }
      : undefined,
  )
  const nodeOfEvents = () => cluster.nodeOf('{stripe-events}')

  test('queues are on different nodes', async ({ skip }) => {
    if (!program.found) skip(program.reason)
    const found = await Promise.all(
      ['stripe-events', 'clerk-events', 'checkout-completions', 'subscription-syncs', 'tasks'].map((queue) =>
        cluster.nodeOf(`{${queue}}`),
      ),
    )
    expect(new Set(found).size).toBeGreaterThan(1)
    await grantedOnce([await buildPaidCredits(product)])
    const env = processEnvironment({ ...productionEnvironment, REDIS_URL: cluster.url })
    const examined = await examineRedis({
      env,
      sandbox: { stripe: false, clerk: false },
      now: () => new Date(),
    })
    expect(examined.map(({ level }) => level)).toEqual(['ok', 'ok', 'ok'])
  })

  test('each payment is granted once when a node dies with all its data and comes back', async ({ skip }) => {
    if (!program.found) skip(program.reason)
    const node = await nodeOfEvents()
    const before = await buySome()
    await node.kill()
    const during = await buySome()
    await waitUntil(() => areReceived(during), 'webhooks to be taken without the queue')
    await node.restart()
    const after = await buySome()
    await grantedOnce([...before, ...during, ...after])
  })

  test('payments are granted once without intervention when a node with a replica dies', async ({ skip }) => {
    if (!program.found) skip(program.reason)
    const node = await nodeOfEvents()
    const replica = await cluster.addReplicaOf(node)
    const before = await buySome()
    await node.kill()
    const during = await buySome()
    await waitUntil(async () => (await nodeOfEvents()) === replica, 'the replica to take over')
    const after = await buySome()
    await grantedOnce([...before, ...during, ...after])
  })

  async function buySome(): Promise<PaidPurchase[]> {
    const bought: PaidPurchase[] = []
    for (let count = 0; count < 6; count++) bought.push(await buildPaidCredits(product))
    return bought
  }

  async function areReceived(bought: readonly PaidPurchase[]): Promise<boolean> {
    const rows = await selectEvents(product.database.owner)
      .where('e.type', '=', 'checkout.session.completed')
      .execute()
    const text = JSON.stringify(rows)
    return bought.every(({ session_id }) => text.includes(session_id))
  }

  async function grantedOnce(bought: readonly PaidPurchase[]): Promise<void> {
    const { database, workerProcess } = product
    for (const { owner } of bought) {
      await waitUntil(
        async () => (await findBalance(database.owner, owner)).total > 0,
        () => `${owner.owner_id} to have credits\n${workerProcess.lines.slice(-20).join('\n')}`,
      )
    }
    await waitUntil(async () => {
      const open = await database.owner
        .selectFrom('inbox_events')
        .select('id')
        .where('state', '=', 'received')
        .execute()
      return open.length === 0
    }, 'every event to be finished')
    for (const { owner } of bought) {
      expect(await findBalance(database.owner, owner)).toMatchObject({ total: 500, version: 1 })
    }
    expect((await verifyLedger(database.owner)).problems).toEqual([])
  }
})

describe("a worker's connection to a Redis Cluster", () => {
  const cluster = madeOnce(
    async () => (program.found ? startRedisCluster(program.value) : undefined),
    (made) => made.stop(),
  )

  test('a connection that is closed while a node answers with the address of another one ends', async ({
    skip,
  }) => {
    if (!program.found) skip(program.reason)
    const made = connectRedis(cluster.url, { whenUnavailable: 'wait' }) as Cluster
    const redis = made.duplicate()
    for (const one of [made, redis]) one.on('error', () => undefined)
    await redis.ping()
    // The map of slots is as old as it is after a failover.
    const slots = Reflect.get(redis, 'slots') as string[][]
    const [wrong] = redis.nodes('master').filter(({ options }) => !slots[0]?.includes(addressOf(options)))
    slots.fill([addressOf(wrong?.options ?? {})])
    await wrong?.ping()
    redis.set('{stripe-events}:key', '1').catch(() => undefined)
    redis.set('{checkout-completions}:key', '1').catch(() => undefined)
    redis.disconnect()
    await waitUntil(() => redis.status === 'end', 'the connection to end')
    made.disconnect()
  })

  test('a connection that is closed and at once made anew ends in between', async ({ skip }) => {
    if (!program.found) skip(program.reason)
    const made = connectRedis(cluster.url, { whenUnavailable: 'wait' }) as Cluster
    const redis = made.duplicate()
    for (const one of [made, redis]) one.on('error', () => undefined)
    await redis.ping()
    let hasEnded = false
    redis.once('end', () => {
      hasEnded = true
    })
    redis.disconnect()
    await redis.connect()
    await waitUntil(() => hasEnded, 'the connection to end')
    expect(await redis.set('{stripe-events}:key', '1')).toBe('OK')
    for (const one of [made, redis]) one.disconnect()
  })

  test('a connection that is made while the cluster is down works when the cluster is up', async ({
    skip,
  }) => {
    if (!program.found) skip(program.reason)
    const others = cluster.nodes.slice(1)
    await Promise.all(others.map((node) => node.kill()))
    await waitUntil(() => cluster.isDown(), 'the node that is left to find the cluster down')
    const redis = connectRedis(cluster.url, { whenUnavailable: 'wait' })
    redis.on('error', () => undefined)
    await waitUntil(() => redis.status === 'ready', 'a connection')
    await Promise.all(others.map((node) => node.restart()))
    await waitUntil(() => redis.set('key', '1').then(Boolean, () => false), 'the cluster to take a key')
    redis.disconnect()
  })
})

const addressOf = ({ host, port }: RedisOptions) => `${host}:${port}`
