import { afterEach, expect, test } from 'vitest'
import { explainBalance } from '../../../schema/ledger/read/explanation.ts'
import { sumPeriods } from '../../../schema/ledger/read/period-sums.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { buyPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { buildGrant, postTransfer } from '../../../tests/support/factories/transfers.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { syncSubject } from '../sync-subject.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker } = product
booksEndRight(database)

const life = planLife(product)
afterEach(() => life.startOver())

/** A plan whose month is used but for a rest, beside 300 bought credits, after its renewal at Stripe. */
async function buildRenewed(rest: number): Promise<PaidPurchase> {
  const bought = await buyPlan(product)
  await postTransfer(database.worker, buildGrant(bought.owner_id, 300))
  expect(await life.use(bought, 500 - rest)).toBe(true)
  await product.advanceDays(32)
  return bought
}

test('a renewal that is heard together with its refund covers no usage with what went back', async () => {
  const bought = await buildRenewed(400)
  expect(await life.use(bought, 300)).toBe(true)
  await product.advanceDays(0.1)
  const [charge] = await life.charges(bought)
  await life.refund(charge, Math.floor((charge?.amount ?? 0) / 2))
  // The event of the refund is the first that arrives.
  await syncSubject(worker.deps, { of: 'charge', id: charge?.id ?? '' }, 'stripe')
  expect(await life.balance(bought)).toMatchObject({ plan: 0, purchased: 300 })
  await worker.catchUp()
  expect(await life.balance(bought)).toMatchObject({ plan: 0, purchased: 300 })
})

test('usage that moves is explained, and is no new credits in the sums of a day', async () => {
  const bought = await buildRenewed(60)
  const start = product.clock.now()
  expect(await life.use(bought, 100)).toBe(true)
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
