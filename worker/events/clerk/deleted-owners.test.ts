import type Stripe from 'stripe'
import { beforeEach, expect, test } from 'vitest'
import { getAccountSummary } from '../../../schema/api/account.ts'
import { purchaseCredits } from '../../../schema/api/checkout.ts'
import { failureOf } from '../../../schema/api/failures.ts'
import { reportUsage } from '../../../schema/api/spending.ts'
import { listFindings } from '../../../schema/billing/reconciliation/findings.ts'
import { kindOf } from '../../../schema/ledger/accounts.ts'
import { findAct } from '../../../schema/support/acts.ts'
import type { Membership } from '../../../schema/vendors/clerk/memberships.ts'
import { createStripe } from '../../../schema/vendors/stripe/client.ts'
import { booksEndRight } from '../../../tests/support/database/right-books.ts'
import { buildAct } from '../../../tests/support/factories/acts.ts'
import { receiveClerkEvent } from '../../../tests/support/factories/events.ts'
import { buildExtensionToken } from '../../../tests/support/factories/extension-tokens.ts'
import { addMember, buildOrganization } from '../../../tests/support/factories/organizations.ts'
import {
  buildPaidPlan,
  type PaidPurchase,
  type PlanOrder,
} from '../../../tests/support/factories/paid-purchases.ts'
import { buildAccount, readPlanType } from '../../../tests/support/factories/users.ts'
import { planLife } from '../../../tests/support/product/plan-life.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { producerOf } from '../../../tests/support/product/test-worker.ts'
import { signUp, tokenOf } from '../../../tests/support/services/clerk.ts'
import type { WorkerDependencies } from '../../dependencies.ts'
import { processCheckoutCompletion } from '../../jobs/checkout-completion.ts'
import { processSubscriptionSync } from '../../jobs/subscription-sync.ts'
import { reconcileAll } from '../../reconciliation/run.ts'
import { processSupportAct } from '../../support/support-act.ts'
import { enqueueDueRows } from '../../tasks/enqueue-due-rows.ts'
import { tryEvent } from '../try-event.ts'

const failsAtRenewal = '4000000000000341'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, stripe, clerk, worker } = product
const life = planLife(product)
beforeEach(() => clerk.forgetEvents())
booksEndRight(database)

async function buy(order: PlanOrder = {}): Promise<PaidPurchase> {
  const person = await buildAccount(product)
  const { user_id } = person
  return buildPaidPlan(product, { user_id, ...order })
}

async function buyTeam(order: PlanOrder = {}): Promise<PaidPurchase> {
  const person = await buildAccount(product)
  const { user_id } = person
  const { id } = await buildOrganization(clerk, person)

  return buildPaidPlan(product, { user_id, owner_id: id, plan_type: 'teams', seats: 2, ...order })
}

/** Deletes an owner at Clerk, and lets the event arrive. */
async function deleteOwner(owner_id: string) {
  if (kindOf(owner_id) === 'user') await clerk.client.users.deleteUser(owner_id)
  else await clerk.client.organizations.deleteOrganization(owner_id)
  const [event] = await clerk.listEvents(`${kindOf(owner_id)}.deleted`)
  if (!event) throw new Error('Clerk sent no event')
  return worker.applyClerk(event)
}

/** What is due is claimed and tried, and the failures of tries are recorded in their rows. */
async function claim(deps = worker.deps): Promise<void> {
  const ids: string[] = []
  const intents: string[] = []
  const producer = producerOf(async (queue, _id, payload) => {
    if (queue === 'subscription-syncs') ids.push((payload as { subscription_id: string }).subscription_id)
    if (queue === 'checkout-completions') intents.push((payload as { intent_id: string }).intent_id)
  })
  await enqueueDueRows({ ...deps, producer })
  for (const subscription_id of ids)
    await processSubscriptionSync(deps, { subscription_id }).catch(() => undefined)
  for (const intent_id of intents)
    await processCheckoutCompletion(deps, { intent_id, cause: 'schedule' }).catch(() => undefined)
}

const atStripe = ({ subscription_id }: PaidPurchase) =>
  stripe.client.subscriptions.retrieve(subscription_id ?? '')
const invoicesOf = async ({ subscription_id }: PaidPurchase) =>
  (await stripe.client.invoices.list({ subscription: subscription_id ?? '' })).data.map(
    ({ status }) => status,
  )

test('a person who deletes their account during a trial is never charged', async () => {
  const bought = await buy({ trial_days: 14 })
  await worker.catchUp()
  expect(await deleteOwner(bought.owner_id)).toMatchObject({
    state: 'applied',
    reason: failureOf('ends_at_stripe', { ids: `${bought.subscription_id}` }),
  })
  await claim()
  expect(await atStripe(bought)).toMatchObject({
    status: 'canceled',
    cancellation_details: { comment: 'Its owner was deleted at Clerk' },
  })
  expect(await life.row(bought)).toMatchObject({ status: 'canceled' })
  await life.live(60)
  expect(await life.charges(bought)).toEqual([])
  expect(await invoicesOf(bought)).toEqual(['paid'])
})

test('open invoices are voided, drafts stay drafts, and a scheduled change is released', async () => {
  const overdue = await buyTeam({ card: failsAtRenewal, trial_days: 30 })
  const drafted = await buyTeam()
  await worker.catchUp()
  await life.update(drafted, { pause_collection: { behavior: 'keep_as_draft' } })
  await life.live(32)
  expect(await invoicesOf(overdue)).toContain('open')
  expect(await invoicesOf(drafted)).toEqual(['draft', 'paid'])
  const schedule = await stripe.client.subscriptionSchedules.create({
    from_subscription: drafted.subscription_id ?? '',
  })
  for (const { owner_id } of [overdue, drafted]) {
    await clerk.forgetEvents()
    await deleteOwner(owner_id)
  }
  await claim()
  expect(await invoicesOf(overdue)).toEqual(['void', 'paid'])
  expect(await invoicesOf(drafted)).toEqual(['draft', 'paid'])
  expect(await stripe.client.subscriptionSchedules.retrieve(schedule.id)).toMatchObject({
    status: 'released',
  })
  await worker.catchUp()
  expect(await life.row(overdue)).toMatchObject({ status: 'canceled' })
})

test('the end of a plan is tried until Stripe answers, and says so meanwhile', async () => {
  const bought = await buy()
  await worker.catchUp()
  await deleteOwner(bought.owner_id)
  const away = createStripe({ secretKey: 'sk_test_none', apiBase: 'http://127.0.0.1:1' })
  await claim({ ...worker.deps, stripe: away })
  expect(await life.row(bought)).toMatchObject({
    status: 'active',
    attempts: 0,
    last_error: expect.any(String),
  })
  await product.advanceDays(1)
  await claim()
  expect(await life.row(bought)).toMatchObject({ status: 'canceled', last_error: null })
})

test('an event of a deletion ends nothing while Clerk still has the owner', async () => {
  const bought = await buy()
  await worker.catchUp()
  const data = { id: bought.user_id, object: 'user', deleted: true }
  const payload = { object: 'event', type: 'user.deleted', timestamp: Date.now(), data }
  await worker.applyClerk({ type: 'user.deleted', payload })
  await claim()
  expect(await atStripe(bought)).toMatchObject({ status: 'active' })
  expect(await life.row(bought)).toMatchObject({
    last_error: failureOf('has_state', { what: 'owner', state: 'still_at_clerk' }),
  })
})

test('a person who is deleted before the payment of a first team is heard is charged no more', async () => {
  const bought = await buy({ plan_type: 'teams', owner_id: null })
  await deleteOwner(bought.user_id)
  await worker.catchUp()
  expect(await atStripe(bought)).toMatchObject({ status: 'canceled' })
  const { reason } = await database.row('inbox_events', { state: 'failed' }, ['reason'])
  expect(reason).toMatch(/deleted_and_refunded/)
})

test.each([
  ['a day', 1, [0, 0, 2000]],
  ['more than a week', 8, [700, 2000, 2000]],
])(
  'what is charged after a deletion goes back when that is heard %s late, and what was paid before stays',
  async (_, days, kept) => {
    const bought = await buy()
    await worker.catchUp()
    await life.toPeriodEnd(bought, -60)
    const clerkUserId = bought.user_id
    const token = await tokenOf(clerk, { user_id: clerkUserId })
    const body = { clerkUserId, credits: 500, amount: 7, currency: 'EUR' } as const
    const { sessionId } = await product.server.ask(purchaseCredits, { token, body })
    const timestamp = product.clock.now().getTime()
    await clerk.client.users.deleteUser(bought.user_id)
    await product.advanceDays(0.5)
    await stripe.knob(`sessions/${sessionId}/pay`, {})
    await product.advanceDays(days - 0.5)
    await worker.catchUp()
    expect(await life.balance(bought)).toMatchObject({ purchased: 500 })
    const data = { id: bought.user_id, object: 'user', deleted: true }
    const payload = { object: 'event', type: 'user.deleted', timestamp, data }
    for (let times = 0; times < 2; times++) await worker.applyClerk({ type: 'user.deleted', payload })
    await claim()
    await worker.catchUp()
    const charges = await life.charges(bought)
    expect(charges.map(({ amount, amount_refunded }) => amount - amount_refunded)).toEqual(kept)
    expect(await life.balance(bought)).toMatchObject({ plan: 0, purchased: days === 1 ? 0 : 500 })
  },
)

test.each([
  ['person', buy],
  ['organization', buyTeam],
])('the first payment of a plan that is heard of after its %s was deleted goes back', async (_, buyOne) => {
  const bought = await buyOne()
  await deleteOwner(bought.owner_id)
  await worker.catchUp()
  expect(await readPlanType(database.owner, bought)).toBe('starter')
  const charges = await life.charges(bought)
  expect(charges.map(({ amount, amount_refunded }) => amount - amount_refunded)).toEqual([0])
  expect(await atStripe(bought)).toMatchObject({ status: 'canceled' })
})

test.each([
  ['no other', false],
  ['another', true],
])(
  'when an admin deletes their account and there is %s, invoices go to a person who is there, and the plan is renewed only with one',
  async (_, isOther) => {
    const bought = await buyTeam()
    await stripe.client.customers.update(bought.customer_id, { metadata: { clerkUserId: bought.user_id } })
    await worker.catchUp()
    const colleague = await signUp(clerk)
    const role = isOther ? 'org:admin' : 'org:member'
    await addMember(clerk, { id: bought.owner_id, name: '' }, colleague, role)
    await deleteOwner(bought.user_id)
    await claim()
    await worker.catchUp()
    expect(await stripe.client.customers.retrieve(bought.customer_id)).toMatchObject({
      email: isOther ? colleague.email : null,
    })
    expect((await life.row(bought))?.cancel_at !== null).toBe(!isOther)
    await product.advanceDays(1)
    await reconcileAll(worker.deps, 'test')
    expect(await findWithoutAdmin(bought.owner_id)).toHaveLength(isOther ? 0 : 1)
    await life.live(60)
    expect((await life.charges(bought)).length > 1).toBe(isOther)
  },
)

type FromClerk = (member: Membership) => Membership | null
const demoted: FromClerk = (member) => ({ ...member, role: 'member' })
const left: FromClerk = () => null

/**
 * A team whose only admin, the buyer, is not one any more, as after an act at Clerk's dashboard: the stand-in
 * refuses it, as Clerk's API does, so Clerk's answers about them are changed.
 */
async function loseAdmin(fromClerk: FromClerk) {
  const bought = await buyTeam()
  await stripe.client.customers.update(bought.customer_id, { metadata: { clerkUserId: bought.user_id } })
  await worker.catchUp()
  const colleague = await buildAccount(product)
  await addMember(clerk, { id: bought.owner_id, name: '' }, colleague)
  await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership'))
  const { findMembership, listMembers } = worker.deps.clerk
  const said = (member: Membership) => (member.user_id === bought.user_id ? fromClerk(member) : member)
  const deps: WorkerDependencies = {
    ...worker.deps,
    clerk: {
      ...worker.deps.clerk,
      async findMembership(key) {
        const member = await findMembership(key)
        return member && said(member)
      },
      listMembers: async (id) => (await listMembers(id))?.flatMap((member) => said(member) ?? []) ?? null,
    },
  }
  const hear = async (user_id: string) => {
    const data = { organization: { id: bought.owner_id }, public_user_data: { user_id } }
    const type = 'organizationMembership.updated'
    const payload = { object: 'event', type, timestamp: Date.now(), data }
    const id = await receiveClerkEvent(database.server, { type, payload })
    await tryEvent(deps, { source: 'clerk', id })
  }
  const settled = async () => {
    await claim(deps)
    await worker.catchUp()
  }
  const promote = async () => {
    const key = { organizationId: bought.owner_id, userId: colleague.user_id }
    await clerk.client.organizations.updateOrganizationMembership({ ...key, role: 'org:admin' })
  }
  return { bought, colleague, deps, hear, settled, promote }
}

async function findWithoutAdmin(owner_id: string) {
  const filter = { state: 'open', kind: 'organization_without_admin', owner_id } as const
  return (await listFindings(database.server, { filter, limit: 10 })).findings
}

test.each([
  ['steps down', demoted],
  ['leaves', left],
])(
  'when the last admin %s, the plan is not renewed, members and support are told, and it goes on with another admin',
  async (_, fromClerk) => {
    const { bought, colleague, deps, hear, settled, promote } = await loseAdmin(fromClerk)
    const { owner_id } = bought
    await hear(bought.user_id)
    await settled()
    expect(await life.row(bought)).toMatchObject({ status: 'active', cancel_at: expect.any(Date) })
    const { email } = (await stripe.client.customers.retrieve(bought.customer_id)) as Stripe.Customer
    expect(email !== null).toBe(fromClerk === demoted)
    const told = () =>
      product.server.ask(getAccountSummary, { token: colleague.token, query: { payer: owner_id } })
    expect(await told()).toMatchObject({
      may_manage: false,
      lacks_admin: true,
      subscription: { cancel_at: expect.any(String) },
    })
    await product.advanceDays(1)
    await reconcileAll(deps, 'test')
    expect(await findWithoutAdmin(owner_id)).toHaveLength(1)

    await promote()
    await hear(colleague.user_id)
    await settled()
    expect(await life.row(bought)).toMatchObject({ status: 'active', cancel_at: null })
    expect(await told()).toMatchObject({ may_manage: true, lacks_admin: false })
    await reconcileAll(deps, 'test')
    expect(await findWithoutAdmin(owner_id)).toEqual([])
    await life.live(35)
    expect((await life.charges(bought)).map(({ amount }) => amount)).toEqual([6000, 6000])
  },
)

test('an admin who comes before our own cancellation is heard of undoes it all the same', async () => {
  const { bought, colleague, deps, hear, settled, promote } = await loseAdmin(demoted)
  await hear(bought.user_id)
  await claim(deps)
  await promote()
  await hear(colleague.user_id)
  await settled()
  expect(await life.row(bought)).toMatchObject({ cancel_at: null })
})

test.each(['before the admin went', 'by the admin who came'])(
  'a cancellation of the customer’s own, %s, stays',
  async (when) => {
    const { bought, colleague, hear, settled, promote } = await loseAdmin(demoted)
    const isBefore = when === 'before the admin went'
    if (isBefore) await life.update(bought, { cancel_at_period_end: true })
    await worker.catchUp()
    await hear(bought.user_id)
    await settled()
    await promote()
    if (!isBefore) {
      await life.update(bought, { cancel_at_period_end: false })
      await life.update(bought, { cancel_at_period_end: true })
    }
    await hear(colleague.user_id)
    await settled()
    expect(await life.row(bought)).toMatchObject({ cancel_at: expect.any(Date) })
  },
)

test('invoices go to another admin, and the plan goes on, when the buyer leaves', async () => {
  const { bought, colleague, hear, settled, promote } = await loseAdmin(left)
  await promote()
  await hear(colleague.user_id)
  await hear(bought.user_id)
  await settled()
  expect(await stripe.client.customers.retrieve(bought.customer_id)).toMatchObject({ email: colleague.email })
  expect(await life.row(bought)).toMatchObject({ cancel_at: null })
})

test('usage is refused for a deleted person, and for an organization that was deleted', async () => {
  const [alone, team] = [await buy(), await buyTeam()]
  await worker.catchUp()
  const report = async ({ user_id, owner_id }: PaidPurchase, token: string, on = product.server) => {
    const payer = owner_id === user_id ? 'personal' : owner_id
    const body = { credits: 1, payer, idempotency_key: crypto.randomUUID() }
    return (await on.api(reportUsage, { token, body })).status
  }
  const tokens = new Map<PaidPurchase, string>()
  for (const bought of [alone, team]) {
    const token = await buildExtensionToken(database, bought.user_id, product.clock.now())
    tokens.set(bought, token)
    expect(await report(bought, token)).toBe(200)
    await clerk.forgetEvents()
    await deleteOwner(bought.owner_id)
  }
  // A server trusts a token for seconds after another process has revoked it (decision 030).
  const other = await product.startServer()
  expect(await report(alone, tokens.get(alone) ?? '', other)).toBe(401)
  expect(await report(team, tokens.get(team) ?? '', other)).toBe(404)
  await other.close()
})

test.each([
  ['person', buy],
  ['organization', buyTeam],
])('a %s that is gone without an event is a finding, which an act of support repairs', async (_, buyOne) => {
  const bought = await buyOne()
  await worker.catchUp()
  const owner_id = bought.owner_id
  if (kindOf(owner_id) === 'user') await clerk.client.users.deleteUser(owner_id)
  else await clerk.client.organizations.deleteOrganization(owner_id)
  await product.advanceDays(1)
  await reconcileAll(worker.deps, 'test')
  const find = async () => {
    const filter = { state: 'open', kind: 'owner_gone', owner_id } as const
    return (await listFindings(database.server, { filter, limit: 10 })).findings
  }
  expect(await atStripe(bought)).toMatchObject({ status: 'active' })
  const target = { kind: 'subscription', id: bought.subscription_id ?? '' } as const
  expect(await find()).toMatchObject([
    { object_id: target.id, repair: { kind: 'cancel_subscription', target, params: {} } },
  ])
  const { id } = await buildAct(database, { kind: 'cancel_subscription', target })
  await processSupportAct(worker.deps, { act_id: id })
  expect(await findAct(database.owner, id)).toMatchObject({ state: 'done' })
  expect(await atStripe(bought)).toMatchObject({ status: 'canceled' })
  await reconcileAll(worker.deps, 'test')
  expect(await find()).toEqual([])
})
