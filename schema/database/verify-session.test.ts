import { sql } from 'kysely'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { connectForTest } from '../../tests/support/database/connect-for-test.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { pgBouncer, startPgBouncer } from '../../tests/support/services/pgbouncer.ts'
import { refuseOtherSession } from './verify-session.ts'

const database = testDatabase()

const connect = (url: string) => connectForTest(url, { livemode: true, poolMax: 2 })

test('a session that is what was asked for is taken, and one that has changed is refused by its name', async () => {
  const connection = connect(database.url)
  await refuseOtherSession(connection)
  const clients = [await connection.pool.connect(), await connection.pool.connect()]
  for (const client of clients) await client.query("SET tidemark.livemode = 'off'")
  for (const client of clients) client.release()
  await expect(refuseOtherSession(connection)).rejects.toThrow(/another tidemark.livemode than .* \(on\)/)
})

test('a login that may not act as the role is refused with the grant that it needs', async () => {
  const url = new URL(database.url)
  url.username = `stranger_${url.pathname.slice(1)}`
  url.password = 'secret'
  const name = sql.id(url.username)
  await sql`CREATE ROLE ${name} LOGIN PASSWORD 'secret'`.execute(database.owner)
  onTestFinished(async () => {
    const client = new pg.Client(database.url)
    await client.connect()
    await client.query(`DROP ROLE ${client.escapeIdentifier(url.username)}`)
    await client.end()
  })
  await expect(refuseOtherSession(connect(url.href))).rejects.toThrow(/GRANT tidemark_server/)
})

test('through PgBouncer in session mode a session has the role, the mode and the limits, and may not write the books', async ({
  skip,
}) => {
  if (!pgBouncer) skip('no pgbouncer is installed')
  await using bouncer = await startPgBouncer(database.url, 'session')
  const connection = connect(bouncer.url)
  await refuseOtherSession(connection)
  const { rows } = await sql`
    SELECT current_user AS role, current_setting('tidemark.livemode') AS livemode,
      current_setting('statement_timeout') AS statement_timeout`.execute(connection.db)
  expect(rows).toEqual([{ role: 'tidemark_server', livemode: 'on', statement_timeout: '25s' }])
  await expect(sql`DELETE FROM ledger_entries`.execute(connection.db)).rejects.toThrow(/permission denied/)
  await connection.close()
})
