import type Stripe from 'stripe'
import { expect, test } from 'vitest'
import { getNextPayment } from '../schema/api/account.ts'
import { listBillingDocuments } from '../schema/api/billing.ts'
import { createCheckoutSession, createCustomerPortalSession } from '../schema/api/subscriptions.ts'
import { findBalance } from '../schema/ledger/read/balances.ts'
import { findAct } from '../schema/support/acts.ts'
import { createStripe } from '../schema/vendors/stripe/client.ts'
import { neededPermissions } from '../schema/vendors/stripe/permissions.ts'
import { buildAct } from '../tests/support/factories/acts.ts'
import { openPlanCheckout } from '../tests/support/factories/plan-checkouts.ts'
import { testProduct } from '../tests/support/product/start-test-product.ts'
import { signUp, tokenOf } from '../tests/support/services/clerk.ts'
import { processSubscriptionSync } from './jobs/subscription-sync.ts'
import { reconcileAll } from './reconciliation/run.ts'
import { processSupportAct } from './support/support-act.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { database, stripe, worker } = product

/** Stripe with a key that may do what our list says, and the calls that it refused. */
async function restrict(): Promise<{ limited: Stripe; refused: string[] }> {
  await stripe.knob('keys', { key: 'rk_test_product', permissions: neededPermissions })
  const limited = createStripe({ secretKey: 'rk_test_product', apiBase: stripe.url })
  const refused: string[] = []
  limited.on('response', ({ status, method, path }: Stripe.ResponseEvent) => {
    if (status === 403) refused.push(`${method} ${path}`)
  })
  return { limited, refused }
}

test('a key with the listed permissions is enough for a plan’s whole life, what pages ask, and support', async () => {
  const { limited, refused } = await restrict()
  const server = await product.startServer({ deps: { stripe: limited } })
  Object.assign(worker.deps, { stripe: limited })
  const ada = await signUp(product.clerk)
  const { user_id } = ada
  const page = await openPlanCheckout(server, ada)
  await stripe.knob(`sessions/${page.sessionId}/pay`)
  await worker.catchUp()
  const { subscription } = await stripe.client.checkout.sessions.retrieve(page.sessionId)
  for (const days of [31, 31]) {
    await product.advanceDays(days)
    await worker.catchUp()
  }
  const token = await tokenOf(product.clerk, { user_id })
  const asked = await Promise.all([
    server.api(getNextPayment, { token, query: { payer: 'personal' } }),
    server.api(listBillingDocuments, { token, query: {} }),
    server.api(createCustomerPortalSession, { token, body: { userId: user_id } }),
  ])
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 200])
  const { customer } = await stripe.client.subscriptions.retrieve(String(subscription))
  const { data: charges } = await stripe.client.charges.list({ customer: String(customer) })
  const invoices = await stripe.client.invoices.list({ customer: String(customer) })
  const refund = { amount_minor: 500, currency: 'EUR', refunded_minor: 0, stripe_reason: null }
  const given = await buildAct(database, {
    kind: 'refund',
    target: { kind: 'invoice', id: invoices.data[0]?.id ?? '' },
    params: { refund },
  })
  await processSupportAct(worker.deps, { act_id: given.id })
  expect(await findAct(database.owner, given.id)).toMatchObject({ state: 'done' })
  await stripe.knob(`charges/${charges[1]?.id}/dispute`)
  await worker.catchUp()
  const { id } = await buildAct(database, { kind: 'resync', target: { kind: 'user', id: user_id } })
  await processSupportAct(worker.deps, { act_id: id })
  await reconcileAll(worker.deps, 'schedule')

  expect(await findBalance(database.owner, user_id)).toMatchObject({ plan: expect.any(Number) })
  await product.clerk.client.users.deleteUser(user_id)
  const [event] = await product.clerk.listEvents('user.deleted')
  if (event) await worker.applyClerk(event)
  expect(refused).toEqual([])
  await server.close()
})

test('a key with the listed permissions is enough to end Pro and give back what is unused, when Teams takes its place', async () => {
  const { limited, refused } = await restrict()
  const server = await product.startServer({ deps: { stripe: limited } })
  Object.assign(worker.deps, { stripe: limited })
  const { user_id, ...ada } = await signUp(product.clerk)
  const pro = await openPlanCheckout(server, { user_id, ...ada })
  await stripe.knob(`sessions/${pro.sessionId}/pay`)
  await product.advanceDays(20)
  await worker.catchUp()
  const { subscription } = await stripe.client.checkout.sessions.retrieve(pro.sessionId)
  const teams = await server.ask(createCheckoutSession, {
    token: await tokenOf(product.clerk, { user_id }),
    body: { planType: 'teams', clerkUserId: user_id, seats: 2, endOwnPlan: true },
  })
  await stripe.knob(`sessions/${teams.sessionId}/pay`)
  await worker.catchUp()
  await processSubscriptionSync(worker.deps, { subscription_id: String(subscription) })
  await worker.catchUp()
  const { data } = await stripe.client.refunds.list({ limit: 1 })
  expect(data[0]?.metadata).toEqual({ unusedPartOf: subscription })
  expect(refused).toEqual([])
  await server.close()
})
