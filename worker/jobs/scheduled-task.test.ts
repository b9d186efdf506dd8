import { pino } from 'pino'
import { expect, test } from 'vitest'
import { queueSchemas } from '../../schema/queues/queues.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { keepTaskSchedules } from './scheduled-task.ts'

const { server } = testProduct()

test('every task has one schedule, however many workers write it, and writing it again does not put it off', async () => {
  const queue = server.deps.producer.queue('scheduled-tasks')
  const tasks = queueSchemas['scheduled-tasks'].shape.task.options
  const log = pino({ level: 'silent' })
  const schedules = async () =>
    (await queue.getJobSchedulers()).map(({ key, next, every }) => ({ key, next, every }))
  const write = async () => {
    const writer = keepTaskSchedules(server.deps.producer, { log })
    await waitUntil(async () => (await schedules()).length === tasks.length, 'the schedules')
    writer.stop()
  }
  await write()
  const first = await schedules()
  await Promise.all([write(), write()])
  await write()
  const again = await schedules()
  expect(again.map(({ key }) => key).sort()).toEqual([...tasks].sort())
  for (const { key, next, every } of again) {
    const before = first.find((schedule) => schedule.key === key)
    expect((next ?? 0) - (before?.next ?? 0)).toBeLessThanOrEqual(Number(every))
  }
})
