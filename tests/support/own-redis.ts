import { inject } from 'vitest'

/** A database of the shared Redis for this file alone, possibly with old data. Undefined without Redis. */
export function ownRedisUrl(): string | undefined {
  const url = inject('redisUrl')
  return url && new URL(`/${process.env.VITEST_POOL_ID ?? 0}`, url).href
}
