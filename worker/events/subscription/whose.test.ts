import { sql } from 'kysely'
import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { failureOf } from '../../../schema/api/failures.ts'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { listFindings } from '../../../schema/billing/reconciliation/findings.ts'
import { findAct } from '../../../schema/support/acts.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { buildAct } from '../../../tests/support/factories/acts.ts'
import {
  buildPaidPlan,
  buyPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { buildAccount } from '../../../tests/support/factories/users.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { reconcileAll } from '../../reconciliation/run.ts'
import { processSupportAct } from '../../support/support-act.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, stripe, worker } = product
const life = planLife(product)
booksEndRight(database)

async function buy(order: PlanOrder = {}): Promise<PaidPurchase> {
  const { user_id } = await buildAccount(product)
  return buyPlan(product, { user_id, ...order })
}

/** What support makes at Stripe for a customer, with the price that they have. */
async function makeByHand(
  bought: PaidPurchase,
  params: Partial<Stripe.SubscriptionCreateParams> = {},
): Promise<string> {
  const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
  const { data } = await stripe.client.paymentMethods.list({ customer: bought.customer_id })
  const { id } = await stripe.client.subscriptions.create({
    customer: bought.customer_id,
    default_payment_method: data[0]?.id ?? '',
    items: [{ price: items.data[0]?.price.id ?? '', quantity: items.data[0]?.quantity ?? 1 }],
    ...params,
  })
  await worker.catchUp()
  return id
}

const rowsOf = ({ owner_id }: PaidPurchase) =>
  database.owner
    .selectFrom('subscriptions')
    .select(['stripe_subscription_id', 'status', 'intent_id', 'seats_total', 'plan_type', 'credits_per_seat'])
    .where('owner_id', '=', owner_id)
    .orderBy('created_at')
    .execute()

async function findingsOf({ owner_id }: PaidPurchase) {
  await product.advanceDays(1)
  await worker.catchUp()
  await reconcileAll(worker.deps, 'test')
  const filter = { state: 'open', owner_id } as const
  return (await listFindings(database.server, { filter, limit: 100 })).findings
}

async function perform(kind: 'cancel_subscription' | 'replay', id: string) {
  const act = await buildAct(database, { kind, target: { kind: 'subscription', id } })
  await processSupportAct(worker.deps, { act_id: act.id })
  return findAct(database.owner, act.id)
}

test('a plan whose metadata was removed before it was heard of belongs to the checkout of its session', async () => {
  const { user_id } = await buildAccount(product)
  const bought = await buildPaidPlan(product, { user_id })
  await life.update(bought, { metadata: '' })
  await worker.catchUp()
  expect(await rowsOf(bought)).toMatchObject([{ status: 'active', intent_id: bought.intent_id }])
  expect(await life.balance(bought)).toMatchObject({ plan: 500 })
})

test('a subscription that was made anew with the metadata of the old one is applied', async () => {
  const bought = await buy({ credits_per_seat: 400 })
  await life.cancel(bought)
  const anew = await makeByHand(bought, { metadata: { intentId: bought.intent_id } })
  expect(await rowsOf(bought)).toMatchObject([
    { status: 'canceled', intent_id: bought.intent_id },
    // What they were promised for this plan before.
    { status: 'active', stripe_subscription_id: anew, plan_type: 'pro', credits_per_seat: 400 },
  ])
  expect(await life.balance(bought)).toMatchObject({ plan: 400, total: 400 })
  await life.live(32)
  expect(await life.balance(bought)).toMatchObject({ plan: 400 })
})

test('a subscription that was made by hand for a customer of ours is theirs, and says which invoice paid it', async () => {
  const bought = await buy({
    owner_id: 'org_hand',
    plan_type: 'teams',
    seats: 3,
  })
  await life.cancel(bought)
  await worker.catchUp()
  const made = await makeByHand(bought)
  const [, row] = await rowsOf(bought)
  expect(row).toMatchObject({
    stripe_subscription_id: made,
    status: 'active',
    seats_total: 3,
    plan_type: 'teams',
  })
  expect(await life.balance(bought)).toMatchObject({ plan: 1500 })
  const { data } = await stripe.client.invoices.list({ subscription: made })
  expect(await findIntent(database.owner, row?.intent_id ?? '')).toMatchObject({
    state: 'settled',
    user_id: bought.user_id,
    stripe_session_id: null,
    stripe_invoice_id: data[0]?.id,
    amount_minor: 9000,
  })
  await life.refund((await life.charges(bought))[0])
  await worker.catchUp()
  expect(await life.balance(bought)).toMatchObject({ plan: 0 })
})

test('a subscription belongs to its customer, when its metadata name the checkout of another one', async () => {
  const [ada, eve] = [await buy(), await buy()]
  await life.cancel(ada)
  await worker.catchUp()
  await makeByHand(ada, { metadata: { intentId: eve.intent_id } })
  expect((await rowsOf(ada)).map(({ status }) => status)).toEqual(['canceled', 'active'])
  expect(await rowsOf(eve)).toMatchObject([{ status: 'active' }])
})

test('a subscription of a customer that we do not know is none of ours', async () => {
  const bought = await buy()
  const customer = await stripe.client.customers.create({ email: 'other@tidemark.test' })
  const before = await database.owner.selectFrom('subscriptions').select('intent_id').execute()
  const { items } = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
  await stripe.client.subscriptions.create({
    customer: customer.id,
    items: [{ price: items.data[0]?.price.id ?? '' }],
    trial_period_days: 7,
  })
  await worker.catchUp()
  expect(await database.owner.selectFrom('subscriptions').select('intent_id').execute()).toEqual(before)
})

test('a price of another plan is a visible contradiction, and another period of the same plan is none', async () => {
  const bought = await buy()
  const teams = await buy({ plan_type: 'teams' })
  const { items } = await stripe.client.subscriptions.retrieve(teams.subscription_id ?? '')
  const item = (await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')).items.data[0]
  const change = (price: string, quantity: number) =>
    life.update(bought, { items: [{ id: item?.id ?? '', price, quantity }], proration_behavior: 'none' })
  await change(items.data[0]?.price.id ?? '', 4)
  await worker.catchUp().catch(() => undefined)
  expect(await rowsOf(bought)).toMatchObject([{ plan_type: 'pro', seats_total: 1, status: 'active' }])
  const failed = await database.rows('inbox_events', { state: 'failed' }, ['type', 'reason'])
  expect(failed).toMatchObject([
    {
      type: 'customer.subscription.updated',
      reason: failureOf('differs', {
        id: `${bought.subscription_id}`,
        in: 'plan',
        expected: 'pro',
        found: 'teams',
      }),
    },
  ])
  const findings = await findingsOf(bought)
  expect(findings).toMatchObject([{ kind: 'subscription_plan_differs', object_id: bought.subscription_id }])
  await change(item?.price.id ?? '', 1)
  expect(await perform('replay', bought.subscription_id ?? '')).toMatchObject({ state: 'done' })
  const yearly = await buy({ billing_frequency: 'yearly' })
  const price = (await stripe.client.subscriptions.retrieve(yearly.subscription_id ?? '')).items.data[0]
    ?.price
  await change(price?.id ?? '', 1)
  await worker.catchUp()
  expect(await life.row(bought)).toMatchObject({ billing_frequency: 'yearly', plan_type: 'pro' })
})

test('a subscription of another product of the account, on our customer, is ignored without noise', async () => {
  const bought = await buy()
  const price = await stripe.client.prices.create({
    currency: 'eur',
    unit_amount: 500,
    recurring: { interval: 'week' },
    product_data: { name: 'A newsletter' },
  })
  const other = await makeByHand(bought, { items: [{ price: price.id }] })
  await life.live(32)
  expect(await rowsOf(bought)).toMatchObject([{ status: 'active' }])
  const events = await database.owner
    .selectFrom('inbox_events')
    .select(['state', 'reason'])
    .where(sql<boolean>`payload::text LIKE ${`%${other}%`}`)
    .execute()
  expect(new Set(events.map(({ state }) => state))).toEqual(new Set(['ignored']))
  expect(events.length).toBeGreaterThan(2)
  expect(await findingsOf(bought)).toEqual([])
})

test('the plan that goes on charging brings its credits when the other plan of its owner ends', async () => {
  const bought = await buy()
  const second = await makeByHand(bought)
  expect(await rowsOf(bought)).toHaveLength(1)
  await life.cancel(bought)
  await worker.catchUp()
  expect(await rowsOf(bought)).toMatchObject([
    { status: 'canceled' },
    { status: 'active', stripe_subscription_id: second },
  ])
  expect(await life.balance(bought)).toMatchObject({ plan: 500 })
})

test('a second subscription of an owner is a finding, which an act of support cancels', async () => {
  const bought = await buy()
  const second = await makeByHand(bought)
  expect(await rowsOf(bought)).toHaveLength(1)
  const findings = await findingsOf(bought)
  expect(findings).toContainEqual(
    expect.objectContaining({
      kind: 'subscription_unknown',
      object_id: second,
      repair: expect.objectContaining({ kind: 'cancel_subscription' }),
    }),
  )
  expect(await perform('cancel_subscription', bought.subscription_id ?? '')).toMatchObject({
    state: 'failed',
    error: failureOf('has_state', { what: 'owner', state: 'still_at_clerk' }),
  })
  expect(await perform('cancel_subscription', second)).toMatchObject({ state: 'done' })
  expect(await stripe.client.subscriptions.retrieve(second)).toMatchObject({ status: 'canceled' })
  expect((await rowsOf(bought)).map(({ status }) => status)).toEqual(['active', 'canceled'])
  expect((await findingsOf(bought)).filter(({ kind }) => kind === 'subscription_unknown')).toEqual([])
})
