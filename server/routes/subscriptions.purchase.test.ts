import { expect, test } from 'vitest'
import { getSessionStatus } from '../../schema/api/checkout.ts'
import {
  buySeats,
  createOrganizationBillingPortal,
  createOrganizationSubscription,
  getOrganizationCredits,
  getOrganizationSubscription,
} from '../../schema/api/organizations.ts'
import { createCheckoutSession } from '../../schema/api/subscriptions.ts'
import { getUser } from '../../schema/api/users.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { stripeEventSchema } from '../../schema/vendors/stripe/events.ts'
import { receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildOrganization } from '../../tests/support/factories/organizations.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'
import { tryEvent } from '../../worker/events/try-event.ts'

/** From the button to the ledger: the server's calls, Stripe's pages and the worker's jobs. */
const { database, stripe, clerk, server, worker } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })

/** Lets the worker apply everything that has happened at Stripe since. */
async function catchUp(): Promise<void> {
  for (const event of await stripe.takeEvents()) {
    const id = await receiveStripeEvent(database.server, stripeEventSchema.parse(event))
    await tryEvent(worker.deps, { source: 'stripe', id })
  }
}
const statusOf = async (person: Person, session_id: string) =>
  (await server.ask(getSessionStatus, { token: person.token, query: { session_id } })).data
const subscriptionOf = (person: Person, orgId: string) =>
  server.ask(getOrganizationSubscription, { token: person.token, query: { orgId } })
const poolOf = (person: Person, org_id: string) =>
  server.ask(getOrganizationCredits, { token: person.token, query: { org_id } })
const press = (url: string, form: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })

test('a first Pro plan begins with a trial, grants its credits at once, and is not sold twice', async () => {
  const ada = await signUp(clerk)
  const subscribe = (fields: object = {}) =>
    server.api(createCheckoutSession, {
      token: ada.token,
      body: { planType: 'pro', clerkUserId: ada.user_id, ...fields },
    })
  const { sessionId } = (await subscribe()).body as { sessionId: string }
  await stripe.knob(`sessions/${sessionId}/pay`)
  expect(await subscribe({ billingFrequency: 'yearly' })).toMatchObject({
    status: 409,
    body: { code: 'checkout_in_progress' },
  })
  await catchUp()
  expect(await statusOf(ada, sessionId)).toMatchObject({
    payment_status: 'no_payment_required',
    amount_total: 0,
    subscription_id: expect.stringMatching(/^sub_/),
    metadata: { planType: 'pro', priceId: 'pro_monthly' },
    fulfilment: { state: 'applied', credits: 500, balance: 500 },
  })
  const { data } = await server.ask(getUser, { token: ada.token, query: { clerkId: ada.user_id } })
  expect(data).toMatchObject({ plan_type: 'pro', credits: 500, plan_credits: 500 })
  expect(await subscribe({ billingFrequency: 'yearly' })).toMatchObject({
    status: 409,
    body: { code: 'already_subscribed' },
  })

  // Once it has ended, the next one costs from the first day.
  await stripe.knob(`subscriptions/${(await statusOf(ada, sessionId)).subscription_id}/cancel`)
  await catchUp()
  const again = (await subscribe()).body as { sessionId: string }
  expect(await statusOf(ada, again.sessionId)).toMatchObject({ status: 'open', amount_total: 2000 })
})

test('a team bought at sign-up finds its organization, pool and portal', async () => {
  const grace = await signUp(clerk)
  const { sessionId } = await server.ask(createCheckoutSession, {
    token: grace.token,
    body: { planType: 'teams', billingFrequency: 'yearly', seats: 4, clerkUserId: grace.user_id },
  })
  await stripe.knob(`sessions/${sessionId}/pay`)
  await catchUp()
  const { metadata, fulfilment, amount_total } = await statusOf(grace, sessionId)
  expect({ metadata, fulfilment, amount_total }).toMatchObject({
    amount_total: 4 * 28_800,
    metadata: { planType: 'teams', billingFrequency: 'yearly', seats: '4', credits: '2000' },
    fulfilment: { state: 'applied', credits: 2000, balance: 2000 },
  })
  const organization = metadata.organizationId ?? ''
  expect(await subscriptionOf(grace, organization)).toMatchObject({
    hasSubscription: true,
    subscription: { seats_total: 4, billing_frequency: 'yearly', price_per_seat_minor: 28_800 },
  })
  expect(await poolOf(grace, organization)).toMatchObject({ remaining_credits: 2000, total_credits: 2000 })
  // The customer that was made for this one checkout is the organization's from now on.
  const portal = await server.ask(createOrganizationBillingPortal, {
    token: grace.token,
    body: { clerk_org_id: organization },
  })
  expect(await (await fetch(portal.url)).text()).toContain('Teams')
})

test('more seats are confirmed at Stripe and come with credits; fewer wait for the next period', async () => {
  const alan = await signUp(clerk)
  const org = await buildOrganization(clerk, alan)
  const { sessionId } = await server.ask(createOrganizationSubscription, {
    token: alan.token,
    body: { clerk_org_id: org.id },
  })
  await stripe.knob(`sessions/${sessionId}/pay`)
  await catchUp()
  const seats = async () => (await subscriptionOf(alan, org.id)).subscription?.seats_total
  expect(await seats()).toBe(5)

  await stripe.knob('clock/advance', { seconds: 10 * 86_400 })
  const more = () =>
    server.api(buySeats, {
      token: alan.token,
      body: { orgId: org.id, clerkUserId: alan.user_id, quantity: 3 },
    })
  const { url } = (await more()).body as { url: string }
  const id = (await subscriptionOf(alan, org.id)).subscription?.id
  await press(`${url}/subscriptions/${id}/confirm`)
  expect(await seats()).toBe(5)
  await catchUp()
  expect(await seats()).toBe(8)
  const { remaining_credits } = await poolOf(alan, org.id)
  // For the rest of the month, which is about two thirds of it.
  expect(remaining_credits).toBeGreaterThan(3400)
  expect(remaining_credits).toBeLessThan(3600)

  const portal = await server.ask(createOrganizationBillingPortal, {
    token: alan.token,
    body: { clerk_org_id: org.id },
  })
  const item = (await stripe.client.subscriptions.retrieve(id ?? '')).items.data[0]
  const invoices = async () => (await stripe.client.invoices.list({ subscription: id ?? '' })).data.length
  const before = await invoices()
  await press(`${portal.url}/subscriptions/${id}/confirm`, { price: item?.price.id ?? '', quantity: '2' })
  await catchUp()
  expect(await seats()).toBe(8)
  expect(await invoices()).toBe(before)
  expect(await more()).toMatchObject({ status: 409, body: { code: 'change_scheduled' } })

  await stripe.knob(`subscriptions/${id}/renew`)
  await catchUp()
  expect(await seats()).toBe(2)
})

test('the portal offers seats up to a hundred and both periods of the plan, and no other plan', async () => {
  const edsger = await signUp(clerk)
  const org = await buildOrganization(clerk, edsger)
  const { sessionId } = await server.ask(createOrganizationSubscription, {
    token: edsger.token,
    body: { clerk_org_id: org.id },
  })
  await stripe.knob(`sessions/${sessionId}/pay`)
  await catchUp()
  const id = (await subscriptionOf(edsger, org.id)).subscription?.id ?? ''
  const { url } = await server.ask(createOrganizationBillingPortal, {
    token: edsger.token,
    body: { clerk_org_id: org.id },
  })
  const page = await (await fetch(`${url}/subscriptions/${id}/update`)).text()
  expect(page).toContain('name="quantity"')
  expect(page.match(/type="radio"/g)).toHaveLength(2)
  expect(page).toContain('€30.00 per month')
  expect(page).toContain('€288.00 per year')
  const [item] = (await stripe.client.subscriptions.retrieve(id)).items.data
  await press(`${url}/subscriptions/${id}/confirm`, { price: item?.price.id ?? '', quantity: '101' })
  expect((await stripe.client.subscriptions.retrieve(id)).items.data).toMatchObject([{ quantity: 5 }])
})

test('the ledger is consistent in the end', async () => {
  expect((await verifyLedger(database.owner)).problems).toEqual([])
})
