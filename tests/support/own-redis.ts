import { inject } from 'vitest'

/**
 * A database of the Redis that all test files share, which no other file uses at the same time; what an
 * earlier one left is still there. Undefined where there is no Redis.
 */
export function ownRedisUrl(): string | undefined {
  const url = inject('redisUrl')
  return url && new URL(`/${process.env.VITEST_POOL_ID ?? 0}`, url).href
}
