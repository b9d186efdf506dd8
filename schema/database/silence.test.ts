import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { giveCredits, spendNow } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { startFaultProxy } from '../../tests/support/faults/fault-proxy.ts'
import { findToken } from '../extension/tokens.ts'
import type { DatabaseRole, SessionLimits } from './connect.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

const database = testDatabase()

const connect = (url: string, role: DatabaseRole, limits?: SessionLimits) =>
  connectForTest(url, { role, poolMax: 2, ...(limits && { limits }) }).db

const quick: SessionLimits = { statement_ms: 300, idle_in_transaction_ms: 300, silence_ms: 600 }

test('a connection that goes silent in the middle of a statement fails the statements that wait for it, and none after them', async () => {
  const proxy = await startFaultProxy(database.url)
  onTestFinished(proxy.close)
  const db = connect(proxy.url(database.url), 'tidemark_server', quick)
  const ada = await buildUser(database.server)
  const token = await buildExtensionToken(database, ada)
  const find = (token: string) => findToken(db, token)
  expect(await find(token)).toMatchObject({ user_id: ada })
  proxy.silence()
  const failure = await find(token).catch((error: unknown) => error)
  expect(isDatabaseUnavailable(failure)).toBe(true)
  expect(await find(token)).toMatchObject({ user_id: ada })
})

test('a connection that goes silent in the middle of a transaction frees the rows that it has locked', async () => {
  const owner_id = await buildUser(database.server)
  await giveCredits(database, owner_id, { purchased: 10 })
  const proxy = await startFaultProxy(database.url)
  onTestFinished(proxy.close)
  const db = connect(proxy.url(database.url), 'tidemark_worker', { ...quick, silence_ms: 60_000 })
  let locked = () => {}
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve
  })
  const silent = db
    .transaction()
    .execute(async (trx) => {
      await sql`SELECT ledger_lock_owners(ARRAY[${owner_id}])`.execute(trx)
      proxy.silence()
      locked()
      await sql`SELECT 1`.execute(trx)
    })
    .catch((error: unknown) => error)
  await isLocked
  const used = await spendNow(database.server, owner_id, 3)
  expect(used).toMatchObject({ outcome: 'posted', purchased: 7 })
  proxy.cut()
  expect(isDatabaseUnavailable(await silent)).toBe(true)
})

test('a statement that takes too long is ended by Postgres too, and leaves the connection to the next', async () => {
  const db = connect(database.url, 'tidemark_server', quick)
  const failure = await sql`SELECT pg_sleep(60)`.execute(db).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: '57014' })
  expect((await sql<{ one: number }>`SELECT 1 AS one`.execute(db)).rows).toEqual([{ one: 1 }])
})

describe.each(['tidemark_server', 'tidemark_worker'] as const)('a session of %s', (role) => {
  test('a session has limits, and asks whether the other end is still there', async () => {
    const { rows } = await sql<{ name: string; setting: string }>`
      SELECT name, setting FROM pg_settings WHERE name = ANY (${[
        'statement_timeout',
        'idle_in_transaction_session_timeout',
        'tcp_keepalives_idle',
        'tcp_keepalives_interval',
        'tcp_keepalives_count',
      ]})`.execute(connect(database.url, role))
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]))).toEqual({
      statement_timeout: role === 'tidemark_server' ? 25_000 : 600_000,
      idle_in_transaction_session_timeout: role === 'tidemark_server' ? 60_000 : 300_000,
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
    })
  })
})
