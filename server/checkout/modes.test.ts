import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getSessionStatus } from '../../schema/api/checkout.ts'
import { failureOf } from '../../schema/api/failures.ts'
import { createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import { connectDatabase, type DatabaseConnection } from '../../schema/database/connect.ts'
import { createStripe } from '../../schema/vendors/stripe/client.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { setUpStripe } from '../../scripts/stripe/set-up.ts'
import { receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { listIntents, openPlanCheckout, requestPlan } from '../../tests/support/factories/plan-checkouts.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { startClockwork } from '../../tests/support/product/clockwork.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { tryEvent } from '../../worker/events/try-event.ts'
import { createStripeCatalogue } from '../stripe-catalogue.ts'

/** One database, first used with a test key and then with a live one. */
const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, stripe, server } = product
const dayMs = 24 * 3_600_000

const live = madeOnce(async () => {
  const client = createStripe({ secretKey: 'sk_live_sandbox', apiBase: stripe.url })
  await setUpStripe(client, { app_url: 'https://app.example', brand_name: 'Tidemark', webhook: null })
  return client
})
const connections: DatabaseConnection[] = []
function connectLive(role: 'tidemark_server' | 'tidemark_worker') {
  const connection = connectDatabase({
    connectionString: database.url,
    role,
    livemode: true,
    poolMax: 4,
    onError: () => undefined,
  })
  connections.push(connection)
  return connection.db
}
const liveServer = madeOnce(
  () =>
    product.startServer({
      deps: {
        stripe: live,
        db: connectLive('tidemark_server'),
        catalogue: createStripeCatalogue({ stripe: live, now: () => new Date() }),
      },
    }),
  (made) => made.close(),
)
let liveWorker: Parameters<typeof startClockwork>[1]
beforeAll(() => {
  liveWorker = { stripe: live, db: connectLive('tidemark_worker'), livemode: true }
})
afterAll(() => Promise.all(connections.map((connection) => connection.close())))

/** Has bought Pro in test mode. */
const ada = madeForEachTest(async () => {
  const person = await signUp(product.clerk)
  const { sessionId } = await openPlanCheckout(server, person)
  await stripe.knob(`sessions/${sessionId}/pay`)
  await product.worker.catchUp()
  return { ...person, sessionId }
})

const customersOf = () =>
  database.owner
    .selectFrom('stripe_customers')
    .select(['customer_id', 'livemode'])
    .where('owner_id', '=', ada.user_id)
    .orderBy('livemode')
    .execute()
const outcomeOf = (id: string) => database.row('inbox_events', { id }, ['state', 'reason'])

describe('with a live key', () => {
  test('a buyer gets a customer of live mode, and keeps the one of test mode', async () => {
    const [before] = await customersOf()
    const opened = await openPlanCheckout(liveServer, ada)
    const [test_customer, live_customer, ...others] = await customersOf()
    expect(test_customer).toEqual({ ...before, livemode: false })
    expect(live_customer).toMatchObject({ livemode: true })
    expect(others).toEqual([])
    expect(await live.checkout.sessions.retrieve(opened.sessionId)).toMatchObject({
      livemode: true,
      customer: live_customer?.customer_id,
    })
    const portal = await liveServer.api(createCustomerPortalSession, {
      token: ada.token,
      body: { userId: ada.user_id },
    })
    expect(portal.status).toBe(200)
    expect(await customersOf()).toHaveLength(2)
  })

  test('a plan of test mode is no plan, and its trial was none; back in test mode it is one', async () => {
    const opened = await openPlanCheckout(liveServer, ada)
    const intents = await listIntents(product)
    expect(intents.find(({ id }) => id === opened.intentId)).toMatchObject({ livemode: true, trial_days: 14 })
    expect(await requestPlan(server, ada)).toMatchObject({
      status: 409,
      body: { code: 'already_subscribed' },
    })
  })

  test('an open checkout of test mode blocks no live checkout and is not shown', async () => {
    const bob = await signUp(product.clerk)
    const first = await openPlanCheckout(server, bob)
    const second = await openPlanCheckout(liveServer, bob)
    expect(second.sessionId).not.toBe(first.sessionId)
    expect(await openPlanCheckout(server, bob)).toEqual(first)
    const status = await liveServer.api(getSessionStatus, {
      token: bob.token,
      query: { session_id: first.sessionId },
    })
    expect(status).toMatchObject({ status: 404, body: { code: 'session_not_found' } })
  })

  test('a plan is bought, beside the one of test mode', async () => {
    const { sessionId } = await openPlanCheckout(liveServer, ada)
    await stripe.knob(`sessions/${sessionId}/pay`)
    const worker = startClockwork(database, liveWorker)
    for (const event of (await live.events.list({ limit: 100 })).data.reverse()) {
      const id = await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
      await tryEvent(worker.deps, { source: 'stripe', id })
    }
    const rows = await database.owner
      .selectFrom('subscriptions')
      .select(['livemode', 'status'])
      .where('owner_id', '=', ada.user_id)
      .orderBy('livemode')
      .execute()
    expect(rows).toEqual([
      { livemode: false, status: 'trialing' },
      { livemode: true, status: 'trialing' },
    ])
    expect(await requestPlan(liveServer, ada)).toMatchObject({
      status: 409,
      body: { code: 'already_subscribed' },
    })
  })

  test('an event of test mode is ignored, and says why', async () => {
    const [event] = (await stripe.client.events.list({ type: 'customer.subscription.created', limit: 1 }))
      .data
    const again = { ...stripeEventSchema.parse(event), id: `evt_again_${ada.user_id}` }
    const id = await receiveStripeEvent(database.server, again)
    const worker = startClockwork(database, liveWorker)
    await worker.pass(dayMs)
    expect(await outcomeOf(id)).toEqual({
      state: 'ignored',
      reason: failureOf('other_mode', { its: 'test', ours: 'live' }),
    })
    expect(worker.runs.filter(({ payload }) => payload.event_id === id)).toHaveLength(1)
  })

  test('rows of test mode are not asked of Stripe with a live key, and do not fail repeatedly', async () => {
    const bob = await signUp(product.clerk)
    const { intentId } = await openPlanCheckout(server, bob)
    const row = await database.owner
      .updateTable('subscriptions')
      .set({ next_try_at: new Date() })
      .where('owner_id', '=', ada.user_id)
      .returningAll()
      .executeTakeFirstOrThrow()
    const asked: string[] = []
    const note = ({ path }: { path: string }) => asked.push(path)
    live.on('request', note)
    const worker = startClockwork(database, liveWorker)
    await worker.pass(3 * dayMs)
    live.off('request', note)
    const ofTestMode = [row.stripe_subscription_id, row.intent_id, 'cs_test_']
    expect(asked.filter((path) => ofTestMode.some((id) => path.includes(id)))).toEqual([])
    const reason = failureOf('other_mode', { its: 'test', ours: 'live' })
    expect((await listIntents(product)).find(({ id }) => id === intentId)).toMatchObject({
      state: 'failed',
      failure_reason: reason,
    })
    const left = await database.rows('subscriptions', { owner_id: ada.user_id }, ['status', 'last_error'])
    expect(left).toEqual([{ status: 'trialing', last_error: reason }])
    const syncs = worker.runs.filter(({ payload }) => payload.subscription_id === row.stripe_subscription_id)
    expect(syncs).toHaveLength(1)
  })
})
