import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { connectDatabase, type DatabaseTransaction } from './connect.ts'
import { inOneTrip } from './one-trip.ts'

const database = testDatabase()

/** A connection of the worker's, and how many statements it was given before the answer to the first of them. */
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
  expect(await db.transaction().execute((trx) => inOneTrip(trx, three))).toEqual([1, 2, 3])
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
      inOneTrip(trx, (trip) => Promise.all([write(trip), sql`SELECT 1 / 0`.execute(trip), number(trip, 3)])),
    )
  await expect(failing).rejects.toThrow(/division by zero/)
  expect(
    await database.owner.selectFrom('cursors').where('name', '=', name).select('name').execute(),
  ).toEqual([])
  expect(await db.transaction().execute((trx) => number(trx, 4))).toBe(4)
})
