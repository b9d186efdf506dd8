import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { getAccountSummary } from '../../schema/api/account.ts'
import { findLatestMonth } from '../../schema/ledger/read/latest-month.ts'
import { buyPlan, type PaidPurchase, type PlanOrder } from '../../tests/support/factories/paid-purchases.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'

const product = testProduct({ stripe: 'empty', clerk: 'trusting' })
const { stripe, server, worker, clock } = product
const life = planLife(product)
beforeEach(() => life.startOver())

const buy = (order?: PlanOrder) => buyPlan(product, order)

const summaryOf = ({ user_id }: PaidPurchase) =>
  server.ask(getAccountSummary, { token: user_id, query: { payer: 'personal' } })
const monthOf = async (bought: PaidPurchase) => (await summaryOf(bought)).plan_month
const endOfPeriod = async (bought: PaidPurchase) => (await summaryOf(bought)).subscription?.current_period_end
const daysUntil = (iso: string | null | undefined) =>
  Math.round((Date.parse(iso ?? '') - clock.now().getTime()) / 86_400_000)

test('the month of a monthly plan says what is used of its credits, and resets with the period', async () => {
  const bought = await buy()
  const ends_at = await endOfPeriod(bought)
  expect(await monthOf(bought)).toEqual({ granted: 500, used: 0, ends_at, resets: true })
  await life.use(bought, 477)
  await giveCredits(product.database, bought.owner_id, { purchased: 1000 })
  expect(await monthOf(bought)).toMatchObject({ granted: 500, used: 477 })
  await life.use(bought, 100)
  expect(await monthOf(bought)).toMatchObject({ granted: 500, used: 500 })
  await life.live(32)
  expect(await monthOf(bought)).toEqual({
    granted: 500,
    used: 0,
    ends_at: await endOfPeriod(bought),
    resets: true,
  })
})

test('the month of a yearly plan resets every month', async () => {
  const bought = await buy({ billing_frequency: 'yearly' })
  await life.use(bought, 20)
  const first = await monthOf(bought)
  expect(first).toMatchObject({ granted: 500, used: 20, resets: true })
  expect(daysUntil(first?.ends_at)).toBeGreaterThanOrEqual(28)
  expect(daysUntil(first?.ends_at)).toBeLessThanOrEqual(31)
  await life.live(32)
  await processSubscriptionSync(worker.deps, { subscription_id: bought.subscription_id ?? '' })
  const second = await monthOf(bought)
  expect(second).toMatchObject({ granted: 500, used: 0, resets: true })
  expect(daysUntil(second?.ends_at)).toBeLessThanOrEqual(30)
})

test('the month of a trial resets when the trial ends, which may be moved', async () => {
  const bought = await buy({ trial_days: 14 })
  expect(daysUntil((await monthOf(bought))?.ends_at)).toBe(14)
  const trial_end = Math.round(clock.now().getTime() / 1000) + 20 * 86_400
  await life.update(bought, { trial_end })
  await worker.catchUp()
  expect(await monthOf(bought)).toMatchObject({ granted: 500, resets: true })
  expect(daysUntil((await monthOf(bought))?.ends_at)).toBe(20)
})

test('the month of a plan that lapses before its period ends with what is paid', async () => {
  const bought = await buy({ trial_days: 14 })
  await life.update(bought, { pause_collection: { behavior: 'void' } })
  await life.update(bought, { trial_end: 'now' })
  await worker.catchUp()
  const { plan_month, subscription } = await summaryOf(bought)
  expect(plan_month).toMatchObject({ ends_at: subscription?.lapses_at, resets: false })
  expect(daysUntil(plan_month?.ends_at)).toBe(14)
})

test('the month of a plan under renewal has no end until the next one is paid', async () => {
  const bought = await buy()
  await life.use(bought, 30)
  await life.toPeriodEnd(bought, 60)
  await worker.catchUp()
  const { plan_month, renewal } = await summaryOf(bought)
  expect({ plan_month, renewal }).toMatchObject({
    plan_month: { granted: 500, used: 30, ends_at: null },
    renewal: 'usual',
  })
  clock.advance(3600 * 1000)
  expect(await summaryOf(bought)).toMatchObject({ renewal: 'late' })
})

test('the month of a plan that is cancelled ends instead of resetting, and is none once it has ended', async () => {
  const bought = await buy()
  await life.update(bought, { cancel_at_period_end: true })
  await worker.catchUp()
  expect(await monthOf(bought)).toMatchObject({ ends_at: await endOfPeriod(bought), resets: false })
  await life.live(32)
  expect(await summaryOf(bought)).toMatchObject({ subscription: { status: 'canceled' }, plan_month: null })
})

test('a month of a yearly plan that is cancelled resets until the year is over', async () => {
  const bought = await buy({ billing_frequency: 'yearly' })
  await life.update(bought, { cancel_at_period_end: true })
  await worker.catchUp()
  expect(await monthOf(bought)).toMatchObject({ resets: true })
})

test('the month of a plan counts what a refund left of it, and is none below zero', async () => {
  const bought = await buy()
  await life.use(bought, 200)
  const [charge] = await life.charges(bought)
  await life.refund(charge, 1000)
  await worker.catchUp()
  expect(await monthOf(bought)).toMatchObject({ granted: 250, used: 200 })
  await life.refund(charge, 400)
  await worker.catchUp()
  expect((await summaryOf(bought)).balance.plan).toBe(-50)
  expect(await monthOf(bought)).toBeNull()
})

test('the month of a plan includes the credits of seats that were added in it, and is its organization’s', async () => {
  const owner_id = `org_${randomUUID().slice(0, 8)}`
  const bought = await buy({ plan_type: 'teams', seats: 2, owner_id })
  await life.changeSeats(bought, 3)
  await worker.catchUp()
  const stripe_subscription_id = bought.subscription_id ?? ''
  const month = await findLatestMonth(product.database.server, { owner_id, stripe_subscription_id })
  expect(month?.granted).toBe((await life.balance(bought)).plan)
  expect(month?.granted).toBeGreaterThan(1490)
  expect(await monthOf(bought)).toBeNull()
})

test('a plan whose card was refused keeps the last month, without an end', async () => {
  const bought = await buy()
  await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card: '4000000000000341' })
  await life.live(32)
  expect(await summaryOf(bought)).toMatchObject({
    subscription: { status: 'past_due' },
    plan_month: { granted: 500, used: 0, ends_at: null },
  })
})
