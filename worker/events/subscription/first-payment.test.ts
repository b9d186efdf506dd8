import { expect, test } from 'vitest'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { requestPlan } from '../../../tests/support/factories/plan-checkouts.ts'
import { buildUser } from '../../../tests/support/factories/users.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'trusting' })
const { database, worker, stripe, server } = product

/** A checkout whose first payment the bank has not let through (yet). */
async function buyWithoutMoney() {
  const user_id = await buildUser(database.server)
  const person = { user_id, token: user_id, email: `${user_id}@tidemark.test` }
  const { body } = await requestPlan(server, person)
  const { intentId, sessionId } = body as { intentId: string; sessionId: string }
  const session = await stripe.client.checkout.sessions.retrieve(sessionId, { expand: ['line_items'] })
  const subscription = await stripe.client.subscriptions.create({
    customer: String(session.customer),
    items: [{ price: session.line_items?.data[0]?.price?.id ?? '' }],
    metadata: { intentId },
    payment_behavior: 'default_incomplete',
  })
  await worker.catchUp()
  return { person, intentId, subscription }
}

const intentOf = (id: string) => findIntent(database.owner, id)

test('a first payment that is still open gives nothing and fails nothing', async () => {
  const { person, intentId, subscription } = await buyWithoutMoney()
  expect(subscription.status).toBe('incomplete')
  expect(await intentOf(intentId)).toMatchObject({ state: 'open' })
  const balance = await findBalance(database.owner, person.user_id)
  expect(balance).toMatchObject({ plan: 0, version: 0 })
})

test('news of a first try that failed, which come after its checkout was paid, change nothing', async () => {
  const { person, intentId, subscription } = await buyWithoutMoney()
  await stripe.client.subscriptions.cancel(subscription.id)
  const late = await stripe.takeEvents()
  const { body } = await requestPlan(server, person)
  await stripe.knob(`sessions/${(body as { sessionId: string }).sessionId}/pay`)
  await worker.catchUp()
  await worker.applyStripe(late)
  expect(await intentOf(intentId)).toMatchObject({ state: 'settled', failure_reason: null })
  const balance = await findBalance(database.owner, person.user_id)
  expect(balance.plan).toBeGreaterThan(0)
})
