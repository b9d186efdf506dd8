import { expect, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { createCustomerPortalSession } from '../../schema/api/subscriptions.ts'
import { findStripeCustomer } from '../../schema/billing/customers/customers.ts'
import { creditsCostMinor } from '../../schema/catalogue/credits.ts'
import {
  forgetCheckouts,
  listPayableSessions,
  requestPlan,
} from '../../tests/support/factories/plan-checkouts.ts'
import { madeForEachTest } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { stripe, server, database } = product
/** A user whose Stripe customer was deleted after they had opened the payment page. */
const ada = madeForEachTest(async () => {
  await forgetCheckouts(product)
  const person = await signUp(product.clerk)
  await buyCredits(person)
  const customer_id = (await customerOf(person)) ?? ''
  await stripe.client.customers.del(customer_id)
  return { ...person, customer_id }
})

const buyCredits = ({ user_id, token }: { user_id: string; token: string }) =>
  server.api(purchaseCredits, {
    token,
    body: { clerkUserId: user_id, credits: 500, amount: creditsCostMinor(500) / 100, currency: 'EUR' },
  })
const customerOf = ({ user_id }: { user_id: string }) => findStripeCustomer(database.owner, user_id)

async function expectAnother(): Promise<void> {
  const customer = (await customerOf(ada)) ?? ''
  expect(customer).not.toBe(ada.customer_id)
  expect(await stripe.client.customers.retrieve(customer)).toMatchObject({
    id: customer,
    email: ada.email,
    metadata: { clerkUserId: ada.user_id },
  })
}

test('a checkout of credits makes another customer and keeps it', async () => {
  expect((await buyCredits(ada)).status).toBe(200)
  await expectAnother()
  const kept = await customerOf(ada)
  expect((await buyCredits(ada)).status).toBe(200)
  expect(await customerOf(ada)).toBe(kept)
})

test('a checkout of a plan makes another customer, who is on the page', async () => {
  expect((await requestPlan(server, ada)).status).toBe(200)
  await expectAnother()
  const sessions = await listPayableSessions(product)
  expect(sessions.filter(({ mode }) => mode === 'subscription')).toMatchObject([
    { customer: await customerOf(ada) },
  ])
})

test('the portal opens for another customer', async () => {
  const answer = await server.api(createCustomerPortalSession, {
    token: ada.token,
    body: { userId: ada.user_id },
  })
  expect(answer).toMatchObject({ status: 200 })
  await expectAnother()
})

test('two tabs at once keep one customer', async () => {
  const answers = await Promise.all([buyCredits(ada), buyCredits(ada), buyCredits(ada)])
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
  await expectAnother()
})

test('a customer of another Stripe account is replaced too', async () => {
  await database.owner
    .updateTable('stripe_customers')
    .set({ customer_id: `cus_foreign_${ada.user_id}` })
    .where('owner_id', '=', ada.user_id)
    .execute()
  expect((await buyCredits(ada)).status).toBe(200)
  await expectAnother()
})

test('the known customer is kept while Stripe does not say whether it exists', async () => {
  await stripe.knob('faults', { status: 503, path_prefix: '/v1/customers' })
  expect((await buyCredits(ada)).status).toBeGreaterThanOrEqual(500)
  expect(await customerOf(ada)).toBe(ada.customer_id)
})
