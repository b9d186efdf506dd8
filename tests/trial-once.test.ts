import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { createOrganizationSubscription } from '../schema/api/organizations.ts'
import { findIntent, isTrialUsed } from '../schema/billing/checkout/intents.ts'
import { findLiveSubscription } from '../schema/billing/subscriptions/subscriptions.ts'
import { migrateToLatest } from '../schema/database/migrate.ts'
import { processCheckoutCompletion } from '../worker/jobs/checkout-completion.ts'
import { countLockWaits } from './support/database/lock-waits.ts'
import { buildOrganization } from './support/factories/organizations.ts'
import { type CheckoutPage, openPlanCheckout } from './support/factories/plan-checkouts.ts'
import { testProduct } from './support/product/start-test-product.ts'
import { type Person, signUp } from './support/services/clerk.ts'

/** A second plan with a trial, of which a buyer can have a page beside one of Pro. */
vi.mock(import('../schema/catalogue/plans.ts'), async (original) => {
  const catalogue = await original()
  const [pro, teams] = ['pro', 'teams'].map((name) => catalogue.plans.find((one) => one.plan_type === name))
  if (!pro || !teams) throw new Error('It has neither Pro nor Teams')
  const studio = { ...teams, plan_type: 'studio', name: 'Studio', trial_days: pro.trial_days }
  return { ...catalogue, plans: [...catalogue.plans, studio] }
})

const { clerk, database, server, stripe, worker } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })

beforeAll(() => migrateToLatest({ connectionString: database.url }))

/** A page of Pro with a trial, and Teams for another owner, paid while that page is open. */
async function buyTeamsMeanwhile(): Promise<{ ada: Person; old: CheckoutPage }> {
  const ada = await signUp(clerk)
  const old = await openPlanCheckout(server, ada)
  const { id: clerk_org_id } = await buildOrganization(clerk, ada)
  const body = { clerk_org_id, seats_total: 2 }
  const { sessionId } = await server.ask(createOrganizationSubscription, { token: ada.token, body })
  await stripe.knob(`sessions/${sessionId}/pay`)
  return { ada, old }
}

const intentOf = async ({ intentId }: CheckoutPage) =>
  (await findIntent(database.owner, intentId)) ?? expect.fail('There is no intent')

test('a page that promises a trial is closed when its buyer’s first plan begins by another page', async () => {
  const { ada, old } = await buyTeamsMeanwhile()
  const before = await intentOf(old)
  await worker.catchUp()
  const due = await intentOf(old)
  expect(due.next_try_at.getTime()).toBeLessThan(before.next_try_at.getTime())
  await processCheckoutCompletion(worker.deps, { intent_id: due.id, cause: 'schedule', claim: due.claims })
  expect(await stripe.client.checkout.sessions.retrieve(old.sessionId)).toMatchObject({ status: 'expired' })
  expect(await intentOf(old)).toMatchObject({ state: 'expired' })
  expect(await intentOf(await openPlanCheckout(server, ada))).toMatchObject({ trial_days: 0 })
})

test('a page that is paid all the same gives no second trial and charges nothing, and Pro can be bought again', async () => {
  const { ada, old } = await buyTeamsMeanwhile()
  await stripe.knob(`sessions/${old.sessionId}/pay`)
  await worker.catchUp()
  await worker.catchUp()
  expect(await intentOf(old)).toMatchObject({ state: 'failed', failure_code: 'trial_used' })
  expect(await findLiveSubscription(database.owner, ada.user_id)).toBeUndefined()
  const { subscription, customer } = await stripe.client.checkout.sessions.retrieve(old.sessionId)
  expect(await stripe.client.subscriptions.retrieve(String(subscription))).toMatchObject({
    status: 'canceled',
  })
  expect((await stripe.client.charges.list({ customer: String(customer) })).data).toEqual([])
  const failed = database.owner.selectFrom('inbox_events').select('reason').where('state', '=', 'failed')
  expect(await failed.execute()).toEqual([])

  const again = await openPlanCheckout(server, ada)
  await stripe.knob(`sessions/${again.sessionId}/pay`)
  await worker.catchUp()
  expect(await findLiveSubscription(database.owner, ada.user_id)).toMatchObject({ status: 'active' })
})

test('one trial begins when a buyer pays two pages with a trial in one moment and two workers settle them', async () => {
  const ada = await signUp(clerk)
  const pro = await openPlanCheckout(server, ada)
  const { id: clerk_org_id } = await buildOrganization(clerk, ada)
  const body = { clerk_org_id, seats_total: 2, plan_type: 'studio' }
  const studio = await server.ask(createOrganizationSubscription, { token: ada.token, body })
  const pages = [pro, { ...studio, url: studio.checkout_url }]
  expect(await Promise.all(pages.map(intentOf))).toMatchObject([{ trial_days: 14 }, { trial_days: 14 }])
  await Promise.all(pages.map(({ sessionId }) => stripe.knob(`sessions/${sessionId}/pay`)))

  // Both have asked Stripe and found no trial used when the first of them may decide.
  const tries = await database.owner.transaction().execute(async (trx) => {
    await trx.selectFrom('users').where('clerk_id', '=', ada.user_id).forNoKeyUpdate().execute()
    const settling = pages.map(({ intentId: intent_id }) =>
      processCheckoutCompletion(worker.deps, { intent_id, cause: 'return_page' }).catch(String),
    )
    while ((await countLockWaits(database.owner)) < 2) await delay(5)
    return { settling }
  })
  await Promise.all(tries.settling)
  await worker.catchUp()
  await worker.catchUp()

  const intents = await Promise.all(pages.map(intentOf))
  expect(intents.map(({ state }) => state).sort()).toEqual(['failed', 'settled'])
  expect(intents.find(({ state }) => state === 'failed')).toMatchObject({ failure_code: 'trial_used' })
  const sessions = await Promise.all(
    pages.map(({ sessionId }) =>
      stripe.client.checkout.sessions.retrieve(sessionId, { expand: ['subscription'] }),
    ),
  )
  const states = sessions.map(({ subscription }) => typeof subscription === 'object' && subscription?.status)
  expect(states.sort()).toEqual(['canceled', 'trialing'])
})

test('a plan that is settled while another job asks whether its trial was used before is not taken for a second one', async () => {
  const ada = await signUp(clerk)
  const page = await openPlanCheckout(server, ada)
  await stripe.knob(`sessions/${page.sessionId}/pay`)
  // As a job of another event has read it a moment before.
  const before = await intentOf(page)
  await worker.catchUp()
  expect(await intentOf(page)).toMatchObject({ state: 'settled' })
  expect(await isTrialUsed(worker.deps.db, before)).toBe(false)
  expect(await findLiveSubscription(database.owner, ada.user_id)).toMatchObject({ status: 'trialing' })
})
