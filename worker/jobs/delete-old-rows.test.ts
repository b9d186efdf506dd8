import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { receiveEvent } from '../../schema/inbox/events.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { deleteOldRows } from './delete-old-rows.ts'

const { database, worker } = testProduct()
beforeEach(async () => {
  await database.owner.deleteFrom('inbox_events').execute()
  await database.owner.deleteFrom('extension_sign_ins').execute()
})

const dayMs = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs)

async function insertEvent(
  state: 'received' | 'applied' | 'ignored' | 'failed',
  days: number,
): Promise<string> {
  const id = `evt_${randomUUID().replaceAll('-', '')}`
  const isSettled = state !== 'received'
  await database.owner
    .insertInto('inbox_events')
    .values({
      source: 'stripe',
      id,
      type: 'charge.refunded',
      payload: '{"secret":"ada@example.org"}',
      occurred_at: daysAgo(days),
      received_at: daysAgo(days),
      state,
      settled_at: isSettled ? daysAgo(days) : null,
      reason: isSettled ? 'Test' : null,
    })
    .execute()
  return id
}

test('payloads of settled events go after 90 days, of failed ones after 400; the rows stay', async () => {
  const old = [
    await insertEvent('applied', 91),
    await insertEvent('ignored', 91),
    await insertEvent('failed', 401),
  ]
  const kept = [
    await insertEvent('applied', 89),
    await insertEvent('ignored', 89),
    await insertEvent('failed', 399),
    await insertEvent('received', 500),
  ]
  expect(await deleteOldRows(worker.deps)).toEqual({ payloads: 3, sign_ins: 0 })
  const rows = await database.owner.selectFrom('inbox_events').selectAll().execute()
  const withPayload = rows.filter((row) => row.payload !== null).map(({ id }) => id)
  expect(withPayload.sort()).toEqual(kept.sort())
  for (const row of rows.filter(({ id }) => old.includes(id))) {
    expect(row).toMatchObject({
      type: 'charge.refunded',
      state: expect.stringMatching(/applied|ignored|failed/),
      settled_at: expect.any(Date),
      payload_removed_at: expect.any(Date),
    })
  }
  expect(await deleteOldRows(worker.deps)).toEqual({ payloads: 0, sign_ins: 0 })
})

test('an event whose payload is gone is still known when it comes again', async () => {
  const id = await insertEvent('applied', 91)
  await deleteOldRows(worker.deps)
  const again = {
    source: 'stripe',
    id,
    type: 'charge.refunded',
    payload: {},
    occurred_at: new Date(),
    received_at: new Date(),
  } as const
  expect(await receiveEvent(database.server, { ...again, sweep_at: new Date() })).toEqual({
    unsettled: false,
    is_new: false,
  })
})

test('more than one batch is removed in one run, and what is old is found by an index', async () => {
  await sql`INSERT INTO inbox_events (source, id, type, payload, occurred_at, state, settled_at)
    SELECT 'stripe', 'evt_' || n, 'charge.refunded', '{}', now(), 'applied',
      now() - CASE WHEN n <= 1200 THEN interval '91 days' ELSE interval '1 day' END
    FROM generate_series(1, 20000) n`.execute(database.owner)
  await sql`ANALYZE inbox_events`.execute(database.owner)
  const { rows } = await sql<{ 'QUERY PLAN': string }>`EXPLAIN SELECT source, id FROM inbox_events
    WHERE state = 'applied' AND settled_at < ${daysAgo(90)} AND payload_removed_at IS NULL
    ORDER BY settled_at LIMIT 500`.execute(database.owner)
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('inbox_events_old_payloads')
  expect(await deleteOldRows(worker.deps)).toMatchObject({ payloads: 1200 })
})

test('sign-ins of the extension that were over a day ago are deleted', async () => {
  const signIn = (name: string, expires_at: Date) => ({
    state_hash: Buffer.alloc(32, name),
    redirect_uri: 'vscode://tidemark.tidemark/done',
    code_challenge: 'x'.repeat(43),
    created_at: new Date(expires_at.getTime() - 600_000),
    expires_at,
  })
  await database.owner
    .insertInto('extension_sign_ins')
    .values([signIn('old', daysAgo(1.1)), signIn('over', daysAgo(0.9)), signIn('open', daysAgo(-0.1))])
    .execute()
  expect(await deleteOldRows(worker.deps)).toEqual({ payloads: 0, sign_ins: 1 })
  expect(await database.owner.selectFrom('extension_sign_ins').select('expires_at').execute()).toHaveLength(2)
})
