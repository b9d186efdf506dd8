import { sql } from 'kysely'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { connectDatabase, type DatabaseTransaction } from './connect.ts'
import { pipelined, retryTransactionWithLocks } from './pipelined.ts'

const database = testDatabase()

/**
 * A connection of the worker's, and how many statements it was given before the answer to the first of them.
 */
function connectCounting() {
  const { db, pool, close } = connectDatabase({
    connectionString: database.url,
    role: 'tidemark_worker',
    poolMax: 1,
    onError: () => undefined,
  })
  onTestFinished(close)
  const counted = { most: 0 }
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...query: unknown[]) => Promise<unknown>
    let unanswered = 0
    client.query = ((...args: unknown[]) => {
      counted.most = Math.max(counted.most, ++unanswered)
      return query(...args).finally(() => unanswered--)
    }) as typeof client.query
  })
  return { db, counted }
}

const number = async (trx: DatabaseTransaction, n: number) => {
  const { rows } = await sql<{ n: number }>`SELECT ${n}::integer AS n`.execute(trx)
  return rows[0]?.n
}

test('statements that are begun together are sent before the first is answered, and each has its own answer', async () => {
  const { db, counted } = connectCounting()
  const three = (trx: DatabaseTransaction) => Promise.all([number(trx, 1), number(trx, 2), number(trx, 3)])
  expect(await db.transaction().execute(three)).toEqual([1, 2, 3])
  expect(counted.most).toBe(1)
  expect(await db.transaction().execute((trx) => pipelined(trx, three))).toEqual([1, 2, 3])
  expect(counted.most).toBe(3)
})

test('what is sent behind a statement that fails is undone with it, and its failure is told', async () => {
  const { db } = connectCounting()
  const name = 'seats'
  const write = (trx: DatabaseTransaction) =>
    trx.insertInto('cursors').values({ name, position: '1', completed_at: new Date(), revision: 1 }).execute()
  const failing = db
    .transaction()
    .execute((trx) =>
      pipelined(trx, (trip) => Promise.all([write(trip), sql`SELECT 1 / 0`.execute(trip), number(trip, 3)])),
    )
  await expect(failing).rejects.toThrow(/division by zero/)
  expect(
    await database.owner.selectFrom('cursors').where('name', '=', name).select('name').execute(),
  ).toEqual([])
  expect(await db.transaction().execute((trx) => number(trx, 4))).toBe(4)
})

describe('a transaction that begins together with its first statements', () => {
  const cursor = (name: 'seats' | 'stripe_events') => ({
    name,
    position: '1',
    completed_at: new Date(),
    revision: 1,
  })
  afterEach(async () => {
    await database.owner.deleteFrom('cursors').execute()
  })
  const names = async () => {
    const rows = await database.owner.selectFrom('cursors').select('name').execute()
    return rows.map(({ name }) => name)
  }

  test('a transaction that begins together with its first statements takes one trip for them, and is committed as a whole', async () => {
    const { db, counted } = connectCounting()
    const read = (trip: DatabaseTransaction) => Promise.all([number(trip, 1), number(trip, 2)])
    const result = await retryTransactionWithLocks(db, read, async (trx, [one = 0, two = 0]) => {
      expect(counted.most).toBe(3)
      await trx.insertInto('cursors').values(cursor('stripe_events')).execute()
      expect(await names()).not.toContain('stripe_events')
      return one + two
    })
    expect(result).toBe(3)
    expect(await names()).toContain('stripe_events')
  })

  test('a transaction that begins together with its first statements is undone when its work fails, and leaves the connection to the next', async () => {
    const { db } = connectCounting()
    const failing = retryTransactionWithLocks(
      db,
      (trip) => number(trip, 1),
      async (trx) => {
        await trx.insertInto('cursors').values(cursor('seats')).execute()
        throw new Error('Failed')
      },
    )
    await expect(failing).rejects.toThrow('Failed')
    expect(await names()).not.toContain('seats')
    expect(await db.transaction().execute((trx) => number(trx, 4))).toBe(4)
  })

  test('a transaction that begins together with its first statements does no work when one of the first statements fails', async () => {
    const { db } = connectCounting()
    let worked = false
    const failing = retryTransactionWithLocks(
      db,
      (trip) => Promise.all([sql`SELECT 1 / 0`.execute(trip), number(trip, 2)]),
      async () => {
        worked = true
      },
    )
    await expect(failing).rejects.toThrow(/division by zero/)
    expect(worked).toBe(false)
    expect(await db.transaction().execute((trx) => number(trx, 4))).toBe(4)
  })

  test('carries out nothing that is begun when it has failed, and with it no half of what comes in several statements', async () => {
    const { db } = connectCounting()
    let second = async () => {}
    const failing = retryTransactionWithLocks(
      db,
      (trip) => number(trip, 1),
      (trx) =>
        pipelined(trx, (trip) => {
          second = async () => void (await trip.insertInto('cursors').values(cursor('seats')).execute())
          return Promise.all([number(trip, 2), sql`SELECT 1 / 0`.execute(trip)])
        }),
    )
    await expect(failing).rejects.toThrow(/division by zero/)
    await expect(second()).rejects.toThrow('The transaction is over')
    expect(await names()).not.toContain('seats')
  })

  test('a transaction that begins together with its first statements begins again when Postgres ended it in favor of another', async () => {
    const { db } = connectCounting()
    let times = 0
    const ended = Object.assign(new Error('deadlock detected'), { code: '40P01' })
    const result = await retryTransactionWithLocks(
      db,
      (trip) => number(trip, ++times),
      async (trx, read) => {
        await trx.insertInto('cursors').values(cursor('seats')).execute()
        if (read === 1) throw ended
        return read
      },
    )
    expect(result).toBe(2)
    expect((await names()).filter((name) => name === 'seats')).toHaveLength(1)
  })
})
