import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { findEvent } from './events.ts'
import { type ReceivedEvent, storeEvents } from './store-events.ts'

const database = testDatabase()

function buildEvent(received_at: Date): ReceivedEvent {
  const id = `evt_${randomUUID()}`
  const payload = { id, data: { object: { client_reference_id: 'intent-1', customer: 'cus_1' } } }
  return {
    source: 'stripe',
    id,
    type: 'test',
    payload,
    occurred_at: received_at,
    received_at,
    next_try_at: received_at,
  }
}

describe('an event and its payload', () => {
  test('an event and its payload are stored together, each once, with the names that events are found by', async () => {
    const event = buildEvent(new Date())
    expect(await storeEvents(database.server, [event, event])).toEqual([
      { unfinished: true, is_new: true },
      { unfinished: true, is_new: false },
    ])
    expect(await storeEvents(database.server, [event])).toEqual([{ unfinished: true, is_new: false }])
    expect(await findEvent(database.worker, event)).toMatchObject({
      subject: 'cus_1',
      client_reference_id: 'intent-1',
      payload: event.payload,
      payload_filed_at: event.received_at,
    })
    const stored = await database.owner
      .selectFrom('inbox_payloads')
      .select('id')
      .where('id', '=', event.id)
      .execute()
    expect(stored).toHaveLength(1)
  })

  test.each(['server', 'worker', 'owner'] as const)(
    'no role stores an event without its payload or a payload without its event: %s',
    async (actor) => {
      const at = new Date()
      const insert = (id: string, filed_at: Date) =>
        sql`INSERT INTO inbox_events (source, id, type, occurred_at, received_at, payload_filed_at)
          VALUES ('stripe', ${id}, 'test', ${at}, ${at}, ${filed_at})`.execute(database[actor])
      await expect(insert(`evt_${randomUUID()}`, at)).rejects.toThrow(/inserted without its payload/)
      const id = `evt_${randomUUID()}`
      await sql`INSERT INTO inbox_payloads (source, id, filed_at, payload) VALUES ('stripe', ${id}, ${at}, '{}')`.execute(
        database[actor],
      )
      await expect(insert(id, new Date(at.getTime() + 1))).rejects.toThrow(/inserted without its payload/)
      await insert(id, at)
    },
  )
})
