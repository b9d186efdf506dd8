import type Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { attachSession, insertIntent } from '../../schema/checkout/intents.ts'
import { type OpenedPage, openPlanCounter, type PlanCounter } from '../../tests/support/plan-counter.ts'
import { insertUser } from '../../tests/support/records.ts'
import type { SignedInPerson } from '../../tests/support/sandbox.ts'
import { insertSubscription } from '../../tests/support/subscriptions.ts'

let counter: PlanCounter
let ada: SignedInPerson

beforeAll(async () => {
  counter = await openPlanCounter()
})
afterAll(() => counter?.close())
beforeEach(async () => {
  ada = await counter.newCustomer()
})

const intents = () => counter.intents()
const subscribe = (fields: object = {}, on = counter.server) => counter.subscribe(ada, fields, on)
const subscribed = (fields: object = {}) => counter.subscribed(ada, fields)
const sessionOf = (page: OpenedPage) => counter.sessionOf(page)

describe('one subscription an owner:', () => {
  test.each(['trialing', 'active', 'past_due', 'unpaid', 'paused'] as const)(
    'who has one that is %s is sent to the portal',
    async (status) => {
      await insertSubscription(counter.database, {
        owner: { owner_kind: 'user', owner_id: ada.user_id },
        user_id: await insertUser(counter.database.owner, ada.user_id),
        fields: { status },
      })
      expect(await subscribe()).toMatchObject({
        status: 409,
        body: {
          code: 'already_subscribed',
          error: 'You already have a subscription. Open the billing portal to change it.',
        },
      })
      expect(await counter.payable()).toEqual([])
    },
  )

  test('a team that somebody bought is not bought again by a second click', async () => {
    await insertSubscription(counter.database, {
      owner: { owner_kind: 'organization', owner_id: 'org_bought' },
      user_id: await insertUser(counter.database.owner, ada.user_id),
      seats: 5,
    })
    expect(await subscribe({ planType: 'teams', seats: 5 })).toMatchObject({
      status: 409,
      body: { code: 'already_subscribed', error: expect.stringContaining('Organizations page') },
    })
    // Pro is for the person.
    expect((await subscribe()).status).toBe(200)
  })

  test('the second tab that wants the same shows the same page', async () => {
    const first = await subscribed()
    expect(await subscribed()).toEqual(first)
    expect(await intents()).toHaveLength(1)
  })

  test.each([
    ['period', { billingFrequency: 'yearly' }],
    ['currency', { currency: 'USD' }],
    ['plan', { planType: 'teams' }],
  ])('the second tab that wants another %s closes the first one’s page', async (_, fields) => {
    const first = await subscribed()
    const second = await subscribed(fields)
    expect(second.intentId).not.toBe(first.intentId)
    expect((await sessionOf(first)).status).toBe('expired')
    expect((await sessionOf(second)).status).toBe('open')
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })

  test('a page that expired at Stripe unheard of does not stand in the way', async () => {
    const first = await subscribed()
    await counter.stripe.checkout.sessions.expire(first.sessionId)
    expect((await subscribed()).intentId).not.toBe(first.intentId)
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })

  test.each([
    ['the same', {}],
    ['another', { billingFrequency: 'yearly' }],
  ])('a page that was just paid refuses %s plan, and asks the worker to look', async (_, fields) => {
    const first = await subscribed()
    await counter.sandbox.knob(`sessions/${first.sessionId}/pay`)
    expect(await subscribe(fields)).toMatchObject({ status: 409, body: { code: 'checkout_in_progress' } })
    expect((await intents()).map(({ state }) => state)).toEqual(['open'])
    const jobs = await counter.server.deps.producer
      .queue('checkout-completions')
      .getJobs(['waiting', 'delayed'])
    expect(jobs.map((job) => job.data.intent_id)).toContain(first.intentId)
  })

  test('a page that Stripe will not close keeps its place: nobody gets a second one', async () => {
    const first = await subscribed()
    await counter.sandbox.knob('faults', {
      status: 500,
      path_prefix: `/v1/checkout/sessions/${first.sessionId}/expire`,
    })
    expect(await subscribe({ billingFrequency: 'yearly' })).toMatchObject({
      status: 503,
      body: { error: 'Failed to create checkout session' },
    })
    expect(await counter.payable()).toMatchObject([{ id: first.sessionId }])
    await counter.sandbox.clear('faults')
    await subscribed({ billingFrequency: 'yearly' })
    expect(await counter.payable()).toHaveLength(1)
  })

  test('twelve clicks at once open one page, and all get it', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => subscribe()))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
    expect(new Set(answers.map(({ body }) => (body as OpenedPage).url)).size).toBe(1)
    expect(await counter.payable()).toHaveLength(1)
  })

  test.each([1, 2, 3])(
    'different wishes at once leave one page that can be paid, and no 500 (%i)',
    async () => {
      const wishes = [
        {},
        { billingFrequency: 'yearly' },
        { currency: 'USD' },
        { planType: 'teams', seats: 5 },
        { planType: 'teams', seats: 6 },
        { currency: 'GBP', billingFrequency: 'yearly' },
      ]
      const answers = await Promise.all(wishes.map((fields) => subscribe(fields)))
      expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
      expect(answers.some(({ status }) => status === 200)).toBe(true)
      const open = await counter.payable()
      expect(open.length).toBe(1)
      const unsettled = (await intents()).filter(({ state }) => state === 'open' || state === 'created')
      expect(unsettled.map(({ stripe_session_id }) => stripe_session_id)).toEqual(open.map(({ id }) => id))
      // Whoever comes next gets a page, whatever happened.
      expect((await subscribe()).status).toBe(200)
      expect(await counter.payable()).toHaveLength(1)
    },
  )

  test('a checkout that another tab closed while it was opening hands its page to nobody', async () => {
    let opened = () => {}
    const isOpened = new Promise<void>((resolve) => {
      opened = resolve
    })
    let goOn = () => {}
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const slow = withSessions({
      create: async (...request) => {
        const session = await counter.stripe.checkout.sessions.create(...request)
        opened()
        await mayGoOn
        return session
      },
    })
    const dawdling = await counter.startServer({ deps: { stripe: slow } })
    const first = subscribe({}, dawdling)
    await isOpened
    const second = await subscribed({ billingFrequency: 'yearly' })
    goOn()
    expect(await first).toMatchObject({ status: 409, body: { code: 'checkout_superseded' } })
    await dawdling.close()
    expect(await counter.payable()).toMatchObject([{ id: second.sessionId }])
  })

  test('a checkout that is settled while its successor looks at it leaves no room for one', async () => {
    const first = await subscribed()
    await counter.database.owner.deleteFrom('checkout_intents').execute()
    const owner = { owner_kind: 'user', owner_id: ada.user_id } as const
    const { intent_id, session_id } = await insertSubscription(counter.database, {
      owner,
      user_id: ada.user_id,
    })
    const subscription = await counter.database.owner
      .deleteFrom('subscriptions')
      .where('intent_id', '=', intent_id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await counter.database.owner.deleteFrom('checkout_intents').execute()
    await insertIntent(counter.database.server, { ...promised(ada.user_id), id: intent_id })
    await attachSession(counter.database.server, { id: intent_id, stripe_session_id: session_id })
    // The worker's transaction ends between the question to Stripe and its answer.
    const late = withSessions({
      retrieve: async () => {
        await counter.database.worker.transaction().execute(async (trx) => {
          await trx
            .updateTable('checkout_intents')
            .set({ state: 'settled', settled_at: new Date() })
            .where('id', '=', intent_id)
            .execute()
          await trx.insertInto('subscriptions').values(subscription).execute()
        })
        return counter.stripe.checkout.sessions.expire(first.sessionId)
      },
    })
    const on = await counter.startServer({ deps: { stripe: late } })
    const answer = await subscribe({ billingFrequency: 'yearly' }, on)
    await on.close()
    expect(answer).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
    expect(await intents()).toMatchObject([{ id: intent_id, state: 'settled' }])
  })

  test('a try that Stripe left unanswered does not keep the buyer waiting', async () => {
    await counter.sandbox.knob('faults', { status: 503, path_prefix: '/v1/checkout', method: 'POST' })
    expect(await subscribe()).toMatchObject({
      status: 503,
      body: { error: 'Failed to create checkout session', code: 'checkout_failed' },
    })
    expect(await intents()).toMatchObject([{ state: 'created', failure_reason: expect.any(String) }])
    await counter.sandbox.clear('faults')
    expect((await subscribe()).status).toBe(200)
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })
})

type Sessions = Stripe['checkout']['sessions']

/** Stripe, but for what the test does itself. */
function withSessions(own: Partial<Pick<Sessions, 'create' | 'retrieve'>>): Stripe {
  const { sessions } = counter.stripe.checkout
  const replaced = new Proxy(sessions, {
    get: (_, method) =>
      Reflect.get(own, method) ??
      (Reflect.get(sessions, method) as (...a: unknown[]) => unknown).bind(sessions),
  })
  return new Proxy(counter.stripe, {
    get: (target, name) => (name === 'checkout' ? { sessions: replaced } : Reflect.get(target, name)),
  })
}

/** Pro by the month, as it is promised to somebody. */
const promised = (user_id: string) =>
  ({
    kind: 'subscription',
    user_id,
    owner_kind: 'user',
    owner_id: user_id,
    plan_type: 'pro',
    billing_frequency: 'monthly',
    currency: 'EUR',
    seats: 1,
    credits_per_seat: 500,
    credits: 500,
    amount_minor: 2000,
    trial_days: 0,
    sweep_at: new Date(),
  }) as const
