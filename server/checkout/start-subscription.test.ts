import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import {
  type CheckoutPage,
  listPayableSessions,
  planBuyer,
} from '../../tests/support/factories/plan-checkouts.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, server, stripe } = product
const { ada, intents, subscribe, subscribed, sessionOf } = planBuyer(product)

describe('one subscription per owner', () => {
  test.each(['trialing', 'active', 'past_due', 'unpaid', 'paused'] as const)(
    'an owner whose subscription is %s is sent to the portal',
    async (status) => {
      await buildSubscription(database, {
        owner_id: ada.user_id,
        user_id: await buildUser(database.owner, ada.user_id),
        fields: { status },
      })
      expect(await subscribe()).toMatchObject({
        status: 409,
        body: {
          code: 'already_subscribed',
          error: 'You already have a subscription. Open the billing portal to change it.',
        },
      })
      expect(await listPayableSessions(product)).toEqual([])
    },
  )

  test('a team that has been bought is not bought again by a second click', async () => {
    await buildSubscription(database, {
      owner_id: 'org_bought',
      user_id: await buildUser(database.owner, ada.user_id),
      seats: 5,
    })
    expect(await subscribe({ planType: 'teams', seats: 5 })).toMatchObject({
      status: 409,
      body: { code: 'already_subscribed', error: expect.stringContaining('Organizations page') },
    })
    // Pro is for the person.
    expect((await subscribe()).status).toBe(200)
  })

  test('a second tab that wants the same gets the same page', async () => {
    const first = await subscribed()
    expect(await subscribed()).toEqual(first)
    expect(await intents()).toHaveLength(1)
  })

  test.each([
    ['period', { billingFrequency: 'yearly' }],
    ['currency', { currency: 'USD' }],
    ['plan', { planType: 'teams' }],
  ])('a second tab that wants another %s closes the page of the first', async (_, fields) => {
    const first = await subscribed()
    const second = await subscribed(fields)
    expect(second.intentId).not.toBe(first.intentId)
    expect((await sessionOf(first)).status).toBe('expired')
    expect((await sessionOf(second)).status).toBe('open')
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })

  test('a team is bought under the name that the buyer chose last, and a second tab without a name gets that page', async () => {
    const team = { planType: 'teams', seats: 3 }
    const first = await subscribed({ ...team, organizationName: 'Harbour' })
    const second = await subscribed({ ...team, organizationName: '  Pier  ' })
    expect((await sessionOf(first)).status).toBe('expired')
    expect(await subscribed(team)).toEqual(second)
    expect((await intents()).map(({ organization_name }) => organization_name)).toEqual(['Harbour', 'Pier'])
    // Pro has no organization.
    await subscribed({ organizationName: 'Harbour' })
    expect((await intents()).at(-1)).toMatchObject({ plan_type: 'pro', organization_name: null })
  })

  test.each([
    ['without a text', '  '],
    ['of more than 100 characters', 'x'.repeat(101)],
    ['with a line break', 'Harbour\nLabs'],
  ])('a name of an organization %s is refused before anything is opened', async (_, organizationName) => {
    expect((await subscribe({ planType: 'teams', organizationName })).status).toBe(400)
    expect(await intents()).toEqual([])
  })

  test('a page that expired at Stripe before we heard of it does not block a new one', async () => {
    const first = await subscribed()
    await stripe.client.checkout.sessions.expire(first.sessionId)
    expect((await subscribed()).intentId).not.toBe(first.intentId)
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })

  test.each([
    ['the same', {}],
    ['another', { billingFrequency: 'yearly' }],
  ])(
    '%s plan is refused after a page was just paid, and the worker is asked to fetch the session',
    async (_, fields) => {
      const first = await subscribed()
      await stripe.knob(`sessions/${first.sessionId}/pay`)
      expect(await subscribe(fields)).toMatchObject({ status: 409, body: { code: 'checkout_in_progress' } })
      expect((await intents()).map(({ state }) => state)).toEqual(['open'])
      const jobs = await server.deps.producer.queue('checkout-completions').getJobs(['waiting', 'delayed'])
      expect(jobs.map((job) => job.data.intent_id)).toContain(first.intentId)
    },
  )

  test('a page that Stripe will not close stays the only one', async () => {
    const first = await subscribed()
    await stripe.knob('faults', {
      status: 500,
      path_prefix: `/v1/checkout/sessions/${first.sessionId}/expire`,
    })
    expect(await subscribe({ billingFrequency: 'yearly' })).toMatchObject({
      status: 503,
      body: { error: 'Failed to create checkout session' },
    })
    expect(await listPayableSessions(product)).toMatchObject([{ id: first.sessionId }])
    await stripe.clear('faults')
    await subscribed({ billingFrequency: 'yearly' })
    expect(await listPayableSessions(product)).toHaveLength(1)
  })

  test('twelve clicks at once open one page, and all of them get it', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => subscribe()))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
    expect(new Set(answers.map(({ body }) => (body as CheckoutPage).url)).size).toBe(1)
    expect(await listPayableSessions(product)).toHaveLength(1)
  })

  test.each([1, 2, 3])(
    'different requests at once leave one page that can be paid, and no 500 (%i)',
    async () => {
      const requests = [
        {},
        { billingFrequency: 'yearly' },
        { currency: 'USD' },
        { planType: 'teams', seats: 5 },
        { planType: 'teams', seats: 6 },
        { currency: 'GBP', billingFrequency: 'yearly' },
      ]
      const answers = await Promise.all(requests.map((fields) => subscribe(fields)))
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
      expect(answers.some(({ status }) => status === 200)).toBe(true)
      const open = await listPayableSessions(product)
      expect(open.length).toBe(1)
      const unfinished = (await intents()).filter(({ state }) => state === 'open' || state === 'created')
      expect(unfinished.map(({ stripe_session_id }) => stripe_session_id)).toEqual(open.map(({ id }) => id))
      // The next call gets a page either way.
      expect((await subscribe()).status).toBe(200)
      expect(await listPayableSessions(product)).toHaveLength(1)
    },
  )

  test('a checkout that another tab closed while it was opening returns no page', async () => {
    const [opened, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = withSessions({
      create: async (...request) => {
        const session = await stripe.client.checkout.sessions.create(...request)
        opened.resolve()
        await mayGoOn.promise
        return session
      },
    })
    const dawdling = await product.startServer({ deps: { stripe: slow } })
    const first = subscribe({}, dawdling)
    await opened.promise
    const second = await subscribed({ billingFrequency: 'yearly' })
    mayGoOn.resolve()
    expect(await first).toMatchObject({ status: 409, body: { code: 'checkout_superseded' } })
    await dawdling.close()
    expect(await listPayableSessions(product)).toMatchObject([{ id: second.sessionId }])
  })

  test('a checkout that is settled while another is being opened blocks the other', async () => {
    const first = await subscribed()
    // The worker's transactions end between the question to Stripe and its answer.
    const late = withSessions({
      retrieve: async () => {
        const settled = { state: 'settled', settled_at: new Date() } as const
        const intent = database.owner.updateTable('checkout_intents').where('id', '=', first.intentId)
        await intent.set(settled).execute()
        await buildSubscription(database, { owner_id: ada.user_id, user_id: ada.user_id })
        return stripe.client.checkout.sessions.expire(first.sessionId)
      },
    })
    const on = await product.startServer({ deps: { stripe: late } })
    const answer = await subscribe({ billingFrequency: 'yearly' }, on)
    await on.close()
    expect(answer).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
    expect((await intents()).map(({ state }) => state)).toEqual(['settled', 'settled'])
  })

  test('an attempt that Stripe did not answer does not keep the buyer waiting', async () => {
    await stripe.knob('faults', { status: 503, path_prefix: '/v1/checkout', method: 'POST' })
    expect(await subscribe()).toMatchObject({
      status: 503,
      body: { error: 'Failed to create checkout session', code: 'checkout_failed' },
    })
    expect(await intents()).toMatchObject([
      { state: 'created', failure_code: 'no_answer', failure_reason: expect.any(String) },
    ])
    await stripe.clear('faults')
    expect((await subscribe()).status).toBe(200)
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })
})

type Sessions = Stripe['checkout']['sessions']

/** Stripe, but for what the test does itself. */
function withSessions(own: Partial<Pick<Sessions, 'create' | 'retrieve'>>): Stripe {
  const { sessions } = stripe.client.checkout
  const replaced = new Proxy(sessions, {
    get: (_, method) =>
      Reflect.get(own, method) ??
      (Reflect.get(sessions, method) as (...a: unknown[]) => unknown).bind(sessions),
  })
  return new Proxy(stripe.client, {
    get: (target, name) => (name === 'checkout' ? { sessions: replaced } : Reflect.get(target, name)),
  })
}
