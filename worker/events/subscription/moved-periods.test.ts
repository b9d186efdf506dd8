import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import {
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'

const product = testProduct({ stripe: 'empty' })
const { database, worker, stripe, clock } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

async function buy(order: PlanOrder = {}): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, order)
  await worker.catchUp()
  return bought
}

function team(seats: number): PlanOrder {
  const owner = { owner_kind: 'organization', owner_id: `org_${randomUUID().slice(0, 8)}` } as const
  return { plan_type: 'teams', billing_frequency: 'yearly', seats, owner }
}

/** Lets months of a year begin, and says what each brought. */
async function liveMonths(bought: PaidPurchase, count: number): Promise<number[]> {
  const plans: number[] = []
  for (let month = 0; month < count; month++) {
    await life.live(31)
    await processSubscriptionSync(worker.deps, { subscription_id: bought.subscription_id ?? '' })
    plans.push((await life.balance(bought)).plan)
  }
  return plans
}

const inDays = (days: number) => Math.floor(clock.now().getTime() / 1000) + days * 86_400

describe('a yearly plan that is moved in its third month by a trial of eleven months', () => {
  test('a yearly plan of which nothing is given back keeps 500 credits a month', async () => {
    const bought = await buy({ billing_frequency: 'yearly' })
    await liveMonths(bought, 2)
    await life.update(bought, { trial_end: inDays(334), proration_behavior: 'none' })
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
    await life.use(bought, 450)
    expect(await liveMonths(bought, 9)).toEqual(Array.from({ length: 9 }, () => 500))
  })

  test('a yearly plan whose rest is given back has one grant for the trial, and none of the year’s months', async () => {
    const bought = await buy({ billing_frequency: 'yearly' })
    await liveMonths(bought, 2)
    await life.update(bought, { trial_end: inDays(334), proration_behavior: 'create_prorations' })
    await worker.catchUp()
    await life.use(bought, 450)
    const [left, ...later] = await liveMonths(bought, 3)
    expect(left).toBeLessThanOrEqual(50)
    expect(later).toEqual([left, left])
  })
})

describe('a monthly plan of which 450 credits are used', () => {
  test.each(['none', 'always_invoice', 'create_prorations'] as const)(
    'a billing anchor that is moved to now with %s takes what was given back, and nothing else',
    async (proration_behavior) => {
      const bought = await buy()
      await life.use(bought, 450)
      await life.live(10)
      await life.update(bought, { billing_cycle_anchor: { type: 'now' }, proration_behavior })
      await worker.catchUp()
      const { plan } = await life.balance(bought)
      // Of 500 about 170 were due of the ten days; the 280 that were used beyond are a debt.
      if (proration_behavior === 'none') expect(plan).toBe(550)
      else expect(plan).toBeGreaterThan(190)
      if (proration_behavior !== 'none') expect(plan).toBeLessThan(230)
    },
  )

  test('a trial that moves it without giving anything back leaves the 50 that are left, and brings nothing', async () => {
    const bought = await buy()
    await life.use(bought, 450)
    await life.live(10)
    await life.update(bought, { trial_end: inDays(10), proration_behavior: 'none' })
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 50 })
  })
})

describe('seats of a year that change and are billed later', () => {
  test('five seats that become two bring 1,000 credits a month from the next month on, at the renewal too', async () => {
    const bought = await buy(team(5))
    await liveMonths(bought, 2)
    await changeLater(bought, 2)
    expect(await life.balance(bought)).toMatchObject({ plan: 2500 })
    expect(await life.row(bought)).toMatchObject({ seats_total: 2 })
    const months = await liveMonths(bought, 9)
    expect(months).toEqual(Array.from({ length: 9 }, () => 1000))
    await life.use(bought, 1000)
    await life.live(31)
    expect(await life.balance(bought)).toMatchObject({ plan: 1000, purchased: 0 })
  })

  test('two seats that become five bring nothing before they are invoiced, and at once when they are', async () => {
    const bought = await buy(team(2))
    await liveMonths(bought, 2)
    await changeLater(bought, 5)
    expect(await liveMonths(bought, 2)).toEqual([1000, 1000])
    const invoice = await stripe.client.invoices.create({
      customer: bought.customer_id,
      subscription: bought.subscription_id ?? '',
    })
    await stripe.client.invoices.finalizeInvoice(invoice.id ?? '', { auto_advance: true })
    await worker.catchUp()
    expect(await liveMonths(bought, 1)).toEqual([2500])
    expect(await life.row(bought)).toMatchObject({ pending_lines: [] })
  })

  test('a change whose pending items are deleted has not happened', async () => {
    const bought = await buy(team(5))
    await changeLater(bought, 2)
    const items = stripe.client.invoiceItems.list({ customer: bought.customer_id, pending: true })
    for (const { id } of (await items).data) await stripe.client.invoiceItems.del(id)
    await worker.catchUp()
    expect(await life.row(bought)).toMatchObject({ pending_lines: [] })
    expect(await liveMonths(bought, 1)).toEqual([2500])
  })

  async function changeLater(bought: PaidPurchase, quantity: number): Promise<void> {
    const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
    await life.update(bought, {
      items: [{ id: items.data[0]?.id ?? '', quantity }],
      proration_behavior: 'create_prorations',
    })
    await worker.catchUp()
  }
})

test('seats that change without a bill are shown, and the credits that were paid for stay', async () => {
  const bought = await buy(team(5))
  const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
  await life.update(bought, {
    items: [{ id: items.data[0]?.id ?? '', quantity: 2 }],
    proration_behavior: 'none',
  })
  await worker.catchUp()
  expect(await life.row(bought)).toMatchObject({ seats_total: 2 })
  expect(await liveMonths(bought, 2)).toEqual([2500, 2500])
})
