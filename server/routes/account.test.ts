import { describe, expect, test } from 'vitest'
import { getAccountSummary, getNextPayment } from '../../schema/api/account.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildHold } from '../../tests/support/factories/holds.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import {
  buildOpenCredits,
  buildPaidCredits,
  buildPaidPlan,
  buyPlan,
  type PlanOrder,
} from '../../tests/support/factories/paid-purchases.ts'
import { buildPurchase } from '../../tests/support/factories/purchases.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { giveCredits, spendNow } from '../../tests/support/factories/transfers.ts'
import { buildAccount } from '../../tests/support/factories/users.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, stripe, clerk, server, worker } = product
const ada = madeForEachTest(() => buildAccount(product))
const bob = madeOnce(() => signUp(clerk))

const summary = (by: Person = ada, payer = 'personal') =>
  server.ask(getAccountSummary, { token: by.token, query: { payer } })
const nextPayment = (by: Person = ada, payer = 'personal') =>
  server.ask(getNextPayment, { token: by.token, query: { payer } })

/** Stores Stripe's new events in the inbox without running a job. */
async function receiveOnly(): Promise<void> {
  for (const event of await stripe.takeEvents()) {
    await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
  }
}

describe('the balance of an account', () => {
  test('the balance of an account that never had credits is not low', async () => {
    expect(await summary()).toEqual({
      payer: 'personal',
      organization_name: null,
      has_seat: false,
      lacks_admin: false,
      mails: true,
      member_since: expect.any(String),
      may_manage: true,
      balance: { plan: 0, purchased: 0, total: 0, available: 0, held: 0, low: false, had_credits: false },
      plan_month: null,
      credits_on_the_way: 0,
      renewal: null,
      overdue: null,
      plan_type: 'starter',
      currency: { code: 'EUR', is_bound: false },
      subscription: null,
      payments: [],
      as_of: expect.any(String),
    })
  })

  test('the balance of an account that was used up is low, and says that there were credits', async () => {
    await giveCredits(database, ada.user_id, { purchased: 10 })
    await spendNow(database.server, ada.user_id, 10)
    expect((await summary()).balance).toMatchObject({ total: 0, low: true, had_credits: true })
  })

  test('what is reserved of a balance is not available, and is no reason to call it low', async () => {
    await giveCredits(database, ada.user_id, { plan: 63, purchased: 100 })
    await buildHold(database.server, ada.user_id, { credits: 75 })
    const balance = { plan: 63, purchased: 100, total: 163, available: 88, held: 75, low: false }
    expect((await summary()).balance).toMatchObject(balance)
  })

  test('the personal balance of a user with a seat is not low, because they use the pool', async () => {
    await giveCredits(database, ada.user_id, { purchased: 5 })
    await database.change('users', { clerk_id: ada.user_id }, { plan_type: 'teams' })
    expect(await summary()).toMatchObject({ plan_type: 'teams', balance: { low: false } })
  })
})

test('a user without an account is told so, and not refused', async () => {
  expect(await summary(await signUp(clerk))).toMatchObject({
    member_since: null,
    plan_type: 'starter',
    balance: { total: 0 },
  })
})

describe('credits on the way', () => {
  test('credits on the way do not include those of an open or expired payment page', async () => {
    const opened = await buildOpenCredits(product, { user_id: ada.user_id })
    expect(await summary()).toMatchObject({ credits_on_the_way: 0, payments: [] })
    await stripe.client.checkout.sessions.expire(opened.session_id)
    await worker.catchUp()
    expect(await summary()).toMatchObject({ credits_on_the_way: 0, payments: [] })
  })

  test('credits on the way are paid credits that the ledger does not have yet', async () => {
    await buildPaidCredits(product, { user_id: ada.user_id })
    await receiveOnly()
    expect(await summary()).toMatchObject({
      balance: { total: 0 },
      credits_on_the_way: 500,
      payments: [
        { kind: 'credit_purchase', state: 'paid', credits: 500, amount_minor: 700, currency: 'EUR' },
      ],
    })
  })

  test('credits on the way include those of a bank debit until it is refused', async () => {
    const opened = await buildOpenCredits(product, { user_id: ada.user_id })
    await stripe.knob(`sessions/${opened.session_id}/pay`, { method: 'delayed' })
    await receiveOnly()
    const waiting = { credits_on_the_way: 500, payments: [{ state: 'awaiting_payment' }] }
    expect(await summary()).toMatchObject(waiting)
    await worker.applyStripe(await eventsOf(opened.customer_id))
    expect(await summary()).toMatchObject(waiting)
    await stripe.knob(`sessions/${opened.session_id}/settle`, { outcome: 'failed' })
    await worker.catchUp()
    const { credits_on_the_way, payments } = await summary()
    expect(credits_on_the_way).toBe(0)
    expect(payments).toMatchObject([
      {
        state: 'failed',
        reason: 'The payment did not go through. Nothing was charged and no credits were added.',
      },
    ])
  })

  test('credits on the way do not include those of a payment that does not match its order', async () => {
    await buildPaidPlan(product, { user_id: ada.user_id, intended_minor: 1 })
    await worker.catchUp().catch(() => undefined)
    expect(await summary()).toMatchObject({
      credits_on_the_way: 0,
      payments: [{ kind: 'subscription', plan_type: 'pro', state: 'under_review' }],
    })
  })

  test('credits on the way are forgotten after 30 days, and never include those of others', async () => {
    const old = new Date(Date.now() - 31 * 24 * 3_600_000)
    const forgotten = await buildPurchase(database.server, {
      user_id: ada.user_id,
      owner_id: ada.user_id,
      created_at: old,
      stripe_session_id: `cs_test_old_${ada.user_id}`,
    })
    await database.change('checkout_intents', { id: forgotten.id }, { state: 'awaiting_payment' })
    await buildPaidCredits(product)
    await receiveOnly()
    expect(await summary()).toMatchObject({ credits_on_the_way: 0, payments: [] })
  })
})

async function eventsOf(customerId: string) {
  const events = []
  for await (const event of stripe.client.events.list({ limit: 100 })) {
    if (JSON.stringify(event).includes(`"${customerId}"`)) events.unshift(event)
  }
  return events
}

async function subscribe(order: PlanOrder = {}) {
  const plan = await buyPlan(product, { user_id: ada.user_id, ...order })
  return plan
}

describe('the plan of an account', () => {
  test('the plan of an account in its trial tells when that ends', async () => {
    await subscribe({ trial_days: 14 })
    const { plan_type, subscription } = await summary()
    expect(plan_type).toBe('pro')
    expect(subscription).toMatchObject({ status: 'trialing', billing_frequency: 'monthly', cancel_at: null })
    expect(subscription?.trial_end).toBe(subscription?.current_period_end)
  })

  test('the plan of an account that is cancelled tells until when it lasts, and then that it has ended', async () => {
    const { subscription_id } = await subscribe()
    await stripe.client.subscriptions.update(subscription_id ?? '', { cancel_at_period_end: true })
    await worker.catchUp()
    const { subscription } = await summary()
    expect(subscription?.cancel_at).toBe(subscription?.current_period_end)
    await stripe.client.subscriptions.cancel(subscription_id ?? '')
    await worker.catchUp()
    expect(await summary()).toMatchObject({ plan_type: 'starter', subscription: { status: 'canceled' } })
  })
})

describe('the next payment', () => {
  test('the next payment of a trial is its first one, on the day it ends, from the card that was given', async () => {
    await subscribe({ trial_days: 14 })
    const { subscription } = await summary()
    expect(await nextPayment()).toEqual({
      payment: { amount_minor: 2000, currency: 'EUR', at: subscription?.trial_end, overdue: false },
      card: { brand: 'visa', last4: '4242', exp_month: expect.any(Number), exp_year: expect.any(Number) },
      card_declined: false,
    })
  })

  test('the next payment of a cancelled plan is none', async () => {
    const { subscription_id } = await subscribe()
    await stripe.client.subscriptions.update(subscription_id ?? '', { cancel_at_period_end: true })
    await worker.catchUp()
    expect((await nextPayment()).payment).toBeNull()
  })

  test('the next payment is none without a plan', async () => {
    expect(await nextPayment()).toEqual({ payment: null, card: null, card_declined: false })
  })
})

describe('an organization', () => {
  const org = madeForEachTest(async () => {
    const made = await buildOrganization(clerk, ada)
    await addMember(clerk, made, bob)

    await giveCredits(database, made.id, { plan: 1000 })
    await buildSubscription(database, { owner_id: made.id, user_id: ada.user_id, seats: 5 })
    const purchase = await buildPurchase(database.server, {
      user_id: ada.user_id,
      owner_id: made.id,
      stripe_session_id: `cs_test_${made.id}`,
    })
    await database.change('checkout_intents', { id: purchase.id }, { state: 'awaiting_payment' })
    return made
  })

  test('an organization shows its pool, plan and payments to an admin, and the payments to no member', async () => {
    const shown = {
      payer: org.id,
      balance: { plan: 1000, total: 1000 },
      credits_on_the_way: 500,
      plan_type: 'teams',
      subscription: { status: 'active', seats_total: 5 },
    }
    expect(await summary(ada, org.id)).toMatchObject({
      ...shown,
      may_manage: true,
      payments: [{ state: 'awaiting_payment' }],
    })
    expect(await summary(bob, org.id)).toMatchObject({ ...shown, may_manage: false, payments: [] })
    // What she bought for the organization is not hers.
    expect(await summary(ada)).toMatchObject({ credits_on_the_way: 0, subscription: null, payments: [] })
  })
})
