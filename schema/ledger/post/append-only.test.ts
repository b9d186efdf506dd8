import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildGrant, postTransfer, spendNow } from '../../../tests/support/factories/transfers.ts'
import { closeMonth } from './books.ts'

const database = testDatabase()
beforeAll(async () => {
  await postTransfer(database.worker, buildGrant('user_a', 500))
  await database.worker
    .transaction()
    .execute((trx) =>
      closeMonth(trx, 'user_a', { stripe_subscription_id: 'sub_a', starts_at: new Date(), used: 0 }),
    )
})

const changes = [
  'UPDATE ledger_entries SET amount = amount + 1, balance_after = balance_after + 1',
  'DELETE FROM ledger_entries',
  'TRUNCATE ledger_entries CASCADE',
  "UPDATE ledger_transfers SET reason = 'other'",
  "UPDATE ledger_transfers SET reason = NULL, reason_salt = NULL, actor = 'other'",
  'DELETE FROM ledger_transfers',
  'TRUNCATE ledger_transfers CASCADE',
  "UPDATE ledger_accounts SET owner_id = 'user_b' WHERE starts_with(owner_id, 'user_')",
  'DELETE FROM ledger_accounts',
  'TRUNCATE ledger_accounts CASCADE',
  "UPDATE ledger_grants SET owner_id = 'user_b'",
  'DELETE FROM ledger_grants',
  'TRUNCATE ledger_grants CASCADE',
  'UPDATE ledger_months_used SET used = used - 1',
  'DELETE FROM ledger_months_used',
  'TRUNCATE ledger_months_used CASCADE',
  'UPDATE ledger_keys SET transfer_id = 1',
  'DELETE FROM ledger_keys',
  'TRUNCATE ledger_keys CASCADE',
  "UPDATE ledger_owners SET owner_id = 'user_b'",
  'UPDATE ledger_owners SET plan_account_id = purchased_account_id',
  'DELETE FROM ledger_owners',
  'TRUNCATE ledger_owners CASCADE',
]

test.each(changes)('%s fails for the owner of the tables and for both roles', async (change) => {
  const statement = sql.raw(change)
  await expect(statement.execute(database.owner)).rejects.toThrow(/append-only/)
  for (const role of ['server', 'worker'] as const) {
    await expect(statement.execute(database[role]), role).rejects.toThrow(/permission denied/)
  }
})

test('the text of a transfer and its salt may become NULL, both at once, and stay so', async () => {
  const posted = await postTransfer(
    database.worker,
    buildGrant('user_erased', 5, { reason: 'About a person' }),
  )
  const set = (change: string) =>
    sql.raw(`UPDATE ledger_transfers SET ${change} WHERE id = ${posted.transfer_id}`).execute(database.owner)
  await expect(set('reason = NULL')).rejects.toThrow(/append-only/)
  await expect(set('reason_salt = NULL')).rejects.toThrow(/append-only/)
  await set('reason = NULL, reason_salt = NULL')
  await expect(set("reason = 'About a person'")).rejects.toThrow(/append-only/)
})

test('the labels of a usage may become NULL with its text and salt, and nothing else may', async () => {
  const { transfer_id } = await spendNow(database.server, 'user_a', 1, {
    reason: 'About a person',
    token_id: randomUUID(),
    model: 'a model',
    project: 'a project',
    run: 'a run',
  })
  const set = (change: string) =>
    sql.raw(`UPDATE ledger_transfers SET ${change} WHERE id = ${transfer_id}`).execute(database.owner)
  const labels = 'model = NULL, project = NULL, run = NULL'
  const texts = `reason = NULL, reason_salt = NULL, ${labels}`
  for (const change of [
    labels,
    'reason = NULL, reason_salt = NULL',
    'reason = NULL, reason_salt = NULL, model = NULL, project = NULL',
    "model = 'another model'",
    `${texts.replace('run = NULL', "run = 'another run'")}`,
    `${texts}, token_id = NULL`,
    `${texts}, occurred_at = now()`,
  ]) {
    await expect(set(change), change).rejects.toThrow(/append-only/)
  }
  await set(texts)
  await expect(set("model = 'a model'")).rejects.toThrow(/append-only/)
})

test.each(['server', 'worker'] as const)('no login changes what posting goes on from: %s', async (role) => {
  const richer = sql`UPDATE ledger_owners SET plan_balance = plan_balance + 1`
  await expect(richer.execute(database[role])).rejects.toThrow(/permission denied/)
})
test.each(['server', 'worker'] as const)('no login of a process writes proofs: %s', async (role) => {
  const write = sql`INSERT INTO ledger_proofs DEFAULT VALUES`.execute(database[role])
  await expect(write).rejects.toThrow(/permission denied/)
  await expect(sql`DELETE FROM ledger_proofs`.execute(database[role])).rejects.toThrow(/permission denied/)
})
test('a role of the server cannot erase texts', async () => {
  await expect(sql`SELECT ledger_erase_texts('user_a', '{}', '{}')`.execute(database.server)).rejects.toThrow(
    /permission denied/,
  )
})
test('a role of the worker cannot spend', async () => {
  await expect(spendNow(database.worker, 'user_a', 1)).rejects.toThrow(/permission denied/)
})
