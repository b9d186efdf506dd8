import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { DatabaseTransaction } from '../../schema/database/connect.ts'
import { findEditorPayers, readEditorBalances } from '../../schema/extension/editor-payers.ts'
import { findToken } from '../../schema/extension/tokens.ts'
import { claimDue } from '../../schema/inbox/claim/claim-due.ts'
import { claimableEvents } from '../../schema/inbox/events.ts'
import { listPurchaseGrants } from '../../schema/ledger/post/books.ts'
import { testDatabase } from '../support/database/test-database.ts'

const database = testDatabase()
const now = new Date()

/** What each call of an editor and each event asks for, of one or of several at once. */
const statements: Readonly<Record<string, (trx: DatabaseTransaction, ids: string[]) => Promise<unknown>>> = {
  editor_balances: (trx, ids) =>
    readEditorBalances(
      trx,
      ids.map((id) => ({ user_id: id, token_id: null, payer: 'org', now })),
    ),
  editor_payers: (trx, ids) =>
    findEditorPayers(
      trx,
      ids.map((id) => ({ user_id: id, token_id: id, payer: null })),
    ),
  posted_grants: listPurchaseGrants,
  presented_token: (trx, [id = '']) => findToken(trx, id),
}

/** Before it decides whether to keep a plan, Postgres makes one of its own for each of five calls. */
const triedCalls = 5
const calls = 20

test('a prepared statement is not planned anew at each call for one row', async () => {
  const rows = await database.owner.transaction().execute(async (trx) => {
    for (let call = 0; call < calls; call++) {
      for (const run of Object.values(statements)) await run(trx, [randomUUID()])
    }
    const { rows: listed } = await sql<{ name: string; custom_plans: number; generic_plans: number }>`
      SELECT name, custom_plans::int, generic_plans::int FROM pg_prepared_statements
      WHERE name = ANY (${Object.keys(statements)}) ORDER BY name`.execute(trx)
    return listed
  })
  expect(rows).toEqual(
    Object.keys(statements)
      .sort()
      .map((name) => ({ name, custom_plans: triedCalls, generic_plans: calls - triedCalls })),
  )
})

/** So many that a plan which reads the table costs more than one that looks up. */
const burst = 2000
const batch = 50

const countRead = async (trx: DatabaseTransaction) => {
  const { rows } = await sql<{ read: number }>`
    SELECT coalesce(sum(seq_tup_read + idx_tup_fetch), 0)::int AS read FROM pg_stat_xact_user_tables
    WHERE relname = 'inbox_events'`.execute(trx)
  return rows[0]?.read ?? 0
}

const receive = async (count: number) => {
  const ids = Array.from({ length: count }, () => `evt_${randomUUID()}`)
  const times = { occurred_at: now, received_at: now, next_try_at: now }
  const received = { source: 'stripe', type: 'invoice.paid', ...times, payload: '{}' } as const
  await database.owner
    .insertInto('inbox_events')
    .values(ids.map((id) => ({ ...received, id })))
    .execute()
}

test('a claim from a burst reads what it claims, though the table was analyzed when it was empty', async () => {
  await database.owner.deleteFrom('inbox_events').execute()
  await sql`ANALYZE inbox_events`.execute(database.owner)
  await receive(burst)
  const result = await database.owner.transaction().execute(async (trx) => {
    const before = await countRead(trx)
    const claimed = await claimDue(trx, claimableEvents, {
      now: new Date(),
      first_wait_ms: 1000,
      limit: batch,
    })
    return { claimed: claimed.length, read: (await countRead(trx)) - before }
  })
  expect(result.claimed).toBe(batch)
  // Each once to lock it, and once to change it.
  expect(result.read).toBeLessThanOrEqual(2 * batch)
})
