import { Redis } from 'ioredis'
import { findFreePort } from '../../scripts/processes/ports.ts'
import { type RunningRedis, startRedis } from '../../scripts/test/tools/redis.ts'
import { waitUntil } from './wait-until.ts'

export interface ClusterNode extends RunningRedis {
  /** Its name among the nodes. */
  readonly id: string
}

export interface TestRedisCluster {
  /** As REDIS_URL has it. */
  readonly url: string
  /** The nodes that have slots, three. */
  readonly nodes: readonly ClusterNode[]
  /** The node that has a key at the moment. */
  nodeOf(key: string): Promise<ClusterNode>
  /** Whether the first node has lost most of the others. */
  isDown(): Promise<boolean>
  /** Starts one more, which takes over when that node dies. */
  addReplicaOf(node: ClusterNode): Promise<ClusterNode>
  stop(): Promise<void>
}

const slots = 16_384
const size = 3

/** Three `redis-server`s in cluster mode, without replicas. A slot without a node stops no other. */
export async function startRedisCluster(program: string): Promise<TestRedisCluster> {
  const running = new AsyncDisposableStack()
  const all: ClusterNode[] = []
  const startNode = async (): Promise<ClusterNode> => {
    const bus = await findFreePort()
    const redis = await startRedis({
      program,
      settings: {
        'cluster-enabled': 'yes',
        'cluster-port': String(bus),
        'cluster-node-timeout': '1000',
        'cluster-require-full-coverage': 'no',
        'repl-diskless-sync-delay': '0',
      },
    })
    running.defer(() => redis.stop())
    const id = String(await ask(redis, 'MYID'))
    const first = all[0]
    if (first) await ask(redis, 'MEET', '127.0.0.1', new URL(first.url).port, await busOf(first))
    const node = Object.assign(redis, { id })
    all.push(node)
    return node
  }
  const busOf = async (node: ClusterNode) => {
    const line = String(await ask(node, 'NODES'))
      .split('\n')
      .find((text) => text.includes('myself'))
    return /@(\d+)/.exec(line ?? '')?.[1] ?? ''
  }
  try {
    for (let index = 0; index < size; index++) {
      const node = await startNode()
      const [from, to] = [index, index + 1].map((part) => Math.floor((slots * part) / size))
      await ask(node, 'ADDSLOTSRANGE', String(from), String((to ?? slots) - 1))
    }
    const nodes = [...all]
    await waitUntil(async () => {
      const states = await Promise.all(nodes.map(async (node) => String(await ask(node, 'INFO'))))
      return states.every((info) => /cluster_state:ok/.test(info) && /cluster_slots_ok:16384/.test(info))
    }, 'the nodes to know each other')
    return {
      url: nodes.map(({ url }) => url).join(','),
      nodes,
      async nodeOf(key) {
        const slot = Number(await ask(await alive(all), 'KEYSLOT', key))
        const ranges = (await ask(await alive(all), 'SLOTS')) as [number, number, [string, number, string]][]
        const id = ranges.find(([from, to]) => from <= slot && slot <= to)?.[2][2]
        const node = all.find((one) => one.id === id)
        if (!node) throw new Error(`No node has ${key}`)
        return node
      },
      isDown: async () => /cluster_state:fail/.test(String(await ask(await alive(all), 'INFO'))),
      async addReplicaOf(node) {
        const replica = await startNode()
        await waitUntil(
          () => ask(replica, 'REPLICATE', node.id).then(Boolean, () => false),
          'the replica to know its node',
        )
        await waitUntil(
          async () => /master_link_status:up/.test(await infoOf(replica)),
          'the replica to have what its node has',
        )
        return replica
      },
      stop: () => running.disposeAsync(),
    }
  } catch (error) {
    await running.disposeAsync()
    throw error
  }
}

async function alive(nodes: readonly ClusterNode[]): Promise<ClusterNode> {
  for (const node of nodes) {
    if (await ask(node, 'MYID').then(Boolean, () => false)) return node
  }
  throw new Error('No node answers')
}

function ask(node: Pick<RunningRedis, 'url'>, ...command: string[]): Promise<unknown> {
  return withClient(node, (client) => client.call('CLUSTER', ...command))
}

function infoOf(node: Pick<RunningRedis, 'url'>): Promise<string> {
  return withClient(node, (client) => client.info('replication'))
}

async function withClient<T>(
  { url }: Pick<RunningRedis, 'url'>,
  work: (client: Redis) => Promise<T>,
): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await work(client)
  } finally {
    client.disconnect()
  }
}
