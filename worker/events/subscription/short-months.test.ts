import { afterAll, afterEach, expect, test } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import {
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty' })
const { clock, database, worker } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

/** It is noon (UTC) of that day, for us and at Stripe, and everything has arrived. */
async function waitFor(date: string, time = '12:00'): Promise<void> {
  await product.advanceDays((Date.parse(`${date}T${time}Z`) - clock.now().getTime()) / 86_400_000)
  await worker.catchUp()
}

async function buyOn(date: string, order: PlanOrder = {}): Promise<PaidPurchase> {
  await waitFor(date, '10:00')
  const bought = await buildPaidPlan(product, order)
  await worker.catchUp()
  return bought
}

/** The first days of the months that credits were granted for. */
async function monthsOf({ owner_id }: PaidPurchase): Promise<(string | undefined)[]> {
  const grants = await database.owner
    .selectFrom('ledger_grants')
    .select('month_starts_at')
    .where('owner_id', '=', owner_id)
    .orderBy('month_starts_at')
    .execute()
  return grants.map(({ month_starts_at }) => month_starts_at?.toISOString().slice(0, 10))
}

// Stripe bills on the last day of a month that has not the anchor's day, and on that day again afterwards:
// https://docs.stripe.com/billing/subscriptions/billing-cycle
test.each([
  ['2027-01-29', '2027-02-28', '2027-03-29', '2027-04-29'],
  ['2027-01-30', '2027-02-28', '2027-03-30', '2027-04-30'],
  ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'],
  ['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'],
  ['2028-01-30', '2028-02-29', '2028-03-30', '2028-04-30'],
])('a monthly plan of %s has its months from %s, %s and %s on', async (first, ...others) => {
  const bought = await buyOn(first)
  await life.use(bought, 200)
  for (const [index, month] of others.entries()) {
    // The day before it is still the month before.
    await waitFor(new Date(Date.parse(`${month}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10))
    expect(await monthsOf(bought)).toEqual([first, ...others.slice(0, index)])
    await waitFor(month)
    expect(await monthsOf(bought)).toEqual([first, ...others.slice(0, index + 1)])
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  }
})
