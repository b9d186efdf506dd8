import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBalance } from '../../../schema/ledger/balances.ts'
import { spendCredits } from '../../../schema/ledger/usage.ts'
import { verifyLedger } from '../../../schema/ledger/verify.ts'
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { type Bought, openShop, type Shop } from '../../../tests/support/shop.ts'

let database: TestDatabase
let shop: Shop
beforeAll(async () => {
  database = await createTestDatabase()
  shop = await openShop(database)
})
afterAll(async () => {
  await shop?.close()
  expect((await verifyLedger(database.owner)).problems).toEqual([])
  await database?.close()
})

const balanceOf = (bought: Bought) => findBalance(database.owner, bought.owner)
const use = (bought: Bought, credits: number) =>
  spendCredits(database.server, {
    ...bought.owner,
    credits,
    idempotency_key: crypto.randomUUID(),
    occurred_at: new Date(),
    actor: bought.user_id,
    reason: 'Test',
  })

async function chargeOf(bought: Bought): Promise<string> {
  const { data } = await shop.stripe.charges.list({ customer: bought.customer_id, limit: 1 })
  return data[0]?.id ?? ''
}

async function refund(bought: Bought, amount?: number): Promise<void> {
  await shop.stripe.refunds.create({ charge: await chargeOf(bought), ...(amount && { amount }) })
}

async function dispute(bought: Bought): Promise<string> {
  const charge = await chargeOf(bought)
  await shop.sandbox.knob(`charges/${charge}/dispute`)
  const { data } = await shop.stripe.disputes.list({ charge, limit: 1 })
  return data[0]?.id ?? ''
}

const close = (id: string, outcome: 'won' | 'lost') => shop.sandbox.knob(`disputes/${id}/close`, { outcome })

describe('a refund', () => {
  test('takes back in proportion, and partial ones add up to all of it', async () => {
    const bought = await shop.buyCredits()
    const left = []
    for (const amount of [100, 250, 350]) {
      await refund(bought, amount)
      await shop.catchUp()
      left.push((await balanceOf(bought)).total)
    }
    expect(left).toEqual([500 - 71, 500 - 250, 0])
  })

  test('reported again and again, reversed and at the same time, takes back once', async () => {
    const bought = await shop.buyCredits()
    await shop.catchUp()
    await refund(bought, 350)
    const events = await shop.takeEvents()
    await Promise.all([shop.deliver(events), shop.deliver(events.toReversed()), shop.deliver(events)])
    expect(await balanceOf(bought)).toMatchObject({ total: 250, version: 2 })
  })

  test('that is reported before the purchase ends the same', async () => {
    const bought = await shop.buyCredits()
    await refund(bought)
    await shop.deliver((await shop.takeEvents()).toReversed())
    expect((await balanceOf(bought)).total).toBe(0)
  })

  test('of credits that were spent leaves a debt, which the next purchase settles', async () => {
    const bought = await shop.buyCredits()
    await shop.catchUp()
    await use(bought, 400)
    await refund(bought)
    await shop.catchUp()
    expect((await balanceOf(bought)).total).toBe(-400)
    expect((await use(bought, 1)).outcome).toBe('refused')
  })

  test('of a plan takes back this month’s credits', async () => {
    const bought = await shop.buyPlan()
    await shop.catchUp()
    await refund(bought, 1000)
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 250 })
  })

  test.each([
    ['nothing was used of takes nothing from the next', 0, 500],
    ['was used takes from the next what was used', 300, 200],
  ])('of a month that is over and %s', async (_, used, left) => {
    const bought = await shop.buyPlan()
    const charge = await chargeOf(bought)
    await shop.catchUp()
    if (used > 0) await use(bought, used)
    await shop.advance(32)
    await shop.catchUp()
    await shop.stripe.refunds.create({ charge })
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: left })
  })
})

describe('a refund or dispute of a plan that has ended', () => {
  test.each([
    ['before', 0, 0],
    ['before', 300, -300],
    ['after', 0, 0],
    ['after', 300, -300],
  ] as const)('made %s its end with %i credits used leaves %i', async (when, used, left) => {
    const bought = await shop.buyPlan()
    await shop.catchUp()
    if (used > 0) await use(bought, used)
    if (when === 'before') await refund(bought)
    await shop.catchUp()
    await shop.stripe.subscriptions.cancel(bought.subscription_id ?? '')
    await shop.catchUp()
    if (when === 'after') await refund(bought)
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: left })
  })
})

describe('a dispute', () => {
  test('takes back when it is opened and gives back when it is won', async () => {
    const bought = await shop.buyCredits()
    const id = await dispute(bought)
    await shop.catchUp()
    expect((await balanceOf(bought)).total).toBe(0)
    await close(id, 'won')
    await shop.catchUp()
    expect((await balanceOf(bought)).total).toBe(500)
  })

  test('that is lost keeps what was taken', async () => {
    const bought = await shop.buyCredits()
    const id = await dispute(bought)
    await close(id, 'lost')
    await shop.catchUp()
    expect((await balanceOf(bought)).total).toBe(0)
  })

  test('with a partial refund before it takes no more than was granted', async () => {
    const bought = await shop.buyCredits()
    await refund(bought, 350)
    await dispute(bought)
    await shop.catchUp()
    expect((await balanceOf(bought)).total).toBe(0)
  })

  test.each([
    ['in order', <T>(events: T[]) => events],
    ['reversed', <T>(events: T[]) => events.toReversed()],
    ['twice', <T>(events: T[]) => [...events, ...events]],
  ])('whose events come %s ends the same', async (_, arrange) => {
    const bought = await shop.buyCredits()
    await close(await dispute(bought), 'won')
    await refund(bought, 70)
    await shop.deliver(arrange(await shop.takeEvents()))
    expect((await balanceOf(bought)).total).toBe(450)
  })
})

describe('a dispute of a plan', () => {
  test('that is won after its month brings back only what was used of it', async () => {
    const bought = await shop.buyPlan()
    await shop.advance(28)
    const id = await dispute(bought)
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 0 })
    await shop.advance(4)
    await shop.catchUp()
    await close(id, 'won')
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
  })
})
