import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { findEvent } from './events.ts'
import { storeEvent } from './store-event.ts'

const database = testDatabase()

function buildEvent() {
  const id = `evt_${randomUUID()}`
  const now = new Date()
  const payload = { id, data: { object: { client_reference_id: 'intent-1', customer: 'cus_1' } } }
  const times = { occurred_at: now, received_at: now, next_try_at: now }
  return { source: 'stripe', id, type: 'test', payload, ...times } as const
}

test('an event is stored once, with what it says and the names that it is found by', async () => {
  const event = buildEvent()
  expect(await storeEvent(database.server, event)).toEqual({ unfinished: true, is_new: true })
  expect(await storeEvent(database.server, event)).toEqual({ unfinished: true, is_new: false })
  expect(await findEvent(database.worker, event)).toMatchObject({
    subject: 'cus_1',
    client_reference_id: 'intent-1',
    payload: event.payload,
  })
})

test('an event is stored once by several processes at once', async () => {
  const event = buildEvent()
  const stored = await Promise.all(Array.from({ length: 8 }, () => storeEvent(database.server, event)))
  expect(stored.filter(({ is_new }) => is_new)).toHaveLength(1)
})
