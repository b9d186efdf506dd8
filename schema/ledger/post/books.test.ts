import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../../tests/support/database/test-database.ts'
import {
  buildMonthGrant,
  buildPurchaseGrant,
  buildTransfer,
} from '../../../tests/support/factories/grants.ts'
import { postTransfer, spendNow } from '../../../tests/support/factories/transfers.ts'
import { IdempotencyConflictError, UnbalancedTransferError } from '../errors.ts'
import { closeMonth, lockOwner, readBooks, readPurchaseGrant } from './books.ts'
import { postTransfers } from './post.ts'

const database = testDatabase()

const september = new Date('2026-09-01T00:00:00Z')
const october = new Date('2026-10-01T00:00:00Z')
const november = new Date('2026-11-01T00:00:00Z')

const booksOf = (owner_id: string) => database.worker.transaction().execute((trx) => readBooks(trx, owner_id))

test('the books of an owner who never had anything are empty', async () => {
  expect(await booksOf('user_nobody')).toEqual({
    plan: { balance: 0, version: 0 },
    purchased: { balance: 0, version: 0 },
    grants: [],
    closed_months: [],
    holds: [],
    used_open: 0,
  })
})

test('the books of an owner say of each grant what it brought, gave back and lost', async () => {
  const owner_id = 'user_sums'
  const bought = buildPurchaseGrant(owner_id)
  const paid = buildMonthGrant(owner_id, september)
  const seats = buildMonthGrant(owner_id, september, 'seats')
  await postTransfers(database.worker, [
    buildTransfer(bought, { kind: 'credit_purchase', ordinal: 1, amount: 500 }),
    buildTransfer(paid, { kind: 'plan_grant', ordinal: 1, amount: 1000 }),
    buildTransfer(seats, { kind: 'seat_grant', ordinal: 1, amount: 300 }),
    buildTransfer(bought, { kind: 'refund', ordinal: 2, amount: -100 }),
    buildTransfer(bought, { kind: 'dispute', ordinal: 3, amount: -400 }),
    buildTransfer(bought, { kind: 'dispute_won', ordinal: 4, amount: 400 }),
    buildTransfer(paid, { kind: 'plan_grant', ordinal: 2, amount: -50 }),
    buildTransfer(paid, { kind: 'expiry', ordinal: 3, amount: -950 }),
    buildTransfer(paid, { kind: 'write_off', ordinal: 4, amount: 7 }),
  ])
  const books = await booksOf(owner_id)
  expect(books.purchased).toEqual({ balance: 400, version: 4 })
  expect(books.plan).toEqual({ balance: 307, version: 5 })
  const none = { gross: 0, refunded: 0, disputed: 0, returned: 0, expired: 0, written_off: 0, adjusted: 0 }
  expect(books.grants).toEqual([
    { ...bought, ...none, gross: 500, refunded: 100, transfers: 4 },
    { ...paid, ...none, gross: 950, expired: -950, written_off: 7, transfers: 4 },
    { ...seats, ...none, gross: 300, transfers: 1 },
  ])
  expect(await readPurchaseGrant(database.worker, bought.intent_id ?? '')).toEqual(books.grants[0])
  expect(await readPurchaseGrant(database.worker, randomUUID())).toBeNull()
})

test('the books of an owner count what was used of the plan account by month', async () => {
  const owner_id = 'user_months'
  const first = buildMonthGrant(owner_id, september)
  const second = buildMonthGrant(owner_id, october)
  const key = { stripe_subscription_id: 'sub_user_months' }
  await postTransfers(database.worker, [
    buildTransfer(first, { kind: 'plan_grant', ordinal: 1, amount: 100 }),
    buildTransfer(buildPurchaseGrant(owner_id), { kind: 'credit_purchase', ordinal: 1, amount: 50 }),
  ])
  await spendNow(database.server, owner_id, 60)
  expect((await booksOf(owner_id)).used_open).toBe(60)
  await database.worker.transaction().execute(async (trx) => {
    await lockOwner(trx, owner_id)
    await closeMonth(trx, owner_id, { ...key, starts_at: september, used: 60 })
    await postTransfers(trx, [
      buildTransfer(first, { kind: 'expiry', ordinal: 2, amount: -40 }),
      buildTransfer(second, { kind: 'plan_grant', ordinal: 1, amount: 100 }),
    ])
  })
  // The second of these takes the rest of the plan account and some of what was bought.
  await spendNow(database.server, owner_id, 90)
  await spendNow(database.server, owner_id, 20)
  expect(await booksOf(owner_id)).toMatchObject({
    plan: { balance: 0 },
    purchased: { balance: 40 },
    closed_months: [{ ...key, starts_at: september, used: 60 }],
    used_open: 100,
  })
})

test('a month is closed once, and never with more than was used in it', async () => {
  const owner_id = 'user_close'
  const close = (used: number) =>
    database.worker.transaction().execute((trx) => {
      const month = { stripe_subscription_id: `sub_${owner_id}`, starts_at: november }
      return closeMonth(trx, owner_id, { ...month, used })
    })
  await postTransfer(
    database.worker,
    buildTransfer(buildMonthGrant(owner_id, november), { kind: 'plan_grant', ordinal: 1, amount: 100 }),
  )
  await spendNow(database.server, owner_id, 30)
  await expect(close(31)).rejects.toThrow(UnbalancedTransferError)
  await close(30)
  await close(30)
  await expect(close(29)).rejects.toThrow(IdempotencyConflictError)
})

describe('a grant', () => {
  test('a grant that is another owner’s is refused', async () => {
    const owner_id = 'user_grant_a'
    const bought = buildPurchaseGrant(owner_id)
    await postTransfer(
      database.worker,
      buildTransfer(bought, { kind: 'credit_purchase', ordinal: 1, amount: 5 }),
    )
    const others = { ...bought, owner_id: 'user_grant_b' }
    await expect(
      postTransfer(
        database.worker,
        buildTransfer(others, { kind: 'credit_purchase', ordinal: 2, amount: 5 }),
      ),
    ).rejects.toThrow(IdempotencyConflictError)
  })

  test('a grant keeps its first times when a period is moved', async () => {
    const owner_id = 'user_moved'
    const paid = buildMonthGrant(owner_id, september)
    await postTransfer(database.worker, buildTransfer(paid, { kind: 'plan_grant', ordinal: 1, amount: 5 }))
    const moved = { ...paid, ends_at: november }
    await postTransfer(database.worker, buildTransfer(moved, { kind: 'plan_grant', ordinal: 2, amount: 5 }))
    expect((await booksOf(owner_id)).grants).toMatchObject([{ ends_at: paid.ends_at, gross: 10 }])
  })

  test('a grant is part of what must agree when a key is posted again', async () => {
    const owner_id = 'user_key'
    const first = buildTransfer(buildPurchaseGrant(owner_id), {
      kind: 'credit_purchase',
      ordinal: 1,
      amount: 5,
    })
    await postTransfer(database.worker, first)
    expect((await postTransfer(database.worker, first)).posted).toBe(false)
    await expect(
      postTransfer(database.worker, { ...first, grant: buildPurchaseGrant(owner_id) }),
    ).rejects.toThrow(IdempotencyConflictError)
  })
})
