import type Stripe from 'stripe'
import { beforeEach, describe, expect, test } from 'vitest'
import { getWebConfig } from '../../schema/api/catalogue.ts'
import {
  buySeats,
  createOrganizationBillingPortal,
  createOrganizationSubscription,
  getOrganizationSubscription,
} from '../../schema/api/organizations.ts'
import { createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import { portalMetadataKey } from '../../schema/vendors/stripe/catalogue.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { forgetCheckouts } from '../../tests/support/factories/plan-checkouts.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { database, stripe, clerk, server, startServer } = testProduct({
  stripe: 'with_prices',
  clerk: 'sandbox',
})
const ada = madeOnce(() => signUp(clerk, { email: 'ada@tidemark.test' }))
const grace = madeOnce(() => signUp(clerk))
const bob = madeOnce(() => signUp(clerk))
beforeEach(() => forgetCheckouts({ database, stripe }))
/** Ada and Grace are admins of a fresh organization, Bob is a member. */
const org = madeForEachTest(async () => {
  const made = await buildOrganization(clerk, ada, 'Analytical Engines')
  await addMember(clerk, made, grace, 'org:admin')
  await addMember(clerk, made, bob)
  return made
})

const intents = () =>
  database.owner.selectFrom('checkout_intents').selectAll().orderBy('created_at').execute()
/** A live subscription of the organization, as far as our own rows go. */
const subscribeRow = async (fields: object = {}, seats = 5) =>
  buildSubscription(database, {
    owner_id: org.id,
    user_id: await buildUser(database.owner, ada.user_id),
    seats,
    fields,
  })
/** Buys seats for the organization at Stripe, and has our rows say so, as the worker would. */
async function subscribeAtStripe(seats: number): Promise<{ id: string; item: Stripe.SubscriptionItem }> {
  const { status, body } = await server.api(createOrganizationSubscription, {
    token: ada.token,
    body: { clerk_org_id: org.id, seats_total: seats },
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  const { sessionId } = body as { sessionId: string }
  await stripe.knob(`sessions/${sessionId}/pay`)
  const session = await stripe.client.checkout.sessions.retrieve(sessionId)
  const subscription = await stripe.client.subscriptions.retrieve(String(session.subscription))
  const [item] = subscription.items.data
  if (!item) throw new Error('The subscription has no item')
  await database.owner.deleteFrom('checkout_intents').execute()
  await subscribeRow({ stripe_subscription_id: subscription.id }, seats)
  return { id: subscription.id, item }
}

describe('an organization’s subscription', () => {
  const read = (token: string, orgId = org.id) =>
    server.api(getOrganizationSubscription, { token, query: { orgId } })

  test('an organization’s subscription is shown to members', async () => {
    const period = {
      current_period_start: new Date('2026-03-01T00:00:00Z'),
      current_period_end: new Date('2026-04-01T00:00:00Z'),
    }
    const { id } = await subscribeRow({ ...period, cancel_at: period.current_period_end })
    expect((await read(bob.token)).body).toEqual({
      hasSubscription: true,
      subscription: {
        id,
        plan_type: 'teams',
        status: 'active',
        billing_frequency: 'monthly',
        currency: 'EUR',
        seats_total: 5,
        credits_per_seat: 500,
        price_per_seat_minor: 3000,
        current_period_end: '2026-04-01T00:00:00.000Z',
        cancel_at: '2026-04-01T00:00:00.000Z',
        ended_at: null,
        scheduled_change: null,
      },
    })
  })

  test('an organization’s subscription is null when there never was one', async () => {
    expect(await read(bob.token)).toMatchObject({
      status: 200,
      body: { hasSubscription: false, subscription: null },
    })
  })

  test('an organization’s subscription that has ended is shown as ended, and a new one before an old one', async () => {
    await subscribeRow({ status: 'canceled', ended_at: new Date() })
    expect((await read(ada.token)).body).toMatchObject({
      hasSubscription: false,
      subscription: { status: 'canceled', ended_at: expect.any(String) },
    })
    const { id } = await subscribeRow({ status: 'past_due', created_at: new Date('2020-01-01') })
    expect((await read(ada.token)).body).toMatchObject({
      hasSubscription: true,
      subscription: { id, status: 'past_due' },
    })
  })
})

describe('an organization subscribes', () => {
  const subscribe = (fields: object = {}, token = ada.token) =>
    server.api(createOrganizationSubscription, {
      token,
      body: {
        clerk_org_id: org.id,
        plan_type: 'teams',
        billing_frequency: 'monthly',
        seats_total: 7,
        ...fields,
      },
    })

  test('an organization subscribes with the seats an admin chose, on a page in the organization’s name', async () => {
    const { status, body } = await subscribe()
    const { checkout_url, sessionId, intentId } = body as Record<string, string>
    expect(status).toBe(200)
    expect(await intents()).toMatchObject([
      {
        id: intentId,
        state: 'open',
        user_id: ada.user_id,
        owner_id: org.id,
        plan_type: 'teams',
        billing_frequency: 'monthly',
        seats: 7,
        credits: 3500,
        amount_minor: 21_000,
        currency: 'EUR',
        trial_days: 0,
      },
    ])
    const session = await stripe.client.checkout.sessions.retrieve(sessionId ?? '', { expand: ['customer'] })
    expect(session).toMatchObject({
      url: checkout_url,
      mode: 'subscription',
      amount_total: 21_000,
      metadata: { organizationId: org.id, planType: 'teams', seats: '7', credits: '3500' },
      customer: {
        name: 'Analytical Engines',
        email: 'ada@tidemark.test',
        metadata: { organizationId: org.id, clerkUserId: ada.user_id },
      },
      success_url: 'http://localhost:3000/payment/success?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/organizations?tab=billing',
    })
  })

  test.for([
    [1, 1],
    [100, 100],
    [5, undefined],
  ])('an organization subscribes with %i seats when it names %j', async ([seats, seats_total]) => {
    expect((await subscribe({ seats_total })).status).toBe(200)
    expect(await intents()).toMatchObject([{ seats, amount_minor: 3000 * Number(seats) }])
  })

  test('an organization that has a plan cannot subscribe again', async () => {
    await subscribeRow()
    expect(await subscribe()).toMatchObject({
      status: 409,
      body: {
        code: 'already_subscribed',
        error: 'This organization already has a subscription. Open its billing portal to change it.',
      },
    })
  })

  test('an organization subscribes on one page when two admins ask: the later one’s', async () => {
    await subscribe()
    await subscribe({}, grace.token)
    expect(await intents()).toMatchObject([
      { user_id: ada.user_id, state: 'expired' },
      { user_id: grace.user_id, state: 'open' },
    ])
  })
})

describe('the billing portal', () => {
  const kindOf = async (configuration: unknown) =>
    (await stripe.client.billingPortal.configurations.retrieve(String(configuration))).metadata?.[
      portalMetadataKey
    ]

  test('the billing portal of an organization opens for its admins, also before anything was bought', async () => {
    const { sessions, on } = await recordPortalSessions()
    const answer = await on.api(createOrganizationBillingPortal, {
      token: grace.token,
      body: { clerk_org_id: org.id },
    })
    await on.close()
    expect(answer.status).toBe(200)
    const [session] = sessions
    expect(answer.body).toEqual({ url: session?.url })
    expect(session).toMatchObject({
      return_url: 'http://localhost:3000/organizations?tab=billing',
      flow: null,
    })
    expect(await kindOf(session?.configuration)).toBe('organization')
    const kept = await database.row('stripe_customers', { owner_id: org.id }, ['customer_id'])
    expect(session?.customer).toBe(kept.customer_id)
  })

  test('the billing portal of a person is their own, with the customer that pays for their purchases', async () => {
    const { sessions, on } = await recordPortalSessions()
    for (let count = 0; count < 2; count++) {
      const { status } = await on.api(createCustomerPortalSession, {
        token: bob.token,
        body: { userId: bob.user_id },
      })
      expect(status).toBe(200)
    }
    await on.close()
    expect(sessions[0]).toMatchObject({ return_url: 'http://localhost:3000/billing' })
    expect(sessions[1]?.customer).toBe(sessions[0]?.customer)
    expect(await kindOf(sessions[0]?.configuration)).toBe('personal')
  })

  test('the billing portal opens the page of the card, which leads back, for a person and an organization', async () => {
    const { sessions, on } = await recordPortalSessions()
    const flow = 'payment_method_update'
    await on.api(createCustomerPortalSession, { token: bob.token, body: { userId: bob.user_id, flow } })
    await on.api(createOrganizationBillingPortal, {
      token: grace.token,
      body: { clerk_org_id: org.id, flow },
    })
    await on.close()
    expect(sessions.map((session) => session.flow)).toMatchObject(
      ['billing', 'organizations?tab=billing'].map((page) => ({
        type: flow,
        after_completion: { type: 'redirect', redirect: { return_url: `http://localhost:3000/${page}` } },
      })),
    )
  })
})

describe('more seats', () => {
  const buy = (fields: object = {}, by = ada, token = by.token) =>
    server.api(buySeats, {
      token,
      body: { orgId: org.id, clerkUserId: by.user_id, quantity: 3, ...fields },
    })

  test('more seats are confirmed on Stripe’s page, in addition to the present ones', async () => {
    const { id, item } = await subscribeAtStripe(5)
    const { sessions, on } = await recordPortalSessions()
    const answer = await on.api(buySeats, {
      token: grace.token,
      body: { orgId: org.id, clerkUserId: grace.user_id, quantity: 3 },
    })
    await on.close()
    expect(answer).toMatchObject({ status: 200, body: { url: sessions[0]?.url } })
    expect(sessions[0]?.flow).toMatchObject({
      type: 'subscription_update_confirm',
      subscription_update_confirm: { subscription: id, items: [{ id: item.id, quantity: 8 }] },
      // The page that waits for the seats knows how many to wait for.
      after_completion: {
        type: 'redirect',
        redirect: { return_url: 'http://localhost:3000/organizations?tab=seats&seats=8' },
      },
    })
    expect(sessions[0]).toMatchObject({ return_url: 'http://localhost:3000/organizations?tab=seats' })
    // Nothing has been bought yet.
    expect((await stripe.client.subscriptions.retrieve(id)).items.data[0]?.quantity).toBe(5)
  })

  test('more seats are bought at the price of the subscription after the catalogue’s price has changed', async () => {
    const { id, item } = await subscribeAtStripe(5)
    const old = await stripe.client.prices.create({
      product: 'plan_teams',
      currency: 'eur',
      unit_amount: 2500,
      recurring: { interval: 'month' },
    })
    await stripe.client.subscriptions.update(id, {
      items: [{ id: item.id, price: old.id }],
      proration_behavior: 'none',
    })
    await stripe.setUp()
    const { sessions, on } = await recordPortalSessions()
    const body = { orgId: org.id, clerkUserId: ada.user_id, quantity: 3 }
    expect(await on.api(buySeats, { token: ada.token, body })).toMatchObject({ status: 200 })
    const overview = { token: ada.token, body: { clerk_org_id: org.id } }
    expect(await on.api(createOrganizationBillingPortal, overview)).toMatchObject({ status: 200 })
    await on.close()
    const [confirm, portal] = sessions
    const { metadata } = await stripe.client.billingPortal.configurations.retrieve(
      String(confirm?.configuration),
    )
    expect(metadata).toEqual({ portal_kind: 'organization', portal_price: old.id })
    expect(portal?.configuration).toBe(confirm?.configuration)

    await fetch(`${confirm?.url}/subscriptions/${id}/confirm`, { method: 'POST', redirect: 'manual' })
    expect((await stripe.client.subscriptions.retrieve(id)).items.data[0]).toMatchObject({
      quantity: 8,
      price: { id: old.id },
    })
  })

  test('where Clerk allows fewer people than the catalogue has seats, no more are sold', async () => {
    await subscribeAtStripe(15)
    const allowed = 20
    const small = await startServer({ settings: { maximum_seats: allowed } })
    const { token, user_id } = ada
    const more = { orgId: org.id, clerkUserId: user_id, quantity: 6 }
    expect(await small.api(buySeats, { token, body: more })).toMatchObject({
      status: 400,
      body: { error: 'An organization can have 20 seats at most, and this one has 15 already' },
    })
    const bought = { clerk_org_id: org.id, seats_total: 21 }
    expect(await small.api(createOrganizationSubscription, { token, body: bought })).toMatchObject({
      status: 400,
      body: { error: 'An organization can have 20 seats at most', code: 'too_many_seats' },
    })
    expect(await small.ask(getWebConfig)).toMatchObject({ maximum_seats: allowed })
    await small.close()
  })

  test('more seats need a subscription that is paid', async () => {
    expect(await buy()).toMatchObject({ status: 409, body: { code: 'no_subscription' } })
    await subscribeRow({ status: 'past_due' })
    expect(await buy()).toMatchObject({ status: 409, body: { code: 'payment_overdue' } })
  })

  test('more seats are bought in the caller’s own name', async () => {
    await subscribeRow()
    expect(await buy({ clerkUserId: grace.user_id })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
  })
})

/** A server that records its portal sessions, because Stripe returns them only on creation. */
async function recordPortalSessions() {
  const sessions: Stripe.BillingPortal.Session[] = []
  const { billingPortal } = stripe.client
  const recording = new Proxy(stripe.client, {
    get: (target, name) =>
      name !== 'billingPortal'
        ? Reflect.get(target, name)
        : {
            configurations: billingPortal.configurations,
            sessions: {
              create: async (...request: Parameters<typeof billingPortal.sessions.create>) => {
                const session = await billingPortal.sessions.create(...request)
                sessions.push(session)
                return session
              },
            },
          },
  })
  const on = await startServer({
    deps: { stripe: recording },
  })
  return { sessions, on }
}
