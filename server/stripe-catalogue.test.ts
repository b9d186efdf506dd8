import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type OpenedPage, openPlanCounter, type PlanCounter } from '../tests/support/plan-counter.ts'
import type { SignedInPerson } from '../tests/support/sandbox.ts'

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

describe('when the price at Stripe differs from the catalogue', () => {
  const breakPrice = async (unit_amount: number) =>
    counter.stripe.prices.create({
      product: 'plan_pro',
      lookup_key: 'pro_monthly',
      transfer_lookup_key: true,
      currency: 'eur',
      unit_amount,
      currency_options: { usd: { unit_amount }, gbp: { unit_amount } },
      recurring: { interval: 'month' },
    })
  const fresh = () => counter.startServer()

  test('nothing is sold and the log says why, until the set-up has been run', async () => {
    await breakPrice(1)
    const other = await fresh()
    expect(await subscribe({}, other)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable', error: 'Failed to create checkout session' },
    })
    expect(await intents()).toEqual([])
    expect(JSON.stringify(other.logs)).toContain('it costs 1 in EUR, not 2000')
    await counter.setUp()
    expect((await subscribe({}, other)).status).toBe(200)
    await other.close()
  })

  test('or cannot be read, nothing is sold either', async () => {
    const other = await fresh()
    await counter.sandbox.knob('faults', { status: 500, path_prefix: '/v1/prices' })
    expect(await subscribe({}, other)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable' },
    })
    await other.close()
    expect(await intents()).toEqual([])
  })

  test('and only the session reveals it, the session is expired again', async () => {
    const { catalogue } = counter.server.deps
    const right = await catalogue.findPrice({ plan_type: 'pro', billing_frequency: 'monthly' })
    const cheap = await breakPrice(1900)
    const fooled = await counter.startServer({
      env: { PRO_TRIAL_DAYS: '0' },
      deps: {
        catalogue: { ...catalogue, findPrice: async () => ({ ...right, price_id: cheap.id }) },
      },
    })
    expect(await subscribe({}, fooled)).toMatchObject({
      status: 503,
      body: { code: 'price_unavailable' },
    })
    await fooled.close()
    expect(await intents()).toMatchObject([{ state: 'failed', failure_reason: 'Stripe asks for 1900' }])
    expect(await counter.payable()).toEqual([])
    await counter.setUp()
  })
})

test('a price change does not affect what an open page promised', async () => {
  const first = await subscribed({ planType: 'teams', seats: 2 })
  await counter.stripe.prices.create({
    product: 'plan_teams',
    lookup_key: 'teams_monthly',
    transfer_lookup_key: true,
    currency: 'eur',
    unit_amount: 9900,
    currency_options: { usd: { unit_amount: 9900 }, gbp: { unit_amount: 9900 } },
    recurring: { interval: 'month' },
  })
  await counter.sandbox.knob(`sessions/${first.sessionId}/pay`)
  expect(await sessionOf(first)).toMatchObject({ amount_total: 6000, payment_status: 'paid' })
  expect(await intents()).toMatchObject([{ amount_minor: 6000, credits: 1000 }])
  await counter.setUp()
})
