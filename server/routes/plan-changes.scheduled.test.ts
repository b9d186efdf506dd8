import { describe, expect, test } from 'vitest'
import { getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import {
  buySeats,
  createOrganizationBillingPortal,
  createOrganizationSubscription,
  getOrganizationSubscription,
} from '../../schema/api/organizations.ts'
import { cancelPlan, keepPlan } from '../../schema/api/plan-changes.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { stripe, clerk, server, worker } = testProduct({ stripe: 'with_prices', clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
const bob = madeOnce(() => signUp(clerk))

/** Five seats, of which three are left from the next period on: an admin said so on Stripe’s page. */
const org = madeForEachTest(async () => {
  await stripe.clear('faults')
  const organization = await buildOrganization(clerk, ada)
  await addMember(clerk, organization, bob)
  const { sessionId } = await server.ask(createOrganizationSubscription, {
    token: ada.token,
    body: { clerk_org_id: organization.id, seats_total: 5 },
  })
  await stripe.knob(`sessions/${sessionId}/pay`)
  await worker.catchUp()
  const { subscription } = await overview(organization.id)
  const id = subscription?.id ?? ''
  const [item] = (await stripe.client.subscriptions.retrieve(id)).items.data
  const url = await portalOf(organization.id)
  await press(`${url}/subscriptions/${id}/confirm`, { price: item?.price.id ?? '', quantity: '3' })
  await worker.catchUp()
  return { id: organization.id, subscription_id: id }
})

const overview = (orgId: string) =>
  server.ask(getOrganizationSubscription, { token: bob.token, query: { orgId } })
const portalOf = async (clerk_org_id: string) =>
  (await server.ask(createOrganizationBillingPortal, { token: ada.token, body: { clerk_org_id } })).url
const press = (url: string, form: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
const atStripe = () => stripe.client.subscriptions.retrieve(org.subscription_id)
const calls = { keepPlan, cancelPlan }
const call = (name: keyof typeof calls) =>
  server.api(calls[name], { token: ada.token, query: { payer: org.id }, body: {} })
const seatsOf = (token: string) => server.ask(getOrganizationSeats, { token, query: { org_id: org.id } })
const day = (seconds: number) => new Date(seconds * 1000).toISOString()

test('a reduction that waits is shown: which seats, and from when on', async () => {
  const [item] = (await atStripe()).items.data
  const at = day(item?.current_period_end ?? 0)
  expect((await overview(org.id)).subscription).toMatchObject({
    seats_total: 5,
    scheduled_change: { seats: 3, billing_frequency: 'monthly', at },
  })
  expect((await seatsOf(ada.token)).notice).toContain('3 seats')
  expect((await seatsOf(bob.token)).notice).toBeNull()
})

test('the portal can neither cancel nor change such a plan', async () => {
  const before = await atStripe()
  const url = await portalOf(org.id)
  await press(`${url}/subscriptions/${org.subscription_id}/cancel`)
  expect(await atStripe()).toEqual(before)
  expect(
    await server.api(buySeats, {
      token: ada.token,
      body: { orgId: org.id, clerkUserId: ada.user_id, quantity: 1 },
    }),
  ).toMatchObject({
    status: 409,
    body: { code: 'change_scheduled', error: expect.stringContaining('Keep the present plan') },
  })
})

describe('a reduction that has taken effect', () => {
  const buy = (quantity: number) =>
    server.ask(buySeats, {
      token: ada.token,
      body: { orgId: org.id, clerkUserId: ada.user_id, quantity },
    })
  const renew = async () => {
    await stripe.knob(`subscriptions/${org.subscription_id}/renew`)
    await worker.catchUp()
  }

  test('seats are bought again once a reduction has taken effect', async () => {
    await renew()
    expect((await overview(org.id)).subscription).toMatchObject({ seats_total: 3, scheduled_change: null })
    expect((await atStripe()).schedule).not.toBeNull()

    const { url } = await buy(2)
    expect((await atStripe()).schedule).toBeNull()
    await press(`${url}/subscriptions/${org.subscription_id}/confirm`)
    await worker.catchUp()
    expect((await overview(org.id)).subscription).toMatchObject({ seats_total: 5, scheduled_change: null })
    await renew()
    expect((await overview(org.id)).subscription).toMatchObject({ seats_total: 5 })
  })

  test('two admins who buy at once both get to the page', async () => {
    await renew()
    const pages = await Promise.all([buy(1), buy(2)])
    expect(pages.map(({ url }) => new URL(url).pathname.split('/')[1])).toEqual(['p', 'p'])
  })
})

describe('keeping the seats', () => {
  test('keeping the seats cancels the scheduled reduction, and the next period has them all', async () => {
    expect(await call('keepPlan')).toMatchObject({
      status: 200,
      body: { success: true, seats: 5, cancel_at: null },
    })
    await worker.catchUp()
    expect((await overview(org.id)).subscription).toMatchObject({ seats_total: 5, scheduled_change: null })
    expect((await seatsOf(ada.token)).notice).toBeNull()
    await stripe.knob(`subscriptions/${org.subscription_id}/renew`)
    await worker.catchUp()
    expect((await overview(org.id)).subscription).toMatchObject({ seats_total: 5 })
  })

  test('a request that comes twice, or twice at once, is the same as one', async () => {
    const answers = await Promise.all([call('keepPlan'), call('keepPlan')])
    expect([...answers, await call('keepPlan')].map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await atStripe()).schedule).toBeNull()
  })
})

describe('cancelling', () => {
  test('cancelling ends the plan with its period, although a reduction waits', async () => {
    const [item] = (await atStripe()).items.data
    const cancel_at = day(item?.current_period_end ?? 0)
    expect(await call('cancelPlan')).toMatchObject({
      status: 200,
      body: { success: true, seats: 5, cancel_at },
    })
    await worker.catchUp()
    expect((await overview(org.id)).subscription).toMatchObject({
      status: 'active',
      cancel_at,
      scheduled_change: null,
    })
    await stripe.knob(`subscriptions/${org.subscription_id}/renew`)
    await worker.catchUp()
    expect(await overview(org.id)).toMatchObject({
      hasSubscription: false,
      subscription: { status: 'canceled' },
    })
  })

  test('cancelling works without a reduction too, and twice is the same as once', async () => {
    await call('keepPlan')
    const first = await call('cancelPlan')
    expect(first).toMatchObject({ status: 200, body: { cancel_at: expect.any(String) } })
    expect((await call('cancelPlan')).body).toEqual(first.body)
  })

  test('cancelling that Stripe does not carry out is an error, and can be tried again', async () => {
    await stripe.knob('faults', { status: 500, path_prefix: '/v1/subscriptions', method: 'POST' })
    expect(await call('cancelPlan')).toMatchObject({
      status: 502,
      body: { error: 'Failed to cancel subscription', code: 'subscription_change_failed' },
    })
    await stripe.clear('faults')
    expect(await call('cancelPlan')).toMatchObject({ status: 200 })
  })
})

test.each(['keepPlan', 'cancelPlan'] as const)(
  '%s needs an organization with a subscription',
  async (name) => {
    const { id } = await buildOrganization(clerk, ada)
    const asked = { token: ada.token, query: { payer: id }, body: {} }
    expect(await server.api(calls[name], asked)).toMatchObject({
      status: 409,
      body: { code: 'no_subscription' },
    })
  },
)
