import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { addMonths } from '../../../schema/billing/position/calendar.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { buildPaidPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'

const product = testProduct({ stripe: 'empty' })
const { clock, database, stripe, worker } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

/** What the claim would have a worker do at a moment. */
async function claimAt(bought: PaidPurchase, at: Date): Promise<void> {
  clock.stop(at)
  const subscription_id = bought.subscription_id ?? ''
  const row = await life.row(bought)
  if (row && row.next_try_at <= at) await processSubscriptionSync(worker.deps, { subscription_id })
}

describe('where our clock is behind Stripe’s', () => {
  test('a plan brings its credits with its payment', async () => {
    clock.setAhead({ minutes: -5 })
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    expect(await findIntent(database.owner, bought.intent_id)).toMatchObject({ state: 'settled' })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('a plan that is ended leaves no credits behind, although it is not synced again', async () => {
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
      .where('owner_id', '=', bought.owner_id)
      .execute()
    expect(grants).toEqual([{ kind: 'month' }])
  })
})

describe('a month of a year', () => {
  test('a month of a year that has begun stays begun when our clock is set back, and when another worker’s is behind', async () => {
    const bought = await buildPaidPlan(product, { billing_frequency: 'yearly' })
    await worker.catchUp()
    const { current_period_start } = (await life.row(bought)) ?? expect.fail('It is there')
    const second = addMonths(current_period_start, 1)
    const third = addMonths(current_period_start, 2)
    const secondsFrom = (edge: Date, seconds: number) => new Date(edge.getTime() + seconds * 1000)
    await claimAt(bought, secondsFrom(second, 1))
    expect(await life.use(bought, 300)).toBe(true)
    // An event comes to a worker that is late.
    clock.stop(secondsFrom(second, -2))
    await processSubscriptionSync(worker.deps, { subscription_id: bought.subscription_id ?? '' })
    expect(await life.balance(bought)).toMatchObject({ plan: 200 })
    await claimAt(bought, secondsFrom(second, 3))
    expect(await life.use(bought, 100)).toBe(true)
    expect(await life.balance(bought)).toMatchObject({ plan: 100 })
    await claimAt(bought, secondsFrom(third, 1))
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })
})
