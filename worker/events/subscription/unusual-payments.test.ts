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
const { database, worker, stripe } = product
const life = planLife(product)
afterEach(() => life.startOver())
afterAll(async () => expect((await verifyLedger(database.owner)).problems).toEqual([]))

async function buy(order: PlanOrder = {}): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, order)
  await worker.catchUp()
  return bought
}

const listUnfinishedEvents = () =>
  database.owner.selectFrom('inbox_events').select(['type', 'reason']).where('state', '=', 'failed').execute()

test.each<[string, PlanOrder, RegExp]>([
  ['costs more', { intended_minor: 1999 }, /says 1999 EUR, invoice in_\w+ costs 2000 EUR/],
  ['is free for longer', { trial_days: 60, intended_trial_days: 14 }, /says 14 days free, invoice in_\w+ 60/],
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
