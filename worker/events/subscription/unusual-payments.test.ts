import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { findIntent } from '../../../schema/checkout/intents.ts'
import { verifyLedger } from '../../../schema/ledger/verify/verify.ts'
import {
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'

const failsAtRenewal = '4000000000000341'

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

describe('a customer with a credit balance at Stripe', () => {
  const credit = (amount: number) => (customer: string) =>
    stripe.client.customers.createBalanceTransaction(customer, { amount: -amount, currency: 'eur' })

  test.each([500, 2000, 9000])('a credit balance of %i cents buys a plan', async (amount) => {
    const bought = await buy({ prepare: credit(amount) })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
    expect(await findIntent(database.owner, bought.intent_id)).toMatchObject({ state: 'settled' })
    expect(await listUnfinishedEvents()).toEqual([])
  })

  test('loses of the credits what the refunded money is of the whole price', async () => {
    const bought = await buy({ prepare: credit(500) })
    const [charge] = await life.charges(bought)
    expect(charge?.amount).toBe(1500)
    await life.refund(charge, 1000)
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 250 })
  })

  test('a customer with a credit balance at Stripe renews with what proration left', async () => {
    const bought = await buy({
      plan_type: 'teams',
      seats: 3,
      owner: { owner_kind: 'organization', owner_id: 'org_left' },
    })
    await product.advanceDays(5)
    await life.changeSeats(bought, 1)
    await life.live(31)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('a customer with a credit balance at Stripe whose first invoice differs from the terms is left to a person, with the reason', async () => {
    const bought = await buildPaidPlan(product, { intended_minor: 1999 })
    const events = await stripe.takeEvents()
    await worker.applyStripe(events.filter(({ type }) => type === 'invoice.paid')).catch(() => undefined)
    expect(await listUnfinishedEvents()).toMatchObject([
      { reason: expect.stringMatching(/says 1999 EUR, invoice in_\w+ costs 2000 EUR/) },
    ])
    await database.owner.deleteFrom('inbox_events').where('state', '=', 'failed').execute()
    expect(await life.balance(bought)).toMatchObject({ plan: 0 })
  })
})

describe('a trial', () => {
  test('a trial that is ended early ends with its credits, and the first paid month is granted whole', async () => {
    const bought = await buy({ trial_days: 14 })
    await life.use(bought, 100)
    await product.advanceDays(5)
    await life.update(bought, { trial_end: 'now' })
    await worker.catchUp()
    expect(await life.row(bought)).toMatchObject({ status: 'active' })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
    await life.live(31)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('a trial that is longer than a month is one grant, and ends with the first paid month', async () => {
    const bought = await buy({ trial_days: 60 })
    await life.use(bought, 200)
    await life.live(40)
    expect(await life.balance(bought)).toMatchObject({ plan: 300, version: 2 })
    await life.live(21)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('a trial that is extended is one grant all the same', async () => {
    const bought = await buy({ trial_days: 14 })
    await life.use(bought, 200)
    await product.advanceDays(10)
    await life.update(bought, { trial_end: Math.floor(product.clock.now().getTime() / 1000) + 50 * 86_400 })
    await worker.catchUp()
    await life.live(35)
    expect(await life.balance(bought)).toMatchObject({ plan: 300 })
    await life.live(16)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('a month under a coupon for everything is no trial and is granted whole', async () => {
    const coupon = await stripe.client.coupons.create({ percent_off: 100, duration: 'forever' })
    const bought = await buy({ trial_days: 14, coupon: coupon.id })
    await life.live(15)
    expect(await life.row(bought)).toMatchObject({ status: 'active' })
    await life.use(bought, 450)
    await life.live(31)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })
})

describe('the last invoice, paid after Stripe gave up', () => {
  async function paidTooLate(used: number, order: PlanOrder = {}) {
    const bought = await buy({ card: failsAtRenewal, ...order })
    if (used > 0) await life.use(bought, used)
    await life.live(order.billing_frequency === 'yearly' ? 367 : 32)
    for (let week = 0; week < 5; week++) await life.live(8)
    expect(await life.row(bought)).toMatchObject({ status: 'canceled' })
    expect(await life.balance(bought)).toMatchObject({ plan: 0, purchased: 0 })
    const { data } = await stripe.client.invoices.list({
      subscription: bought.subscription_id ?? '',
      status: 'open',
    })
    const { id } = await stripe.client.paymentMethods.attach('pm_card_visa', { customer: bought.customer_id })
    await stripe.client.invoices.pay(data[0]?.id ?? '', { payment_method: id })
    await worker.catchUp()
    return bought
  }

  test.each([0, 500])(
    'a late payment with %i credits used brings what it paid for as bought credits',
    async (used) => {
      const bought = await paidTooLate(used)
      expect(await life.balance(bought)).toMatchObject({ plan: 0, purchased: 500 })
      // It revives no plan, and no later plan or month takes it away.
      expect(await life.row(bought)).toMatchObject({ status: 'canceled' })
      const { user_id, owner } = bought
      const now = await buy({ user_id, owner })
      expect(await life.balance(now)).toMatchObject({ plan: 500, purchased: 500 })
    },
  )

  test('the last invoice, paid after Stripe gave up, of a year brings its twelve months', async () => {
    expect(await life.balance(await paidTooLate(0, { billing_frequency: 'yearly' }))).toMatchObject({
      plan: 0,
      purchased: 6000,
    })
  })

  test('the last invoice, paid after Stripe gave up and refunded, takes them back', async () => {
    const bought = await paidTooLate(500)
    await life.refund((await life.charges(bought))[0])
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 0, purchased: 0 })
  })
})

describe('an invoice', () => {
  test('an invoice of a manual item of ours grants nothing, alone or beside a month', async () => {
    const bought = await buy()
    const item = {
      customer: bought.customer_id,
      currency: 'eur',
      amount: 2000,
      subscription: bought.subscription_id ?? '',
    }
    await stripe.client.invoiceItems.create(item)
    const invoice = await stripe.client.invoices.create({
      customer: bought.customer_id,
      subscription: bought.subscription_id ?? '',
    })
    await stripe.client.invoices.pay(
      (await stripe.client.invoices.finalizeInvoice(invoice.id ?? '')).id ?? '',
    )
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 500, purchased: 0, version: 1 })
    await stripe.client.invoiceItems.create(item)
    await life.live(32)
    expect(await life.balance(bought)).toMatchObject({ plan: 500, purchased: 0 })
    // Half of the renewal's money, which paid for both.
    await life.refund((await life.charges(bought))[0], 2000)
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ plan: 250 })
  })

  test('an invoice of a manual item that was waiting when the plan was bought does not contradict the terms', async () => {
    const bought = await buy({
      prepare: (customer) => stripe.client.invoiceItems.create({ customer, currency: 'eur', amount: 300 }),
    })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('an invoice that a coupon makes cost nothing grants its month, and so do the next ones', async () => {
    const coupon = await stripe.client.coupons.create({ percent_off: 100, duration: 'forever' })
    const bought = await buy({ coupon: coupon.id })
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
    await life.use(bought, 500)
    await life.live(32)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('an invoice of seats added under a coupon for everything brings their credits', async () => {
    const coupon = await stripe.client.coupons.create({ percent_off: 100, duration: 'forever' })
    const owner = { owner_kind: 'organization', owner_id: 'org_coupon' } as const
    const bought = await buy({
      plan_type: 'teams',
      seats: 2,
      owner,
      coupon: coupon.id,
      billing_frequency: 'yearly',
    })
    await product.advanceDays(10)
    await life.changeSeats(bought, 4)
    await worker.catchUp()
    expect((await life.balance(bought)).plan).toBeGreaterThan(1000 + 1000 * (17 / 31))
    expect((await life.balance(bought)).plan).toBeLessThan(1000 + 1000 * (21 / 28))
  })

  test('seats given up while collection is paused lower the months that follow, though their invoice stays a draft', async () => {
    const bought = await buildPaidPlan(product, { billing_frequency: 'yearly', seats: 5 })
    await worker.catchUp()
    await life.update(bought, { pause_collection: { behavior: 'keep_as_draft' } })
    await life.changeSeats(bought, 2)
    await life.live(33)
    await processSubscriptionSync(worker.deps, { subscription_id: bought.subscription_id ?? '' })
    expect(await life.balance(bought)).toMatchObject({ plan: 1000 })
  })

  test('an invoice that a paused collection did not collect grants nothing, and what is left stays', async () => {
    const bought = await buy()
    await life.use(bought, 100)
    await life.update(bought, { pause_collection: { behavior: 'void' } })
    await life.live(32)
    expect(await life.row(bought)).toMatchObject({ status: 'active' })
    expect(await life.balance(bought)).toMatchObject({ plan: 400 })
    await life.update(bought, { pause_collection: '' })
    await life.live(31)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('an invoice of a billing anchor that was moved pays for a whole month, and the cut one keeps its share', async () => {
    const bought = await buy()
    await life.use(bought, 100)
    await product.advanceDays(10)
    await life.update(bought, { billing_cycle_anchor: { type: 'now' }, proration_behavior: 'always_invoice' })
    await worker.catchUp()
    // A third of the first month was due, and 100 of it used; the rest is over.
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
    await life.live(32)
    expect(await life.balance(bought)).toMatchObject({ plan: 500 })
  })

  test('an invoice of a billing anchor that was moved after everything was used leaves the customer the new month, less what was not due', async () => {
    const bought = await buy()
    await life.use(bought, 500)
    await product.advanceDays(10)
    await life.update(bought, { billing_cycle_anchor: { type: 'now' }, proration_behavior: 'always_invoice' })
    await worker.catchUp()
    const { plan } = await life.balance(bought)
    expect(plan).toBeGreaterThanOrEqual(Math.floor((500 * 10) / 31))
    expect(plan).toBeLessThanOrEqual(Math.ceil((500 * 10) / 28))
  })

  test('an invoice of seats that change in the second of the period’s end holds up nothing', async () => {
    const owner = { owner_kind: 'organization', owner_id: 'org_end' } as const
    const bought = await buy({ plan_type: 'teams', seats: 2, owner })
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
})
