import { randomUUID } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { unusedPartOf } from '../../schema/vendors/stripe/refund-unused-part.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import {
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../tests/support/factories/paid-purchases.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from './subscription-sync.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
const life = planLife(product)

afterEach(async () => {
  await stripe.clear('faults')
  await life.startOver()
})
booksEndRight(database)

/** Some time ago: Stripe's times are whole seconds. */
async function buyPro(order: PlanOrder = {}): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, order)
  await product.advanceDays(1 / 24)
  await worker.catchUp()
  return bought
}

/** A Teams plan that ends `pro`, as far as it is paid at Stripe. */
const buyTeams = (pro: PaidPurchase, order: PlanOrder = {}) =>
  buildPaidPlan(product, {
    plan_type: 'teams',
    owner_id: `org_${randomUUID().slice(0, 8)}`,
    user_id: pro.user_id,
    ends_subscription_id: pro.subscription_id,
    ...order,
  })

const tryToEnd = ({ subscription_id }: PaidPurchase) =>
  processSubscriptionSync(worker.deps, { subscription_id: subscription_id ?? '' })

/** Teams arrives, and what the job does arrives too. */
async function replace(pro: PaidPurchase): Promise<void> {
  await buyTeams(pro)
  await worker.catchUp()
  await tryToEnd(pro)
  await worker.catchUp()
}

async function refundsOf({ customer_id }: PaidPurchase) {
  const { data } = await stripe.client.charges.list({ customer: customer_id, limit: 100 })
  const lists = data.map(({ id }) => stripe.client.refunds.list({ charge: id, limit: 100 }))
  return (await Promise.all(lists)).flatMap((list) => list.data)
}
const refundedTo = async (pro: PaidPurchase) =>
  (await refundsOf(pro)).reduce((sum, { amount }) => sum + amount, 0)

async function kindsOf({ owner_id }: PaidPurchase): Promise<string[]> {
  const rows = await database.owner
    .selectFrom('ledger_transfers')
    .innerJoin('ledger_entries', 'ledger_entries.transfer_id', 'ledger_transfers.id')
    .innerJoin('ledger_accounts', 'ledger_accounts.id', 'ledger_entries.account_id')
    .select(['ledger_transfers.kind', 'ledger_entries.amount'])
    .where('ledger_accounts.owner_id', '=', owner_id)
    .orderBy('ledger_transfers.id')
    .execute()
  return rows.map(({ kind, amount }) => `${kind} ${amount}`)
}

test('Pro goes on while Teams is not paid, and ends with a refund of the unused time when few credits were used', async () => {
  const pro = await buyPro()
  await life.use(pro, 100)
  await product.advanceDays(15)
  await buyTeams(pro, { card: 'pm_card_chargeDeclined' }).catch(() => undefined)
  await worker.catchUp()
  await tryToEnd(pro)
  expect(await life.row(pro)).toMatchObject({ status: 'active', replaced_by: null })

  await replace(pro)
  const { current_period_start, current_period_end, ended_at } = (await life.row(pro)) ?? {}
  const month = Number(current_period_end) - Number(current_period_start)
  const unused = Number(current_period_end) - Number(ended_at)
  expect(await refundedTo(pro)).toBe(Math.floor((2000 * unused) / month))
  expect(await life.row(pro)).toMatchObject({ status: 'canceled', is_unfinished: false })
  expect(await life.balance(pro)).toMatchObject({ plan: 0 })
  expect(await kindsOf(pro)).toEqual(['plan_grant 500', 'usage -100', 'expiry -400'])
})

test('Pro gives back the share of its unused credits when more was used than time has passed', async () => {
  const pro = await buyPro()
  await life.use(pro, 400)
  await product.advanceDays(3)
  await replace(pro)
  expect(await refundedTo(pro)).toBe(400)
  expect(await kindsOf(pro)).toEqual(['plan_grant 500', 'usage -400', 'expiry -100'])
  const [refund] = await refundsOf(pro)
  expect(refund?.metadata).toEqual({ [unusedPartOf]: pro.subscription_id })
  const charge = await database.owner
    .selectFrom('charges')
    .select(['refunded_minor', 'unused_refund_minor', 'refunded_before_minor'])
    .where('owner_id', '=', pro.owner_id)
    .executeTakeFirst()
  expect(charge).toEqual({ refunded_minor: 400, unused_refund_minor: 400, refunded_before_minor: 0 })
})

test('a refund of the rest of the price takes back the rest of the credits', async () => {
  const pro = await buyPro()
  await life.use(pro, 250)
  await replace(pro)
  expect(await refundedTo(pro)).toBe(1000)
  await product.advanceDays(1)
  const [charge] = await life.charges(pro)
  await life.refund(charge)
  await worker.catchUp()
  expect(await life.balance(pro)).toMatchObject({ plan: -250 })
})

test.each<[string, PlanOrder, (pro: PaidPurchase) => Promise<unknown>]>([
  ['whose credits are all used', {}, (pro) => life.use(pro, 500)],
  ['in its trial', { trial_days: 14 }, () => product.advanceDays(2)],
  ['whose payment is disputed', {}, async (pro) => life.dispute((await life.charges(pro))[0])],
])('Pro %s gives nothing back and leaves nothing', async (_, order, live) => {
  const pro = await buyPro(order)
  await live(pro)
  await worker.catchUp()
  await replace(pro)
  expect(await life.row(pro)).toMatchObject({ status: 'canceled', unused_refund_minor: 0 })
  expect(await refundsOf(pro)).toEqual([])
  expect((await life.balance(pro)).plan).toBeLessThanOrEqual(0)
})

test('a dispute that is opened between the end and the refund leaves no refund to make', async () => {
  const pro = await buyPro()
  await buyTeams(pro)
  await worker.catchUp()
  await life.cancel(pro)
  await worker.catchUp()
  expect(await life.row(pro)).toMatchObject({ is_unfinished: true })
  const [charge] = await life.charges(pro)
  await life.dispute(charge)
  await tryToEnd(pro)
  await worker.catchUp()
  expect(await refundsOf(pro)).toEqual([])
  expect(await life.row(pro)).toMatchObject({ is_unfinished: false, unused_refund_minor: 0 })
})

test('a refund of Teams revives nothing', async () => {
  const pro = await buyPro()
  const teams = await buyTeams(pro)
  await worker.catchUp()
  await tryToEnd(pro)
  await worker.catchUp()
  await life.refund((await life.charges(teams))[0])
  await life.cancel(teams)
  await worker.catchUp()
  await tryToEnd(pro)
  expect(await life.row(pro)).toMatchObject({ status: 'canceled' })
  expect(await refundsOf(pro)).toHaveLength(1)
})

test.each([
  ['the cancellation', '/v1/subscriptions'],
  ['the refund', '/v1/refunds'],
])('%s is tried again from the row, and once it works exactly one refund is made', async (_, path_prefix) => {
  const pro = await buyPro()
  await life.use(pro, 250)
  await buyTeams(pro)
  await worker.catchUp()
  await stripe.knob('faults', { status: 500, count: 100, path_prefix })
  await expect(tryToEnd(pro)).rejects.toThrow('one of our backends')
  expect(await life.row(pro)).toMatchObject({ is_unfinished: true, sync_failed_at: null })
  await stripe.clear('faults')
  for (let again = 0; again < 3; again += 1) {
    await tryToEnd(pro)
    await worker.catchUp()
  }
  expect((await refundsOf(pro)).map(({ amount }) => amount)).toEqual([1000])
  expect(await life.row(pro)).toMatchObject({ is_unfinished: false })
})

test('a worker that dies after the refund makes no second one, whatever events arrive first', async () => {
  const pro = await buyPro()
  await life.use(pro, 250)
  await replace(pro)
  await database.owner
    .updateTable('subscriptions')
    .set({ unused_refund_id: null })
    .where('stripe_subscription_id', '=', pro.subscription_id ?? '')
    .execute()
  await product.advanceDays(3)
  await worker.catchUp()
  await tryToEnd(pro)
  await worker.catchUp()
  expect(await refundsOf(pro)).toHaveLength(1)
  expect(await life.row(pro)).toMatchObject({ is_unfinished: false })
  expect(await life.balance(pro)).toMatchObject({ plan: 0 })
})

test('usage between the cancellation and its news lowers the refund', async () => {
  const pro = await buyPro()
  await buyTeams(pro)
  await worker.catchUp()
  await life.cancel(pro)
  await life.use(pro, 400)
  await worker.catchUp()
  await tryToEnd(pro)
  await worker.catchUp()
  expect(await refundedTo(pro)).toBe(400)
  expect(await life.balance(pro)).toMatchObject({ plan: 0 })
})

test('an order that names the plan of another person ends nothing', async () => {
  const [pro, stranger] = [await buyPro(), await buildUser(database.server)]
  await buyTeams(pro, { user_id: stranger })
  await worker.catchUp()
  expect(await life.row(pro)).toMatchObject({ status: 'active', replaced_by: null })
})

test('Pro that was cancelled by its owner before Teams was paid gives nothing back', async () => {
  const pro = await buyPro()
  await life.cancel(pro)
  await worker.catchUp()
  await replace(pro)
  expect(await life.row(pro)).toMatchObject({ status: 'canceled', replaced_by: null })
  expect(await refundsOf(pro)).toEqual([])
})

test('a payment that covers less than the refund needs a person', async () => {
  const pro = await buyPro()
  await buyTeams(pro)
  await worker.catchUp()
  await life.cancel(pro)
  await worker.catchUp()
  await database.owner
    .updateTable('subscriptions')
    .set({ unused_refund_minor: 9999 })
    .where('stripe_subscription_id', '=', pro.subscription_id ?? '')
    .execute()
  await expect(tryToEnd(pro)).rejects.toThrow('payment_of_that_size')
  expect(await life.row(pro)).toMatchObject({
    sync_failed_at: expect.any(Date),
    last_error: expect.stringContaining('payment_of_that_size'),
  })
  // A person gives back what can be given back.
  const [charge] = await life.charges(pro)
  const metadata = { [unusedPartOf]: pro.subscription_id ?? '' }
  await stripe.client.refunds.create({ charge: charge?.id ?? '', amount: 900, metadata })
  await tryToEnd(pro)
  expect(await life.row(pro)).toMatchObject({ is_unfinished: false })
})
