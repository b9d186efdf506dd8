import { Redis } from 'ioredis'
import { describe, expect, inject, test } from 'vitest'
import { listPlans } from '../schema/api/catalogue.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { startTestServer } from '../tests/support/product/test-server.ts'
import { createRateLimits } from './rate-limits.ts'

const two = { read: 2, write: 2, checkout: 2, auth: 2 }

const database = testDatabase()

describe('a budget of requests', () => {
  test('is per caller and group of calls, and says how long to wait', async () => {
    const limits = createRateLimits({ perMinute: two })
    expect(await limits.consume('read', 'user:a')).toBeNull()
    expect(await limits.consume('read', 'user:a')).toBeNull()
    expect(await limits.consume('read', 'user:a')).toBeGreaterThan(0)
    expect(await limits.consume('read', 'user:b')).toBeNull()
    expect(await limits.consume('write', 'user:a')).toBeNull()
  })

  test('can be read without counting a request', async () => {
    const limits = createRateLimits({ perMinute: two })
    expect(await limits.peek('auth', 'ip:a')).toBeNull()
    await limits.consume('auth', 'ip:a')
    expect(await limits.peek('auth', 'ip:a')).toBeNull()
    await limits.consume('auth', 'ip:a')
    expect(await limits.peek('auth', 'ip:a')).toBeGreaterThan(0)
  })

  test('that is used up is a 429 in our form', async () => {
    const server = await startTestServer({
      databaseUrl: database.url,
      deps: { limits: createRateLimits({ perMinute: two }) },
    })
    const answers = []
    for (let count = 0; count < 3; count++) answers.push(await server.api(listPlans))
    await server.close()
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(answers[2]?.body).toMatchObject({ code: 'too_many_requests', error: expect.any(String) })
    expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('an anonymous caller is counted by the address', () => {
  async function statuses(production: boolean): Promise<number[]> {
    const server = await startTestServer({
      databaseUrl: database.url,
      settings: { production },
      deps: { limits: createRateLimits({ perMinute: { ...two, read: 1 } }) },
    })
    const calls = ['6.6.6.1, 198.51.100.7', '6.6.6.2, 198.51.100.7', '198.51.100.8']
    const seen = []
    for (const header of calls) {
      seen.push((await server.api(listPlans, { headers: { 'x-forwarded-for': header } })).status)
    }
    await server.close()
    return seen
  }

  test('that the proxy in front of us appended, in production: what a caller claims changes nothing', async () => {
    expect(await statuses(true)).toEqual([200, 429, 200])
  })

  test('of the connection elsewhere, whatever the header says', async () => {
    expect(await statuses(false)).toEqual([200, 429, 429])
  })
})

const redisUrl = inject('redisUrl')
describe.runIf(redisUrl)('with Redis', () => {
  test('two servers share one budget', async () => {
    const connections = [new Redis(redisUrl ?? ''), new Redis(redisUrl ?? '')]
    await Promise.all(connections.map((redis) => redis.ping()))
    const [first, second] = connections.map((redis) => createRateLimits({ redis, perMinute: two }))
    const caller = `user:${crypto.randomUUID()}`
    expect(await first?.consume('read', caller)).toBeNull()
    expect(await second?.consume('read', caller)).toBeNull()
    expect(await first?.consume('read', caller)).toBeGreaterThan(0)
    expect(await second?.peek('read', caller)).toBeGreaterThan(0)
    for (const redis of connections) redis.disconnect()
  })

  test('unavailable, each server counts for itself instead of failing', async () => {
    const redis = new Redis('redis://127.0.0.1:1', { lazyConnect: true, retryStrategy: () => null })
    redis.on('error', () => undefined)
    const limits = createRateLimits({ redis, perMinute: two })
    expect(await limits.consume('read', 'user:a')).toBeNull()
    expect(await limits.peek('read', 'user:a')).toBeNull()
    await limits.consume('read', 'user:a')
    expect(await limits.consume('read', 'user:a')).toBeGreaterThan(0)
    redis.disconnect()
  })
})
