import { Redis } from 'ioredis'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { listPlans } from '../schema/api/catalogue.ts'
import type { RateLimit } from '../schema/api/endpoint.ts'
import { connectRedis } from '../schema/inbox/queues/redis.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { startFaultProxy } from '../tests/support/faults/fault-proxy.ts'
import { startTestServer } from '../tests/support/product/test-server.ts'
import { waitUntil } from '../tests/support/wait-until.ts'
import { createRateLimits } from './rate-limits.ts'
import { routes } from './routes.ts'

const two = { read: 2, write: 2, checkout: 2, auth: 2 }

const database = testDatabase()

describe('a budget of requests', () => {
  test('a budget of requests is per caller and group of calls, and says how long to wait', async () => {
    const limits = createRateLimits({ perMinute: two })
    expect(await limits.consume('read', 'user:a')).toBeNull()
    expect(await limits.consume('read', 'user:a')).toBeNull()
    expect(await limits.consume('read', 'user:a')).toBeGreaterThan(0)
    expect(await limits.consume('read', 'user:b')).toBeNull()
    expect(await limits.consume('write', 'user:a')).toBeNull()
  })

  test('a budget of requests says in each answer how much there is and is left, until when, and is a 429 when it is used up', async () => {
    await using server = await startTestServer({
      databaseUrl: database.url,
      deps: { limits: createRateLimits({ perMinute: two }) },
    })
    const answers = []
    for (let count = 0; count < 3; count++) answers.push(await server.api(listPlans))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.body).toMatchObject({ code: 'too_many_requests', error: expect.any(String) })
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(answers.map(({ headers }) => headers.get('ratelimit-policy'))).toEqual(
      Array(3).fill('"read";q=2;w=60'),
    )
    expect(answers.map(({ headers }) => headers.get('ratelimit'))).toEqual([
      expect.stringMatching(/^"read";r=1;t=(60|[1-5]?\d)$/),
      expect.stringMatching(/^"read";r=0;t=(60|[1-5]?\d)$/),
      expect.stringMatching(/^"read";r=0;t=(60|[1-5]?\d)$/),
    ])
  })
})

describe('an anonymous caller is counted by the address', () => {
  async function statuses(trusted_proxies: readonly string[], calls: readonly string[]): Promise<number[]> {
    await using server = await startTestServer({
      databaseUrl: database.url,
      settings: { production: true, trusted_proxies },
      deps: { limits: createRateLimits({ perMinute: { ...two, read: 1 } }) },
    })
    const seen = []
    for (const header of calls) {
      seen.push((await server.api(listPlans, { headers: { 'x-forwarded-for': header } })).status)
    }
    return seen
  }
  test('callers of one home or site share four and sixteen budgets, in however many networks they are', async () => {
    const home = Array.from({ length: 6 }, (_, index) => `2001:db8:1:10${index}::1`)
    expect(await statuses(['127.0.0.0/8'], home)).toEqual([200, 200, 200, 200, 429, 429])
    const site = Array.from({ length: 18 }, (_, index) => `2001:db8:2:${(index * 256).toString(16)}::1`)
    expect((await statuses(['127.0.0.0/8'], site)).filter((status) => status === 429)).toHaveLength(2)
  })

  test('a caller who asks for pages without end is told to wait', async () => {
    await using server = await startTestServer({
      databaseUrl: database.url,
      deps: { limits: createRateLimits({ perMinute: { ...two, page: 2 } }) },
    })
    const answers = []
    for (let count = 0; count < 3; count++) answers.push((await fetch(`${server.url}/favicon.svg`)).status)
    expect(answers.at(-1)).toBe(429)
  })

  const forwarded = ['6.6.6.1, 198.51.100.7', '6.6.6.2, 198.51.100.7', '198.51.100.8']
  const [first, second, third] = forwarded
  const behindTwo = [`${first}, 10.1.2.3`, `${second}, 10.3.2.1`, `${third}, 10.1.2.3`]
  const [byHeader, byConnection] = [
    [200, 429, 200],
    [200, 429, 429],
  ]
  test.for([
    ['that our proxy appended: what a caller claims changes nothing', ['127.0.0.0/8'], forwarded, byHeader],
    ['that the first of our proxies appended', ['127.0.0.1', '10.0.0.0/8'], behindTwo, byHeader],
    ['of the connection while no proxy is named, also in production', [], forwarded, byConnection],
    ['of the connection when it is none of the named proxies', ['192.0.2.0/24'], forwarded, byConnection],
  ] as const)('an anonymous caller is counted by the address %s', async ([, proxies, calls, answers]) => {
    expect(await statuses(proxies, calls)).toEqual(answers)
  })
})

test('every call of the contract that anyone may make, and that is no page’s reading, has the budget of sign-ins', () => {
  const open = routes.flatMap(({ endpoint }) => (endpoint?.auth === 'public' ? [endpoint] : []))
  const changing = open.filter(({ method }) => method !== 'GET')
  expect(changing.map(({ limit }) => limit)).toEqual(changing.map(() => 'sign_in'))
  expect(changing).not.toEqual([])
})

const redisUrl = inject('redisUrl')
describe.runIf(redisUrl)('with Redis', () => {
  /** The limits of two servers. */
  const servers = (perMinute: Partial<Record<RateLimit, number>>) =>
    Promise.all(
      [1, 2].map(async () => {
        const redis = new Redis(redisUrl ?? '')
        onTestFinished(() => redis.disconnect())
        await redis.ping()
        return createRateLimits({ redis, perMinute })
      }),
    )

  test('two servers share one budget', async () => {
    const [first, second] = await servers(two)
    const caller = `user:${crypto.randomUUID()}`
    expect(await first?.consume('read', caller)).toBeNull()
    expect(await second?.consume('read', caller)).toBeNull()
    expect(await first?.consume('read', caller)).toBeGreaterThan(0)
    expect(await second?.count('read', caller)).toMatchObject({ remaining: 0, is_exceeded: true })
  })

  test('servers take portions of a budget, and together never give out more than there is', async () => {
    const limits = await servers({ extension: 90 })
    const caller = `user:${crypto.randomUUID()}`
    const answers = []
    for (let call = 0; call < 110; call++) {
      answers.push(...(await Promise.all(limits.map((server) => server.count('extension', caller)))))
    }
    const given = answers.filter(({ is_exceeded }) => !is_exceeded)
    expect(given).toHaveLength(90)
    expect(answers.map(({ remaining }) => remaining).slice(0, 2)).toEqual([89, 86])
  })

  test('only the other servers refuse the rest of a portion that one server has taken', async () => {
    const [first, second] = await servers({ extension: 90 })
    const caller = `user:${crypto.randomUUID()}`
    await first?.count('extension', caller)
    const given = []
    for (let call = 0; call < 100; call++) given.push(await second?.consume('extension', caller))
    expect(given.filter((wait) => wait === null)).toHaveLength(87)
    expect([await first?.consume('extension', caller), await first?.consume('extension', caller)]).toEqual([
      null,
      null,
    ])
    expect(await first?.consume('extension', caller)).toBeGreaterThan(0)
  })

  test('each server counts for itself while Redis hangs, and uses Redis again once it answers', async () => {
    const proxy = await startFaultProxy(redisUrl ?? '')
    const redis = connectRedis(proxy.url(redisUrl ?? ''), { whenUnavailable: 'fail_fast' })
    redis.on('error', () => undefined)
    onTestFinished(async () => {
      redis.disconnect()
      await proxy.close()
    })
    await waitUntil(() => redis.status === 'ready', 'the connection')
    const limits = createRateLimits({ redis, perMinute: two })
    const caller = () => `user:${crypto.randomUUID()}`
    expect(await limits.consume('read', caller())).toBeNull()
    proxy.silence()
    const [first, second] = [caller(), caller()]
    expect(await Promise.all([limits.consume('read', first), limits.consume('read', second)])).toEqual([
      null,
      null,
    ])
    expect(await waitUntil(() => redis.ping().catch(() => null), 'Redis to answer again')).toBe('PONG')
  })

  test('each server counts for itself while Redis is unavailable, and no request fails', async () => {
    const redis = new Redis('redis://127.0.0.1:1', { lazyConnect: true, retryStrategy: () => null })
    redis.on('error', () => undefined)
    const limits = createRateLimits({ redis, perMinute: two })
    expect(await limits.consume('read', 'user:a')).toBeNull()
    expect(await limits.count('read', 'user:b')).toMatchObject({ limit: 2, remaining: 1 })
    await limits.consume('read', 'user:a')
    expect(await limits.consume('read', 'user:a')).toBeGreaterThan(0)
    redis.disconnect()
  })
})
