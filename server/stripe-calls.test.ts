import { Redis } from 'ioredis'
import { expect, inject, test } from 'vitest'
import { createCallLimit } from '../schema/vendors/stripe/call-limit.ts'

const redisUrl = inject('redisUrl')

test.runIf(redisUrl)(
  'server and worker share one budget with Redis, and the worker leaves a part of it',
  async () => {
    const redis = new Redis(redisUrl ?? '')
    await redis.ping()
    const limitOf = (process: 'server' | 'worker') => createCallLimit({ calls_per_second: 8, process, redis })
    const worker = [limitOf('worker'), limitOf('worker')]
    const turns: { who: string; ms: number }[] = []
    const take = async (who: string, limit: ReturnType<typeof limitOf> | undefined) => {
      if (await limit?.take()) turns.push({ who, ms: Date.now() })
    }
    const beganMs = Date.now()
    await Promise.all(Array.from({ length: 12 }, (_, index) => take('worker', worker[index % 2])))
    await take('server', limitOf('server'))
    redis.disconnect()
    expect(turns).toHaveLength(13)
    const early = turns.filter(({ ms }) => ms - beganMs < 900)
    expect(early.filter(({ who }) => who === 'worker').length).toBeLessThanOrEqual(6)
  },
)
