import { beforeEach, expect, test } from 'vitest'
import { failureOf } from '../../../schema/api/failures.ts'
import { assignSeat, revokeSeat } from '../../../schema/api/organization-seats.ts'
import { findSubscription } from '../../../schema/billing/subscriptions/subscriptions.ts'
import { buildExtensionToken } from '../../../tests/support/factories/extension-tokens.ts'
import {
  acceptInvitation,
  buildMember,
  buildTeam,
  changeRole,
  giveSeat,
  invite,
  readTeam,
  removeMember,
  type Team,
} from '../../../tests/support/factories/teams.ts'
import { buildUser, readPlanType } from '../../../tests/support/factories/users.ts'
import { testProduct } from '../../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../../tests/support/services/clerk.ts'

const product = testProduct({ clerk: 'sandbox' })
const { database, server, clerk, worker } = product
const newTeam = (seats = 3) => buildTeam(product, { seats })
beforeEach(() => clerk.forgetEvents())

const person = () => signUp(clerk)
const member = (team: Team) => buildMember(clerk, team)

test('joining with an invitation takes the seat that it holds, also when all are taken', async () => {
  const ours = await newTeam(2)
  await giveSeat(product, ours, (await member(ours)).email)
  const ada = await person()
  await buildUser(database.server, ada.user_id)
  await server.ask(assignSeat, {
    token: ours.admin.token,
    body: { org_id: ours.organization.id, email: ada.email, role: 'admin' },
  })
  await acceptInvitation(clerk, ada)
  await worker.applyAllOfClerk(await clerk.listEvents('organization'))
  const { seats, invitations } = await readTeam(database, ours)
  expect(seats.filter(({ status }) => status === 'active')).toHaveLength(2)
  expect(seats).toContainEqual({ email: ada.email, user_id: ada.user_id, role: 'admin', status: 'active' })
  expect(invitations).toMatchObject([{ email: ada.email, status: 'accepted' }])
  expect(await readPlanType(database.owner, ada)).toBe('teams')
})

test('joining with an invitation works when seats have been taken away meanwhile', async () => {
  const ours = await newTeam(3)
  const ada = await person()
  await giveSeat(product, ours, (await member(ours)).email)
  await invite(product, ours, ada.email)
  await database.change('subscriptions', { stripe_subscription_id: ours.subscription_id }, { seats_total: 1 })
  await acceptInvitation(clerk, ada)
  await worker.applyAllOfClerk(await clerk.listEvents('organization'))
  expect((await readTeam(database, ours)).seats.map(({ status }) => status)).toEqual(['active', 'active'])
})

test('a member who joins without a reserved seat gets none', async () => {
  const ours = await newTeam()
  await member(ours)
  await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership'))
  expect((await readTeam(database, ours)).seats).toEqual([])
})

test('a member who joins with another verified address takes the seat that is reserved for it', async () => {
  const ours = await newTeam()
  const [ada, eve] = [await person(), await person()]
  const [reserved, wanted] = ['second.address@tidemark.test', 'not.verified@tidemark.test']
  await invite(product, ours, reserved)
  await invite(product, ours, wanted)
  const addressOf = (person: Person, emailAddress: string, verified: boolean) =>
    clerk.client.emailAddresses.createEmailAddress({ userId: person.user_id, emailAddress, verified })
  await addressOf(ada, reserved, true)
  await addressOf(eve, wanted, false)
  for (const person of [ada, eve]) {
    await clerk.client.organizations.createOrganizationMembership({
      organizationId: ours.organization.id,
      userId: person.user_id,
      role: 'org:member',
    })
  }
  await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership'))
  expect((await readTeam(database, ours)).seats).toEqual([
    { email: reserved, user_id: ada.user_id, role: 'member', status: 'active' },
    { email: wanted, user_id: null, role: 'member', status: 'pending' },
  ])
})

/** As Clerk's dialog sends it: without our id. */
const inviteAtClerk = ({ organization, admin }: Team, emailAddress: string) =>
  clerk.client.organizations.createOrganizationInvitation({
    organizationId: organization.id,
    emailAddress,
    role: 'org:member',
    inviterUserId: admin.user_id,
  })
const applyInvitations = async () => worker.applyAllOfClerk(await clerk.listEvents('organizationInvitation'))

test('an invitation from Clerk’s own settings reserves a seat, which its guest has after joining', async () => {
  const ours = await newTeam(2)
  const ada = await person()
  await buildUser(database.server, ada.user_id)
  await inviteAtClerk(ours, ada.email)
  await applyInvitations()
  await applyInvitations()
  expect(await readTeam(database, ours)).toEqual({
    seats: [{ email: ada.email, user_id: null, role: 'member', status: 'pending' }],
    invitations: [{ email: ada.email, status: 'pending' }],
  })
  await acceptInvitation(clerk, ada)
  await worker.applyAllOfClerk(await clerk.listEvents('organization'))
  expect(await readTeam(database, ours)).toEqual({
    seats: [{ email: ada.email, user_id: ada.user_id, role: 'member', status: 'active' }],
    invitations: [{ email: ada.email, status: 'accepted' }],
  })
  expect(await readPlanType(database.owner, ada)).toBe('teams')
})

test('an invitation from Clerk’s own settings that was accepted before its events came has its seat, once', async () => {
  const ours = await newTeam()
  const ada = await person()
  await inviteAtClerk(ours, ada.email)
  await acceptInvitation(clerk, ada)
  const events = await clerk.listEvents('organizationInvitation')
  for (const event of events.toReversed()) await worker.applyClerk(event)
  expect((await readTeam(database, ours)).seats).toMatchObject([{ user_id: ada.user_id, status: 'active' }])
  await server.ask(revokeSeat, {
    token: ours.admin.token,
    body: { org_id: ours.organization.id, user_id: ada.user_id },
  })
  for (const event of events) await worker.applyClerk({ ...event })
  expect((await readTeam(database, ours)).seats).toMatchObject([{ status: 'revoked' }])
})

test('an invitation from Clerk’s own settings stays open without a seat when none is free, and its guest joins without one', async () => {
  const ours = await newTeam(1)
  const ada = await person()
  await giveSeat(product, ours, (await member(ours)).email)
  await clerk.client.organizations.updateOrganization(ours.organization.id, { maxAllowedMemberships: 9 })
  await inviteAtClerk(ours, ada.email)
  for (const event of await clerk.listEvents('organizationInvitation')) {
    expect(await worker.applyClerk(event)).toMatchObject({
      state: 'ignored',
      reason: failureOf('not_adopted', { why: 'no_free_seat' }),
    })
  }
  await acceptInvitation(clerk, ada)
  await worker.applyAllOfClerk(await clerk.listEvents('organization'))
  const { seats, invitations } = await readTeam(database, ours)
  expect([seats.length, invitations]).toEqual([1, []])
})

test('the last seat is for one of two invitations from Clerk’s own settings, also when both are applied at once', async () => {
  const ours = await newTeam(1)
  const [ada, eve] = [await person(), await person()]
  await clerk.client.organizations.updateOrganization(ours.organization.id, { maxAllowedMemberships: 9 })
  for (const { email } of [ada, eve]) await inviteAtClerk(ours, email)
  const events = await clerk.listEvents('organizationInvitation.created')
  await Promise.all(events.map((event) => worker.applyClerk(event)))
  expect((await readTeam(database, ours)).seats.map(({ status }) => status)).toEqual(['pending'])
})

test('an invitation from Clerk’s own settings that is revoked there frees its seat', async () => {
  const ours = await newTeam()
  const ada = await person()
  const { id: invitationId } = await inviteAtClerk(ours, ada.email)
  await applyInvitations()
  await clerk.client.organizations.revokeOrganizationInvitation({
    organizationId: ours.organization.id,
    invitationId,
    requestingUserId: ours.admin.user_id,
  })
  await applyInvitations()
  expect((await readTeam(database, ours)).seats).toMatchObject([{ status: 'revoked' }])
})

test('a member whose role changes has it on their seat', async () => {
  const ours = await newTeam()
  const ada = await member(ours)
  await giveSeat(product, ours, ada.email)
  await changeRole(clerk, ours, ada, 'org:admin')
  await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership.updated'))
  expect((await readTeam(database, ours)).seats).toMatchObject([{ user_id: ada.user_id, role: 'admin' }])
})

test('a member who leaves loses their seat and the plan that came with it', async () => {
  const ours = await newTeam()
  const ada = await member(ours)
  await buildUser(database.server, ada.user_id)
  await giveSeat(product, ours, ada.email)
  expect(await readPlanType(database.owner, ada)).toBe('teams')
  await removeMember(clerk, ours, ada)
  await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership.deleted'))
  expect((await readTeam(database, ours)).seats).toMatchObject([{ user_id: ada.user_id, status: 'revoked' }])
  expect(await readPlanType(database.owner, ada)).toBe('starter')
})

test('a member who leaves while an admin gives them a seat does not keep it', async () => {
  const ours = await newTeam()
  const ada = await member(ours)
  const ofServer = server.deps.clerk
  // The admin's request asks Clerk while Ada is still a member, and writes after the worker has seen her
  // leave.
  const slow = await product.startServer({
    deps: {
      clerk: {
        ...ofServer,
        async findMemberByEmail(key) {
          const seen = await ofServer.findMemberByEmail(key)
          await removeMember(clerk, ours, ada)
          await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership.deleted'))
          return seen
        },
      },
    },
  })
  const answer = await slow.api(assignSeat, {
    token: ours.admin.token,
    body: { org_id: ours.organization.id, email: ada.email },
  })
  await slow.close()
  expect(answer).toMatchObject({ status: 409, body: { code: 'membership_changed' } })
  expect((await readTeam(database, ours)).seats).toEqual([])
})

test('an end of an account ends seats, tokens and plan; the row stays for the books', async () => {
  const [ours, theirs] = [await newTeam(), await newTeam()]
  const ada = await member(ours)
  await clerk.client.organizations.createOrganizationMembership({
    organizationId: theirs.organization.id,
    userId: ada.user_id,
    role: 'org:member',
  })
  await buildUser(database.server, ada.user_id)
  await giveSeat(product, ours, ada.email)
  await giveSeat(product, theirs, ada.email)
  await buildExtensionToken(database, ada.user_id)
  await database.owner
    .insertInto('extension_sign_ins')
    .values({
      state_hash: Buffer.alloc(32, 'state'),
      code_hash: Buffer.alloc(32, 'code'),
      code_challenge: 'x'.repeat(43),
      redirect_uri: 'vscode://tidemark.assistant/callback',
      user_id: ada.user_id,
      created_at: new Date(),
      expires_at: new Date(Date.now() + 60_000),
    })
    .execute()
  await clerk.client.users.deleteUser(ada.user_id)
  const [event] = await clerk.listEvents('user.deleted')
  if (!event) throw new Error('Clerk said nothing')
  expect(await worker.applyClerk(event)).toMatchObject({ state: 'applied' })
  expect(await database.owner.selectFrom('extension_sign_ins').select('user_id').execute()).toEqual([])
  for (const either of [ours, theirs]) {
    expect((await readTeam(database, either)).seats).toMatchObject([
      { user_id: ada.user_id, status: 'revoked' },
    ])
  }
  const tokens = await database.rows('extension_tokens', { user_id: ada.user_id }, ['revoked_at'])
  expect(tokens).toEqual([{ revoked_at: expect.any(Date) }])
  expect(await readPlanType(database.owner, ada)).toBe('starter')
})

test('an end of an organization ends all its seats and invitations, and makes its subscription due', async () => {
  const ours = await newTeam()
  const ada = await member(ours)
  await buildUser(database.server, ada.user_id)
  await giveSeat(product, ours, ada.email)
  await invite(product, ours, (await person()).email)
  await clerk.client.organizations.deleteOrganization(ours.organization.id)
  const [event] = await clerk.listEvents('organization.deleted')
  if (!event) throw new Error('Clerk said nothing')
  expect(await worker.applyClerk(event)).toMatchObject({
    state: 'applied',
    reason: failureOf('ends_at_stripe', { ids: `${ours.subscription_id}` }),
  })
  expect(await readTeam(database, ours)).toMatchObject({
    seats: [{ status: 'revoked' }, { status: 'revoked' }],
    invitations: [{ status: 'revoked' }],
  })
  expect(await readPlanType(database.owner, ada)).toBe('starter')
  const row = await findSubscription(database.owner, ours.subscription_id)
  expect(Number(row?.next_try_at)).toBeLessThanOrEqual(Date.now())
})
