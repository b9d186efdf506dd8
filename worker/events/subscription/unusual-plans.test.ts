import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { planItemOf } from '../../../schema/vendors/stripe/catalogue.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import {
  buildPaidPlan,
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
booksEndRight(database)

const buy = (order?: PlanOrder) => buyPlan(product, order)

const listUnfinishedEvents = () =>
  database.owner.selectFrom('inbox_events').select(['type', 'reason']).where('state', '=', 'failed').execute()

test.each<[string, PlanOrder, RegExp]>([
  [
    'costs more',
    { intended_minor: 1999 },
    /^differs .*"id":"in_.*"expected":"19.99 EUR","found":"20.00 EUR"/,
  ],
  [
    'is free for longer',
    { trial_days: 60, intended_trial_days: 14 },
    /^differs .*"trial_days","expected":"14","found":"60"/,
  ],
])(
  'a first invoice that %s than was promised grants nothing and is left to a person, with the reason',
  async (_what, order, reason) => {
    const bought = await buildPaidPlan(product, order)
    const events = await stripe.takeEvents()
    await worker.applyStripe(events.filter(({ type }) => type === 'invoice.paid')).catch(() => undefined)
    expect(await listUnfinishedEvents()).toMatchObject([{ reason: expect.stringMatching(reason) }])
    await database.owner.deleteFrom('inbox_events').where('state', '=', 'failed').execute()
    expect(await life.balance(bought)).toMatchObject({ plan: 0 })
  },
)

describe('an invoice', () => {
  test('an invoice of a manual item that was waiting when the plan was bought does not contradict the terms', async () => {
    const bought = await buy({
      prepare: (customer) => stripe.client.invoiceItems.create({ customer, currency: 'eur', amount: 300 }),
    })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('an invoice of seats that change in the second of the period’s end holds up nothing', async () => {
    const owner_id = 'org_end'
    const bought = await buy({ plan_type: 'teams', seats: 2, owner_id })
    const ends = (await life.row(bought))?.current_period_end.getTime() ?? 0
    const subscription = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
    await product.advanceDays((ends - product.clock.now().getTime()) / 86_400_000 - 0.001)
    await life.update(bought, {
      items: [{ id: subscription.items.data[0]?.id ?? '', quantity: 5 }],
      proration_behavior: 'create_prorations',
      proration_date: ends / 1000,
    })
    await life.live(0.1)
    expect(await life.balance(bought)).toMatchObject({ plan: 2500, purchased: 0 })
    expect(await listUnfinishedEvents()).toEqual([])
  })

  test('a change of seats whose pending items are deleted has not happened', async () => {
    const owner_id = 'org_deleted'
    const bought = await buy({ plan_type: 'teams', billing_frequency: 'yearly', seats: 5, owner_id })
    const id = bought.subscription_id ?? ''
    const { items } = await stripe.client.subscriptions.retrieve(id)
    const two = [{ id: items.data[0]?.id ?? '', quantity: 2 }]
    await life.update(bought, { items: two, proration_behavior: 'create_prorations' })
    await worker.catchUp()
    const pending = stripe.client.invoiceItems.list({ customer: bought.customer_id, pending: true })
    for (const item of (await pending).data) await stripe.client.invoiceItems.del(item.id)
    await worker.catchUp()
    expect(await life.row(bought)).toMatchObject({ pending_lines: [] })
    await life.live(31)
    await processSubscriptionSync(worker.deps, { subscription_id: id })
    expect(await life.balance(bought)).toMatchObject({ plan: 2500 })
  })
})

async function buyTenSeats(): Promise<PaidPurchase> {
  const owner_id = `org_${randomUUID().slice(0, 8)}`
  return buy({ plan_type: 'teams', seats: 10, owner_id })
}

async function addOn(bought: PaidPurchase, quantity: number): Promise<void> {
  const price = await stripe.client.prices.create({
    product_data: { name: 'Priority support' },
    currency: 'eur',
    unit_amount: 900,
    recurring: { interval: 'month' },
  })
  await life.update(bought, {
    items: [{ price: price.id, quantity }],
    proration_behavior: 'always_invoice',
  })
}

const itemsOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.subscriptions.retrieve(subscription_id ?? '')).items.data

test.each([1, 50])(
  'an add-on of %i beside ten seats brings nothing and changes nothing, at renewals too',
  async (quantity) => {
    const bought = await buyTenSeats()
    await addOn(bought, quantity)
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 5000 })
    expect((await itemsOf(bought)).map((item) => item.quantity)).toEqual([quantity, 10])
    await life.live(31)
    expect(await life.balance(bought)).toMatchObject({ plan: 5000 })
    expect(await life.row(bought)).toMatchObject({ seats_total: 10, last_error: null })
  },
)

test('an add-on that is removed takes nothing back, and seats that are added beside it bring their credits', async () => {
  const bought = await buyTenSeats()
  await addOn(bought, 50)
  await life.live(31)
  const [extra, seats] = await itemsOf(bought)
  await life.update(bought, {
    items: [
      { id: extra?.id ?? '', deleted: true },
      { id: seats?.id ?? '', quantity: 12 },
    ],
    proration_behavior: 'always_invoice',
  })
  await worker.catchUp()
  // Two seats for nearly all of the month.
  expect((await life.balance(bought)).plan).toBeGreaterThan(5900)
  expect((await life.balance(bought)).plan).toBeLessThanOrEqual(6000)
  expect(await life.row(bought)).toMatchObject({ seats_total: 12 })
})

test('an invoice of an add-on alone is no payment for a plan', async () => {
  const bought = await buyTenSeats()
  await addOn(bought, 1)
  await worker.catchUp()
  const lines = await database.rows('paid_invoice_lines', { owner_id: bought.owner_id }, ['kind', 'seats'])
  expect(lines).toEqual([{ kind: 'period', seats: 10 }])
})

test('the plan is the item whose price sells one, wherever it stands', () => {
  const item = (lookup_key: string | null, product: string) => ({ price: { lookup_key, product } })
  const [plan, old, extra] = [item('teams_monthly', 'prod_1'), item(null, 'plan_teams'), item(null, 'prod_2')]
  expect(planItemOf([extra, plan])).toBe(plan)
  expect(planItemOf([extra, old])).toBe(old)
  expect(planItemOf([extra])).toBe(extra)
  expect(planItemOf([plan, old])).toBeUndefined()
  expect(planItemOf([extra, extra])).toBeUndefined()
})

const listSeats = (organization_id: string) =>
  database.owner.selectFrom('seats').selectAll().where('organization_id', '=', organization_id).execute()

describe('an old subscription of an organization', () => {
  async function teamThatCameBack() {
    const owner_id = `org_${randomUUID().slice(0, 8)}`
    const before = await buyPlan(product, { plan_type: 'teams', seats: 3, owner_id })
    // The buyer leaves.
    await database.change('seats', { user_id: before.user_id }, { status: 'revoked', updated_at: new Date() })
    await life.cancel(before)
    await worker.catchUp()
    const now = await buyPlan(product, { plan_type: 'teams', seats: 5, owner_id })
    return { before, now, owner_id }
  }

  test('an old subscription of an organization gives no seat, whatever event arrives', async () => {
    const { before, now, owner_id } = await teamThatCameBack()
    await life.refund((await life.charges(before))[0])
    await worker.catchUp()
    const seats = await listSeats(owner_id)
    expect(seats.filter(({ status }) => status === 'active')).toMatchObject([
      { user_id: now.user_id, email: `${now.user_id}@tidemark.test`, role: 'admin' },
    ])
    expect(seats.find(({ user_id }) => user_id === before.user_id)).toMatchObject({ status: 'revoked' })
  })

  test('an old subscription of an organization gives no seat to a former admin, with the new buyer’s address, when that one has passed theirs on', async () => {
    const { before, now, owner_id } = await teamThatCameBack()
    await database.change('seats', { user_id: now.user_id }, { status: 'revoked' })
    await life.refund((await life.charges(before))[0])
    await worker.catchUp()
    expect((await listSeats(owner_id)).filter(({ status }) => status === 'active')).toEqual([])
    expect(await life.balance(now)).toMatchObject({ plan: 2500 })
  })
})
