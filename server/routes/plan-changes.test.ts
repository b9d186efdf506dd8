import { beforeEach, describe, expect, test } from 'vitest'
import { getAccountSummary } from '../../schema/api/account.ts'
import { createOrganizationSubscription } from '../../schema/api/organizations.ts'
import {
  keepPlan,
  previewOwnPlanEnd,
  previewPlanChange,
  startPlanChange,
} from '../../schema/api/plan-changes.ts'
import { createCheckoutSession, createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { spendNow } from '../../tests/support/factories/transfers.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { planLife } from '../../tests/support/product/plan-life.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'
import { processSubscriptionSync } from '../../worker/jobs/subscription-sync.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, stripe, clerk, server, worker, clock } = product

type Frequency = 'monthly' | 'yearly'

/** A person whose first trial is over, so that plans cost from the first day. */
const ada = madeForEachTest(() => signUp(clerk))

beforeEach(async () => {
  await stripe.clear('faults')
  // Plans of earlier tests would be renewed as time passes.
  for await (const { id } of stripe.client.subscriptions.list()) await stripe.client.subscriptions.cancel(id)
  await stripe.takeEvents()
})
booksEndRight(database)

const preview = (person: Person, payer = 'personal') =>
  server.api(previewPlanChange, { token: person.token, query: { payer } })
const start = (person: Person, to: Frequency, payer = 'personal') =>
  server.api(startPlanChange, { token: person.token, query: { payer }, body: { billing_frequency: to } })
const summaryOf = (person: Person, payer = 'personal') =>
  server.ask(getAccountSummary, { token: person.token, query: { payer } })
const press = (url: string, form: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })

async function subscribe(person: Person, billingFrequency: Frequency): Promise<string> {
  const { sessionId } = await server.ask(createCheckoutSession, {
    token: person.token,
    body: { planType: 'pro', billingFrequency, clerkUserId: person.user_id },
  })
  await stripe.knob(`sessions/${sessionId}/pay`)
  await worker.catchUp()
  const { subscription } = await summaryOf(person)
  return subscription?.id ?? ''
}

/** Pro that is paid for, ten of its days ago. */
async function subscribeAndPay(person: Person, billingFrequency: Frequency): Promise<string> {
  const id = await subscribe(person, billingFrequency)
  await product.advanceDays(1)
  await stripe.client.subscriptions.update(id, { trial_end: 'now' })
  await worker.catchUp()
  await product.advanceDays(10)
  return id
}

const use = (person: Person, credits: number) =>
  spendNow(database.server, person.user_id, credits, { occurred_at: clock.now() })

async function confirm(person: Person, to: Frequency, payer = 'personal'): Promise<Response> {
  const { body } = await start(person, to, payer)
  const { subscription } = await summaryOf(person, payer)
  return press(`${(body as { url: string }).url}/subscriptions/${subscription?.id}/confirm`)
}

describe('from monthly to yearly', () => {
  test('the preview names the amount and the credits that the confirmed change then leaves', async () => {
    await subscribeAndPay(ada, 'monthly')
    await use(ada, 300)
    // Stripe's times are whole seconds, and usage in the second of the change is the new month's.
    await product.advanceDays(1 / 24)
    const { body } = await preview(ada)
    const { due_minor, credits } = body as { due_minor: number; credits: { left: number } }
    expect(body).toMatchObject({
      billing_frequency: 'yearly',
      takes_effect: 'now',
      price_minor: 19_200,
      currency: 'EUR',
      credits: { granted: 500 },
    })
    // Two thirds of the month's €20.00 are deducted; a third of its 500 credits stays with it.
    expect(due_minor).toBeGreaterThan(17_700)
    expect(due_minor).toBeLessThan(18_000)
    expect(credits.left).toBeGreaterThan(350)
    expect(credits.left).toBeLessThan(370)

    expect((await confirm(ada, 'yearly')).headers.get('location')).toContain('/dashboard?billed=yearly')
    await worker.catchUp()
    const { subscription, balance } = await summaryOf(ada)
    expect(subscription).toMatchObject({ billing_frequency: 'yearly', scheduled_change: null })
    expect(Math.abs(balance.plan - credits.left)).toBeLessThanOrEqual(1)
  })

  test('a month of which little was used leaves all credits of the first new month', async () => {
    await subscribeAndPay(ada, 'monthly')
    await use(ada, 20)
    await product.advanceDays(1 / 24)
    expect((await preview(ada)).body).toMatchObject({ credits: { granted: 500, left: 500 } })
  })

  test('the customer’s own portal offers the same change', async () => {
    const id = await subscribeAndPay(ada, 'monthly')
    const { url } = await server.ask(createCustomerPortalSession, {
      token: ada.token,
      body: { userId: ada.user_id },
    })
    const page = await fetch(`${url}/subscriptions/${id}/update`).then((answer) => answer.text())
    expect(page).toContain('€192.00 per year')
  })
})

describe('from yearly to monthly', () => {
  test('the change waits for the end of the year, is shown, and can be taken back', async () => {
    const id = await subscribeAndPay(ada, 'yearly')
    const [item] = (await stripe.client.subscriptions.retrieve(id)).items.data
    const at = new Date((item?.current_period_end ?? 0) * 1000).toISOString()
    expect((await preview(ada)).body).toEqual({
      billing_frequency: 'monthly',
      takes_effect: 'at_period_end',
      at,
      due_minor: 0,
      price_minor: 2000,
      currency: 'EUR',
      credits: null,
    })
    await confirm(ada, 'monthly')
    await worker.catchUp()
    expect((await summaryOf(ada)).subscription).toMatchObject({
      billing_frequency: 'yearly',
      scheduled_change: { seats: 1, billing_frequency: 'monthly', at },
    })
    expect(await preview(ada)).toMatchObject({ status: 409, body: { code: 'change_scheduled' } })

    const kept = await server.api(keepPlan, { token: ada.token, query: { payer: 'personal' }, body: {} })
    expect(kept).toMatchObject({ status: 200, body: { success: true, cancel_at: null } })
    await worker.catchUp()
    expect((await summaryOf(ada)).subscription).toMatchObject({ scheduled_change: null })
    expect(await preview(ada)).toMatchObject({ status: 200 })
  })

  test('the next period is a month, with its credits', async () => {
    const id = await subscribeAndPay(ada, 'yearly')
    await confirm(ada, 'monthly')
    await stripe.knob(`subscriptions/${id}/renew`)
    await worker.catchUp()
    expect((await stripe.client.subscriptions.retrieve(id)).items.data[0]?.price.lookup_key).toBe(
      'pro_monthly',
    )
    expect((await summaryOf(ada)).subscription).toMatchObject({
      billing_frequency: 'monthly',
      scheduled_change: null,
    })
  })
})

test('a change in a trial changes the price only: the trial goes on, and nothing is charged', async () => {
  const id = await subscribe(ada, 'monthly')
  const before = await stripe.client.subscriptions.retrieve(id)
  expect((await preview(ada)).body).toMatchObject({
    takes_effect: 'in_trial',
    at: new Date((before.trial_end ?? 0) * 1000).toISOString(),
    due_minor: 0,
    price_minor: 19_200,
    credits: null,
  })
  await confirm(ada, 'yearly')
  await worker.catchUp()
  const after = await stripe.client.subscriptions.retrieve(id)
  expect(after).toMatchObject({ status: 'trialing', trial_end: before.trial_end })
  expect(await summaryOf(ada)).toMatchObject({
    subscription: { status: 'trialing', billing_frequency: 'yearly' },
    balance: { plan: 500 },
  })
})

describe('an organization', () => {
  async function buildTeam() {
    const organization = await buildOrganization(clerk, ada)
    const { sessionId } = await server.ask(createOrganizationSubscription, {
      token: ada.token,
      body: { clerk_org_id: organization.id, seats_total: 3 },
    })
    await stripe.knob(`sessions/${sessionId}/pay`)
    await worker.catchUp()
    return organization
  }

  test('an admin changes the billing of all seats, and a member cannot', async () => {
    const organization = await buildTeam()
    const bob = await signUp(clerk)
    await addMember(clerk, organization, bob)
    expect(await preview(bob, organization.id)).toMatchObject({ status: 403, body: { code: 'not_admin' } })
    expect(await preview(ada, organization.id)).toMatchObject({
      status: 200,
      body: { price_minor: 3 * 28_800, credits: { granted: 1500, left: 1500 } },
    })
    const page = await confirm(ada, 'yearly', organization.id)
    expect(page.headers.get('location')).toContain('/organizations?tab=billing&billed=yearly')
    await worker.catchUp()
    expect((await summaryOf(ada, organization.id)).subscription).toMatchObject({
      billing_frequency: 'yearly',
      seats_total: 3,
    })
  })
})

describe('from Pro to Teams', () => {
  const ownPlan = (person: Person) => server.ask(previewOwnPlanEnd, { token: person.token })
  async function buyTeams(person: Person, endOwnPlan: boolean): Promise<void> {
    const { sessionId } = await server.ask(createCheckoutSession, {
      token: person.token,
      body: { planType: 'teams', seats: 2, clerkUserId: person.user_id, endOwnPlan },
    })
    await stripe.knob(`sessions/${sessionId}/pay`)
    await worker.catchUp()
  }
  const tryToEnd = async (subscription_id: string) => {
    await processSubscriptionSync(worker.deps, { subscription_id })
    await worker.catchUp()
  }

  test('the preview names the refund that the end of Pro then makes, and the credits that expire', async () => {
    const id = await subscribeAndPay(ada, 'monthly')
    await use(ada, 300)
    const { plan } = await ownPlan(ada)
    expect(plan).toEqual({
      plan_type: 'pro',
      is_trial: false,
      refund_minor: 800,
      currency: 'EUR',
      is_disputed: false,
      credits: 200,
    })
    await buyTeams(ada, true)
    await tryToEnd(id)
    const { data } = await stripe.client.refunds.list({ limit: 1 })
    expect(data[0]).toMatchObject({ amount: 800, metadata: { unusedPartOf: id } })
    expect((await summaryOf(ada)).subscription).toMatchObject({ id, status: 'canceled' })
    expect((await summaryOf(ada)).balance).toMatchObject({ plan: 0 })
    expect(await ownPlan(ada)).toEqual({ plan: null })
  })

  test('Pro goes on beside Teams when its owner wants that', async () => {
    const id = await subscribeAndPay(ada, 'monthly')
    await buyTeams(ada, false)
    await tryToEnd(id)
    expect((await summaryOf(ada)).subscription).toMatchObject({ id, status: 'active' })
  })

  test('an open order with another answer is another order', async () => {
    await subscribeAndPay(ada, 'monthly')
    const order = (endOwnPlan: boolean) =>
      server.ask(createCheckoutSession, {
        token: ada.token,
        body: { planType: 'teams', seats: 2, clerkUserId: ada.user_id, endOwnPlan },
      })
    const first = await order(true)
    expect((await order(true)).sessionId).toBe(first.sessionId)
    expect((await order(false)).sessionId).not.toBe(first.sessionId)
  })

  test('an admin’s Pro ends when the plan of an organization that exists is paid', async () => {
    const id = await subscribeAndPay(ada, 'monthly')
    const organization = await buildOrganization(clerk, ada)
    const { sessionId } = await server.ask(createOrganizationSubscription, {
      token: ada.token,
      body: { clerk_org_id: organization.id, seats_total: 2, end_own_plan: true },
    })
    await stripe.knob(`sessions/${sessionId}/pay`)
    await worker.catchUp()
    await tryToEnd(id)
    expect((await summaryOf(ada)).subscription).toMatchObject({ id, status: 'canceled' })
    expect((await summaryOf(ada, organization.id)).subscription).toMatchObject({ status: 'active' })
  })
})

describe('a plan that cannot be changed now', () => {
  test('a person without a plan gets a 409', async () => {
    expect(await preview(ada)).toMatchObject({ status: 409, body: { code: 'no_subscription' } })
  })

  test.each<[string, string, (subscription_id: string) => Promise<unknown>]>([
    ['is billed so already', 'already_billed', async () => undefined],
    [
      'is set to end',
      'plan_ending',
      (id) => stripe.client.subscriptions.update(id, { cancel_at_period_end: true }),
    ],
    [
      'was not paid',
      'payment_overdue',
      async (id) => {
        await stripe.knob(`subscriptions/${id}/card`, { card: '4000000000000341' })
        await stripe.knob(`subscriptions/${id}/renew`)
      },
    ],
    [
      'has a draft for its renewal',
      'renewal_under_way',
      (subscription_id) => planLife(product).toPeriodEnd({ subscription_id }, 600),
    ],
  ])('a plan that %s is not changed: %s', async (_, code, happen) => {
    await happen(await subscribeAndPay(ada, 'monthly'))
    await worker.catchUp()
    const to = code === 'already_billed' ? 'monthly' : 'yearly'
    expect(await start(ada, to)).toMatchObject({ status: 409, body: { code } })
  })
})
