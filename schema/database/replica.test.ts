import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { startFaultProxy } from '../../tests/support/faults/fault-proxy.ts'
import { connectDatabase } from './connect.ts'
import { connectReplica } from './replica.ts'
import { isDatabaseUnavailable } from './unavailable.ts'

const database = testDatabase()

/**
 * The database itself as its own replica, which is always current: to its sessions it says that it is one.
 */
async function pretendReplica(): Promise<string> {
  await sql
    .raw(`
      CREATE SCHEMA pretended;
      GRANT USAGE ON SCHEMA pretended TO tidemark_server;
      CREATE FUNCTION pretended.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS 'SELECT true';
      CREATE FUNCTION pretended.pg_last_wal_replay_lsn() RETURNS pg_lsn LANGUAGE sql AS $$ SELECT 'FFFFFFFF/0'::pg_lsn $$`)
    .execute(database.owner)
  const url = new URL(database.url)
  url.searchParams.set('options', '-c search_path=pretended,pg_catalog,public')
  return url.href
}

test('when replica and primary are lost in the same moment, a read fails as with any database that is away', async () => {
  const proxy = await startFaultProxy(database.url)
  const session = { role: 'tidemark_server', poolMax: 1, onError: () => undefined } as const
  const primary = connectDatabase({ connectionString: proxy.url(database.url), ...session })
  const replica = connectReplica({
    connectionString: proxy.url(await pretendReplica()),
    ...session,
    primary,
    maxAgeMs: 60_000,
    onChoice: () => undefined,
  })
  onTestFinished(async () => {
    await replica.close()
    await primary.close()
    await proxy.close()
  })
  const { db, is_replica } = await replica.choose()
  expect(is_replica).toBe(true)
  proxy.cut()
  const failure = await sql`SELECT 1`.execute(db as typeof primary.db).catch((error: unknown) => error)
  expect((failure as Error).message).not.toContain('already been released')
  expect(isDatabaseUnavailable(failure)).toBe(true)
  proxy.repair()
  expect((await sql<{ n: number }>`SELECT 1 AS n`.execute(db as typeof primary.db)).rows).toEqual([{ n: 1 }])
})
