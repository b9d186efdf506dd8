import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { findIntent } from '../../../schema/billing/checkout/intents.ts'
import { findLatestSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { findBalance } from '../../../schema/ledger/read/balances.ts'
import { listHeldSeats } from '../../../schema/people/seats/seats.ts'
import { findUser } from '../../../schema/people/users/users.ts'
import { openClerk } from '../../../schema/vendors/clerk/client.ts'
import { createOrganizationMaker } from '../../../schema/vendors/clerk/organizations.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { addMember, buildOrganization } from '../../../tests/support/factories/organizations.ts'
import { buildPaidPlan, buyPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { buildPlanOrder } from '../../../tests/support/factories/purchases.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { signUp } from '../../../tests/support/services/clerk.ts'
import { ensureOrganization } from './ensure-organization.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, stripe, clerk, worker } = product
booksEndRight(database)

const organization = () => `org_${randomUUID().slice(0, 8)}`
const planBalance = async (bought: PaidPurchase) => (await findBalance(database.owner, bought.owner_id)).plan
const rowOf = (bought: PaidPurchase) => findLatestSubscription(database.owner, bought.owner_id)

async function changeSeats(bought: PaidPurchase, quantity: number): Promise<void> {
  const subscription = await stripe.client.subscriptions.retrieve(bought.subscription_id ?? '')
  await stripe.client.subscriptions.update(subscription.id, {
    items: [{ id: subscription.items.data[0]?.id ?? '', quantity }],
    proration_behavior: 'always_invoice',
  })
}

test('a Teams plan of an organization that buys its first seats is granted for all of them, and the buyer has one', async () => {
  const bought = await buyPlan(product, { plan_type: 'teams', seats: 5, owner_id: organization() })
  expect(await planBalance(bought)).toBe(2500)
  expect(await rowOf(bought)).toMatchObject({ seats_total: 5, plan_type: 'teams' })
  const seats = await database.rows('seats', { organization_id: bought.owner_id })
  expect(seats).toMatchObject([{ user_id: bought.user_id, status: 'active', role: 'admin' }])
  expect(await findUser(database.owner, bought.user_id)).toMatchObject({ plan_type: 'teams' })
})

test('a Teams plan of an organization of which only the “created” events come has the right number of seats', async () => {
  const bought = await buildPaidPlan(product, { plan_type: 'teams', seats: 7, owner_id: organization() })
  const events = await stripe.takeEvents()
  await worker.applyStripe(events.filter((event) => event.type.endsWith('.created')))
  expect(await rowOf(bought)).toMatchObject({ seats_total: 7, status: 'active' })
})

const limitOf = async (id: string) => (await clerk.directory.findOccupancy(id))?.limit
/** An organization that exists at Clerk. */
async function atClerk() {
  const admin = await signUp(clerk)
  const { id } = await buildOrganization(clerk, admin)
  return id
}

test('the number of people that Clerk lets into an organization follows the seats up and down, beginning with Clerk’s five', async () => {
  const owner_id = await atClerk()
  expect(await limitOf(owner_id)).toBe(5)
  const bought = await buyPlan(product, { plan_type: 'teams', seats: 8, owner_id })
  // The buyer has the first seat; the admin of the test, who has none, is there besides.
  expect(await limitOf(owner_id)).toBe(8 + 1 - 1)
  await changeSeats(bought, 12)
  await worker.catchUp()
  expect(await limitOf(owner_id)).toBe(12)
  await changeSeats(bought, 2)
  await worker.catchUp()
  expect(await limitOf(owner_id)).toBe(2)
})

test('invitations that were sent before the organization had a plan take its seats when it is bought, the first one sent first', async () => {
  const owner_id = await atClerk()
  const emails = [(await signUp(clerk)).email, (await signUp(clerk)).email, (await signUp(clerk)).email]
  for (const emailAddress of emails) {
    await clerk.client.organizations.createOrganizationInvitation({
      organizationId: owner_id,
      emailAddress,
      role: 'org:member',
    })
  }
  const bought = await buyPlan(product, { plan_type: 'teams', seats: 3, owner_id })
  const pending = async () => {
    const seats = await listHeldSeats(database.server, owner_id)
    return seats.filter(({ status }) => status === 'pending').map(({ email }) => email)
  }
  expect(await pending()).toEqual(emails.slice(0, 2))
  await changeSeats(bought, 4)
  await worker.catchUp()
  expect(await pending()).toEqual(emails)
})

test('the number of people that Clerk lets into an organization is never less than the people who are there or invited', async () => {
  const owner_id = await atClerk()
  for (let count = 0; count < 4; count++) {
    await addMember(clerk, { id: owner_id, name: '' }, await signUp(clerk))
  }
  const bought = await buyPlan(product, { plan_type: 'teams', seats: 3, owner_id })
  // Five are there, one of three seats is taken.
  expect(await limitOf(owner_id)).toBe(5 + 2)
  await changeSeats(bought, 1)
  await worker.catchUp()
  expect(await limitOf(owner_id)).toBe(5)
})

test('the number of people that Clerk lets into an organization is not what an event waits for: one that Clerk cannot be told about is applied all the same', async () => {
  const owner_id = await atClerk()
  const bought = await buildPaidPlan(product, { plan_type: 'teams', seats: 8, owner_id })
  await clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/organizations' })
  await worker.catchUp()
  await clerk.clear('faults')
  expect(await rowOf(bought)).toMatchObject({ seats_total: 8 })
  expect(await limitOf(owner_id)).toBe(5)
})

test.each([
  [null, 'Ada’s team'],
  ['Harbour Labs', 'Harbour Labs'],
])(
  'a Teams plan that is bought under the name %j makes its organization in Clerk once, however often it is tried',
  async (organization_name, name) => {
    const { user_id } = await signUp(clerk, { first_name: 'Ada' })
    await database.owner
      .insertInto('users')
      .values({
        clerk_id: user_id,
        email: 'ada@tidemark.test',
        first_name: 'Ada',
        profile_updated_at: new Date(),
      })
      .execute()
    const plan = { plan_type: 'teams', seats: 2, owner_id: null } as const
    const intent = await buildPlanOrder(database, { user_id, ...plan, organization_name })
    const { id } = intent
    const api = openClerk({ secretKey: 'sk_test_sandbox', apiUrl: `${clerk.url}/bapi` })
    const deps = { ...worker.deps, organizations: createOrganizationMaker(api) }
    await Promise.all([1, 2, 3].map(() => ensureOrganization(deps, intent)))
    const made = (await findIntent(database.owner, id))?.owner_id
    expect(made).toMatch(/^org_/)
    // An attempt that crashed before it noted the organization finds it again.
    const again = await deps.organizations.makeOrganization({
      name: 'x',
      created_by: user_id,
      intent_id: id,
      seats: 3,
    })
    expect(again).toBe(made)
    const { data } = await api.users.getOrganizationMembershipList({ userId: user_id })
    expect(data).toMatchObject([{ role: 'org:admin', organization: { name, maxAllowedMemberships: 2 } }])
  },
)
