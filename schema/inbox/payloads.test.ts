import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { countLockWaits } from '../../tests/support/database/lock-waits.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import type { DatabaseTransaction } from '../database/connect.ts'
import { countPartitionsAhead, makeInboxMonths, makePartitionsAhead } from '../database/months.ts'
import { findEvent, lockEvents } from './events.ts'
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

describe('months', () => {
  test('a migrated database has those of today and of three months ahead, and more are made as time passes', async () => {
    expect(await countPartitionsAhead(database.server, new Date())).toEqual([
      { table: 'inbox_payloads', ahead: 3 },
      { table: 'ledger_transfers', ahead: 3 },
      { table: 'ledger_entries', ahead: 3 },
    ])
    const later = new Date('2041-12-31T23:59:59Z')
    expect(await countPartitionsAhead(database.server, later)).toContainEqual({
      table: 'inbox_payloads',
      ahead: 0,
    })
    await makePartitionsAhead(database.worker, later)
    await makePartitionsAhead(database.worker, later)
    expect(await countPartitionsAhead(database.server, later)).toContainEqual({
      table: 'inbox_payloads',
      ahead: 3,
    })
  })

  test('an event whose month was not made is stored, also by several processes at once', async () => {
    const events = Array.from({ length: 8 }, () => buildEvent(new Date('2042-05-05T00:00:00Z')))
    await Promise.all(events.map((event) => storeEvents(database.server, [event])))
    for (const event of events) {
      expect(await findEvent(database.worker, event)).toMatchObject({ payload: event.payload })
    }
  })

  test('an event that is locked while its payload moves to another month is read with it', async () => {
    const event = buildEvent(new Date())
    await storeEvents(database.server, [event])
    const payload_filed_at = new Date(event.received_at.getTime() + 31 * 86_400_000)
    const moving = await database.owner.startTransaction().execute()
    await moving
      .updateTable('inbox_payloads')
      .set({ filed_at: payload_filed_at })
      .where('id', '=', event.id)
      .execute()
    await moving.updateTable('inbox_events').set({ payload_filed_at }).where('id', '=', event.id).execute()
    const locked = database.worker
      .transaction()
      .execute((trx) => lockEvents(trx, { source: 'stripe', ids: [event.id] }))
    await waitUntil(async () => (await countLockWaits(database.owner)) === 1, 'the lock to be waited for')
    await moving.commit().execute()
    expect(await locked).toMatchObject([{ id: event.id, payload: event.payload }])
  })

  test('while a month is made, events are stored and read', async () => {
    const event = buildEvent(new Date())
    const making = await database.owner.startTransaction().execute()
    await makeInboxMonths(making, new Date('2043-01-01T00:00:00Z'), new Date('2043-01-01T00:00:00Z'))
    await storeEvents(database.server, [event])
    expect(await findEvent(database.worker, event)).toMatchObject({ payload: event.payload })
    await making.rollback().execute()
  })

  test('the payload of an event is found in its month alone', async () => {
    const event = buildEvent(new Date())
    await storeEvents(database.server, [event])
    const { rows } = await sql<{ 'QUERY PLAN': string }>`EXPLAIN (ANALYZE, COSTS OFF)
      SELECT p.payload FROM inbox_events e LEFT JOIN LATERAL (
        SELECT payload FROM inbox_payloads WHERE source = e.source AND id = e.id AND filed_at = e.payload_filed_at OFFSET 0) p ON true
      WHERE e.source = 'stripe' AND e.id = ${event.id}`.execute(database.owner)
    const months = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('inbox_payloads_'))
    expect(months.length).toBeGreaterThan(1)
    expect(months.filter((line) => !line.includes('never executed'))).toHaveLength(1)
  })
})

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

describe('with the months of two years', () => {
  type Looks = Record<string, { readonly by_key: number; readonly whole: number }>

  /** So often this connection has looked into the months of payloads, until it reports that. */
  async function countLooks(trx: DatabaseTransaction): Promise<Looks> {
    const { rows } = await sql<{ month: string; by_key: number; whole: number }>`
      SELECT right(relname, 7) AS month, idx_scan AS by_key, seq_scan AS whole FROM pg_stat_xact_user_tables
      WHERE relname LIKE 'inbox\\_payloads\\_%'`.execute(trx)
    return Object.fromEntries(rows.map(({ month, ...looks }) => [month, looks]))
  }

  /** Into which months `work` looks, and how. */
  async function looksOf(work: (trx: DatabaseTransaction) => Promise<unknown>): Promise<Looks> {
    return database.worker.transaction().execute(async (trx) => {
      // As a connection plans that has asked the same often enough.
      await sql`SET LOCAL plan_cache_mode = force_generic_plan`.execute(trx)
      const before = await countLooks(trx)
      await work(trx)
      const looks = Object.entries(await countLooks(trx)).map(([month, { by_key, whole }]) => ({
        month,
        by_key: by_key - (before[month]?.by_key ?? 0),
        whole: whole - (before[month]?.whole ?? 0),
      }))
      return Object.fromEntries(
        looks
          .filter(({ by_key, whole }) => by_key + whole > 0)
          .map(({ month, ...ofMonth }) => [month, ofMonth]),
      )
    })
  }

  test('events are read with what they say, and stored, by one look each into their own month', async () => {
    const [first, second] = [new Date('2050-01-15T00:00:00Z'), new Date('2051-06-15T00:00:00Z')]
    await makeInboxMonths(database.owner, first, new Date('2051-12-15T00:00:00Z'))
    const events = [first, second, second].map(buildEvent)
    await storeEvents(database.server, events)
    const ids = events.map(({ id }) => id)
    const locked = await looksOf(async (trx) => {
      expect(await lockEvents(trx, { source: 'stripe', ids })).toHaveLength(3)
    })
    const oneEach = { '2050_01': { by_key: 1, whole: 0 }, '2051_06': { by_key: 2, whole: 0 } }
    expect(locked).toEqual(oneEach)
    expect(await looksOf((trx) => storeEvents(trx, [first, second, second].map(buildEvent)))).toEqual(oneEach)
  })
})
