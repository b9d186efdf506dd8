import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { startTestServer } from '../../tests/support/product/test-server.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

const database = testDatabase()

/** Sessions that `open` opens take no writes, as those of a primary that was demoted; later ones do. */
async function asOfDemotedPeer<T>(open: () => Promise<T>): Promise<T> {
  const name = sql.id(new URL(database.url).pathname.slice(1))
  await sql`ALTER DATABASE ${name} SET default_transaction_read_only = on`.execute(database.owner)
  try {
    return await open()
  } finally {
    await sql`ALTER DATABASE ${name} RESET default_transaction_read_only`.execute(database.owner)
  }
}

test('one refused write replaces every connection to a peer that lost its role, also one that only listens', async () => {
  const { db, pool } = connectForTest(database.url)
  const { listening, others } = await asOfDemotedPeer(async () => ({
    listening: await pool.connect(),
    others: await Promise.all([pool.connect(), pool.connect(), pool.connect()]),
  }))
  await listening.query('LISTEN jobs')
  const gone = new Promise((resolve) => listening.once('end', resolve))
  for (const client of others) client.release()
  const failure = await buildUser(db).catch((error: unknown) => error)
  expect(isDatabaseUnavailable(failure)).toBe(true)
  await gone
  listening.release(true)
  await Promise.all([1, 2, 3, 4].map(() => buildUser(db)))
})

test('a server whose connections lead to a demoted peer stays ready, because it replaces them', async () => {
  await using server = await startTestServer({ databaseUrl: database.url })
  await asOfDemotedPeer(() =>
    Promise.all([1, 2, 3].map(() => sql`SELECT pg_sleep(0.1)`.execute(server.deps.db))),
  )
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  await buildUser(server.deps.db)
})

test('a connection that a peer ends leaves the pool, and the next statement has a new one', async () => {
  const { db } = connectForTest(database.url)
  const pidOf = async () =>
    (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db)).rows[0]?.pid
  const first = await pidOf()
  await expect(
    sql`DO $$ BEGIN RAISE EXCEPTION 'broken' USING ERRCODE = '08006'; END $$`.execute(db),
  ).rejects.toThrow()
  await waitUntil(async () => {
    const pid = await pidOf().catch(() => first)
    return pid !== first
  }, 'another connection')
})
