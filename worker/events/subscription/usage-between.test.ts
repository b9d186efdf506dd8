import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { explainBalance } from '../../../schema/ledger/read/explanation.ts'
import { sumPeriods } from '../../../schema/ledger/read/period-sums.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import {
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { buildGrant, postTransfer } from '../../../tests/support/factories/transfers.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'
import { syncSubject } from '../sync-subject.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker } = product
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const life = planLife(product)
afterEach(() => life.startOver())
const balanceOf = async (bought: PaidPurchase) => {
  const { plan, purchased } = await life.balance(bought)
  return [plan, purchased]
}
const use = async (bought: PaidPurchase, credits: number) =>
  expect(await life.use(bought, credits)).toBe(true)

/** The events arrive, and a month that began by time alone is looked at. */
const hear = async ({ subscription_id }: PaidPurchase) => {
  await worker.catchUp()
  await processSubscriptionSync(worker.deps, { subscription_id: subscription_id ?? '' })
}

const syncAndApply = (id: string) => syncSubject(worker.deps, { of: 'charge', id }, 'stripe')

/** A plan whose month is used but for a rest, beside 300 bought credits, after its renewal at Stripe. */
async function buildRenewed(rest: number, order: PlanOrder = {}): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, order)
  await worker.catchUp()
  await postTransfer(database.worker, buildGrant(bought.owner_id, 300))
  await use(bought, 500 - rest)
  await product.advanceDays(order.trial_days ? order.trial_days + 1 : 32)
  return bought
}

describe.each<[string, PlanOrder]>([
  ['of a month', {}],
  ['of a year, whose month has begun', { billing_frequency: 'yearly' }],
  ['after a trial', { trial_days: 14 }],
])('usage before the renewal %s is heard', (_, order) => {
  test('usage counts to the new month when that is heard, and bought credits come back once', async () => {
    const bought = await buildRenewed(0, order)
    await use(bought, 100)
    expect(await balanceOf(bought)).toEqual([0, 200])
    await hear(bought)
    expect(await balanceOf(bought)).toEqual([400, 300])
    await hear(bought)
    expect(await balanceOf(bought)).toEqual([400, 300])
  })
})

test('a renewal that is heard together with its refund covers no usage with what went back', async () => {
  const bought = await buildRenewed(400)
  await use(bought, 300)
  await product.advanceDays(0.1)
  const [charge] = await life.charges(bought)
  await life.refund(charge, Math.floor((charge?.amount ?? 0) / 2))
  // The event of the refund is the first that arrives.
  await syncAndApply(charge?.id ?? '')
  expect(await balanceOf(bought)).toEqual([0, 300])
  await hear(bought)
  expect(await balanceOf(bought)).toEqual([0, 300])
})

test('usage that moves is explained, and is no new credits in the sums of a day', async () => {
  const bought = await buildRenewed(60)
  const start = product.clock.now()
  await use(bought, 100)
  await worker.catchUp()
  const { changes, closing } = await explainBalance(database.owner, bought.owner_id, { limit: 10 })
  expect(closing).toEqual({ plan: 400, purchased: 300 })
  expect(changes.find(({ kind }) => kind === 'usage_moved')).toMatchObject({
    change: { plan: -40, purchased: 40 },
    grant_kind: 'month',
  })
  const [today] = await sumPeriods(database.owner, bought.owner_id, [start])
  // The new month's grant is of its start, some days ago.
  expect(today).toEqual({ used: 100, granted: 0 })
})
