import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import {
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { buildGrant, postTransfer } from '../../../tests/support/factories/transfers.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { producerOf } from '../../../tests/support/product/test-worker.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'
import { readStripeEvents } from '../../tasks/read-stripe-events.ts'
import { tryEvent } from '../try-event.ts'

const product = testProduct({ stripe: 'empty' })
const { database, stripe, worker } = product
const life = planLife(product)
beforeEach(async () => {
  await life.startOver()
  // The reader would go on where an earlier test's clock was.
  await database.owner.deleteFrom('cursors').execute()
})
afterAll(async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})

const second = 1 / 86_400
const hour = 3600 * second
const failsAtRenewal = '4000000000000341'

const balanceOf = async (bought: PaidPurchase) => {
  const { plan, purchased } = await life.balance(bought)
  return [plan, purchased]
}

async function use(bought: PaidPurchase, credits: number): Promise<void> {
  if (credits > 0) expect(await life.use(bought, credits)).toBe(true)
}

/** 100 of 500 credits are left of the last month of a period, and 700 are bought; its renewal is a draft. */
async function startRenewal(order: PlanOrder): Promise<PaidPurchase> {
  const bought = await buildPaidPlan(product, order)
  const id = bought.subscription_id ?? ''
  await worker.catchUp()
  await postTransfer(database.worker, buildGrant(bought.owner.owner_id, 700))
  if (order.billing_frequency === 'yearly') {
    await product.advanceDays(345)
    await processSubscriptionSync(worker.deps, { subscription_id: id })
  }
  await use(bought, 400)
  expect(await balanceOf(bought)).toEqual([100, 700])
  await life.toPeriodEnd(bought, 10)
  const { data } = await stripe.client.invoices.list({ subscription: id, limit: 1 })
  expect(data[0]).toMatchObject({ status: 'draft', billing_reason: 'subscription_cycle' })
  return bought
}

/** How we hear of what happens at Stripe, and how long after the end of the period. */
const hearings = {
  'heard at once': {
    async first() {
      await worker.catchUp()
      await product.advanceDays(65 * second)
    },
    rest: () => worker.catchUp(),
  },
  'heard two hours late': {
    first: () => product.advanceDays(2 * hour),
    rest: () => worker.catchUp(),
  },
  'found by the reader of events': {
    async first() {
      await stripe.takeEvents()
      await product.advanceDays(2 * hour)
    },
    async rest() {
      const found: string[] = []
      await readStripeEvents({
        ...worker.deps,
        producer: producerOf(async (_queue, id) => void found.push(id)),
      })
      const waiting = await database.owner
        .selectFrom('inbox_events')
        .select('id')
        .where('finished_at', 'is', null)
        .execute()
      expect(waiting.length).toBeGreaterThan(0)
      expect(found.length).toBe(waiting.length)
      for (const { id } of waiting) await tryEvent(worker.deps, { source: 'stripe', id })
      await stripe.takeEvents()
    },
  },
} as const

/**
 * What is used before the payment is heard, and what is left then and after the renewal is paid or given up:
 * plan credits, bought credits.
 */
const usages = [
  { used: 0, between: [100, 700], paid: [500, 700], ended: [0, 700] },
  { used: 60, between: [40, 700], paid: [440, 700], ended: [0, 700] },
  // 100 of the old month and 550 bought ones; 500 of these are given back.
  { used: 650, between: [0, 150], paid: [0, 650], ended: [0, 150] },
]

const orders: [string, PlanOrder][] = [
  ['a month', {}],
  ['a year', { billing_frequency: 'yearly' }],
  ['a trial', { trial_days: 14 }],
]

describe.each(orders)('the renewal after %s', (_, order) => {
  describe.each(Object.entries(hearings))('%s', (_how, { first, rest }) => {
    test.each(usages)(
      'a renewal that is paid takes over the $used credits that were used before, as far as it covers them',
      async ({ used, between, paid }) => {
        const bought = await startRenewal(order)
        await use(bought, used)
        expect(await balanceOf(bought)).toEqual(between)
        await first()
        await rest()
        expect(await balanceOf(bought)).toEqual(paid)
      },
    )

    test.each(usages)(
      'a renewal that fails and is then paid takes over the $used credits in the same way',
      async ({ used, between, paid }) => {
        const bought = await startRenewal(order)
        const id = bought.subscription_id
        await stripe.knob(`subscriptions/${id}/card`, { card: failsAtRenewal })
        await use(bought, used)
        await first()
        await rest()
        expect(await balanceOf(bought)).toEqual(between)
        await stripe.knob(`subscriptions/${id}/card`, { card: '4242424242424242' })
        await product.advanceDays(4)
        await rest()
        expect(await balanceOf(bought)).toEqual(paid)
      },
    )

    test.each(usages)(
      'a renewal that fails for good lets the rest of the old month expire, and charges none of the $used credits again',
      async ({ used, between, ended }) => {
        const bought = await startRenewal(order)
        await stripe.knob(`subscriptions/${bought.subscription_id}/card`, { card: failsAtRenewal })
        await use(bought, used)
        await first()
        await rest()
        expect(await balanceOf(bought)).toEqual(between)
        await product.advanceDays(16)
        await rest()
        expect(await balanceOf(bought)).toEqual(ended)
      },
    )
  })
})
