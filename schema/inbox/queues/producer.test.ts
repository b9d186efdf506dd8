import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { ownRedisUrl } from '../../../tests/support/own-redis.ts'
import { openQueues } from '../../../tests/support/services/queues.ts'
import type { QueueProducer } from './producer.ts'

const database = testDatabase()

describe.each([
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
])('with queues on $name', ({ redisUrl, missing }) => {
  async function openProducer(): Promise<QueueProducer> {
    const { producer, close } = openQueues({ databaseUrl: database.url, redisUrl, role: 'tidemark_server' })
    onTestFinished(close)
    await producer.queue('stripe-events').obliterate({ force: true })
    return producer
  }
  const jobsOf = async (producer: QueueProducer) => {
    const jobs = await producer.queue('stripe-events').getJobs(['waiting'])
    return jobs.map(({ id, data }) => ({ id, data }))
  }
  const eventIds = (count: number) => Array.from({ length: count }, (_, index) => `evt_${index}`)
  const add = (producer: QueueProducer, event_id: string) =>
    producer.add('stripe-events', event_id, { event_id }, { request_id: `request of ${event_id}` })

  test('an event that is added alone has a job under its own id, which is not added twice', async ({
    skip,
  }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const producer = await openProducer()
    for (let time = 0; time < 2; time++) await add(producer, 'evt_1')
    expect(await jobsOf(producer)).toEqual([{ id: 'evt_1', data: { event_id: 'evt_1' } }])
  })

  test('jobs that are added by one call are each there once, under their ids', async ({ skip }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const producer = await openProducer()
    const added = eventIds(120).map((event_id) => ({ jobId: event_id, payload: { event_id, claim: 1 } }))
    for (let time = 0; time < 2; time++) await producer.addMany('stripe-events', added)
    await producer.addMany('stripe-events', [])
    const jobs = await jobsOf(producer)
    expect(jobs).toHaveLength(120)
    expect(new Map(jobs.map(({ id, data }) => [id, data]))).toEqual(
      new Map(added.map(({ jobId, payload }) => [jobId, payload])),
    )
  })
})

test('a queue that does not answer fails everybody who adds to it', async () => {
  const databaseUrl = 'postgres://absent:none@127.0.0.1:1/none'
  const { producer, close } = openQueues({ databaseUrl, whenUnavailable: 'fail_fast' })
  const added = await Promise.allSettled(
    ['evt_1', 'evt_2', 'evt_3'].map((event_id) => producer.add('stripe-events', event_id, { event_id })),
  )
  expect(added.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
  await close().catch(() => undefined)
})
