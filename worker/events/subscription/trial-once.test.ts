import { expect, test } from 'vitest'
import { createOrganizationSubscription } from '../../../schema/api/organizations.ts'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { findLiveSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { buildOrganization } from '../../../tests/support/factories/organizations.ts'
import { type CheckoutPage, openPlanCheckout } from '../../../tests/support/factories/plan-checkouts.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../../tests/support/services/clerk.ts'
import { processCheckoutCompletion } from '../../jobs/checkout-completion.ts'

const { clerk, database, server, stripe, worker } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })

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
