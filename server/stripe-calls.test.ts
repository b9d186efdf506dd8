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
    const turns: string[] = []
    const take = async (who: string, limit: ReturnType<typeof limitOf> | undefined) => {
      if (await limit?.take()) turns.push(who)
    }
    const ofWorker = Array.from({ length: 12 }, (_, index) => take('worker', worker[index % 2]))
    await Promise.all([...ofWorker, take('server', limitOf('server'))])
    redis.disconnect()
    expect(turns).toHaveLength(13)
    // Three quarters of eight a second are the worker's; what it asks for beyond that waits behind the server.
    expect(turns.indexOf('server')).toBeLessThanOrEqual(6)
  },
)
