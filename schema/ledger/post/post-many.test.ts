import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { countLockWaits } from '../../../tests/support/database/lock-waits.ts'
import { createTestDatabase } from '../../../tests/support/database/test-database.ts'
import { buildPurchaseGrant, buildTransfer } from '../../../tests/support/factories/grants.ts'
import { buildGrant } from '../../../tests/support/factories/transfers.ts'
import { madeForEachTest } from '../../../tests/support/made.ts'
import { waitUntil } from '../../../tests/support/wait-until.ts'
import { findBalance } from '../read/balances.ts'
import { verifyLedger } from '../verify/verify.ts'
import { postTransfers, type Transfer } from './post.ts'

const database = madeForEachTest(createTestDatabase, (made) => made.close())

const isAboutEntries = ({ check }: { check: string }) => !/settled intent/.test(check)
const problems = async () => (await verifyLedger(database.owner)).problems.filter(isAboutEntries)
const totalOf = async (id: string) => (await findBalance(database.server, id)).total

/** Purchases whose grants are new, of owners who come up again. */
function purchases(count: number, owners: number): Transfer[] {
  return Array.from({ length: count }, (_, index) =>
    buildTransfer(
      buildPurchaseGrant(`user_${index % owners}`, randomUUID()),
      { kind: 'credit_purchase', ordinal: 1, amount: index + 1 },
      { idempotency_key: `checkout/cs_${index}`, reason: `“${index}” \\ "x"\n\t\u0001 é` },
    ),
  )
}

/** Under a key of its own. */
const named = (name: string) => (transfer: Transfer) => ({
  ...transfer,
  idempotency_key: `${transfer.idempotency_key}_${name}`,
})

test('owners and grants that are new, and owners who come up more than once, are posted in the given order', async () => {
  const transfers = [...purchases(30, 7), buildGrant('user_0', 5), buildGrant('user_0', 6)]
  const posted = await postTransfers(database.worker, transfers)
  expect(posted.every((result) => result.posted)).toBe(true)
  const ids = posted.map(({ transfer_id }) => transfer_id)
  expect(ids).toEqual([...ids].sort((a, b) => a - b))
  expect(await totalOf('user_0')).toBe(1 + 8 + 15 + 22 + 29 + 5 + 6)
  const rows = await database.owner
    .selectFrom('ledger_transfers')
    .select(['id', 'idempotency_key', 'reason'])
    .where('id', '>=', ids[0] ?? 0)
    .orderBy('id')
    .execute()
  expect(rows).toEqual(
    transfers.map(({ idempotency_key, reason }, index) => ({ id: ids[index], idempotency_key, reason })),
  )
  expect(await problems()).toEqual([])
})

test('whether grants are new is asked of each one, and not of all that there are', async () => {
  for (let batch = 0; batch < 10; batch++) {
    await postTransfers(database.worker, purchases(50, 50).map(named(`${batch}`)))
  }
  await database.worker.transaction().execute(async (trx) => {
    const grantsRead = async () => {
      const { rows } = await sql<{ read: number }>`
        SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) AS read FROM pg_stat_xact_user_tables WHERE relname = 'ledger_grants'`.execute(
        trx,
      )
      return rows[0]?.read ?? 0
    }
    const before = await grantsRead()
    await postTransfers(trx, purchases(10, 10).map(named('last')))
    expect((await grantsRead()) - before).toBeLessThanOrEqual(10)
  })
})

/** Posts `first`, and commits when `second` waits for the owners. */
async function postBehind(first: readonly Transfer[], second: readonly Transfer[]) {
  const { results, waiting } = await database.worker.transaction().execute(async (trx) => {
    const results = await postTransfers(trx, first)
    const waiting = postTransfers(database.worker, second)
    await waitUntil(
      async () => (await countLockWaits(database.owner)) > 0,
      'the second to wait for the first',
    )
    return { results, waiting }
  })
  return [results, await waiting] as const
}

test('what another batch posts while this one waits for its owners is known, and the rest is posted', async () => {
  const transfers = purchases(6, 3)
  const [first, second] = await postBehind(transfers.slice(0, 3), transfers)
  expect(second.slice(0, 3)).toEqual(first.map(({ transfer_id }) => ({ transfer_id, posted: false })))
  expect(second.slice(3).every(({ posted }) => posted)).toBe(true)
  expect(await totalOf('user_0')).toBe(1 + 4)
  expect(await problems()).toEqual([])
})

test('a grant that another batch makes while this one waits for its owners is made once', async () => {
  const transfers = purchases(4, 2)
  const [first, second] = await postBehind(transfers, transfers.map(named('again')))
  expect([...first, ...second].every(({ posted }) => posted)).toBe(true)
  expect(await totalOf('user_0')).toBe(2 * (1 + 3))
  expect(await problems()).toEqual([])
})

test.each([
  ['a key with another input', { idempotency_key: 'checkout/cs_known' }, 'IdempotencyConflictError'],
  ['the key of a usage', { idempotency_key: 'usage/key' }, 'UnbalancedTransferError'],
])('%s refuses the whole batch', async (_, changed, name) => {
  await postTransfers(database.worker, [{ ...buildGrant('user_1', 5), idempotency_key: 'checkout/cs_known' }])
  const [one, two] = purchases(2, 2) as [Transfer, Transfer]
  await expect(postTransfers(database.worker, [one, { ...two, ...changed }])).rejects.toMatchObject({ name })
  expect([await totalOf('user_0'), await totalOf('user_1')]).toEqual([0, 5])
})

test('a grant of another owner refuses the whole batch', async () => {
  const [one, two] = purchases(2, 2) as [Transfer, Transfer]
  const { id, intent_id } = one.grant
  const stolen = { ...two, grant: { ...two.grant, id, intent_id } }
  await expect(postTransfers(database.worker, [one, stolen])).rejects.toHaveProperty(
    'name',
    'IdempotencyConflictError',
  )
  expect([await totalOf('user_0'), await totalOf('user_1')]).toEqual([0, 0])
  expect(await problems()).toEqual([])
})
