import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, inject, test } from 'vitest'
import { databaseUrl } from '../../tests/support/database/template-database.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { claimableIntents } from '../checkout/intents.ts'
import { claimDue } from '../claim/claim-due.ts'
import { claimableEvents, selectEvents } from '../inbox/events.ts'
import { verifyLedger } from '../ledger/verify/verify.ts'
import { claimableSubscriptions } from '../subscriptions/subscriptions.ts'
import { connectDatabase, type DatabaseActor, type DatabaseConnection } from './connect.ts'
import { migrateToLatest } from './migrate.ts'
import { nextSnapshotOrder } from './snapshot-order.ts'

type Row = Record<string, unknown>

/** Columns that have another name since the dump was made. */
const newNames: Record<string, string> = {
  sweep_at: 'next_try_at',
  sweeps: 'claims',
  fetch_order: 'snapshot_order',
  look_order: 'snapshot_order',
}
const newTables: Record<string, string> = { subscription_invoices: 'paid_invoice_lines' }
/** Columns that lie in a table of their own since then. */
const movedColumns = ['payload', 'raw']
/** Tables whose rows were turned into others; tests of their own find them again. */
const replaced = ['clawbacks', 'subscription_months']

const name = `test_${randomBytes(6).toString('hex')}`
const url = databaseUrl(inject('adminUrl'), name)
const connections: DatabaseConnection[] = []

/** When the dump was made all had settled. */
const whatWaits = `
  INSERT INTO public.inbox_events SELECT row.* FROM (SELECT * FROM public.inbox_events WHERE state = 'applied' LIMIT 1) e,
    jsonb_populate_record(NULL::public.inbox_events, to_jsonb(e) || '{"id": "evt_waits", "state": "received", "settled_at": null}') row;
  INSERT INTO public.checkout_intents SELECT row.* FROM (SELECT * FROM public.checkout_intents WHERE kind = 'credit_purchase' LIMIT 1) i,
    jsonb_populate_record(NULL::public.checkout_intents, to_jsonb(i)
      || '{"id": "0199f0a0-0000-4000-8000-000000000001", "state": "open", "stripe_session_id": "cs_waits", "settled_at": null}') row`

const start = madeOnce(
  async () => {
    await query(inject('adminUrl'), `CREATE DATABASE ${name}`)
    await query(url, await readFile(join(import.meta.dirname, 'earlier-start.sql'), 'utf8'))
    await query(url, whatWaits)
    const before = await readTables()
    return { before, migrations: await migrateToLatest({ connectionString: url }) }
  },
  async () => {
    for (const connection of connections) await connection.close()
    await query(inject('adminUrl'), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  },
)

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
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT LIKE 'kysely%'`,
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
  const connection = connectDatabase({ connectionString: url, role, poolMax: 4, onError: () => undefined })
  connections.push(connection)
  return connection.db
}

test('the dump is of an earlier start and has rows in every table', () => {
  expect(start.migrations).toContain('0009_field_names')
  expect(start.before.size).toBeGreaterThan(10)
  for (const [table, rows] of start.before) expect(rows.length, table).toBeGreaterThan(0)
})

test('every row of an earlier start is still there, under the new names', async () => {
  const after = await readTables()
  for (const [table, rows] of start.before) {
    if (replaced.includes(table)) continue
    const renamed = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([column]) => table !== 'inbox_events' || !movedColumns.includes(column))
          .map(([column, value]) => [newNames[column] ?? column, value]),
      ),
    )
    const kept = renamed.map((row) => expect.objectContaining(row))
    expect(after.get(newTables[table] ?? table), table).toEqual(expect.arrayContaining(kept))
  }
})

test('what every event says is still there', async () => {
  const before = start.before.get('inbox_events') ?? []
  expect(before.some(({ payload }) => payload !== null)).toBe(true)
  const after = await selectEvents(connect('owner')).execute()
  for (const { id, payload, raw = null } of before) {
    expect(after.find((event) => event.id === id)).toMatchObject({ payload, raw })
  }
})

test('what was taken back of a charge is kept as what went back of its money', async () => {
  const charges = (await readTables()).get('charges')
  const expected = start.before.get('clawbacks')?.map((row) => ({
    stripe_charge_id: row.stripe_charge_id,
    intent_id: row.intent_id,
    stripe_invoice_id: row.stripe_invoice_id,
    amount_minor: row.amount_minor,
    snapshot_order: row.fetch_order,
    returned_minor: row.amount_returned_minor,
  }))
  const found = charges?.map((row) => ({
    ...row,
    returned_minor: Number(row.refunded_minor) + Number(row.disputed_minor),
  }))
  expect(found).toEqual(expected?.map((row) => expect.objectContaining(row)))
})

test('every billing month has its grant', async () => {
  const grants = (await readTables()).get('ledger_grants')
  for (const month of start.before.get('subscription_months') ?? []) {
    expect(grants).toContainEqual(
      expect.objectContaining({
        kind: 'month',
        stripe_subscription_id: month.stripe_subscription_id,
        month_starts_at: month.starts_at,
      }),
    )
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
      SELECT snapshot_order FROM subscriptions UNION ALL SELECT snapshot_order FROM charges
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
  const claimed = await claimDue(connect('tidemark_worker'), claimableSubscriptions, in_a_year)
  expect(claimed).toHaveLength(start.before.get('subscriptions')?.length ?? 0)
})

test('what waited is listed, and found by the sweep', async () => {
  const worker = connect('tidemark_worker')
  const in_a_year = { now: new Date(Date.now() + 365 * 24 * 3600_000), first_wait_ms: 1000, limit: 100 }
  expect(await claimDue(worker, claimableEvents, in_a_year)).toMatchObject([
    { source: 'stripe', id: 'evt_waits' },
  ])
  expect(await claimDue(worker, claimableIntents, in_a_year)).toMatchObject([
    { id: '0199f0a0-0000-4000-8000-000000000001' },
  ])
})
