import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import type { Owner } from './accounts.ts'
import { closeMonth, lockOwner, readBooks, readGrant } from './books.ts'
import { IdempotencyConflictError, UnbalancedTransferError } from './errors.ts'
import type { Grant } from './grants.ts'
import { monthGrantId, purchaseGrantId, transferKey } from './keys.ts'
import { houseLeg, postTransfer, postTransfers, type Transfer } from './post.ts'
import { spendCredits } from './usage.ts'

const database = testDatabase()

const user = (owner_id: string) => ({ owner_kind: 'user', owner_id }) as const
const september = new Date('2026-09-01T00:00:00Z')
const october = new Date('2026-10-01T00:00:00Z')
const november = new Date('2026-11-01T00:00:00Z')

function purchase(owner: Owner): Grant {
  const intent_id = randomUUID()
  return {
    id: purchaseGrantId(intent_id),
    kind: 'purchase',
    ...owner,
    account: 'purchased',
    intent_id,
    stripe_subscription_id: null,
    stripe_invoice_id: null,
    month_starts_at: null,
    starts_at: september,
    ends_at: null,
  }
}

function month(owner: Owner, starts_at: Date, kind: 'month' | 'seats' = 'month'): Grant {
  const stripe_invoice_id = `in_${kind}_${owner.owner_id}_${starts_at.getTime()}`
  return {
    ...purchase(owner),
    id: monthGrantId(kind, stripe_invoice_id, starts_at),
    kind,
    account: 'plan',
    stripe_subscription_id: `sub_${owner.owner_id}`,
    stripe_invoice_id,
    month_starts_at: starts_at,
    starts_at,
    ends_at: new Date(starts_at.getTime() + 30 * 24 * 3600 * 1000),
  }
}

function transfer(
  grant: Grant,
  kind: Transfer['kind'],
  ordinal: number,
  amount: number,
  fields: Partial<Transfer> = {},
): Transfer {
  return {
    idempotency_key: transferKey(grant.id, ordinal),
    kind,
    grant,
    occurred_at: new Date('2026-09-02T00:00:00Z'),
    intent_id: null,
    event_id: null,
    actor: 'test',
    reason: 'Test',
    legs: [
      { owner_kind: grant.owner_kind, owner_id: grant.owner_id, account: grant.account, amount },
      houseLeg('adjusted', -amount),
    ],
    ...fields,
  }
}

const use = (owner: Owner, credits: number) =>
  spendCredits(database.server, {
    ...owner,
    credits,
    idempotency_key: randomUUID(),
    occurred_at: new Date(),
    actor: owner.owner_id,
    reason: 'Test',
  })

const booksOf = (owner: Owner) => database.worker.transaction().execute((trx) => readBooks(trx, owner))

describe('the books of an owner', () => {
  test('who never had anything are empty', async () => {
    expect(await booksOf(user('user_nobody'))).toEqual({
      plan: { balance: 0, version: 0 },
      purchased: { balance: 0, version: 0 },
      grants: [],
      closed_months: [],
      used_open: 0,
    })
  })

  test('say of each grant what it brought, gave back and lost', async () => {
    const owner = user('user_sums')
    const bought = purchase(owner)
    const paid = month(owner, september)
    const seats = month(owner, september, 'seats')
    await postTransfers(database.worker, [
      transfer(bought, 'credit_purchase', 1, 500),
      transfer(paid, 'plan_grant', 1, 1000),
      transfer(seats, 'seat_grant', 1, 300),
      transfer(bought, 'refund', 2, -100),
      transfer(bought, 'dispute', 3, -400),
      transfer(bought, 'dispute_won', 4, 400),
      transfer(paid, 'plan_grant', 2, -50),
      transfer(paid, 'expiry', 3, -950),
      transfer(paid, 'write_off', 4, 7),
    ])
    const books = await booksOf(owner)
    expect(books.purchased).toEqual({ balance: 400, version: 4 })
    expect(books.plan).toEqual({ balance: 307, version: 5 })
    const none = { gross: 0, refunded: 0, disputed: 0, expired: 0, written_off: 0, adjusted: 0 }
    expect(books.grants).toEqual([
      { ...bought, ...none, gross: 500, refunded: 100, transfers: 4 },
      { ...paid, ...none, gross: 950, expired: -950, written_off: 7, transfers: 4 },
      { ...seats, ...none, gross: 300, transfers: 1 },
    ])
    expect(await readGrant(database.worker, bought.id)).toEqual(books.grants[0])
    expect(await readGrant(database.worker, 'purchase/none')).toBeNull()
  })

  test('count what was used of the plan account by month', async () => {
    const owner = user('user_months')
    const first = month(owner, september)
    const second = month(owner, october)
    const key = { stripe_subscription_id: 'sub_user_months' }
    await postTransfers(database.worker, [
      transfer(first, 'plan_grant', 1, 100),
      transfer(purchase(owner), 'credit_purchase', 1, 50),
    ])
    await use(owner, 60)
    expect((await booksOf(owner)).used_open).toBe(60)
    await database.worker.transaction().execute(async (trx) => {
      await lockOwner(trx, owner)
      await closeMonth(trx, owner, { ...key, starts_at: september, used: 60 })
      await postTransfers(trx, [transfer(first, 'expiry', 2, -40), transfer(second, 'plan_grant', 1, 100)])
    })
    // The second of these takes the rest of the plan account and some of what was bought.
    await use(owner, 90)
    await use(owner, 20)
    expect(await booksOf(owner)).toMatchObject({
      plan: { balance: 0 },
      purchased: { balance: 40 },
      closed_months: [{ ...key, starts_at: september, used: 60 }],
      used_open: 100,
    })
  })
})

describe('closing a month', () => {
  const close = (owner: Owner, used: number) =>
    database.worker.transaction().execute((trx) =>
      closeMonth(trx, owner, {
        stripe_subscription_id: `sub_${owner.owner_id}`,
        starts_at: november,
        used,
      }),
    )

  test('happens once', async () => {
    const owner = user('user_close')
    await postTransfer(database.worker, transfer(month(owner, november), 'plan_grant', 1, 100))
    await use(owner, 30)
    await close(owner, 30)
    await close(owner, 30)
    await expect(close(owner, 29)).rejects.toThrow(IdempotencyConflictError)
  })

  test('never says that more was used than was', async () => {
    const owner = user('user_close_more')
    await postTransfer(database.worker, transfer(month(owner, november), 'plan_grant', 1, 100))
    await use(owner, 30)
    await expect(close(owner, 31)).rejects.toThrow(UnbalancedTransferError)
  })
})

describe('a grant', () => {
  test('that is another owner’s is refused', async () => {
    const owner = user('user_grant_a')
    const bought = purchase(owner)
    await postTransfer(database.worker, transfer(bought, 'credit_purchase', 1, 5))
    const others = { ...bought, owner_id: 'user_grant_b' }
    await expect(postTransfer(database.worker, transfer(others, 'credit_purchase', 2, 5))).rejects.toThrow(
      IdempotencyConflictError,
    )
  })

  test('keeps its first times when a period is moved', async () => {
    const owner = user('user_moved')
    const paid = month(owner, september)
    await postTransfer(database.worker, transfer(paid, 'plan_grant', 1, 5))
    const moved = { ...paid, ends_at: november }
    await postTransfer(database.worker, transfer(moved, 'plan_grant', 2, 5))
    expect(await readGrant(database.worker, paid.id)).toMatchObject({ ends_at: paid.ends_at, gross: 10 })
  })

  test('moves credits of its own account only', async () => {
    const owner = user('user_account')
    const bought = purchase(owner)
    for (const leg of [
      { ...owner, account: 'plan', amount: 5 } as const,
      { ...user('user_other'), account: 'purchased', amount: 5 } as const,
    ]) {
      await expect(
        postTransfer(
          database.worker,
          transfer(bought, 'credit_purchase', 1, 5, { legs: [leg, houseLeg('sold', -5)] }),
        ),
      ).rejects.toThrow(UnbalancedTransferError)
    }
    expect(await readGrant(database.worker, bought.id)).toBeNull()
  })

  test('is part of what must agree when a key is posted again', async () => {
    const owner = user('user_key')
    const first = transfer(purchase(owner), 'credit_purchase', 1, 5)
    await postTransfer(database.worker, first)
    expect((await postTransfer(database.worker, first)).posted).toBe(false)
    await expect(postTransfer(database.worker, { ...first, grant: purchase(owner) })).rejects.toThrow(
      IdempotencyConflictError,
    )
  })
})
