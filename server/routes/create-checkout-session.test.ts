import type Stripe from 'stripe'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listPlans } from '../../schema/api/catalogue.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { attachSession, insertIntent } from '../../schema/checkout/intents.ts'
import { cataloguePrices } from '../../schema/stripe/catalogue.ts'
import { setUpStripe } from '../../scripts/stripe/set-up.ts'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { type Sandbox, type SignedInPerson, signUp, startSandbox } from '../../tests/support/sandbox.ts'
import { startTestServer, type TestServer } from '../../tests/support/server.ts'
import { insertSubscription } from '../../tests/support/subscriptions.ts'

let database: TestDatabase
let sandbox: Sandbox
let clerk: Sandbox
let server: TestServer
let stripe: Stripe
let ada: SignedInPerson
let eve: SignedInPerson

beforeAll(async () => {
  ;[database, sandbox, clerk] = await Promise.all([
    createTestDatabase(),
    startSandbox('stripe'),
    startSandbox('clerk'),
  ])
  server = await startTestServer({ databaseUrl: database.url, stripe: sandbox, clerk })
  stripe = server.deps.stripe
  await setUpStripe(stripe, { app_url: 'http://localhost:3000', brand_name: 'Tidemark', webhook: null })
  eve = await signUp(clerk)
})
afterAll(async () => {
  await server?.close()
  await Promise.all([sandbox?.stop(), clerk?.stop(), database?.close()])
})
beforeEach(async () => {
  await sandbox.clear('faults')
  await database.owner.deleteFrom('subscriptions').execute()
  await database.owner.deleteFrom('checkout_intents').execute()
  ada = await signUp(clerk, { first_name: 'Ada', last_name: 'Lovelace' })
})

interface Opened {
  url: string
  sessionId: string
  intentId: string
}
const intents = () =>
  database.owner.selectFrom('checkout_intents').selectAll().orderBy('created_at').execute()
const wish = (fields: object = {}) => ({
  planType: 'pro',
  billingFrequency: 'monthly',
  currency: 'EUR',
  priceId: undefined,
  seats: 1,
  clerkUserId: ada.user_id,
  ...fields,
})
const subscribe = (fields: object = {}, token = ada.token, on = server) =>
  on.api(createCheckoutSession, { token, body: wish(fields) })
const subscribed = async (fields: object = {}): Promise<Opened> => {
  const { status, body } = await subscribe(fields)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return body as Opened
}
const sessionOf = ({ sessionId }: { sessionId: string }) =>
  stripe.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] })
/** Sessions of these intents that somebody could still pay. */
const payable = async () => {
  const ids = new Set((await intents()).map(({ id }) => id))
  const sessions: Stripe.Checkout.Session[] = []
  for await (const session of stripe.checkout.sessions.list({ status: 'open', limit: 100 })) {
    if (ids.has(session.client_reference_id ?? '')) sessions.push(session)
  }
  return sessions
}

describe('a plan', () => {
  test('is written down as promised, and Stripe’s page says the same', async () => {
    const answer = await subscribed({ billingFrequency: 'yearly', currency: 'GBP', priceId: 'pro_yearly' })
    const [intent] = await intents()
    expect(intent).toMatchObject({
      id: answer.intentId,
      kind: 'subscription',
      state: 'open',
      user_id: ada.user_id,
      owner_kind: 'user',
      owner_id: ada.user_id,
      plan_type: 'pro',
      billing_frequency: 'yearly',
      currency: 'GBP',
      seats: 1,
      credits_per_seat: 500,
      credits: 500,
      amount_minor: 19_200,
      trial_days: 14,
      stripe_session_id: answer.sessionId,
    })
    const session = await sessionOf(answer)
    expect(session).toMatchObject({
      url: answer.url,
      mode: 'subscription',
      currency: 'gbp',
      client_reference_id: answer.intentId,
      metadata: {
        intentId: answer.intentId,
        planType: 'pro',
        billingFrequency: 'yearly',
        currency: 'GBP',
        seats: '1',
        priceId: 'pro_yearly',
        credits: '500',
      },
      customer: intent?.stripe_customer_id,
      success_url: 'http://localhost:3000/payment/success?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/payment/cancelled',
    })
    expect(session.line_items?.data[0]?.price?.lookup_key).toBe('pro_yearly')
  })

  test('becomes a subscription that carries the same metadata and trial when it is bought', async () => {
    const answer = await subscribed()
    await sandbox.knob(`sessions/${answer.sessionId}/pay`)
    const session = await sessionOf(answer)
    const subscription = await stripe.subscriptions.retrieve(String(session.subscription))
    expect(subscription.metadata).toEqual(session.metadata)
    expect(subscription.status).toBe('trialing')
    expect((subscription.trial_end ?? 0) - (subscription.trial_start ?? 0)).toBe(14 * 86_400)
  })

  test.each(
    cataloguePrices.flatMap((price) =>
      (['EUR', 'USD', 'GBP'] as const).map((currency) => [price.lookup_key, currency, price] as const),
    ),
  )('%s in %s costs what the catalogue says', async (_, currency, price) => {
    const seats = price.plan_type === 'teams' ? 3 : 1
    const answer = await subscribed({
      planType: price.plan_type,
      billingFrequency: price.billing_frequency,
      currency,
      seats,
    })
    const [intent] = await intents()
    expect(intent).toMatchObject({ amount_minor: price.amount_minor * seats, currency })
    const session = await sessionOf(answer)
    expect(session.currency).toBe(currency.toLowerCase())
    expect(session.line_items?.data[0]).toMatchObject({ quantity: seats })
    // A trial asks for nothing now.
    expect(session.amount_total).toBe(price.plan_type === 'pro' ? 0 : price.amount_minor * seats)
  })

  test('for a team is for an organization that is made when it is paid, with a customer of its own', async () => {
    const pro = await subscribed()
    const team = await subscribed({ planType: 'teams', seats: 100 })
    const customers = (await intents()).map((intent) => intent.stripe_customer_id)
    expect(await intents()).toMatchObject([
      { id: pro.intentId, state: 'expired' },
      {
        id: team.intentId,
        owner_kind: 'organization',
        owner_id: null,
        seats: 100,
        credits: 50_000,
        trial_days: 0,
      },
    ])
    expect(new Set(customers).size).toBe(2)
    const kept = await database.owner
      .selectFrom('stripe_customers')
      .select(['owner_kind', 'customer_id'])
      .where('owner_id', '=', ada.user_id)
      .execute()
    expect(kept).toEqual([{ owner_kind: 'user', customer_id: customers[0] }])
  })

  test('may be named by the id that Stripe gave its price', async () => {
    const { price_id } = await server.deps.catalogue.findPrice({
      plan_type: 'pro',
      billing_frequency: 'monthly',
    })
    expect((await subscribe({ priceId: price_id })).status).toBe(200)
  })

  test('returns to pages of ours only', async () => {
    const answer = await subscribed({
      successUrl: 'http://localhost:3000/payment/success?plan=pro',
      cancelUrl: 'http://localhost:3000/pricing',
    })
    expect(await sessionOf(answer)).toMatchObject({
      success_url: 'http://localhost:3000/payment/success?plan=pro&session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/pricing',
    })
  })
})

describe('a request that may not be is refused and writes no row:', () => {
  test.each([
    ['the plan that is free', { planType: 'starter' }, 'planType'],
    ['a plan that is not', { planType: 'enterprise' }, 'planType'],
    ['another period', { billingFrequency: 'weekly' }, 'billingFrequency'],
    ['another currency', { currency: 'JPY' }, 'currency'],
    ['a field that nobody knows', { amount: 1 }, 'amount'],
  ])('%s', async (_, fields, path) => {
    const { status, body } = await subscribe(fields)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      code: 'invalid_request',
      fields: [{ path }],
      error: expect.stringContaining(path),
    })
    expect(await intents()).toEqual([])
  })

  test.each([0, 101, -1, 1.5, '5', null, 1e9, [5]])('%j seats', async (seats) => {
    const { status, body } = await subscribe({ planType: 'teams', seats })
    const text = 'Seats must be a whole number from 1 to 100'
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: text, fields: [{ path: 'seats', message: text }] })
    expect(await intents()).toEqual([])
  })

  test('two seats of Pro', async () => {
    const { status, body } = await subscribe({ seats: 2 })
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'The Pro plan has one seat', fields: [{ path: 'seats' }] })
    expect(await intents()).toEqual([])
  })

  test.each(['pro_yearly', 'teams_monthly', 'price_of_somebody_else', 'pro_monthly_eur'])(
    'the price %s for Pro by the month',
    async (priceId) => {
      const { status, body } = await subscribe({ priceId })
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'price_mismatch', fields: [{ path: 'priceId' }] })
      expect(await intents()).toEqual([])
    },
  )

  test.each([
    ['successUrl', 'https://evil.example/payment/success'],
    ['cancelUrl', 'http://localhost:3000@evil.example/'],
  ])('a %s that is not ours', async (field, address) => {
    const { status, body } = await subscribe({ [field]: address })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'foreign_return_address', fields: [{ path: field }] })
    expect(await intents()).toEqual([])
  })

  test('somebody else’s id, and no token', async () => {
    expect(await subscribe({ clerkUserId: eve.user_id })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    })
    expect(await server.api(createCheckoutSession, { body: wish() })).toMatchObject({
      status: 401,
      body: { error: 'User not authenticated' },
    })
    expect(await intents()).toEqual([])
  })
})

describe('a trial', () => {
  const trialOf = async (answer: Opened) =>
    (await intents()).find(({ id }) => id === answer.intentId)?.trial_days

  test('is for who never had a subscription, whatever became of it', async () => {
    await insertSubscription(database, {
      owner: { owner_kind: 'user', owner_id: ada.user_id },
      user_id: await account(ada),
      fields: { status: 'canceled', ended_at: new Date() },
    })
    const answer = await subscribed()
    expect(await trialOf(answer)).toBe(0)
    expect((await sessionOf(answer)).amount_total).toBe(2000)
  })

  test('is not for who bought for an organization before', async () => {
    await insertSubscription(database, {
      owner: { owner_kind: 'organization', owner_id: 'org_before' },
      user_id: await account(ada),
    })
    expect(await trialOf(await subscribed())).toBe(0)
  })

  test('that was left at the payment page is still there', async () => {
    const first = await subscribed()
    await stripe.checkout.sessions.expire(first.sessionId)
    expect(await trialOf(await subscribed())).toBe(14)
  })

  test('can be switched off, and its button says so', async () => {
    const without = await startTestServer({
      databaseUrl: database.url,
      stripe: sandbox,
      clerk,
      env: { PRO_TRIAL_DAYS: '0' },
    })
    const { status, body } = await subscribe({}, ada.token, without)
    const days = async (on: TestServer) =>
      (await on.ask(listPlans)).plans.map(({ plan_type, trial_days }) => [plan_type, trial_days])
    const shown = await days(without)
    await without.close()
    expect(status).toBe(200)
    expect(await trialOf(body as Opened)).toBe(0)
    expect(shown).toEqual([
      ['starter', 0],
      ['pro', 0],
      ['teams', 0],
    ])
    expect(await days(server)).toEqual([
      ['starter', 0],
      ['pro', 14],
      ['teams', 0],
    ])
  })
})

describe('one subscription an owner:', () => {
  test.each(['trialing', 'active', 'past_due', 'unpaid', 'paused'] as const)(
    'who has one that is %s is sent to the portal',
    async (status) => {
      await insertSubscription(database, {
        owner: { owner_kind: 'user', owner_id: ada.user_id },
        user_id: await account(ada),
        fields: { status },
      })
      expect(await subscribe()).toMatchObject({
        status: 409,
        body: {
          code: 'already_subscribed',
          error: 'You already have a subscription. Open the billing portal to change it.',
        },
      })
      expect(await payable()).toEqual([])
    },
  )

  test('a team that somebody bought is not bought again by a second click', async () => {
    await insertSubscription(database, {
      owner: { owner_kind: 'organization', owner_id: 'org_bought' },
      user_id: await account(ada),
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
    await stripe.checkout.sessions.expire(first.sessionId)
    expect((await subscribed()).intentId).not.toBe(first.intentId)
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })

  test.each([
    ['the same', {}],
    ['another', { billingFrequency: 'yearly' }],
  ])('a page that was just paid refuses %s plan, and asks the worker to look', async (_, fields) => {
    const first = await subscribed()
    await sandbox.knob(`sessions/${first.sessionId}/pay`)
    expect(await subscribe(fields)).toMatchObject({ status: 409, body: { code: 'checkout_in_progress' } })
    expect((await intents()).map(({ state }) => state)).toEqual(['open'])
    const jobs = await server.deps.producer.queue('checkout-completions').getJobs(['waiting', 'delayed'])
    expect(jobs.map((job) => job.data.intent_id)).toContain(first.intentId)
  })

  test('a page that Stripe will not close keeps its place: nobody gets a second one', async () => {
    const first = await subscribed()
    await sandbox.knob('faults', {
      status: 500,
      path_prefix: `/v1/checkout/sessions/${first.sessionId}/expire`,
    })
    expect(await subscribe({ billingFrequency: 'yearly' })).toMatchObject({
      status: 503,
      body: { error: 'Failed to create checkout session' },
    })
    expect(await payable()).toMatchObject([{ id: first.sessionId }])
    await sandbox.clear('faults')
    await subscribed({ billingFrequency: 'yearly' })
    expect(await payable()).toHaveLength(1)
  })

  test('twelve clicks at once open one page, and all get it', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => subscribe()))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 12 }, () => 200))
    expect(new Set(answers.map(({ body }) => (body as Opened).url)).size).toBe(1)
    expect(await payable()).toHaveLength(1)
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
      const open = await payable()
      expect(open.length).toBe(1)
      const unsettled = (await intents()).filter(({ state }) => state === 'open' || state === 'created')
      expect(unsettled.map(({ stripe_session_id }) => stripe_session_id)).toEqual(open.map(({ id }) => id))
      // Whoever comes next gets a page, whatever happened.
      expect((await subscribe()).status).toBe(200)
      expect(await payable()).toHaveLength(1)
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
        const session = await stripe.checkout.sessions.create(...request)
        opened()
        await mayGoOn
        return session
      },
    })
    const dawdling = await startTestServer({
      databaseUrl: database.url,
      stripe: sandbox,
      clerk,
      deps: { stripe: slow },
    })
    const first = subscribe({}, ada.token, dawdling)
    await isOpened
    const second = await subscribed({ billingFrequency: 'yearly' })
    goOn()
    expect(await first).toMatchObject({ status: 409, body: { code: 'checkout_superseded' } })
    await dawdling.close()
    expect(await payable()).toMatchObject([{ id: second.sessionId }])
  })

  test('a checkout that is settled while its successor looks at it leaves no room for one', async () => {
    const first = await subscribed()
    await database.owner.deleteFrom('checkout_intents').execute()
    const owner = { owner_kind: 'user', owner_id: ada.user_id } as const
    const { intent_id, session_id } = await insertSubscription(database, { owner, user_id: ada.user_id })
    const subscription = await database.owner
      .deleteFrom('subscriptions')
      .where('intent_id', '=', intent_id)
      .returningAll()
      .executeTakeFirstOrThrow()
    await database.owner.deleteFrom('checkout_intents').execute()
    await insertIntent(database.server, { ...promised(ada.user_id), id: intent_id })
    await attachSession(database.server, { id: intent_id, stripe_session_id: session_id })
    // The worker's transaction ends between the question to Stripe and its answer.
    const late = withSessions({
      retrieve: async () => {
        await database.worker.transaction().execute(async (trx) => {
          await trx
            .updateTable('checkout_intents')
            .set({ state: 'settled', settled_at: new Date() })
            .where('id', '=', intent_id)
            .execute()
          await trx.insertInto('subscriptions').values(subscription).execute()
        })
        return stripe.checkout.sessions.expire(first.sessionId)
      },
    })
    const on = await startTestServer({
      databaseUrl: database.url,
      stripe: sandbox,
      clerk,
      deps: { stripe: late },
    })
    const answer = await subscribe({ billingFrequency: 'yearly' }, ada.token, on)
    await on.close()
    expect(answer).toMatchObject({ status: 409, body: { code: 'already_subscribed' } })
    expect(await intents()).toMatchObject([{ id: intent_id, state: 'settled' }])
  })

  test('a try that Stripe left unanswered does not keep the buyer waiting', async () => {
    await sandbox.knob('faults', { status: 503, path_prefix: '/v1/checkout', method: 'POST' })
    expect(await subscribe()).toMatchObject({
      status: 503,
      body: { error: 'Failed to create checkout session', code: 'checkout_failed' },
    })
    expect(await intents()).toMatchObject([{ state: 'created', failure_reason: expect.any(String) }])
    await sandbox.clear('faults')
    expect((await subscribe()).status).toBe(200)
    expect((await intents()).map(({ state }) => state)).toEqual(['expired', 'open'])
  })
})

describe('when the price at Stripe is not the catalogue’s', () => {
  const breakPrice = async (unit_amount: number) =>
    stripe.prices.create({
      product: 'plan_pro',
      lookup_key: 'pro_monthly',
      transfer_lookup_key: true,
      currency: 'eur',
      unit_amount,
      currency_options: { usd: { unit_amount }, gbp: { unit_amount } },
      recurring: { interval: 'month' },
    })
  const fresh = () => startTestServer({ databaseUrl: database.url, stripe: sandbox, clerk })

  test('nothing is sold and the log says why, until the set-up has run', async () => {
    await breakPrice(1)
    const other = await fresh()
    expect(await subscribe({}, ada.token, other)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable', error: 'Failed to create checkout session' },
    })
    expect(await intents()).toEqual([])
    expect(JSON.stringify(other.logs)).toContain('it costs 1 in EUR, not 2000')
    await setUpStripe(stripe, { app_url: 'http://localhost:3000', brand_name: 'Tidemark', webhook: null })
    expect((await subscribe({}, ada.token, other)).status).toBe(200)
    await other.close()
  })

  test('or Stripe does not say, nothing is sold either', async () => {
    const other = await fresh()
    await sandbox.knob('faults', { status: 500, path_prefix: '/v1/prices' })
    expect(await subscribe({}, ada.token, other)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable' },
    })
    await other.close()
    expect(await intents()).toEqual([])
  })

  test('and only the session shows it, the page is closed again', async () => {
    const cheap = await breakPrice(1900)
    const fooled = await startTestServer({
      databaseUrl: database.url,
      stripe: sandbox,
      clerk,
      env: { PRO_TRIAL_DAYS: '0' },
      deps: {
        catalogue: {
          ...server.deps.catalogue,
          findPrice: async (wanted) => ({
            ...(await server.deps.catalogue.findPrice(wanted)),
            price_id: cheap.id,
          }),
        },
      },
    })
    expect(await subscribe({}, ada.token, fooled)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable' },
    })
    await fooled.close()
    expect(await intents()).toMatchObject([{ state: 'failed', failure_reason: 'Stripe asks for 1900' }])
    expect(await payable()).toEqual([])
    await setUpStripe(stripe, { app_url: 'http://localhost:3000', brand_name: 'Tidemark', webhook: null })
  })
})

test('a price that changes leaves alone what an open page promised', async () => {
  const first = await subscribed({ planType: 'teams', seats: 2 })
  await stripe.prices.create({
    product: 'plan_teams',
    lookup_key: 'teams_monthly',
    transfer_lookup_key: true,
    currency: 'eur',
    unit_amount: 9900,
    currency_options: { usd: { unit_amount: 9900 }, gbp: { unit_amount: 9900 } },
    recurring: { interval: 'month' },
  })
  await sandbox.knob(`sessions/${first.sessionId}/pay`)
  expect(await sessionOf(first)).toMatchObject({ amount_total: 6000, payment_status: 'paid' })
  expect(await intents()).toMatchObject([{ amount_minor: 6000, credits: 1000 }])
  await setUpStripe(stripe, { app_url: 'http://localhost:3000', brand_name: 'Tidemark', webhook: null })
})

/** Somebody's row, as their first purchase makes it. */
async function account(person: SignedInPerson): Promise<string> {
  await database.owner
    .insertInto('users')
    .values({
      clerk_id: person.user_id,
      email: `${person.user_id}@tidemark.test`,
      profile_updated_at: new Date(0),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return person.user_id
}

type Sessions = Stripe['checkout']['sessions']

/** Stripe, but for what the test does itself. */
function withSessions(own: Partial<Pick<Sessions, 'create' | 'retrieve'>>): Stripe {
  const { sessions } = stripe.checkout
  const replaced = new Proxy(sessions, {
    get: (_, method) =>
      Reflect.get(own, method) ??
      (Reflect.get(sessions, method) as (...a: unknown[]) => unknown).bind(sessions),
  })
  return new Proxy(stripe, {
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
