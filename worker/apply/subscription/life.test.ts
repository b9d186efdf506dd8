import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findIntent } from '../../../schema/checkout/intents.ts'
import { findBalance } from '../../../schema/ledger/balances.ts'
import { postTransfer } from '../../../schema/ledger/post.ts'
import { spendCredits } from '../../../schema/ledger/usage.ts'
import { verifyLedger } from '../../../schema/ledger/verify.ts'
import { findLatestSubscription } from '../../../schema/subscriptions/subscriptions.ts'
import { findUser } from '../../../schema/users/users.ts'
import { createTestDatabase, type TestDatabase } from '../../../tests/support/database.ts'
import { grantOf } from '../../../tests/support/records.ts'
import { type Bought, openShop, type Shop } from '../../../tests/support/shop.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'

const failsAtRenewal = '4000000000000341'

let database: TestDatabase
let shop: Shop
beforeAll(async () => {
  database = await createTestDatabase()
  shop = await openShop(database)
})
afterAll(async () => {
  await shop?.close()
  expect((await verifyLedger(database.owner)).problems).toEqual([])
  await database?.close()
})

const balanceOf = (bought: Bought) => findBalance(database.owner, bought.owner)
const planOf = async (bought: Bought) => (await findUser(database.owner, bought.user_id))?.plan_type
const rowOf = (bought: Bought) => findLatestSubscription(database.owner, bought.owner)
const use = (bought: Bought, credits: number) =>
  spendCredits(database.server, {
    ...bought.owner,
    credits,
    idempotency_key: crypto.randomUUID(),
    occurred_at: new Date(),
    actor: bought.user_id,
    reason: 'Test',
  })

describe('a Pro plan', () => {
  test('grants its first month when it is paid', async () => {
    const bought = await shop.buyPlan()
    await shop.catchUp()
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
    const bought = await shop.buyPlan()
    await shop.catchUp()
    await postTransfer(database.worker, grantOf(bought.owner.owner_id, 70))
    await use(bought, 200)
    await shop.advance(32)
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500, purchased: 70 })
  })

  test('grants during a trial, and again when the trial is paid', async () => {
    const bought = await shop.buyPlan({ trial_days: 14 })
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    expect(await rowOf(bought)).toMatchObject({ status: 'trialing' })
    await use(bought, 500)
    await shop.advance(15)
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    expect(await rowOf(bought)).toMatchObject({ status: 'active' })
  })

  test('whose trial ends without a payment keeps what was granted and is granted nothing new', async () => {
    const bought = await shop.buyPlan({ trial_days: 14, card: failsAtRenewal })
    await shop.catchUp()
    await use(bought, 100)
    await shop.advance(15)
    await shop.catchUp()
    expect(await rowOf(bought)).toMatchObject({ status: 'past_due' })
    expect(await balanceOf(bought)).toMatchObject({ plan: 400 })
    expect(await planOf(bought)).toBe('pro')
  })

  test('whose renewal fails grants nothing new, and ends when Stripe gives up', async () => {
    const bought = await shop.buyPlan({ card: failsAtRenewal })
    await shop.catchUp()
    await shop.advance(32)
    await shop.catchUp()
    expect(await rowOf(bought)).toMatchObject({ status: 'past_due' })
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    for (let i = 0; i < 5; i++) {
      await shop.advance(8)
      await shop.catchUp()
    }
    expect(await rowOf(bought)).toMatchObject({ status: 'canceled' })
    expect(await balanceOf(bought)).toMatchObject({ plan: 0 })
    expect(await planOf(bought)).toBe('starter')
  })

  test('that is cancelled at the period’s end lasts until then', async () => {
    const bought = await shop.buyPlan()
    await shop.stripe.subscriptions.update(bought.subscription_id ?? '', { cancel_at_period_end: true })
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 500 })
    expect((await rowOf(bought))?.cancel_at).not.toBeNull()
    await shop.advance(32)
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 0 })
    expect(await planOf(bought)).toBe('starter')
  })

  test('that is cancelled at once ends at once, and purchased credits stay', async () => {
    const bought = await shop.buyPlan()
    await shop.catchUp()
    await postTransfer(database.worker, grantOf(bought.owner.owner_id, 70))
    await shop.stripe.subscriptions.cancel(bought.subscription_id ?? '')
    await shop.catchUp()
    expect(await balanceOf(bought)).toMatchObject({ plan: 0, purchased: 70 })
    expect(await planOf(bought)).toBe('starter')
  })

  test('that is paid by the year is granted by the month', async () => {
    const bought = await shop.buyPlan({ billing_frequency: 'yearly' })
    await shop.catchUp()
    await use(bought, 500)
    await shop.advance(32)
    await processSubscriptionSync(shop.deps, { subscription_id: bought.subscription_id ?? '' })
    await processSubscriptionSync(shop.deps, { subscription_id: bought.subscription_id ?? '' })
    expect(await balanceOf(bought)).toMatchObject({ plan: 500, version: 3 })
  })
})

test('what an open checkout promised is granted, whatever the catalogue says meanwhile, at renewals too', async () => {
  const bought = await shop.buyPlan({ credits_per_seat: 444 })
  await shop.catchUp()
  expect(await balanceOf(bought)).toMatchObject({ plan: 444 })
  await shop.advance(32)
  await shop.catchUp()
  expect(await balanceOf(bought)).toMatchObject({ plan: 444 })
})

describe('events of a subscription', () => {
  const orders = [
    ['in order', <T>(events: T[]) => events],
    ['reversed', <T>(events: T[]) => events.toReversed()],
    [
      'each ten times',
      <T>(events: T[]) => events.flatMap((event) => Array.from({ length: 10 }, () => event)),
    ],
    [
      'late ones first',
      <T>(events: T[]) => [...events.slice(events.length / 2), ...events.slice(0, events.length / 2)],
    ],
  ] as const
  test.each(orders)('end in the same books when they come %s', async (_, arrange) => {
    const bought = await shop.buyPlan()
    await shop.advance(32)
    await shop.stripe.subscriptions.cancel(bought.subscription_id ?? '')
    await shop.deliver(arrange(await shop.takeEvents()))
    expect(await balanceOf(bought)).toMatchObject({ plan: 0, purchased: 0 })
    expect(await rowOf(bought)).toMatchObject({ status: 'canceled' })
    expect(await planOf(bought)).toBe('starter')
  })

  test('handled at the same time grant once', async () => {
    const bought = await shop.buyPlan()
    const events = await shop.takeEvents()
    await Promise.all([shop.deliver(events), shop.deliver(events.toReversed()), shop.deliver(events)])
    expect(await balanceOf(bought)).toMatchObject({ plan: 500, version: 1 })
  })

  test('of somebody else are ignored', async () => {
    const customer = await shop.stripe.customers.create({ email: 'foreign@tidemark.test' })
    const product = await shop.stripe.products.create({ name: 'Foreign' })
    const price = await shop.stripe.prices.create({
      product: product.id,
      currency: 'eur',
      unit_amount: 100,
      recurring: { interval: 'month' },
    })
    const session = await shop.stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price: price.id, quantity: 1 }],
      success_url: 'http://localhost:3000/x',
    })
    await shop.sandbox.knob(`sessions/${session.id}/pay`)
    const events = await shop.takeEvents()
    await shop.deliver(events)
    const rows = await database.owner
      .selectFrom('inbox_events')
      .select('state')
      .where(
        'id',
        'in',
        events.map((event) => event.id),
      )
      .execute()
    expect(rows.every((row) => row.state === 'ignored')).toBe(true)
  })
})
