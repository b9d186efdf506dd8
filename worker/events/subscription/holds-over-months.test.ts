import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { readOwnerBalanceSheet } from '../../../schema/billing/position/read-owner.ts'
import type { SpendOutcome, SpendRequest } from '../../../schema/ledger/spend/usage.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { buildPaidPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { buildGrant, postTransfer, spendOne } from '../../../tests/support/factories/transfers.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'
import { endHolds } from '../../tasks/end-holds.ts'

/**
 * What becomes of credits that are held when their month ends. tasks/end-holds-any.test.ts tries the same rules
 * with what chance makes of them.
 */

const product = testProduct({ stripe: 'empty' })
const { database, worker, clock } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const hourS = 3600

/** A plan of 500 credits, of which `used` are used, and bought credits, ten minutes before its month ends. */
async function buildEnding({ used = 0, bought = 0 } = {}): Promise<PaidPurchase> {
  const plan = await buildPaidPlan(product)
  await worker.catchUp()
  if (bought > 0) await postTransfer(database.worker, buildGrant(plan.owner_id, bought))
  if (used > 0) expect(await life.use(plan, used)).toBe(true)
  await life.toPeriodEnd(plan, -600)
  return plan
}

type Ask = Pick<SpendRequest, 'action'> & Record<string, unknown>
async function ask({ owner_id, user_id }: PaidPurchase, request: Ask): Promise<SpendOutcome> {
  const asked = { owner_id, actor: user_id, occurred_at: clock.now(), ...request }
  return spendOne(database.server, asked as SpendRequest)
}
const reserve = (plan: PaidPurchase, credits: number) =>
  ask(plan, {
    action: 'reserve',
    credits,
    idempotency_key: randomUUID(),
    reason: 'Chat',
    lasting_s: 24 * hourS,
  })
const settle = (plan: PaidPurchase, { hold }: SpendOutcome, credits: number) =>
  ask(plan, { action: 'settle', hold_id: hold?.id, credits })
const release = (plan: PaidPurchase, { hold }: SpendOutcome) =>
  ask(plan, { action: 'release', hold_id: hold?.id })

/** The renewal is paid, and heard. */
async function renew({ subscription_id }: PaidPurchase): Promise<void> {
  await product.advanceDays(0.1)
  await worker.catchUp()
  await processSubscriptionSync(worker.deps, { subscription_id: subscription_id ?? '' })
}

/** The balance; the books agree with the facts at every time. */
async function see(plan: PaidPurchase) {
  const sheet = await database.owner
    .transaction()
    .execute((trx) => readOwnerBalanceSheet(trx, plan.owner_id, clock.now()))
  const balance = await life.balance(plan)
  return {
    plan: balance.plan,
    purchased: balance.purchased,
    held: balance.held,
    available: balance.available,
    missing: sheet.difference.transfers.map(({ component, credits }) => [component, credits]),
    closed: sheet.books.closed_months.map(({ used }) => used),
  }
}
const nothing: unknown[] = []

describe('holds at a month’s end', () => {
  test('three open holds keep what they may take of a month that is over, and what each leaves expires', async () => {
    const plan = await buildEnding({ used: 200, bought: 100 })
    const [first, second, third] = [await reserve(plan, 75), await reserve(plan, 75), await reserve(plan, 75)]
    expect(await see(plan)).toMatchObject({ plan: 300, held: 225, available: 175 })
    await renew(plan)
    // 75 of 300 have expired.
    const renewed = {
      plan: 725,
      purchased: 100,
      held: 225,
      available: 600,
      missing: nothing,
      closed: [200],
    }
    expect(await see(plan)).toEqual(renewed)
    expect((await verifyLedger(database.owner)).problems).toEqual([])

    expect(await settle(plan, first, 75)).toMatchObject({ charged: 75, plan: 650, purchased: 100 })
    await release(plan, second)
    await endHolds(worker.deps)
    // The 75 of the one that was released have expired.
    expect(await see(plan)).toMatchObject({
      plan: 575,
      held: 75,
      missing: nothing,
      closed: [275],
    })
    expect(await settle(plan, third, 30)).toMatchObject({ charged: 30, plan: 545 })
    expect(await see(plan)).toMatchObject({ missing: [['expired', -45]] })
    expect(await endHolds(worker.deps)).toEqual({ ended: 0, closed: 1 })
    expect(await see(plan)).toEqual({
      plan: 500,
      purchased: 100,
      held: 0,
      available: 600,
      missing: nothing,
      closed: [305],
    })
  })

  test('a hold that is opened in the gap of a renewal belongs to the new month', async () => {
    const plan = await buildEnding({ used: 100 })
    await life.toPeriodEnd(plan, 60)
    const hold = await reserve(plan, 300)
    await renew(plan)
    expect(await see(plan)).toMatchObject({
      plan: 500,
      held: 300,
      available: 200,
      missing: nothing,
      closed: [100],
    })
    expect(await settle(plan, hold, 300)).toMatchObject({ charged: 300, plan: 200 })
  })

  test('a full refund takes all credits, and the hold may still be settled', async () => {
    const plan = await buildEnding({ used: 100, bought: 20 })
    const hold = await reserve(plan, 75)
    await life.refund((await life.charges(plan))[0])
    await worker.catchUp()
    expect(await see(plan)).toMatchObject({
      plan: -100,
      purchased: 20,
      held: 75,
      available: -155,
      missing: nothing,
    })
    expect((await ask(plan, { credits: 1, idempotency_key: 'a', reason: 'Chat' })).outcome).toBe('refused')
    expect(await settle(plan, hold, 80)).toMatchObject({ charged: 75, plan: -175, purchased: 20, held: 0 })
    expect(await see(plan)).toMatchObject({ missing: nothing })
  })

  test('a hold that is settled while a dispute has taken the month makes no debt of bought credits', async () => {
    const plan = await buildEnding()
    const hold = await reserve(plan, 100)
    const [charge] = await life.charges(plan)
    const dispute = await life.dispute(charge)
    await worker.catchUp()
    expect(await settle(plan, hold, 100)).toMatchObject({ charged: 100, plan: -100, purchased: 0 })
    await life.closeDispute(dispute, 'won')
    await worker.catchUp()
    expect(await see(plan)).toMatchObject({ plan: 400, purchased: 0, missing: nothing })
    await life.toPeriodEnd(plan, 60)
    await renew(plan)
    expect(await see(plan)).toMatchObject({ plan: 500, purchased: 0, available: 500 })
  })

  test('usage in the gap of a renewal beside a hold of the old month costs no bought credits', async () => {
    const plan = await buildEnding({ used: 460, bought: 100 })
    const hold = await reserve(plan, 40)
    await life.toPeriodEnd(plan, 300)
    expect(await life.use(plan, 40)).toBe(true)
    expect(await settle(plan, hold, 40)).toMatchObject({ plan: 0, purchased: 60 })
    await renew(plan)
    expect(await see(plan)).toMatchObject({ plan: 460, purchased: 100, missing: nothing, closed: [500] })
  })

  test('what is left of a month pays at its end what bought credits paid beside a hold', async () => {
    const plan = await buildEnding({ used: 460, bought: 100 })
    const hold = await reserve(plan, 40)
    expect(await life.use(plan, 40)).toBe(true)
    expect(await see(plan)).toMatchObject({ plan: 40, purchased: 60 })
    await settle(plan, hold, 10)
    await life.toPeriodEnd(plan, 60)
    await renew(plan)
    expect(await see(plan)).toMatchObject({ plan: 500, purchased: 90, missing: nothing, closed: [500] })
  })
})
