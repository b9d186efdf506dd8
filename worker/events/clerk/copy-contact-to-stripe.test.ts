import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { findAct } from '../../../schema/support/acts.ts'
import { buildAct } from '../../../tests/support/factories/acts.ts'
import { buildOrganization } from '../../../tests/support/factories/organizations.ts'
import { buildPaidPlan, buyPlan, type PaidPurchase } from '../../../tests/support/factories/paid-purchases.ts'
import { buildAccount } from '../../../tests/support/factories/users.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { processSupportAct } from '../../support/support-act.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, stripe, clerk, worker } = product
beforeEach(() => clerk.forgetEvents())
afterEach(() => fetch(`${stripe.url}/_sandbox/faults`, { method: 'DELETE' }))

async function buy(): Promise<PaidPurchase> {
  const { user_id } = await buildAccount(product)
  return buyPlan(product, { user_id })
}

async function buyTeam() {
  const person = await buildAccount(product)
  const { user_id } = person
  const { id } = await buildOrganization(clerk, person)

  const bought = await buildPaidPlan(product, { user_id, owner_id: id, plan_type: 'teams', seats: 2 })
  const { customer_id } = bought
  await stripe.client.customers.update(customer_id, { metadata: { clerkUserId: user_id } })
  await worker.catchUp()
  return bought
}

const customerOf = ({ customer_id }: PaidPurchase) => stripe.client.customers.retrieve(customer_id)

/** Another primary address at Clerk, as a person sets it in their account. */
async function moveTo({ user_id }: PaidPurchase, emailAddress: string): Promise<void> {
  await clerk.client.emailAddresses.createEmailAddress({
    userId: user_id,
    emailAddress,
    verified: true,
    primary: true,
  })
}

const hear = async (type = 'user.updated') => {
  const outcomes = []
  for (const event of await clerk.listEvents(type)) outcomes.push(await worker.applyClerk(event))
  return outcomes.at(-1)
}

test('the customer has the address and name that the person has at Clerk now, however often and late it is told', async () => {
  const bought = await buy()
  await moveTo(bought, 'first@example.com')
  await clerk.client.users.updateUser(bought.user_id, { firstName: 'Grace', lastName: 'Hopper' })
  await moveTo(bought, 'second@example.com')
  const [oldest] = (await clerk.listEvents('user.updated')).toReversed()
  if (!oldest) throw new Error('Clerk told nothing')
  expect(await worker.applyClerk(oldest)).toMatchObject({ state: 'applied', reason: null })
  expect(await customerOf(bought)).toMatchObject({ email: 'second@example.com', name: 'Grace Hopper' })
  await stripe.takeEvents()
  await hear()
  expect((await stripe.takeEvents()).map(({ type }) => type)).toEqual([])
})

test('a name that was entered for invoices stays, and the address follows', async () => {
  const bought = await buy()
  const address = { country: 'DE', line1: 'Allee 1', city: 'Berlin', postal_code: '10115' }
  await stripe.client.customers.update(bought.customer_id, { name: 'Hopper GmbH', address })
  await moveTo(bought, 'office@example.com')
  await hear()
  expect(await customerOf(bought)).toMatchObject({ email: 'office@example.com', name: 'Hopper GmbH' })
})

test('an address or name that the customer set in the portal stays until the one at Clerk changes', async () => {
  const bought = await buy()
  await moveTo(bought, 'person@example.com')
  await hear()
  await stripe.client.customers.update(bought.customer_id, { email: 'accounts@example.com' })
  await clerk.client.users.updateUser(bought.user_id, { firstName: 'Grace' })
  await hear()
  expect(await customerOf(bought)).toMatchObject({ email: 'accounts@example.com' })
  await moveTo(bought, 'new@example.com')
  await hear()
  expect(await customerOf(bought)).toMatchObject({ email: 'new@example.com' })
  await stripe.client.customers.update(bought.customer_id, { name: 'Engines' })
  await moveTo(bought, 'newest@example.com')
  await hear()
  expect(await customerOf(bought)).toMatchObject({ name: 'Engines', email: 'newest@example.com' })
})

test('the customer of an organization has its name, and the address of the admin who bought', async () => {
  const bought = await buyTeam()
  const other = await buy()
  await moveTo(other, 'other@example.com')
  await moveTo(bought, 'admin@example.com')
  await hear()
  await clerk.client.organizations.updateOrganization(bought.owner_id, { name: 'Analytical Engines' })
  await hear('organization.updated')
  expect(await customerOf(bought)).toMatchObject({ email: 'admin@example.com', name: 'Analytical Engines' })
  expect(await customerOf(other)).toMatchObject({ email: 'other@example.com' })
})

test('a customer that is deleted at Stripe, or that the key does not have, is left alone', async () => {
  const deleted = await buy()
  const foreign = await buy()
  await stripe.client.customers.del(deleted.customer_id)
  await database.change('stripe_customers', { owner_id: foreign.user_id }, { customer_id: 'cus_foreign' })
  await moveTo(deleted, 'deleted@example.com')
  await moveTo(foreign, 'foreign@example.com')
  for (const event of await clerk.listEvents('user.updated'))
    expect(await worker.applyClerk(event)).toMatchObject({ state: 'applied', reason: null })
})

test('an address that Stripe refuses is said in the event, and the account has it all the same', async () => {
  const bought = await buy()
  await moveTo(bought, 'ada@example.com')
  const identity = { name: 'Ada', email: 'ada@localhost', state: 'known' } as const
  vi.spyOn(worker.deps.clerk, 'identify').mockResolvedValueOnce(identity)
  expect(await hear()).toMatchObject({
    state: 'applied',
    reason: expect.stringMatching(/^contact_refused .*Invalid email address/),
  })
})

test('while Stripe is away the event waits, and a person who is banned loses their tokens all the same', async () => {
  const bought = await buy()
  const before = await customerOf(bought)
  await moveTo(bought, 'later@example.com')
  await stripe.knob('faults', { status: 503, path_prefix: '/v1/customers', for_ms: 60_000 })
  await expect(hear()).rejects.toThrow()
  await clerk.client.users.banUser(bought.user_id)
  const events = await clerk.listEvents('user.updated')
  const banned = events.find(({ payload }) => (payload as { data: { banned?: boolean } }).data.banned)
  if (!banned) throw new Error('Clerk told of no ban')
  expect(await worker.applyClerk(banned)).toMatchObject({ state: 'applied' })
  await fetch(`${stripe.url}/_sandbox/faults`, { method: 'DELETE' })
  expect(await customerOf(bought)).toEqual(before)
})

test('a resync by support makes up for an event that was lost, and its dry run changes nothing', async () => {
  const bought = await buy()
  const before = await customerOf(bought)
  await moveTo(bought, 'moved@example.com')
  const resync = async (is_dry_run: boolean) => {
    const { id } = await buildAct(database, {
      kind: 'resync',
      target: { kind: 'user', id: bought.user_id },
      is_dry_run,
    })
    await processSupportAct(worker.deps, { act_id: id })
    expect(await findAct(database.owner, id)).toMatchObject({ state: 'done' })
    return customerOf(bought)
  }
  expect(await resync(true)).toEqual(before)
  expect(await resync(false)).toMatchObject({ email: 'moved@example.com' })
})
