import { afterEach, expect, test } from 'vitest'
import { findUser } from '../../../schema/people/users/users.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import {
  buyPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const failsAtRenewal = '4000000000000341'

const product = testProduct({ stripe: 'empty' })
const { database, worker } = product
const life = planLife(product)
afterEach(() => life.startOver())
booksEndRight(database)

const planOf = async (bought: PaidPurchase) => (await findUser(database.owner, bought.user_id))?.plan_type

const buy = (order?: PlanOrder) => buyPlan(product, order)

test('a Pro plan grants during a trial, and again when the trial is paid', async () => {
  const bought = await buy({ trial_days: 14 })
  expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  expect(await life.row(bought)).toMatchObject({ status: 'trialing' })
  await life.use(bought, 500)
  await life.live(15)
  expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  expect(await life.row(bought)).toMatchObject({ status: 'active' })
})

test('a Pro plan whose trial ends without a payment keeps what was granted and is granted nothing new', async () => {
  const bought = await buy({ trial_days: 14, card: failsAtRenewal })
  await life.use(bought, 100)
  await life.live(15)
  expect(await life.row(bought)).toMatchObject({ status: 'past_due' })
  expect(await life.balance(bought)).toMatchObject({ plan: 400 })
  expect(await planOf(bought)).toBe('pro')
})

test('a Pro plan whose renewal fails grants nothing new, and ends when Stripe gives up', async () => {
  const bought = await buy({ card: failsAtRenewal })
  await life.live(32)
  expect(await life.row(bought)).toMatchObject({ status: 'past_due' })
  expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  for (let i = 0; i < 5; i++) await life.live(8)
  expect(await life.row(bought)).toMatchObject({ status: 'canceled' })
  expect(await life.balance(bought)).toMatchObject({ plan: 0 })
  expect(await planOf(bought)).toBe('starter')
})

test('a Pro plan that is cancelled at the period’s end lasts until then', async () => {
  const bought = await buy()
  await life.update(bought, { cancel_at_period_end: true })
  await worker.catchUp()
  expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  expect((await life.row(bought))?.cancel_at).not.toBeNull()
  await life.live(32)
  expect(await life.balance(bought)).toMatchObject({ plan: 0 })
  expect(await planOf(bought)).toBe('starter')
})
