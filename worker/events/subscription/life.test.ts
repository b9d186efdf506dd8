import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { findLatestSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { findUser } from '../../../schema/people/users/users.ts'
import { buildPaidPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { buildGrant, postTransfer, spendOne } from '../../../tests/support/factories/transfers.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const failsAtRenewal = '4000000000000341'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
afterEach(() => planLife(product).startOver())
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const balanceOf = (bought: PaidPurchase) => findBalance(database.owner, bought.owner_id)
const planOf = async (bought: PaidPurchase) => (await findUser(database.owner, bought.user_id))?.plan_type
const rowOf = (bought: PaidPurchase) => findLatestSubscription(database.owner, bought.owner_id)
const use = (bought: PaidPurchase, credits: number) =>
  spendOne(database.server, {
    owner_id: bought.owner_id,
    credits,
    idempotency_key: crypto.randomUUID(),
    occurred_at: new Date(),
    actor: bought.user_id,
    reason: 'Test',
  })

describe('a Pro plan', () => {
  test('a Pro plan grants its first month when it is paid', async () => {
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500, purchased: 0 })
    expect(await planOf(bought)).toBe('pro')
    expect(await findIntent(database.owner, bought.intent_id)).toMatchObject({ state: 'settled' })
    expect(await rowOf(bought)).toMatchObject({
      status: 'active',
      seats_total: 1,
      billing_frequency: 'monthly',
    })
  })

  test('renews: what is left expires, the new month is granted, purchased credits are not touched', async () => {
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    await postTransfer(database.worker, buildGrant(bought.owner_id, 70))
    await use(bought, 200)
    await product.advanceDays(32)
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500, purchased: 70 })
  })

  test('a Pro plan grants during a trial, and again when the trial is paid', async () => {
    const bought = await buildPaidPlan(product, { trial_days: 14 })
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    expect(await rowOf(bought)).toMatchObject({ status: 'trialing' })
    await use(bought, 500)
    await product.advanceDays(15)
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    expect(await rowOf(bought)).toMatchObject({ status: 'active' })
  })

  test('a Pro plan whose trial ends without a payment keeps what was granted and is granted nothing new', async () => {
    const bought = await buildPaidPlan(product, { trial_days: 14, card: failsAtRenewal })
    await worker.catchUp()
    await use(bought, 100)
    await product.advanceDays(15)
    await worker.catchUp()
    expect(await rowOf(bought)).toMatchObject({ status: 'past_due' })
    expect(await balanceOf(bought)).toMatchObject({ plan: 400 })
    expect(await planOf(bought)).toBe('pro')
  })

  test('a Pro plan whose renewal fails grants nothing new, and ends when Stripe gives up', async () => {
    const bought = await buildPaidPlan(product, { card: failsAtRenewal })
    await worker.catchUp()
    await product.advanceDays(32)
    await worker.catchUp()
    expect(await rowOf(bought)).toMatchObject({ status: 'past_due' })
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    for (let i = 0; i < 5; i++) {
      await product.advanceDays(8)
      await worker.catchUp()
    }
    expect(await rowOf(bought)).toMatchObject({ status: 'canceled' })
    expect(await balanceOf(bought)).toMatchObject({ plan: 0 })
    expect(await planOf(bought)).toBe('starter')
  })

  test('a Pro plan that is cancelled at the period’s end lasts until then', async () => {
    const bought = await buildPaidPlan(product)
    await stripe.client.subscriptions.update(bought.subscription_id ?? '', { cancel_at_period_end: true })
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    expect((await rowOf(bought))?.cancel_at).not.toBeNull()
    await product.advanceDays(32)
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 0 })
    expect(await planOf(bought)).toBe('starter')
  })

  test('a Pro plan that is cancelled at once ends at once, and purchased credits stay', async () => {
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    await postTransfer(database.worker, buildGrant(bought.owner_id, 70))
    await stripe.client.subscriptions.cancel(bought.subscription_id ?? '')
    await worker.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 0, purchased: 70 })
    expect(await planOf(bought)).toBe('starter')
  })
})

test('the terms of an open checkout are granted, whatever the catalogue says meanwhile, at renewals too', async () => {
  const bought = await buildPaidPlan(product, { credits_per_seat: 444 })
  await worker.catchUp()
  expect(await balanceOf(bought)).toMatchObject({ plan: 444 })
  await product.advanceDays(32)
  await worker.catchUp()
  expect(await balanceOf(bought)).toMatchObject({ plan: 444 })
})
