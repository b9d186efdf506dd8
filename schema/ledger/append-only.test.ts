import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, testDatabase } from '../../tests/support/database/test-database.ts'
import { buildGrant } from '../../tests/support/factories/transfers.ts'
import { postTransfer } from './post.ts'
import { spendCredits } from './usage.ts'
import { verifyLedger } from './verify.ts'

const _database = testDatabase()
const database = testDatabase()
beforeAll(async () => {
  await postTransfer(database.worker, buildGrant('user_a', 500))
})

const changes = [
  'UPDATE ledger_entries SET amount = amount + 1, balance_after = balance_after + 1',
  'DELETE FROM ledger_entries',
  'TRUNCATE ledger_entries CASCADE',
  "UPDATE ledger_transfers SET reason = 'other'",
  'DELETE FROM ledger_transfers',
  'TRUNCATE ledger_transfers CASCADE',
  "UPDATE ledger_accounts SET owner_id = 'user_b' WHERE owner_kind = 'user'",
  'DELETE FROM ledger_accounts',
  'TRUNCATE ledger_accounts CASCADE',
]

describe.each(changes)('%s', (change) => {
  test('fails for the owner of the tables', async () => {
    await expect(sql.raw(change).execute(database.owner)).rejects.toThrow(/append-only/)
  })
  test.each(['server', 'worker'] as const)('fails for the role of the %s', async (role) => {
    await expect(sql.raw(change).execute(database[role])).rejects.toThrow(/permission denied/)
  })
})

describe('a role', () => {
  const insert = sql`
    INSERT INTO ledger_entries (transfer_id, account_id, amount, version, balance_after, hash)
    SELECT 1, account_id, 1, 2, 501, hash FROM ledger_entries WHERE version = 1`
  test.each(['server', 'worker'] as const)(
    'cannot insert entries past the posting function: %s',
    async (role) => {
      await expect(insert.execute(database[role])).rejects.toThrow(/permission denied/)
    },
  )
  test('of the server cannot grant', async () => {
    await expect(postTransfer(database.server, buildGrant('user_a', 1))).rejects.toThrow(/permission denied/)
  })
  test('of the worker cannot spend', async () => {
    const usage = {
      owner_kind: 'user',
      owner_id: 'user_a',
      credits: 1,
      idempotency_key: 'k',
      occurred_at: new Date(),
      actor: 'x',
      reason: 'x',
    } as const
    await expect(spendCredits(database.worker, usage)).rejects.toThrow(/permission denied/)
  })
})

describe('ledger:verify', () => {
  const tampered = [
    ['an amount', 'UPDATE ledger_entries SET amount = amount + 1 WHERE version = 1'],
    ['a balance', 'UPDATE ledger_entries SET balance_after = 900 WHERE version = 1'],
    ['a reason', "UPDATE ledger_transfers SET reason = 'Gift'"],
    ['a time', "UPDATE ledger_transfers SET occurred_at = occurred_at - interval '1 day'"],
    ['a house entry', 'UPDATE ledger_entries SET account_id = 1 WHERE version IS NULL'],
    ['a missing entry', 'DELETE FROM ledger_entries WHERE version = 1'],
  ] as const
  test.each(tampered)('finds %s that was changed behind its back', async (_, statement) => {
    const copy = await createTestDatabase()
    try {
      await postTransfer(copy.worker, buildGrant('user_a', 500))
      await postTransfer(copy.worker, buildGrant('user_a', 20))
      expect((await verifyLedger(copy.owner)).problems).toEqual([])
      // Somebody with a database administrator's powers switches the triggers off.
      await sql
        .raw(`SET session_replication_role = replica; ${statement}; RESET session_replication_role`)
        .execute(copy.owner)
      expect((await verifyLedger(copy.owner)).problems).not.toEqual([])
    } finally {
      await copy.close()
    }
  })
  test('finds nothing in clean books', async () => {
    expect(await verifyLedger(database.owner)).toMatchObject({
      problems: [],
      counts: { transfers: 1, entries: 2 },
    })
  })
})
