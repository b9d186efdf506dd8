import { beforeEach, describe, expect, test } from 'vitest'
import { createCreditTopupSession, purchaseCredits } from '../../schema/api/checkout.ts'
import { failureOf } from '../../schema/api/failures.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { database, stripe, clerk, server, startServer } = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk, { first_name: 'Ada', last_name: 'Lovelace' }))
beforeEach(async () => {
  await stripe.clear('faults')
  await database.owner.deleteFrom('checkout_intents').execute()
})

const intents = () => database.owner.selectFrom('checkout_intents').selectAll().execute()
const purchase = (fields: object = {}) => ({
  clerkUserId: ada.user_id,
  credits: 500,
  amount: 7,
  currency: 'EUR',
  ...fields,
})
const buy = (fields: object = {}, token = ada.token) =>
  server.api(purchaseCredits, { token, body: purchase(fields) })

describe('a purchase of credits', () => {
  test('a purchase of credits records its terms and opens a session at Stripe with the same terms', async () => {
    const answer = await server.ask(purchaseCredits, {
      token: ada.token,
      body: { clerkUserId: ada.user_id, credits: 500, amount: 7, currency: 'EUR' },
    })
    const [intent] = await intents()
    expect(intent).toMatchObject({
      id: answer.intentId,
      state: 'open',
      user_id: ada.user_id,
      owner_id: ada.user_id,
      credits: 500,
      amount_minor: 700,
      currency: 'EUR',
      stripe_session_id: answer.sessionId,
    })
    const session = await server.deps.stripe.checkout.sessions.retrieve(answer.sessionId, {
      expand: ['line_items', 'customer'],
    })
    expect(session).toMatchObject({
      url: answer.url,
      mode: 'payment',
      amount_total: 700,
      currency: 'eur',
      client_reference_id: answer.intentId,
      metadata: { intentId: answer.intentId, credits: '500', currency: 'EUR' },
      success_url: 'http://localhost:3000/billing/success?session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/payment/cancelled',
      customer: { name: 'Ada Lovelace', metadata: { clerkUserId: ada.user_id } },
    })
    expect(session.line_items?.data).toMatchObject([{ description: '500 credits', quantity: 1 }])
  })

  test('a purchase of credits has an id in the order of time, with an Idempotency-Key and without', async () => {
    const ids: string[] = []
    for (const headers of [{}, { 'idempotency-key': 'a-key-of-the-browser' }, {}]) {
      const { body } = await server.api(purchaseCredits, { token: ada.token, body: purchase(), headers })
      ids.push((body as { intentId: string }).intentId)
    }
    expect(ids).toEqual(ids.toSorted())
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })

  test.each([71, 500, 1500, 71_428])('a purchase of %i credits is possible', async (credits) => {
    const answer = await buy({ credits, amount: creditsCostMinor(credits) / 100 })
    expect(answer.status).toBe(200)
    expect(await intents()).toMatchObject([{ credits, amount_minor: creditsCostMinor(credits) }])
  })
})

describe('an invalid purchase is refused with the product’s text and writes no row', () => {
  test.each([
    [70, 0.98, 'Minimum purchase is 71 credits'],
    [71_429, 1000.01, 'Maximum purchase is 71,428 credits'],
    [1.5, 0.02, 'Minimum purchase is 71 credits'],
    [100.5, 1.41, 'Credits must be a whole number'],
    ['', 7, 'Number of credits is required'],
    [null, 7, 'Number of credits is required'],
    [undefined, 7, 'Number of credits is required'],
    ['abc', 7, 'Please enter a valid number'],
    ['500', 7, 'Please enter a valid number'],
    [-1, -0.01, 'Minimum purchase is 71 credits'],
    [1e9, 14_000_000, 'Maximum purchase is 71,428 credits'],
  ])('a purchase of %s credits is refused', async (credits, amount, text) => {
    const { status, body } = await buy({ credits, amount })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: text,
      message: text,
      code: 'invalid_request',
      fields: expect.arrayContaining([{ path: 'credits', message: text }]),
    })
    expect(await intents()).toEqual([])
  })

  test.each([0.01, 6.99, 7.01, 7.0001, 700, 7e-9, 1e300])(
    'a purchase with a tampered amount of %d is refused',
    async (amount) => {
      const { status, body } = await buy({ amount })
      expect(status).toBe(400)
      expect(body).toMatchObject({ code: 'amount_mismatch' })
      expect(await intents()).toEqual([])
    },
  )
})

describe('failures of Stripe', () => {
  test('a session that Stripe refuses fails the intent, and the customer is told', async () => {
    // A cancel address that Stripe cannot take is a parameter error, as any 4xx would be.
    await using refusing = await startServer({ settings: { app_url: 'nonsense:' } })
    const { status, body } = await refusing.api(purchaseCredits, { token: ada.token, body: purchase() })
    expect(status).toBe(502)
    expect(body).toMatchObject({ code: 'checkout_failed', error: 'Failed to create checkout session' })
    expect(await intents()).toMatchObject([
      { state: 'failed', failure_reason: failureOf('stripe_refuses', { says: 'url_invalid' }) },
    ])
  })

  test.each([500, 429])(
    'an intent waits for the claim when Stripe answers %i to all attempts',
    async (fault) => {
      await stripe.knob('faults', { status: fault, path_prefix: '/v1/checkout' })
      const { status, body } = await buy()
      expect(status).toBe(503)
      expect(body).toMatchObject({ code: 'checkout_failed', error: 'Failed to create checkout session' })
      expect(await intents()).toMatchObject([{ state: 'created', stripe_session_id: null }])
    },
  )

  test('the retry finds the session whose creation Stripe’s lost answer confirmed', async () => {
    await stripe.knob('faults', { drop_after: true, count: 1, path_prefix: '/v1/checkout' })
    const { status, body } = await buy()
    expect(status).toBe(200)
    const { intentId } = body as { intentId: string }
    const sessions = await server.deps.stripe.checkout.sessions.list({ limit: 100 })
    expect(sessions.data.filter((session) => session.client_reference_id === intentId)).toHaveLength(1)
  })

  test('an intent fails when Stripe cannot create a customer, because no session can exist', async () => {
    const newcomer = await signUp(clerk)
    await stripe.knob('faults', { status: 503, path_prefix: '/v1/customers' })
    const { status } = await buy({ clerkUserId: newcomer.user_id }, newcomer.token)
    expect(status).toBe(502)
    expect(await intents()).toMatchObject([{ state: 'failed' }])
  })
})

describe('a top-up with return addresses', () => {
  const topUp = (fields: object = {}, token = ada.token) =>
    server.api(createCreditTopupSession, {
      token,
      body: { creditsAmount: 1500, clerkUserId: ada.user_id, ...fields },
    })

  test('a top-up with a return address ends there, with the session’s id', async () => {
    const { status, body } = await topUp({
      successUrl: 'http://localhost:3000/payment/success?from=billing',
      cancelUrl: 'http://localhost:3000/billing',
    })
    expect(status).toBe(200)
    const { sessionId } = body as { sessionId: string }
    expect(await server.deps.stripe.checkout.sessions.retrieve(sessionId)).toMatchObject({
      amount_total: 2100,
      success_url: 'http://localhost:3000/payment/success?from=billing&session_id={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/billing',
    })
  })

  test('a top-up without a return address ends on the success page', async () => {
    const { sessionId } = (await topUp()).body as { sessionId: string }
    expect(await server.deps.stripe.checkout.sessions.retrieve(sessionId)).toMatchObject({
      success_url: 'http://localhost:3000/payment/success?session_id={CHECKOUT_SESSION_ID}',
      currency: 'eur',
    })
  })

  test.each([
    ['successUrl', 'https://evil.example/payment/success'],
    ['successUrl', 'blob:http://localhost:3000/4a1c'],
    ['cancelUrl', 'blob:http://localhost:3000/4a1c'],
    ['successUrl', 'http://evil@localhost:3000/payment/success'],
    ['cancelUrl', 'http://localhost:secret@localhost:3000/payment/cancelled'],
    ['successUrl', 'filesystem:http://localhost:3000/temporary/a'],
    ['successUrl', 'http://localhost:3000@evil.example/'],
    ['cancelUrl', 'http://localhost.evil.example:3000/billing'],
    ['cancelUrl', 'javascript:alert(1)'],
  ])('a top-up with return addresses refuses a %s that is not ours: %s', async (field, address) => {
    const { status, body } = await topUp({ [field]: address })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'foreign_return_address', fields: [{ path: field }] })
    expect(await intents()).toEqual([])
  })
})
