import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import type { DatabaseTransaction } from './connect.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

const database = testDatabase()

/** Runs a transaction whose connection Postgres cuts when it asks for that, and returns what comes of it. */
async function failureOf(
  work: (trx: DatabaseTransaction, cut: () => Promise<void>) => Promise<unknown>,
): Promise<Error> {
  const failure = await database.worker
    .transaction()
    .execute(async (trx) => {
      const { rows } = await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(trx)
      await work(trx, async () => {
        await sql`SELECT pg_terminate_backend(${rows[0]?.pid})`.execute(database.owner)
        await waitUntil(async () => {
          const alive = await sql`SELECT 1 FROM pg_stat_activity WHERE pid = ${rows[0]?.pid}`.execute(
            database.owner,
          )
          return alive.rows.length === 0
        }, 'the connection to be cut')
      })
    })
    .catch((error: unknown) => error)
  if (!(failure instanceof Error)) throw new Error('The transaction did not fail')
  return failure
}

test('a connection that is cut under a running statement is unavailable', async () => {
  const failure = await failureOf(async (trx, cut) => {
    const running = sql`SELECT pg_sleep(60)`.execute(trx)
    await Promise.all([running, cut()])
  })
  expect(isDatabaseUnavailable(failure)).toBe(true)
})

test('one that is cut between two statements is unavailable', async () => {
  const failure = await failureOf(async (trx, cut) => {
    await cut()
    await sql`SELECT 1`.execute(trx)
  })
  expect(isDatabaseUnavailable(failure)).toBe(true)
})

test('one that was cut, and whose rollback hides the first error, is unavailable', async () => {
  const failure = await failureOf(async (trx, cut) => {
    await cut()
    // The socket's own end comes a moment later, and until then the driver reports that.
    await waitUntil(async () => {
      const message = await sql`SELECT 1`.execute(trx).then(
        () => '',
        (error: Error) => error.message,
      )
      return message.includes('not queryable')
    }, 'the driver to know that the connection was cut')
    throw new Error('Something else')
  })
  expect(failure.message).toContain('not queryable')
  expect(isDatabaseUnavailable(failure)).toBe(true)
})

test('a database that does not listen is unavailable', async () => {
  const absent = connectForTest('postgres://absent@127.0.0.1:1/none', { role: 'owner' })
  const failure = await sql`SELECT 1`.execute(absent.db).catch((error: unknown) => error)
  expect(isDatabaseUnavailable(failure)).toBe(true)
})

test.each(['SELECT 1/0', 'SELECT nothing FROM nowhere', "SELECT 'x'::int"])(
  'a statement that is wrong is not: %s',
  async (statement) => {
    const failure = await sql
      .raw(statement)
      .execute(database.owner)
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Error)
    expect(isDatabaseUnavailable(failure)).toBe(false)
  },
)
