import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { databaseUrl } from '../../tests/support/template-database.ts'
import { verifyLedger } from '../ledger/verify.ts'
import { claimDue } from '../sweep/claim-due.ts'
import { connectDatabase, type DatabaseActor, type DatabaseConnection } from './connect.ts'
import { migrateToLatest } from './migrate.ts'
import { nextSnapshotOrder } from './snapshot-order.ts'

type Row = Record<string, unknown>

/** Columns that have another name since the dump was made. */
const newNames: Record<string, string> = { fetch_order: 'snapshot_order', look_order: 'snapshot_order' }

const name = `test_${randomBytes(6).toString('hex')}`
const url = databaseUrl(inject('adminUrl'), name)
const connections: DatabaseConnection[] = []
let before: Map<string, Row[]>
let migrations: string[]

beforeAll(async () => {
  await query(inject('adminUrl'), `CREATE DATABASE ${name}`)
  await query(url, await readFile(join(import.meta.dirname, 'earlier-start.sql'), 'utf8'))
  before = await readTables()
  migrations = await migrateToLatest({ connectionString: url })
})
afterAll(async () => {
  for (const connection of connections) await connection.close()
  await query(inject('adminUrl'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
})

async function query(address: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: address })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

/** Every row of ours as JSON, by table. */
async function readTables(): Promise<Map<string, Row[]>> {
  const tables = await query(
    url,
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname NOT LIKE 'kysely%'`,
  )
  const rows = new Map<string, Row[]>()
  for (const { name: table } of tables) {
    const found = await query(url, `SELECT to_jsonb(t) AS row FROM public.${String(table)} t`)
    rows.set(
      String(table),
      found.map(({ row }) => row as Row),
    )
  }
  return rows
}

function connect(role: DatabaseActor) {
  const connection = connectDatabase({ connectionString: url, role, poolMax: 2, onError: () => undefined })
  connections.push(connection)
  return connection.db
}

test('the dump is of an earlier start and has rows in every table', () => {
  expect(migrations).toContain('0009_field_names')
  expect(before.size).toBeGreaterThan(10)
  for (const [table, rows] of before) expect(rows.length, table).toBeGreaterThan(0)
})

test('every row of an earlier start is still there, under the new names', async () => {
  const after = await readTables()
  for (const [table, rows] of before) {
    const renamed = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [newNames[column] ?? column, value])),
    )
    expect(after.get(table), table).toEqual(renamed.map((row) => expect.objectContaining(row)))
  }
})

test('the books of an earlier start still add up', async () => {
  const report = await verifyLedger(connect('owner'))
  expect(report.problems).toEqual([])
  expect(report.counts.transfers).toBeGreaterThan(0)
})

test('the next snapshot is newer than every one of an earlier start, of Stripe or of Clerk', async () => {
  const stored = await sql<{ highest: number }>`
    SELECT max(snapshot_order) AS highest FROM (
      SELECT snapshot_order FROM subscriptions UNION ALL SELECT snapshot_order FROM clawbacks
      UNION ALL SELECT snapshot_order FROM organization_members) AS all_orders`.execute(connect('owner'))
  // Clerk's sequence had come to 46 in the dump, Stripe's to 5.
  const drawn = [
    await nextSnapshotOrder(connect('tidemark_worker')),
    await nextSnapshotOrder(connect('tidemark_server')),
  ]
  expect(drawn).toEqual([47, 48])
  expect(drawn[0]).toBeGreaterThan(stored.rows[0]?.highest ?? Number.POSITIVE_INFINITY)
})

test('a subscription whose job waits in the queue of the old name is found by the sweep', async () => {
  const in_a_year = { now: new Date(Date.now() + 365 * 24 * 3600_000), first_wait_ms: 1000, limit: 100 }
  const claimed = await claimDue(connect('tidemark_worker'), 'subscriptions', in_a_year)
  expect(claimed).toHaveLength(before.get('subscriptions')?.length ?? 0)
})
