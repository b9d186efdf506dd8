import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { deleteTokensOf } from '../../schema/extension/tokens.ts'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { verifyLedger } from '../../schema/ledger/verify/verify.ts'
import { pseudonymOf } from '../../schema/people/users/forget-user.ts'
import { ensureUser, findUser } from '../../schema/people/users/users.ts'
import { approveAct, findAct, type NewAct, outcomeOf } from '../../schema/support/acts.ts'
import { listAudit } from '../../schema/support/audit.ts'
import { rowsWith } from '../../tests/support/database/rows-with.ts'
import { buildAct } from '../../tests/support/factories/acts.ts'
import { eventOf, receiveClerkEvent, receiveStripeEvent } from '../../tests/support/factories/events.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { addMember } from '../../tests/support/factories/organizations.ts'
import { buildOpenCredits, buyCredits, buyPlan } from '../../tests/support/factories/paid-purchases.ts'
import { buildTeam, giveSeat, invite, readTeam } from '../../tests/support/factories/teams.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'
import { tryEvent } from '../events/try-event.ts'
import { processSupportAct } from './support-act.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const { database, clerk, stripe, worker } = product

async function forget(user_id: string, fields: Partial<NewAct> = {}) {
  const target = { kind: 'user', id: user_id } as const
  const { id } = await buildAct(database, { kind: 'forget', target, ...fields })
  const now = new Date()
  if (!fields.is_dry_run) {
    const { user_id: approved_by, token } = await signUp(clerk, { role: 'support' })
    const typed_address = (await findUser(database.owner, user_id))?.email ?? user_id
    await approveAct(database.server, { id, approved_by, token, typed_address, next_try_at: now })
  }
  await processSupportAct(worker.deps, { act_id: id })
  const act = await findAct(database.owner, id)
  return { id, state: act?.state, error: act?.error, outcome: act && outcomeOf(act) }
}

/** A person with an account here. */
async function signUpHere(first_name = 'Ada'): Promise<Person> {
  const person = await signUp(clerk, { first_name })
  const profile_updated_at = new Date()
  await ensureUser(database.server, {
    clerk_id: person.user_id,
    email: person.email,
    first_name,
    last_name: null,
    profile_updated_at,
  })
  return person
}

const tablesOf = (rows: readonly string[]) => new Set(rows.map((row) => row.split(':')[0]))

/** Ada paid, has a seat and a token, and is invited elsewhere. */
async function buildAda() {
  const first_name = `Adalind${randomUUID().slice(0, 8)}`
  const ada = await signUpHere(first_name)
  const team = await buildTeam(product)
  await addMember(clerk, team.organization, ada)
  await giveSeat(product, team, ada.email)
  const elsewhere = await buildTeam(product)
  const invitation = await invite(product, elsewhere, ada.email)
  const { customer_id } = await buyCredits(product, { user_id: ada.user_id })
  const metadata = { clerkEmail: ada.email, clerkName: first_name, ours: 'kept' }
  await product.stripe.client.customers.update(customer_id, { metadata })
  // An endpoint at Stripe may send every type of event.
  const customer = { object: 'customer', id: customer_id, email: ada.email, name: first_name }
  const id = await receiveStripeEvent(database.server, eventOf('customer.updated', customer))
  await tryEvent(worker.deps, { source: 'stripe', id })
  const events = await clerk.listEvents()
  await worker.applyAllOfClerk(events.filter(({ payload }) => JSON.stringify(payload).includes(ada.email)))
  await buildExtensionToken(database, ada.user_id)
  return { ada, first_name, team, elsewhere, invitation, customer_id }
}

test('a forgotten person is in no row of any table any more, and the ledger is as it was', async () => {
  const { ada, first_name, team, elsewhere, invitation, customer_id } = await buildAda()
  const words = [ada.email, first_name]

  const known = await rowsWith(database, words)
  // Otherwise the test proves little. Every table that can know a person is in forget-everything.test.ts.
  expect([...tablesOf(known)].sort()).toEqual(['inbox_events', 'seats', 'team_invitations', 'users'])

  const dry = await forget(ada.user_id, { is_dry_run: true, reason: '' })
  expect(dry).toMatchObject({ state: 'done', outcome: { changed: true } })
  expect(await rowsWith(database, words)).toEqual(known)
  expect(await clerk.client.users.getUser(ada.user_id)).toMatchObject({ id: ada.user_id })

  const done = await forget(ada.user_id)
  expect(done.outcome).toEqual(dry.outcome)
  expect(await rowsWith(database, words)).toEqual([])
  const { metadata } = (await product.stripe.client.customers.retrieve(customer_id)) as Stripe.Customer
  expect(metadata).toMatchObject({ ours: 'kept' })
  expect(metadata.clerkEmail ?? metadata.clerkName).toBeUndefined()
  await expect(clerk.client.users.getUser(ada.user_id)).rejects.toMatchObject({ status: 404 })
  const pseudonym = pseudonymOf(ada.user_id)
  expect(await findUser(database.owner, ada.user_id)).toMatchObject({ email: pseudonym, first_name: null })
  const left = await readTeam(database, team)
  expect(left.seats).toContainEqual({
    email: pseudonym,
    user_id: ada.user_id,
    role: 'member',
    status: 'revoked',
  })
  expect((await readTeam(database, elsewhere)).invitations).toEqual([{ email: pseudonym, status: 'revoked' }])
  const invited = await clerk.directory.listInvitations(elsewhere.organization.id)
  expect(invited).toMatchObject([{ invitation_id: invitation.id, status: 'revoked' }])

  expect((await findBalance(database.owner, ada.user_id)).total).toBe(500)
  expect((await verifyLedger(database.owner)).problems).toEqual([])
  const entries = await listAudit(database.owner, { act_id: done.id }, { limit: 10 })
  expect(entries).toMatchObject([
    { outcome: 'done', what: 'forget', owner_id: ada.user_id },
    { outcome: 'approved' },
    { outcome: 'requested' },
  ])
})

test('ten times are once, and what comes late brings nothing back', async () => {
  const { ada, first_name } = await buildAda()
  await forget(ada.user_id)
  for (let i = 0; i < 10; i++) {
    expect((await forget(ada.user_id)).outcome).toMatchObject({
      changed: false,
      note: 'done_already',
    })
  }

  const updated = (await clerk.listEvents('user.')).filter(
    ({ type, payload }) => type !== 'user.deleted' && payload.data.id === ada.user_id,
  )
  expect(updated.length).toBeGreaterThan(0)
  for (const event of updated) {
    const data = { ...event.payload.data, updated_at: Date.now() + 60_000 }
    await worker.applyClerk({ ...event, payload: { ...event.payload, data } })
  }
  await worker.applyAllOfClerk(await clerk.listEvents('user.deleted'))
  // The events themselves are kept until old rows are deleted, or erasure is asked for again.
  expect([...tablesOf(await rowsWith(database, [ada.email, first_name]))]).toEqual(['inbox_events'])
  expect(await findUser(database.owner, ada.user_id)).toMatchObject({ email: pseudonymOf(ada.user_id) })
  const { outcome } = await forget(ada.user_id)
  expect(outcome?.erasure?.removed).toMatchObject({ profile: 0, payloads: expect.any(Number) })
  expect(outcome?.erasure?.removed.payloads).toBeGreaterThan(0)
  expect(await rowsWith(database, [ada.email, first_name])).toEqual([])
})

describe('a person is not forgotten while', () => {
  test('their plan runs', async () => {
    const ada = await signUpHere()
    const bought = await buyPlan(product, { user_id: ada.user_id })
    const refused = await forget(ada.user_id)
    expect(refused).toMatchObject({
      state: 'failed',
      error: expect.stringMatching(/^under_way {"what":"plan","ids":"sub_/),
    })
    expect(await clerk.client.users.getUser(ada.user_id)).toMatchObject({ id: ada.user_id })
    expect(await findUser(database.owner, ada.user_id)).toMatchObject({ email: ada.email })
    const { state, outcome } = await forget(ada.user_id, { is_dry_run: true })
    const target = { kind: 'subscription', id: bought.subscription_id }
    expect({ state, outcome }).toMatchObject({
      state: 'done',
      outcome: { changed: false, first: { kind: 'end_plan', target } },
    })
    await stripe.client.subscriptions.cancel(bought.subscription_id ?? '')
    await worker.catchUp()
    const after = await forget(ada.user_id, { is_dry_run: true })
    expect(after.outcome).toMatchObject({ changed: true })
    expect(after.outcome).not.toHaveProperty('first')
  })

  test('a checkout of theirs may still be paid', async () => {
    const ada = await signUpHere()
    const { intent_id } = await buildOpenCredits(product, { user_id: ada.user_id })
    expect(await forget(ada.user_id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining(intent_id),
    })
  })

  test('an event about them is not applied yet', async () => {
    const ada = await signUpHere()
    const [created] = (await clerk.listEvents('user.created')).filter(
      ({ payload }) => payload.data.id === ada.user_id,
    )
    if (!created) throw new Error('Clerk sent no event')
    const id = await receiveClerkEvent(database.server, created)
    expect(await forget(ada.user_id)).toMatchObject({ state: 'failed', error: expect.stringContaining(id) })
  })

  test('something that support has asked for about an invitation of theirs is not over', async () => {
    const ada = await signUpHere()
    const team = await buildTeam(product)
    const { id } = await invite(product, team, ada.email)
    // An act whose owner is the person is refused beside an erasure when it is asked for.
    const open = await buildAct(database, {
      kind: 'resend_invitation',
      target: { kind: 'invitation', id },
      owner_id: team.organization.id,
    })
    expect(open.state).toBe('queued')
    expect(await forget(ada.user_id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining(open.id),
    })
  })

  test('an organization with a plan has no other admin', async () => {
    const { organization, admin } = await buildTeam(product)
    await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership.created'))
    expect(await forget(admin.user_id)).toMatchObject({
      state: 'failed',
      error: expect.stringContaining(organization.id),
    })
  })

  test('Clerk does not answer: nothing has happened, and the act is tried again', async () => {
    const ada = await signUpHere()
    await clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/users' })
    await expect(forget(ada.user_id)).rejects.toThrow()
    await clerk.clear('faults')
    expect(await findUser(database.owner, ada.user_id)).toMatchObject({ email: ada.email })
  })
})

test('the database takes no erasure to which no second person agreed', async () => {
  const ada = await signUpHere()
  const act = await buildAct(database, { kind: 'forget', target: { kind: 'user', id: ada.user_id } })
  expect(act.state).toBe('waiting_for_approval')
  const { target_kind, target_id, kind, reason, requested_by } = act
  const unasked = { target_kind, target_id, kind, reason, requested_by, state: 'queued' } as const
  const times = { requested_at: new Date(), next_try_at: new Date() }
  await database.owner.deleteFrom('support_acts').where('id', '=', act.id).execute()
  const insert = database.owner
    .insertInto('support_acts')
    .values({ id: randomUUID(), is_dry_run: false, ...unasked, ...times })
  await expect(insert.execute()).rejects.toThrow(/support_acts_for_good/)
})

test('the server may not erase anything', async () => {
  const ada = await signUpHere()
  await buildExtensionToken(database, ada.user_id)
  const erase = database.server.transaction().execute((trx) => deleteTokensOf(trx, ada.user_id))
  await expect(erase).rejects.toThrow(/permission denied/)
})

describe('the texts of an act', () => {
  const texts = { reason: 'Text erased', error: 'Text erased' }

  test('the texts of an act that is over are erased for good, and nothing else of it changes', async () => {
    const ada = await signUpHere()
    const target = { kind: 'user', id: ada.user_id } as const
    const adjustment = { credits: -9, customer_note: `From ${ada.email}`, may_leave_debt: false }
    const { id } = await buildAct(database, { kind: 'adjust', target, params: { adjustment } })
    await processSupportAct(worker.deps, { act_id: id })
    const before = await findAct(database.owner, id)
    await forget(ada.user_id)
    expect(await findAct(database.owner, id)).toEqual({
      ...before,
      ...texts,
      params: { adjustment: { ...adjustment, customer_note: 'Text erased' } },
    })
    const change = database.owner.updateTable('support_acts').set({ reason: 'Something else' })
    await expect(change.where('id', '=', id).execute()).rejects.toThrow(/cannot change/)
  })

  test('the texts of an act are erased by the function of the worker alone', async () => {
    const erase = sql`SELECT support_erase_texts('user_a', '{}', '{}')`.execute(database.server)
    await expect(erase).rejects.toThrow(/permission denied/)
    const change = database.worker.updateTable('support_acts').set({ reason: 'Text erased' })
    await expect(change.execute()).rejects.toThrow(/permission denied/)
  })
})
