import type { Redis } from 'ioredis'
import { connectRedis } from '../../schema/queues/redis.ts'
import { explainError } from '../explain-error.ts'
import type { Configuration } from './configuration.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

const means = {
  away: 'Events are applied only when their rows are claimed, much later, and rate limits count in each process alone.',
  evicts: 'When its memory is full Redis throws away jobs; their rows are claimed again, minutes late.',
}

/** Checks that Redis answers, is recent and persists. `INFO` works where `CONFIG` is not allowed. */
export async function examineRedis({ env }: Configuration): Promise<Finding[]> {
  if (env.REDIS_URL === undefined) return [ok('queues', 'in Postgres')]
  const redis = connectRedis(env.REDIS_URL, { whenUnavailable: 'give_up' })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    return [await examineNode(redis, 'Redis')]
  } catch (error) {
    const repair = 'Correct REDIS_URL, or leave it out: the queues are then in Postgres.'
    return [
      problem('Redis', { text: `it does not answer: ${explainError(error)}`, means: means.away, repair }),
    ]
  } finally {
    redis.disconnect()
  }
}

async function examineNode(node: Redis, name: string): Promise<Finding> {
  const info = await node.info()
  const read = (field: string) => new RegExp(`^${field}:(.*?)\\r?$`, 'm').exec(info)?.[1]
  const [version = 'unknown', policy = 'unknown'] = [read('redis_version'), read('maxmemory_policy')]
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < 6 || (major === 6 && minor < 2)) {
    const repair = 'Move to Redis 6.2 or newer.'
    return problem(name, { text: `version ${version}`, means: 'BullMQ does not run on it.', repair })
  }
  if (policy === 'noeviction') return ok(name, `${version}, keeps every job (noeviction)`)
  const repair =
    'Set maxmemory-policy to noeviction: redis-cli CONFIG SET maxmemory-policy noeviction, and in its configuration.'
  const level = policy === 'unknown' ? warning : problem
  return level(name, { text: `its eviction policy is ${policy}`, means: means.evicts, repair })
}
