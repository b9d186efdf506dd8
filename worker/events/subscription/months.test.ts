import { afterAll, afterEach, expect, test } from 'vitest'
import { addMonths } from '../../../schema/billing/position/calendar.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import {
  buyPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker, stripe } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

const sync = ({ subscription_id }: PaidPurchase) =>
  processSubscriptionSync(worker.deps, { subscription_id: subscription_id ?? '' })

async function buyYear(order: PlanOrder = {}): Promise<PaidPurchase> {
  return buyPlan(product, { billing_frequency: 'yearly', ...order })
}

/** What each kind of transfer moved of the plan account, in order. */
async function history({ owner_id }: PaidPurchase): Promise<[string, number][]> {
  const rows = await database.owner
    .selectFrom('ledger_accounts as account')
    .innerJoin('ledger_entries as entry', 'entry.account_id', 'account.id')
    .innerJoin('ledger_transfers as transfer', 'transfer.id', 'entry.transfer_id')
    .select(['transfer.kind', 'entry.amount'])
    .where('account.owner_id', '=', owner_id)
    .where('account.name', '=', 'plan')
    .orderBy('entry.version')
    .execute()
  return rows.map(({ kind, amount }) => [kind, Number(amount)])
}

test('a yearly plan begins a month that is over by time alone with one look at Stripe, and is looked at when it begins', async () => {
  const bought = await buyYear()
  await life.use(bought, 100)
  await product.advanceDays(31)
  const calls: string[] = []
  const counting = (name: string, object: object) =>
    new Proxy(object, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          calls.push(`${name}.${String(key)}`)
          return Reflect.apply(value, target, args)
        }
      },
    })
  const client = Object.create(stripe.client, {
    subscriptions: { value: counting('subscriptions', stripe.client.subscriptions) },
    invoices: { value: counting('invoices', stripe.client.invoices) },
  })
  await processSubscriptionSync(
    { ...worker.deps, stripe: client },
    { subscription_id: bought.subscription_id ?? '' },
  )
  expect(calls).toEqual(['subscriptions.retrieve', 'invoices.list'])
  expect((await history(bought)).slice(-2)).toEqual([
    ['plan_grant', 500],
    ['expiry', -400],
  ])
  await sync(bought)
  expect(await history(bought)).toHaveLength(4)
})

test('a yearly plan is due to be looked at in the second in which its next month begins, or its period ends', async () => {
  const bought = await buyYear()
  const month = addMonths((await life.row(bought))?.current_period_start ?? new Date(Number.NaN), 1)
  await product.advanceDays(27.5)
  for (let looks = 0; looks < 5; looks++) {
    await sync(bought)
    const due = (await life.row(bought))?.next_try_at.getTime() ?? 0
    if (due === month.getTime()) return
    expect(due).toBeLessThan(month.getTime())
    await product.advanceDays((due - product.clock.now().getTime()) / 86_400_000)
  }
  expect.unreachable('it was never due when its month began')
})

test('a monthly plan is due to be looked at when its period ends, too', async () => {
  const bought = await buyPlan(product)
  const ends = (await life.row(bought))?.current_period_end.getTime() ?? 0
  await product.advanceDays((ends - product.clock.now().getTime()) / 86_400_000 - 0.5)
  await sync(bought)
  expect((await life.row(bought))?.next_try_at.getTime()).toBe(ends)
})

/** It is noon (UTC) of that day, for us and at Stripe, and everything has arrived. */
async function waitFor(date: string, time = '12:00'): Promise<void> {
  await product.advanceDays((Date.parse(`${date}T${time}Z`) - product.clock.now().getTime()) / 86_400_000)
  await worker.catchUp()
}

async function buyOn(date: string): Promise<PaidPurchase> {
  await waitFor(date, '10:00')
  return buyPlan(product)
}

/** The first days of the months that credits were granted for. */
async function monthsOf({ owner_id }: PaidPurchase): Promise<(string | undefined)[]> {
  const grants = await database.owner
    .selectFrom('ledger_grants')
    .select('month_starts_at')
    .where('owner_id', '=', owner_id)
    .orderBy('month_starts_at')
    .execute()
  return grants.map(({ month_starts_at }) => month_starts_at?.toISOString().slice(0, 10))
}

// Stripe bills on the last day of a month that has not the anchor's day, and on that day again afterwards:
// https://docs.stripe.com/billing/subscriptions/billing-cycle
test.each([
  ['2027-01-29', '2027-02-28', '2027-03-29', '2027-04-29'],
  ['2027-01-30', '2027-02-28', '2027-03-30', '2027-04-30'],
  ['2027-01-31', '2027-02-28', '2027-03-31', '2027-04-30'],
  ['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'],
  ['2028-01-30', '2028-02-29', '2028-03-30', '2028-04-30'],
])('a monthly plan of %s has its months from %s, %s and %s on', async (first, ...others) => {
  const bought = await buyOn(first)
  await life.use(bought, 200)
  for (const [index, month] of others.entries()) {
    // The day before it is still the month before.
    await waitFor(new Date(Date.parse(`${month}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10))
    expect(await monthsOf(bought)).toEqual([first, ...others.slice(0, index)])
    await waitFor(month)
    expect(await monthsOf(bought)).toEqual([first, ...others.slice(0, index + 1)])
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  }
})
