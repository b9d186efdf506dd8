import { sql } from 'kysely'
import { describe, expect, inject, test } from 'vitest'
import { findEvent } from '../schema/inbox/events.ts'
import { testDatabase } from '../tests/support/database/test-database.ts'
import { eventOf, receiveStripeEvent } from '../tests/support/factories/events.ts'
import { ownRedisUrl } from '../tests/support/own-redis.ts'
import { startProductProcess } from '../tests/support/product/product-process.ts'
import { openQueues } from '../tests/support/services/queues.ts'
import { waitUntil } from '../tests/support/wait-until.ts'

const database = testDatabase()

describe.each([
  { name: 'Postgres', redisUrl: undefined, missing: undefined },
  { name: 'Redis', redisUrl: ownRedisUrl(), missing: inject('redisReason') },
])('with queues on $name, at SIGTERM', ({ redisUrl, missing }) => {
  test('the worker finishes the job in hand, leaves none half done, and ends well', async ({ skip }) => {
    if (missing) skip(`no Redis: ${missing}`)
    const { producer, close } = openQueues({ databaseUrl: database.url, redisUrl, role: 'tidemark_server' })
    await producer.queue('stripe-events').obliterate({ force: true })
    const receiveEvent = async () => {
      const event = eventOf('product.created', { object: 'product' })
      const id = await receiveStripeEvent(database.server, event)
      // Only the queue gives the worker work: no claim comes in between.
      const next_try_at = new Date(Date.now() + 3_600_000)
      await database.owner.updateTable('inbox_events').set({ next_try_at }).where('id', '=', id).execute()
      return { id, enqueue: () => producer.add('stripe-events', id, { event_id: id }) }
    }
    const [inHand, later] = [await receiveEvent(), await receiveEvent()]
    const worker = await startProductProcess('worker', { databaseUrl: database.url, redisUrl })
    await database.owner.transaction().execute(async (trx) => {
      await trx.selectFrom('inbox_events').select('id').where('id', '=', inHand.id).forUpdate().execute()
      await inHand.enqueue()
      await waitUntil(isWorkerBlocked, 'the job to run')
      worker.terminate()
      await waitUntil(
        () => worker.lines.some((line) => line.includes('Worker is finishing its running jobs')),
        'the signal to arrive',
        60_000,
      )
      await later.enqueue()
    })
    expect(await worker.ended).toBe(0)
    expect(worker.lines.at(-1)).toContain('Worker has stopped')
    const stateOf = async (id: string) => (await findEvent(database.owner, { source: 'stripe', id }))?.state
    expect(await stateOf(inHand.id)).toBe('ignored')
    // A BullMQ worker that waits for a job takes the one that ends its wait; what it has not begun stays in
    // the queue.
    const { waiting, active, failed } = (await producer.counts())['stripe-events']
    expect({ waiting, active, failed }).toEqual({
      waiting: (await stateOf(later.id)) === 'received' ? 1 : 0,
      active: 0,
      failed: 0,
    })
    await close()
  }, 120_000)
})

async function isWorkerBlocked(): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'tidemark_worker' AND wait_event_type = 'Lock'`.execute(
    database.owner,
  )
  return rows.length > 0
}
