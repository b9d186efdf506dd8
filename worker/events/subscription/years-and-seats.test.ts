import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import { addMonths } from '../../../schema/position/calendar.ts'
import {
  buildPaidPlan,
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

/** Lets months of a year begin, one after the other. */
async function liveMonths(bought: PaidPurchase, count: number): Promise<void> {
  for (let month = 0; month < count; month++) {
    await life.live(31)
    await sync(bought)
  }
}

async function buyYear(order: PlanOrder = {}): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, { billing_frequency: 'yearly', ...order })
  await worker.catchUp()
  return bought
}

function team(seats: number): PlanOrder {
  const owner = { owner_kind: 'organization', owner_id: `org_${randomUUID().slice(0, 8)}` } as const
  return { plan_type: 'teams', seats, owner }
}

/** What each kind of transfer moved of the plan account, in order. */
async function history({ owner }: PaidPurchase): Promise<[string, number][]> {
  const rows = await database.owner
    .selectFrom('ledger_accounts as account')
    .innerJoin('ledger_entries as entry', 'entry.account_id', 'account.id')
    .innerJoin('ledger_transfers as transfer', 'transfer.id', 'entry.transfer_id')
    .select(['transfer.kind', 'entry.amount'])
    .where('account.owner_id', '=', owner.owner_id)
    .where('account.name', '=', 'plan')
    .orderBy('entry.version')
    .execute()
  return rows.map(({ kind, amount }) => [kind, Number(amount)])
}

describe('a yearly plan', () => {
  test('a yearly plan whose dispute is open over month starts and then won has every month that was paid for, at once', async () => {
    const bought = await buyYear()
    const id = await life.dispute((await life.charges(bought))[0])
    // The bank takes its time once it has our answer.
    await stripe.client.disputes.update(id, {
      evidence: { uncategorized_text: 'They used it.' },
      submit: true,
    })
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 0 })
    await liveMonths(bought, 2)
    expect(await life.balance(bought)).toMatchObject({ plan: 0 })
    await life.closeDispute(id, 'won')
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
    const all = await history(bought)
    expect(all.filter(([kind]) => kind === 'plan_grant')).toHaveLength(3)
    // The two months that are over come and expire in the same transaction, so that the books show them.
    expect(all.filter(([kind]) => kind === 'dispute_won')).toEqual([
      ['dispute_won', 500],
      ['dispute_won', 500],
      ['dispute_won', 500],
    ])
    expect(all.filter(([kind]) => kind === 'expiry')).toEqual([
      ['expiry', -500],
      ['expiry', -500],
    ])
  })

  test('a yearly plan that is refunded in parts, months apart, loses each part’s share of all its months, used ones included', async () => {
    const bought = await buyYear()
    const [charge] = await life.charges(bought)
    await life.use(bought, 500)
    await liveMonths(bought, 1)
    await life.refund(charge, 19_200 / 4)
    await worker.catchUp()
    // 125 of the first month, which was used up, and 125 of this one.
    expect(await life.balance(bought)).toMatchObject({ plan: 250 })
    await life.use(bought, 250)
    await liveMonths(bought, 1)
    expect(await life.balance(bought)).toMatchObject({ plan: 375 })
    await life.refund(charge, 19_200 / 4)
    await worker.catchUp()
    // Of three months 250 are due each: 750 were used of the first two, so that this one pays the rest.
    expect(await life.balance(bought)).toMatchObject({ plan: 0 })
    await liveMonths(bought, 1)
    expect(await life.balance(bought)).toMatchObject({ plan: 250 })
  })

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

  test('monthly too is due when its period ends', async () => {
    const bought = await buildPaidPlan(product)
    await worker.catchUp()
    const ends = (await life.row(bought))?.current_period_end.getTime() ?? 0
    await product.advanceDays((ends - product.clock.now().getTime()) / 86_400_000 - 0.5)
    await sync(bought)
    expect((await life.row(bought))?.next_try_at.getTime()).toBe(ends)
  })
})

describe('seats added to a yearly plan', () => {
  test('seats added to a yearly plan and refunded bring what is still paid for in every later month', async () => {
    const bought = await buyYear(team(2))
    await product.advanceDays(10)
    await life.changeSeats(bought, 6)
    await worker.catchUp()
    const [added] = await life.charges(bought)
    await life.refund(added, Math.floor((added?.amount ?? 0) / 2))
    await worker.catchUp()
    await liveMonths(bought, 1)
    // Half of the four added seats' money went back, less half a cent: 1000 of their 2000 credits stay.
    expect((await life.balance(bought)).plan).toBeGreaterThanOrEqual(1000 + 1000)
    expect((await life.balance(bought)).plan).toBeLessThanOrEqual(1000 + 1001)
    await life.refund(added)
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 1000 })
    await liveMonths(bought, 1)
    expect(await life.balance(bought)).toMatchObject({ plan: 1000 })
  })

  test('seats added in two changes within one second bring the same as in one', async () => {
    const balances: number[] = []
    for (const numbers of [[6], [4, 6], [9, 6], [6, 2, 6]]) {
      const bought = await buyYear(team(2))
      await product.advanceDays(10)
      const at = Math.floor(product.clock.now().getTime() / 1000)
      for (const quantity of numbers) await life.changeSeats(bought, quantity, at)
      await worker.applyStripe((await stripe.takeEvents()).toReversed())
      await liveMonths(bought, 1)
      balances.push((await life.balance(bought)).plan)
    }
    expect(balances).toEqual([3000, 3000, 3000, 3000])
  })

  test('again and again leave lines that are all read: twenty changes on one invoice', async () => {
    const bought = await buildPaidPlan(product, team(1))
    await worker.catchUp()
    const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
    const id = items.data[0]?.id ?? ''
    await product.advanceDays(1)
    const start = Math.floor(product.clock.now().getTime() / 1000)
    for (let n = 1; n <= 20; n++) {
      await life.update(bought, {
        items: [{ id, quantity: 1 + n }],
        proration_behavior: 'create_prorations',
        proration_date: start + n,
      })
    }
    await life.live(31)
    const [renewal] = (
      await stripe.client.invoices.list({ subscription: bought.subscription_id ?? '', limit: 1 })
    ).data
    expect(renewal?.lines.has_more).toBe(true)
    const lines = await database.owner
      .selectFrom('paid_invoice_lines')
      .select(['kind', 'seats'])
      .where('stripe_invoice_id', '=', renewal?.id ?? '')
      .execute()
    expect(
      lines
        .filter(({ kind }) => kind === 'seats')
        .map(({ seats }) => seats)
        .toSorted((a, b) => a - b),
    ).toEqual(Array.from({ length: 20 }, (_, n) => n + 2))
    // They were paid when their month was over: bought credits, for all but the first day of it.
    const { plan, purchased } = await life.balance(bought)
    expect(plan).toBe(21 * 500)
    expect(purchased).toBeGreaterThan(20 * 500 * (26 / 28))
    expect(purchased).toBeLessThan(20 * 500)
  })

  test('seats added to a yearly plan with effect from before the change before bring what is paid for, with several credit lines in their invoice', async () => {
    const bought = await buyYear(team(2))
    const begins = (await life.row(bought))?.current_period_start.getTime() ?? 0
    const onDay = (day: number) => begins / 1000 + day * 86_400
    await product.advanceDays(12)
    await life.changeSeats(bought, 4, onDay(10))
    await life.changeSeats(bought, 7, onDay(5))
    await worker.catchUp()
    const { data } = await stripe.client.invoices.list({
      subscription: bought.subscription_id ?? '',
      limit: 1,
    })
    expect(data[0]?.lines.data.map(({ amount, quantity }) => [amount < 0, quantity])).toEqual([
      [true, 2],
      [true, 4],
      [false, 7],
    ])
    await liveMonths(bought, 1)
    expect(await life.balance(bought)).toMatchObject({ plan: 3500 })
  })
})
