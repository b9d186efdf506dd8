import { expect, test } from 'vitest'
import { purchaseCredits } from '../../schema/api/checkout.ts'
import { createOrganizationSubscription } from '../../schema/api/organizations.ts'
import { restoreCheckouts } from '../../scripts/restore/restore-checkouts.ts'
import { testDatabase } from '../support/database/test-database.ts'
import { buildOrganization } from '../support/factories/organizations.ts'
import { openPlanCheckout } from '../support/factories/plan-checkouts.ts'
import { testProduct } from '../support/product/start-test-product.ts'
import { type Person, signUp } from '../support/services/clerk.ts'

const product = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const { clerk, database, server, stripe } = product
/** One that knows nothing. */
const restored = testDatabase()

const pay = (sessionId: string) => stripe.knob(`sessions/${sessionId}/pay`)

async function buyCredits({ user_id, token }: Person): Promise<string> {
  const body = { clerkUserId: user_id, credits: 1500, amount: 21, currency: 'USD' } as const
  return (await server.ask(purchaseCredits, { token, body })).sessionId
}

/** The terms and the payment page. */
const terms = (in_database: typeof restored) =>
  in_database.owner
    .selectFrom('checkout_intents')
    .select(['id', 'kind', 'user_id', 'owner_id', 'credits', 'amount_minor', 'currency', 'plan_type'])
    .select([
      'billing_frequency',
      'seats',
      'credits_per_seat',
      'trial_days',
      'stripe_customer_id',
      'stripe_session_id',
    ])
    .select(['state', 'livemode'])
    .orderBy('id')
    .execute()

test('lost checkouts are written again with their terms, from Stripe’s objects, and only once', async () => {
  const since = new Date(Date.now() - 60_000)
  const [ada, bob, cleo, dan] = [
    await signUp(clerk),
    await signUp(clerk),
    await signUp(clerk),
    await signUp(clerk),
  ]
  await pay(await buyCredits(ada))
  await buyCredits(bob)
  // The first one has free days.
  await pay((await openPlanCheckout(server, bob)).sessionId)
  const organization = await buildOrganization(clerk, cleo)
  const team = await server.ask(createOrganizationSubscription, {
    token: cleo.token,
    body: { clerk_org_id: organization.id, seats_total: 4 },
  })
  await pay(team.sessionId)
  const atSignUp = await openPlanCheckout(server, dan, { planType: 'teams', seats: 2 })
  await pay(atSignUp.sessionId)

  const lost = (await terms(database)).filter(({ id }) => id !== atSignUp.intentId)
  const shop = { db: restored.owner, stripe: stripe.client, findProfile: server.deps.clerk.getProfile }
  const left = [{ session_id: atSignUp.sessionId, why: 'Its organization was made after it was paid' }]
  const first = await restoreCheckouts(shop, since)
  expect(first).toEqual({ restored: expect.any(Array), known: 0, left })
  expect([...first.restored].sort()).toEqual(lost.map(({ id }) => id))
  expect(await terms(restored)).toEqual(lost)
  expect(lost.map(({ trial_days }) => trial_days).sort()).toEqual([0, 0, 0, 14])

  expect(await restoreCheckouts(shop, since)).toEqual({ restored: [], known: lost.length, left })
  expect(await terms(restored)).toEqual(lost)
})

test('nothing is created for a person who no longer exists at Clerk', async () => {
  const ada = await signUp(clerk)
  const since = new Date()
  const session_id = await buyCredits(ada)
  const shop = { db: restored.owner, stripe: stripe.client, findProfile: async () => null }
  const { left } = await restoreCheckouts(shop, new Date(since.getTime() - 1000))
  expect(left).toContainEqual({ session_id, why: `Clerk does not know ${ada.user_id}` })
})
