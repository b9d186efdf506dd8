import { pino } from 'pino'
import { expect, test } from 'vitest'
import { findCursor } from '../../schema/inbox/cursors/cursors.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { keepSchedule, taskNames } from './schedule.ts'

const claim_every_ms = 60_000
/** BullMQ starts a schedule anew when its interval changes, so the worker has the same as the test. */
const { database, server } = testProduct({
  stripe: 'empty',
  worker: 'process',
  workerEnv: { CLAIM_EVERY_MS: String(claim_every_ms) },
})

test('every task has one schedule, however many workers write it, and writing it again does not put it off', async () => {
  const queue = server.deps.producer.queue('tasks')
  const log = pino({ level: 'silent' })
  const schedules = async () =>
    (await queue.getJobSchedulers()).map(({ key, next = 0, every = 0 }) => ({ key, next, every }))
  const write = async () => {
    const writer = keepSchedule(server.deps.producer, { claim_every_ms, log })
    await waitUntil(async () => (await schedules()).length === taskNames.length, 'the schedules')
    writer.stop()
  }
  await write()
  // Each task runs once at the beginning.
  await waitUntil(
    async () => (await schedules()).every(({ next }) => next > Date.now()),
    'every task to have run',
  )
  const first = await schedules()
  await Promise.all([write(), write()])
  await write()
  const last = await schedules()
  const putOffMs = first.map(({ key, next, every }) => {
    const found = last.find((schedule) => schedule.key === key)
    // One whose time came in between has moved on by its own interval.
    return found ? (found.next - next) % every : 'gone'
  })
  expect(putOffMs).toEqual(taskNames.map(() => 0))
  expect(last.map(({ key }) => key).sort()).toEqual([...taskNames].sort())
  expect(first.map(({ key }) => key).sort()).toEqual([...taskNames].sort())
})

test('the schedule of a task that this version does not have is deleted when a worker starts', async () => {
  const queue = server.deps.producer.queue('tasks')
  await queue.upsertJobScheduler(
    'no_such_task',
    { every: 3_600_000 },
    { name: 'tasks', data: { task: 'none' } },
  )
  const log = pino({ level: 'silent' })
  const writer = keepSchedule(server.deps.producer, { claim_every_ms, log })
  await waitUntil(async () => !(await queue.getJobScheduler('no_such_task')), 'the schedule to be deleted')
  writer.stop()
})

test('a worker reads Stripe’s list and compares the seats by itself, and the server says when', async () => {
  await waitUntil(
    async () =>
      (await findCursor(database.owner, 'stripe_events'))?.completed_at &&
      (await findCursor(database.owner, 'seats'))?.completed_at,
    'both cursors to have come to an end',
  )
  const metrics = await (await fetch(`${server.monitoringUrl}/metrics`)).text()
  expect(metrics).toMatch(/^tidemark_events_reader_lag_seconds \d/m)
})
