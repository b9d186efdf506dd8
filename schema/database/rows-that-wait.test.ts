import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { databaseUrl } from '../../tests/support/database/template-database.ts'
import { waitUntil } from '../../tests/support/wait-until.ts'

const folder = join(import.meta.dirname, 'migrations')
const lists = '0045_rows_that_wait.sql'

async function open(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

test('an event that comes while the lists are made is listed', async () => {
  const admin = await open(inject('adminUrl'))
  const name = `test_${randomBytes(6).toString('hex')}`
  await admin.query(`CREATE DATABASE ${name}`)
  const [server, migration] = await Promise.all([
    open(databaseUrl(inject('adminUrl'), name)),
    open(databaseUrl(inject('adminUrl'), name)),
  ])
  onTestFinished(async () => {
    await Promise.all([server.end(), migration.end()])
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })
  for (const file of (await readdir(folder)).sort().filter((file) => file < lists)) {
    await migration.query(await readFile(join(folder, file), 'utf8'))
  }
  await server.query('SELECT inbox_make_months(now(), now())')
  await server.query('BEGIN')
  await server.query(`
    WITH filed AS (INSERT INTO inbox_payloads (source, id, filed_at, payload) VALUES ('stripe', 'evt_late', now(), '{}'))
    INSERT INTO inbox_events (source, id, type, occurred_at, received_at, payload_filed_at, sweep_at)
    VALUES ('stripe', 'evt_late', 'invoice.paid', now(), now(), now(), now())`)
  const migrating = readFile(join(folder, lists), 'utf8').then((text) =>
    migration.query(`BEGIN; ${text}; COMMIT`),
  )
  await waitUntil(async () => {
    const { rows } = await admin.query(
      `SELECT FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }, 'the migration to wait for the event')
  await server.query('COMMIT')
  await migrating
  expect((await server.query('SELECT id FROM inbox_waiting')).rows).toEqual([{ id: 'evt_late' }])
})
