import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  getSessionStatus,
  listOpenCheckouts,
  processPaymentSuccess,
  purchaseCredits,
} from '../../schema/api/checkout.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { producerWith } from '../../tests/support/product/producer-with.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, stripe, clerk, server, worker, clock } = product
beforeAll(() => clock.stop(new Date('2026-05-01T00:00:00Z')))
const ada = madeForEachTest(() => signUp(clerk))
const eve = madeOnce(() => signUp(clerk))
afterEach(() => stripe.clear('faults'))

const buy = () =>
  server.ask(purchaseCredits, {
    token: ada.token,
    body: { clerkUserId: ada.user_id, credits: 500, amount: 7, currency: 'EUR' },
  })
const status = async (session_id: string) =>
  (await server.ask(getSessionStatus, { token: ada.token, query: { session_id } })).data
const jobsOf = async (intentId: string) => {
  const jobs = await server.deps.producer
    .queue('checkout-completions')
    .getJobs(['waiting', 'delayed', 'prioritized'])
  return jobs.filter((job) => job.data.intent_id === intentId).map((job) => job.data.cause)
}
const settle = async (sessionId: string) => {
  // What other tests have paid is not the worker's here.
  await stripe.takeEvents()
  await stripe.knob(`sessions/${sessionId}/pay`)
  await worker.catchUp()
}
/** What the status says of 500 credits all along. */
const ordered = () => ({
  amount_total: 700,
  currency: 'EUR',
  price_minor: 700,
  customer_email: ada.email,
  subscription_id: null,
  metadata: { credits: '500', currency: 'EUR' },
})

describe('the status of a session', () => {
  test('the status of a session that is not paid yet is open and pending, and enqueues no job', async () => {
    const { sessionId, intentId } = await buy()
    expect(await status(sessionId)).toEqual({
      status: 'open',
      payment_status: 'unpaid',
      ...ordered(),
      fulfilment: { state: 'pending', credits: 500, balance: 0, available: 0, held: 0, applied_at: null },
    })
    expect(await jobsOf(intentId)).toEqual([])
  })

  test('the status of a session that is paid, but not in the ledger, is pending, and the worker is asked once in five seconds', async () => {
    const { sessionId, intentId } = await buy()
    await stripe.knob(`sessions/${sessionId}/pay`)
    for (let poll = 0; poll < 4; poll++) {
      expect(await status(sessionId)).toMatchObject({
        status: 'complete',
        payment_status: 'paid',
        fulfilment: { state: 'pending', stage: 'queued', balance: 0 },
      })
      clock.advance(1000)
    }
    expect(await jobsOf(intentId)).toEqual(['session_status'])
    clock.advance(1000)
    await status(sessionId)
    expect(await jobsOf(intentId)).toEqual(['session_status', 'session_status'])
  })

  test('the status of a session whose payment takes days is complete but unpaid, and enqueues no job', async () => {
    const { sessionId, intentId } = await buy()
    await stripe.knob(`sessions/${sessionId}/pay`, { method: 'delayed' })
    expect(await status(sessionId)).toMatchObject({
      status: 'complete',
      payment_status: 'unpaid',
      fulfilment: { state: 'pending' },
    })
    expect(await jobsOf(intentId)).toEqual([])
  })

  test('the status of a session that is in the ledger is answered from our own rows, with Stripe unavailable', async () => {
    const { sessionId, intentId } = await buy()
    await settle(sessionId)
    await stripe.knob('faults', { status: 500 })
    expect(await status(sessionId)).toEqual({
      status: 'complete',
      payment_status: 'paid',
      ...ordered(),
      fulfilment: {
        state: 'applied',
        credits: 500,
        balance: 500,
        available: 500,
        held: 0,
        applied_at: expect.any(String),
      },
    })
    expect(await jobsOf(intentId)).toEqual([])
  })

  test.each(['failed', 'expired'] as const)(
    'the status of a session of an intent that %s says so',
    async (state) => {
      const { sessionId, intentId } = await buy()
      await database.change('checkout_intents', { id: intentId }, { state })
      expect(await status(sessionId)).toMatchObject({ fulfilment: { state, applied_at: null } })
    },
  )

  test('the status of a session is a 502 when Stripe does not answer', async () => {
    const { sessionId } = await buy()
    await stripe.knob('faults', { status: 500 })
    const answer = await server.api(getSessionStatus, { token: ada.token, query: { session_id: sessionId } })
    expect(answer).toMatchObject({ status: 502, body: { error: 'Failed to verify payment status' } })
  })

  test('the status of a session is shown although the queue is unavailable', async () => {
    const producer = producerWith(server.deps.producer, { add: () => Promise.reject(new Error('No queue')) })
    await using broken = await product.startServer({ deps: { producer } })
    const { sessionId } = await buy()
    await stripe.knob(`sessions/${sessionId}/pay`)
    const { data } = await broken.ask(getSessionStatus, {
      token: ada.token,
      query: { session_id: sessionId },
    })
    expect(data).toMatchObject({
      payment_status: 'paid',
      fulfilment: { state: 'pending', stage: 'received' },
    })
  })

  test('the status of a session that does not exist is a 404', async () => {
    const ask = (request: object) => server.api(getSessionStatus, request)
    const missing = { status: 404, body: { error: 'Session not found', code: 'session_not_found' } }
    expect(await ask({ token: ada.token, query: { session_id: 'cs_test_unknown' } })).toMatchObject(missing)
    expect(await ask({ token: ada.token })).toMatchObject({ status: 400 })
    expect(await ask({ token: ada.token, query: { session_id: 'a\u0000b' } })).toMatchObject({ status: 400 })
  })
})

describe('the status of a plan’s session', () => {
  const subscribe = (fields: object = {}) =>
    server.ask(createCheckoutSession, {
      token: ada.token,
      body: { planType: 'pro', clerkUserId: ada.user_id, ...fields },
    })
  const bought = {
    planType: 'pro',
    billingFrequency: 'monthly',
    currency: 'EUR',
    seats: '1',
    priceId: 'pro_monthly',
    credits: '500',
  }
  beforeEach(async () => {
    await database.owner.deleteFrom('subscriptions').execute()
    await database.owner.deleteFrom('checkout_intents').where('kind', '=', 'subscription').execute()
  })

  test('the status of a plan’s session says what is being bought, before and after it is paid', async () => {
    const { sessionId, intentId } = await subscribe()
    expect(await status(sessionId)).toMatchObject({
      status: 'open',
      payment_status: 'unpaid',
      amount_total: 0,
      subscription_id: null,
      metadata: bought,
      fulfilment: { state: 'pending', credits: 500 },
    })
    await stripe.knob(`sessions/${sessionId}/pay`)
    const paid = await status(sessionId)
    expect(paid).toMatchObject({
      status: 'complete',
      amount_total: 0,
      subscription_id: expect.stringMatching(/^sub_/),
      metadata: bought,
      fulfilment: { state: 'pending', applied_at: null },
    })
    expect(await jobsOf(intentId)).toEqual(['session_status'])
    const { subscription } = await server.deps.stripe.checkout.sessions.retrieve(sessionId)
    expect(paid.subscription_id).toBe(subscription)
  })

  test('the status of a plan’s session that is in the ledger is answered from our own rows: nothing was paid for a trial', async () => {
    const { id, session_id } = await buildSubscription(database, {
      owner_id: ada.user_id,
      user_id: await buildUser(database.owner, ada.user_id),
      trial_days: 14,
      fields: { status: 'trialing', trial_end: new Date('2026-05-15T00:00:00Z') },
    })
    await stripe.knob('faults', { status: 500 })
    expect(await status(session_id)).toMatchObject({
      status: 'complete',
      payment_status: 'no_payment_required',
      amount_total: 0,
      subscription_id: id,
      trial_ends_at: '2026-05-15T00:00:00.000Z',
      metadata: bought,
      fulfilment: { state: 'applied', credits: 500, applied_at: expect.any(String) },
    })
  })

  test('the status of a plan’s session of a team names its organization, seats and credits', async () => {
    const { id, session_id } = await buildSubscription(database, {
      owner_id: 'org_made',
      user_id: await buildUser(database.owner, ada.user_id),
      seats: 5,
    })
    expect(await status(session_id)).toMatchObject({
      payment_status: 'paid',
      amount_total: 15_000,
      subscription_id: id,
      metadata: { planType: 'teams', seats: '5', credits: '2500', organizationId: 'org_made' },
      fulfilment: { state: 'applied', credits: 2500 },
    })
    const other = await server.api(getSessionStatus, { token: eve.token, query: { session_id } })
    expect(other).toMatchObject({ status: 404, body: { error: 'Session not found' } })
  })
})

describe('the return page', () => {
  const comeBack = (sessionId: string, by = ada, clerkUserId = by.user_id) =>
    server.api(processPaymentSuccess, { token: by.token, body: { sessionId, clerkUserId } })

  test('the return page asks the worker to fetch the session, and grants nothing itself', async () => {
    const { sessionId, intentId } = await buy()
    const before = (await database.owner.selectFrom('ledger_transfers').select('id').execute()).length
    expect(await comeBack(sessionId)).toMatchObject({
      status: 200,
      body: { success: true, fulfilment: { state: 'pending', credits: 500, applied_at: null } },
    })
    expect(await jobsOf(intentId)).toEqual(['return_page'])
    expect(await database.owner.selectFrom('ledger_transfers').select('id').execute()).toHaveLength(before)
  })

  test('enqueues no job for a settled purchase', async () => {
    const { sessionId, intentId } = await buy()
    await settle(sessionId)
    expect(await comeBack(sessionId)).toMatchObject({ body: { fulfilment: { state: 'applied' } } })
    expect(await jobsOf(intentId)).toEqual([])
  })

  test('the return page works for one’s own session only', async () => {
    const { sessionId, intentId } = await buy()
    expect(await comeBack(sessionId, eve)).toMatchObject({ status: 404, body: { code: 'session_not_found' } })
    expect(await jobsOf(intentId)).toEqual([])
  })
})

describe('abandoned checkouts', () => {
  const bob = madeOnce(() => signUp(clerk))
  const left = (by = bob) => server.ask(listOpenCheckouts, { token: by.token })
  const leave = async () => {
    clock.advance(1000)
    return server.ask(purchaseCredits, {
      token: bob.token,
      body: { clerkUserId: bob.user_id, credits: 500, amount: 7, currency: 'EUR' },
    })
  }

  test('abandoned checkouts are listed with what was not charged and their payment page, newest first, each order once', async () => {
    await leave()
    const again = await leave()
    clock.advance(1000)
    const plan = await server.ask(createCheckoutSession, {
      token: bob.token,
      body: { planType: 'teams', clerkUserId: bob.user_id, seats: 3 },
    })
    expect(await left()).toEqual({
      checkouts: [
        {
          sessionId: plan.sessionId,
          url: plan.url,
          credits: 1500,
          amount_minor: 9000,
          currency: 'EUR',
          planType: 'teams',
          billingFrequency: 'monthly',
          seats: 3,
          trial_days: 0,
        },
        {
          sessionId: again.sessionId,
          url: again.url,
          credits: 500,
          amount_minor: 700,
          currency: 'EUR',
          planType: null,
          billingFrequency: null,
          seats: null,
          trial_days: 0,
        },
      ],
    })
    expect(await left(eve)).toEqual({ checkouts: [] })

    await stripe.knob(`sessions/${plan.sessionId}/pay`)
    expect((await left()).checkouts.map(({ sessionId }) => sessionId)).toEqual([again.sessionId])
  })
})
