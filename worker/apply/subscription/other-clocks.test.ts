import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findIntent } from '../../../schema/checkout/intents.ts'
import { verifyLedger } from '../../../schema/ledger/verify.ts'
import { buildPaidPlan } from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty' })
const { clock, database, stripe, worker } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

describe('where our clock is behind Stripe’s', () => {
  test('a plan brings its credits with its payment', async () => {
    clock.setAhead({ minutes: -5 })
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    expect(await findIntent(database.owner, bought.intent_id)).toMatchObject({ state: 'settled' })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('a plan that is ended leaves no credits behind, although nobody looks again', async () => {
    const bought = await buildPaidPlan(product)
    await life.live(10)
    clock.advance(-5 * 60_000)
    await life.use(bought, 10)
    await life.cancel(bought)
    await worker.catchUp()
    expect(await life.row(bought)).toMatchObject({ status: 'canceled' })
    expect(await life.balance(bought)).toMatchObject({ plan: 0 })
  })

  test('a plan that is bought and ended in between has had its month', async () => {
    clock.setAhead({ minutes: -5 })
    const bought = await buildPaidPlan(product)
    await stripe.knob('clock/advance', { seconds: 60 })
    await life.cancel(bought)
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 0 })
    const grants = await database.owner
      .selectFrom('ledger_grants')
      .select('kind')
      .where('owner_id', '=', bought.owner.owner_id)
      .execute()
    expect(grants).toEqual([{ kind: 'month' }])
  })
})
