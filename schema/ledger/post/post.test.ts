import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { countLockWaits } from '../../../tests/support/database/lock-waits.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import { buildGrant, postTransfer } from '../../../tests/support/factories/transfers.ts'
import { waitUntil } from '../../../tests/support/wait-until.ts'
import { IdempotencyConflictError, UnbalancedTransferError } from '../errors.ts'
import { findBalance } from '../read/balances.ts'
import { postTransfers } from './post.ts'

const database = testDatabase()
booksEndRight(database)

test('a transfer that is posted ten times in parallel, and again afterwards, is one transfer', async () => {
  const transfer = buildGrant('user_parallel', 500)
  const results = await Promise.all(Array.from({ length: 10 }, () => postTransfer(database.worker, transfer)))
  results.push(await postTransfer(database.worker, transfer))
  expect(results.filter((result) => result.posted)).toHaveLength(1)
  expect(new Set(results.map((result) => result.transfer_id)).size).toBe(1)
  expect(await findBalance(database.worker, 'user_parallel')).toMatchObject({ total: 500, version: 1 })
})

test('another reporter or another time does not make a transfer another one', async () => {
  const transfer = buildGrant('user_reporters', 10)
  await postTransfer(database.worker, transfer)
  const again = await postTransfer(database.worker, {
    ...transfer,
    actor: 'schedule',
    event_id: 'evt_1',
    reason: 'Another',
    occurred_at: new Date(0),
  })
  expect(again.posted).toBe(false)
})

test('the same key with another amount is refused and posts nothing', async () => {
  const transfer = buildGrant('user_conflict', 500)
  await postTransfer(database.worker, transfer)
  const other = { ...buildGrant('user_conflict', 501), idempotency_key: transfer.idempotency_key }
  await expect(postTransfer(database.worker, other)).rejects.toThrow(IdempotencyConflictError)
  expect(await findBalance(database.worker, 'user_conflict')).toMatchObject({
    total: 500,
    version: 1,
  })
})

test('the same key for two owners at once is one transfer and one clear error', async () => {
  const first = buildGrant('user_race_a', 5)
  const second = { ...buildGrant('user_race_b', 5), idempotency_key: first.idempotency_key }
  const results = await Promise.allSettled([
    postTransfer(database.worker, first),
    postTransfer(database.worker, second),
  ])
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  const refused = results.find((result) => result.status === 'rejected')
  expect(refused?.reason).toBeInstanceOf(IdempotencyConflictError)
})

test('a transfer that moves nothing is refused', async () => {
  await expect(postTransfer(database.worker, buildGrant('user_empty', 0))).rejects.toThrow(
    UnbalancedTransferError,
  )
})

test('a transfer names an account of the house exactly when the owner has more or less afterwards', async () => {
  const within = { plan: -5, purchased: 5 }
  for (const wrong of [{ house: null }, { house: 'elsewhere' as 'sold' }, within]) {
    const transfer = buildGrant('user_lopsided', 5, wrong)
    await expect(postTransfer(database.worker, transfer)).rejects.toThrow(UnbalancedTransferError)
  }
  expect(await findBalance(database.worker, 'user_lopsided')).toMatchObject({ version: 0 })
})

test('a transfer may move credits between the two accounts of its grant’s owner', async () => {
  await postTransfer(database.worker, buildGrant('user_within', 30))
  await postTransfer(database.worker, buildGrant('user_within', 0, { plan: 12, purchased: -12, house: null }))
  expect(await findBalance(database.worker, 'user_within')).toMatchObject({
    plan: 12,
    purchased: 18,
    version: 3,
  })
})

test('a fraction of a credit is refused', async () => {
  await expect(postTransfer(database.worker, buildGrant('user_fraction', 1.5))).rejects.toThrow(/bigint/)
})

test('a batch is posted in its order, in one piece', async () => {
  const grants = Array.from({ length: 20 }, (_, i) => buildGrant('user_batch', i + 1))
  const results = await postTransfers(database.worker, grants)
  expect(results.every((result) => result.posted)).toBe(true)
  expect(await findBalance(database.worker, 'user_batch')).toMatchObject({ total: 210, version: 20 })

  const withBadOne = [buildGrant('user_batch', 1), buildGrant('user_batch', 0)]
  await expect(postTransfers(database.worker, withBadOne)).rejects.toThrow(UnbalancedTransferError)
  expect(await findBalance(database.worker, 'user_batch')).toMatchObject({ total: 210, version: 20 })
})

test('batches of many new owners, some of them known to one batch and new to the other, do not deadlock', async () => {
  const random = (seed: number) => ((seed * 7919) % 997) / 997
  const batches = Array.from({ length: 24 }, (_, batch) =>
    Array.from(
      { length: 40 },
      (__, index) => `user_made_${Math.floor(random(batch * 40 + index + 1) * 300)}`,
    ),
  )
  await Promise.all(
    batches.map((ids) =>
      postTransfers(
        database.worker,
        ids.map((id) => buildGrant(id, 1)),
      ),
    ),
  )
  const { rows } = await sql<{ given: number }>`
      SELECT sum(purchased_balance)::bigint AS given FROM ledger_owners WHERE owner_id LIKE 'user_made_%'`.execute(
    database.owner,
  )
  expect(rows).toEqual([{ given: 24 * 40 }])
})

test('batches over the same accounts in opposite order do not deadlock', async () => {
  const owners = Array.from({ length: 10 }, (_, i) => `user_cross_${i}`)
  const batches = Array.from({ length: 20 }, (_, i) =>
    (i % 2 === 0 ? owners : owners.toReversed()).map((owner) => buildGrant(owner, 1)),
  )
  await Promise.all(batches.map((batch) => postTransfers(database.worker, batch)))
  for (const owner of owners) {
    expect(await findBalance(database.worker, owner)).toMatchObject({ total: 20, version: 20 })
  }
})

test('a batch that waits for its owners knows what the one before it posts, and makes each grant once', async () => {
  const transfers = Array.from({ length: 6 }, (_, index) => buildGrant(`user_behind_${index % 3}`, index + 1))
  const [again] = transfers.map((one) => ({ ...one, idempotency_key: `${one.idempotency_key}_again` }))
  const { first, waiting } = await database.worker.transaction().execute(async (trx) => {
    const first = await postTransfers(trx, transfers.slice(0, 3))
    const waiting = postTransfers(database.worker, again ? [...transfers, again] : [])
    await waitUntil(async () => (await countLockWaits(database.owner)) > 0, 'the second to wait')
    return { first, waiting }
  })
  const second = await waiting
  expect(second.slice(0, 3)).toEqual(first.map(({ transfer_id }) => ({ transfer_id, posted: false })))
  expect(second.slice(3).every(({ posted }) => posted)).toBe(true)
  expect(await findBalance(database.worker, 'user_behind_0')).toMatchObject({ total: 1 + 4 + 1 })
})

test('a transfer with the key of a usage is refused', async () => {
  const transfer = { ...buildGrant('user_key', 5), idempotency_key: 'usage/key' }
  await expect(postTransfer(database.worker, transfer)).rejects.toThrow(UnbalancedTransferError)
})

test('a refund of spent credits leaves a debt', async () => {
  await postTransfer(database.worker, buildGrant('user_debt', 100))
  await postTransfer(database.worker, buildGrant('user_debt', -150, { kind: 'refund', house: 'refunded' }))
  expect((await findBalance(database.worker, 'user_debt')).total).toBe(-50)
})
