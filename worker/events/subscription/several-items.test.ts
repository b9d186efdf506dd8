import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, expect, test } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { planItemOf } from '../../../schema/vendors/stripe/catalogue.ts'
import { buildPaidPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker, stripe } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

async function buyTenSeats(): Promise<PaidPurchase> {
  const owner_id = `org_${randomUUID().slice(0, 8)}`
  const bought = await buildPaidPlan(product, { plan_type: 'teams', seats: 10, owner_id })
  await worker.catchUp()
  return bought
}

async function addOn(bought: PaidPurchase, quantity: number): Promise<void> {
  const price = await stripe.client.prices.create({
    product_data: { name: 'Priority support' },
    currency: 'eur',
    unit_amount: 900,
    recurring: { interval: 'month' },
  })
  await life.update(bought, {
    items: [{ price: price.id, quantity }],
    proration_behavior: 'always_invoice',
  })
}

const itemsOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.subscriptions.retrieve(subscription_id ?? '')).items.data

test.each([1, 50])(
  'an add-on of %i beside ten seats brings nothing and changes nothing, at renewals too',
  async (quantity) => {
    const bought = await buyTenSeats()
    await addOn(bought, quantity)
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 5000 })
    expect((await itemsOf(bought)).map((item) => item.quantity)).toEqual([quantity, 10])
    await life.live(31)
    expect(await life.balance(bought)).toMatchObject({ plan: 5000 })
    expect(await life.row(bought)).toMatchObject({ seats_total: 10, last_error: null })
  },
)

test('an add-on that is removed takes nothing back, and seats that are added beside it bring their credits', async () => {
  const bought = await buyTenSeats()
  await addOn(bought, 50)
  await life.live(31)
  const [extra, seats] = await itemsOf(bought)
  await life.update(bought, {
    items: [
      { id: extra?.id ?? '', deleted: true },
      { id: seats?.id ?? '', quantity: 12 },
    ],
    proration_behavior: 'always_invoice',
  })
  await worker.catchUp()
  // Two seats for nearly all of the month.
  expect((await life.balance(bought)).plan).toBeGreaterThan(5900)
  expect((await life.balance(bought)).plan).toBeLessThanOrEqual(6000)
  expect(await life.row(bought)).toMatchObject({ seats_total: 12 })
})

test('an invoice of an add-on alone is no payment for a plan', async () => {
  const bought = await buyTenSeats()
  await addOn(bought, 1)
  await worker.catchUp()
  const lines = await database.owner
    .selectFrom('paid_invoice_lines')
    .select(['kind', 'seats'])
    .where('owner_id', '=', bought.owner_id)
    .execute()
  expect(lines).toEqual([{ kind: 'period', seats: 10 }])
})

test('the plan is the item whose price sells one, wherever it stands', () => {
  const item = (lookup_key: string | null, product: string) => ({ price: { lookup_key, product } })
  const [plan, old, extra] = [item('teams_monthly', 'prod_1'), item(null, 'plan_teams'), item(null, 'prod_2')]
  expect(planItemOf([extra, plan])).toBe(plan)
  expect(planItemOf([extra, old])).toBe(old)
  expect(planItemOf([extra])).toBe(extra)
  expect(planItemOf([plan, old])).toBeUndefined()
  expect(planItemOf([extra, extra])).toBeUndefined()
})
