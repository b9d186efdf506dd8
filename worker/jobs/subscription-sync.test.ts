import { expect, test } from 'vitest'
import { findSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { buildPaidPlan, type PaidPurchase } from '../../tests/support/factories/paid-purchases.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker, clock } = product

const dayMs = 86_400_000

/** When it is synced again, in days from now. */
async function nextSyncInDays({ subscription_id }: PaidPurchase): Promise<number> {
  const row = await findSubscription(database.owner, subscription_id ?? '')
  return (Number(row?.next_try_at) - clock.now().getTime()) / dayMs
}

test('a subscription without events is synced after five to seven days, and not all on the same day', async () => {
  const bought = []
  for (let one = 0; one < 3; one += 1) bought.push(await buildPaidPlan(product))
  await worker.catchUp()
  const days = []
  for (const one of bought) days.push(await nextSyncInDays(one))
  expect(Math.min(...days)).toBeGreaterThan(5)
  expect(Math.max(...days)).toBeLessThanOrEqual(7)
  expect(new Set(days.map((day) => Math.round(day * 1000))).size).toBeGreaterThan(1)
})
