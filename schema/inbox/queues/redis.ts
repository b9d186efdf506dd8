import { Redis } from 'ioredis'

export interface RedisSettings {
  /**
   * Whether a command waits for Redis to come back, however long that takes, or fails. `give_up` connects
   * when it is told to, and never tries again.
   */
  readonly whenUnavailable: 'fail_fast' | 'wait' | 'give_up'
}

/**
 * A Redis that answers at all answers in milliseconds. The caller goes on without it, and the connection is
 * made anew (decision 160).
 */
const silentAfterMs = 5000
/**
 * How soon an idle connection asks whether the other end is still there; by itself it does after two hours.
 */
const askAfterMs = 10_000

export function connectRedis(redisUrl: string, { whenUnavailable }: RedisSettings): Redis {
  const waits = whenUnavailable === 'wait'
  const givesUp = whenUnavailable === 'give_up'
  return new Redis(redisUrl, {
    maxRetriesPerRequest: waits ? null : givesUp ? 0 : 1,
    // A worker that waits for jobs hears nothing while none comes.
    ...(whenUnavailable === 'fail_fast' && { socketTimeout: silentAfterMs }),
    keepAlive: askAfterMs,
    enableOfflineQueue: waits,
    lazyConnect: givesUp,
    // What requests ask for in one turn of the event loop is sent in one go; a worker's connection also waits
    // for jobs.
    enableAutoPipelining: whenUnavailable === 'fail_fast',
    // A primary that became a replica keeps its connections and refuses writes: the address leads to the new
    // one. 2 sends the command again; it has not been done. https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/
    reconnectOnError: ({ message }) => (message.includes('READONLY') ? 2 : false),
    retryStrategy: (times) => (givesUp ? null : Math.min(times * 100, 2000)),
  })
}
