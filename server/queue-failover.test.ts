import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { connectQueueBackend } from '../schema/inbox/queues/backend.ts'
import { QueueProducer } from '../schema/inbox/queues/producer.ts'
import { findRedis, startRedis } from '../scripts/test/tools/redis.ts'
import { startFaultProxy } from '../tests/support/faults/fault-proxy.ts'
import { waitUntil } from '../tests/support/wait-until.ts'

test('queues follow a failover of Redis although their connections to the demoted primary stay open', async ({
  skip,
}) => {
  const tool = await findRedis({ install: false, say: () => undefined })
  if (!tool.found) return skip(tool.reason)
  await using stack = new AsyncDisposableStack()
  const [primary, replica] = [
    await startRedis({ program: tool.value }),
    await startRedis({ program: tool.value }),
  ]
  stack.defer(primary.stop)
  stack.defer(replica.stop)
  const proxy = await startFaultProxy(primary.url)
  stack.defer(proxy.close)
  const backendOf = (whenUnavailable: 'fail_fast' | 'wait') => {
    const backend = connectQueueBackend({
      databaseUrl: 'postgres://unused',
      redisUrl: proxy.url(primary.url),
      role: 'tidemark_worker',
      poolMax: 1,
      whenUnavailable,
      onError: () => undefined,
    })
    stack.defer(backend.close)
    return backend
  }
  const producer = new QueueProducer(backendOf('fail_fast'), { onError: () => undefined })
  stack.defer(() => producer.close())
  const { connection, factory } = backendOf('wait')
  const done: string[] = []
  const worker = new Worker(
    'tasks',
    async (job) => void done.push(String(job.id)),
    { connection, runRetryDelay: 100 },
    factory,
  )
  worker.on('error', () => undefined)
  stack.defer(() => worker.close(true))
  await worker.waitUntilReady()
  const add = (id: string) =>
    producer.add('tasks', id, { task: 'end_holds' }).then(
      () => true,
      () => false,
    )
  await waitUntil(() => add('before'), 'a job to be added')
  await waitUntil(() => done.includes('before'), 'the job to be done')
  proxy.move(replica.url)
  const admin = new Redis(primary.url)
  await admin.replicaof('127.0.0.1', new URL(replica.url).port)
  admin.disconnect()
  await waitUntil(() => add('after'), 'a job to be added')
  await waitUntil(() => done.includes('after'), 'the job to be done')
  expect(done.filter((id) => id === 'after')).toHaveLength(1)
})
