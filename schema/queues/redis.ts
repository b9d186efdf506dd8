import { Cluster, Redis } from 'ioredis'
import { listOf } from '../env.ts'

/** A Redis, or a Redis Cluster as a whole; queues and limiters take either. */
export type RedisClient = Redis | Cluster

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

/**
 * Connects to what REDIS_URL names: one address is a Redis, several are nodes of one cluster, of which one
 * that answers is enough to find the rest. User, password and TLS of the first address are those of every
 * node.
 */
export function connectRedis(redisUrl: string, { whenUnavailable }: RedisSettings): RedisClient {
  const [first = '', ...others] = listOf(redisUrl)
  const waits = whenUnavailable === 'wait'
  const givesUp = whenUnavailable === 'give_up'
  const retryStrategy = (times: number) => (givesUp ? null : Math.min(times * 100, 2000))
  const perCommand = {
    maxRetriesPerRequest: waits ? null : givesUp ? 0 : 1,
    // A worker that waits for jobs hears nothing while none comes.
    ...(whenUnavailable === 'fail_fast' && { socketTimeout: silentAfterMs }),
    keepAlive: askAfterMs,
  }
  // What requests ask for in one turn of the event loop is sent in one go; a worker's connection also waits
  // for jobs.
  const enableAutoPipelining = whenUnavailable === 'fail_fast'
  const connection = { enableOfflineQueue: waits, lazyConnect: givesUp, enableAutoPipelining }
  if (others.length === 0) return new Redis(first, { ...perCommand, ...connection, retryStrategy })
  return new EndingCluster([first, ...others], {
    ...connection,
    clusterRetryStrategy: retryStrategy,
    // The promise of a `connect` whose ready check fails never settles, and BullMQ waits for it for good
    // after a failover. Without the check a command to a node without its cluster is sent again like others.
    // https://github.com/redis/ioredis/blob/v6.0.0/lib/cluster/index.ts (`refreshListener`)
    enableReadyCheck: false,
    // How often a command looks for the node of its key, a tenth of a second apart while that node is away.
    maxRedirections: waits ? 16 : 4,
    redisOptions: { ...perCommand, ...accessOf(first) },
    // A certificate is for a name:
    // https://github.com/redis/ioredis#special-note-aws-elasticache-clusters-with-tls
    ...(first.startsWith('rediss:') && { dnsLookup: (name, found) => found(null, name) }),
  })
}

const endsWithinMs = 100

/**
 * A Cluster whose `disconnect` is followed by an `end`, for which BullMQ waits without a limit when it gives
 * up a blocking command after a failover. Three things keep the event from coming. ioredis connects to the
 * node that a MOVED names although it is being closed, and waits for that connection too; when it ends after
 * the others, the status is `close` for good
 * (https://github.com/redis/ioredis/blob/v6.0.0/lib/cluster/index.ts, `moved` and `drain`). And BullMQ
 * connects anew while it waits
 * (https://github.com/taskforcesh/bullmq/blob/v6.7.0/src/classes/redis-connection.ts,
 * `runWithClusterRecovery`).
 */
class EndingCluster extends Cluster {
  override disconnect(reconnect = false): void {
    super.disconnect(reconnect)
    let statusBefore: string = this.status
    const watch = setInterval(() => {
      // A Cluster that works leaves both within a turn of the event loop, or as soon as its nodes answer.
      if (this.status === 'disconnecting') super.disconnect(reconnect)
      else if (this.status === 'close') {
        this.status = 'end'
        this.emit('end')
      } else if (this.status === statusBefore) clearInterval(watch)
      statusBefore = this.status
    }, endsWithinMs)
    watch.unref()
  }

  override connect(): Promise<void> {
    if (this.status === 'disconnecting') this.emit('end')
    return super.connect()
  }

  /** BullMQ makes the connections on which workers wait for jobs so. */
  override duplicate(...asked: Parameters<Cluster['duplicate']>) {
    const made = super.duplicate(...asked)
    return Object.setPrototypeOf(made, EndingCluster.prototype) as typeof made
  }
}

function accessOf(address: string) {
  const { username, password, protocol } = new URL(address)
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: {} }),
  }
}
