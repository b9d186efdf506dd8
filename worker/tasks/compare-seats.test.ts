import { afterEach, beforeEach, expect, test } from 'vitest'
import { findLiveSubscription } from '../../schema/billing/subscriptions/subscriptions.ts'
import { lacksAdmin } from '../../schema/people/members/members.ts'
import { ClerkRefusalError, ClerkUnavailableError } from '../../schema/vendors/clerk/errors.ts'
import type { MemberKey, Membership } from '../../schema/vendors/clerk/memberships.ts'
import {
  acceptInvitation,
  buildMember,
  buildTeam,
  changeRole,
  giveSeat,
  invite,
  readTeam,
  removeMember,
} from '../../tests/support/factories/teams.ts'
import { buildUser, readPlanType } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import type { WorkerDependencies } from '../dependencies.ts'
import { compareSeats } from './compare-seats.ts'

const product = testProduct({ clerk: 'sandbox' })
const { database, clerk, worker, clock } = product
beforeEach(async () => {
  clock.reset()
  await database.owner.deleteFrom('cursors').execute()
  await database.owner.deleteFrom('seats').execute()
})
afterEach(() => clerk.clear('faults'))

const compare = (clerkWith: Partial<WorkerDependencies['clerk']> = {}) =>
  compareSeats({ ...worker.deps, clerk: { ...worker.deps.clerk, ...clerkWith } })
const statusesOf = async (team: Parameters<typeof readTeam>[1]) =>
  (await readTeam(database, team)).seats.map(({ status }) => status)

/** A team with one member, who has a seat. */
async function teamWithSeat() {
  const team = await buildTeam(product)
  const ada = await buildMember(clerk, team)
  await buildUser(database.server, ada.user_id)
  await giveSeat(product, team, ada.email)
  return { team, ada }
}

test('the seat of a person who left ends although no webhook came, and so does their plan', async () => {
  const { team, ada } = await teamWithSeat()
  const stays = await buildMember(clerk, team)
  await giveSeat(product, team, stays.email)
  await removeMember(clerk, team, ada)
  expect(await compare()).toBe(1)
  expect(await statusesOf(team)).toEqual(['revoked', 'active'])
  expect(await readPlanType(database.owner, ada)).toBe('starter')
  expect(await worker.deps.metrics.registry.metrics()).toMatch(/tidemark_seats_corrected_total [1-9]/)
})

test('a role that changed is on the seat, and an invitation that was accepted has its seat', async () => {
  const { team, ada } = await teamWithSeat()
  await changeRole(clerk, team, ada, 'org:admin')
  const eve = await signUp(clerk)
  await invite(product, team, eve.email)
  await acceptInvitation(clerk, eve)
  expect(await compare()).toBe(2)
  const { seats, invitations } = await readTeam(database, team)
  expect(seats).toMatchObject([
    { user_id: ada.user_id, role: 'admin', status: 'active' },
    { user_id: eve.user_id, status: 'active' },
  ])
  expect(invitations).toMatchObject([{ status: 'accepted' }])
})

test('the last admin without a seat who lost the role, and one who has it again, make the plan due without a webhook', async () => {
  const { team } = await teamWithSeat()
  const { id: organization_id } = team.organization
  await worker.applyAllOfClerk(await clerk.listEvents('organizationMembership'))
  const demoted = (member: Membership): Membership => ({ ...member, role: 'member' })
  const { findMembership, listMembers } = worker.deps.clerk
  const withoutAdmin = {
    findMembership: async (key: MemberKey) => await findMembership(key).then((one) => one && demoted(one)),
    listMembers: async (id: string) => (await listMembers(id))?.map(demoted) ?? null,
  }
  for (const [said, is_lacking] of [
    [withoutAdmin, true],
    [{}, false],
  ] as const) {
    await database.owner
      .updateTable('subscriptions')
      .set({ next_try_at: new Date('2100-01-01') })
      .where('owner_id', '=', organization_id)
      .execute()
    await database.owner.deleteFrom('cursors').execute()
    await compare(said)
    expect(await lacksAdmin(database.owner, organization_id)).toBe(is_lacking)
    const live = await findLiveSubscription(database.owner, organization_id)
    expect(live?.next_try_at?.getTime()).toBeLessThanOrEqual(clock.now().getTime())
  }
})

test.each([
  ['that was accepted by a person who has left since', 'accepted'],
  ['that was revoked at Clerk', 'revoked'],
] as const)(
  'the seat reserved by an invitation %s is free again although no webhook came',
  async (_, status) => {
    const { team } = await teamWithSeat()
    const eve = await signUp(clerk)
    const waits = await signUp(clerk)
    await invite(product, team, eve.email)
    await invite(product, team, waits.email)
    if (status === 'accepted') {
      await acceptInvitation(clerk, eve)
      await removeMember(clerk, team, eve)
    } else {
      const sent = await clerk.directory.listInvitations(team.organization.id)
      const [ofEve] = sent.filter(({ email }) => email === eve.email)
      if (!ofEve) throw new Error('Clerk has sent no invitation')
      await clerk.directory.revokeInvitation({ ...ofEve, requesting_user_id: team.admin.user_id })
    }
    expect(await compare()).toBe(1)
    const { seats, invitations } = await readTeam(database, team)
    expect(seats.map((seat) => [seat.email, seat.status])).toEqual([
      [expect.any(String), 'active'],
      [eve.email, 'revoked'],
      [waits.email, 'pending'],
    ])
    expect(invitations.map((invitation) => [invitation.email, invitation.status])).toEqual([
      [eve.email, status],
      [waits.email, 'pending'],
    ])
  },
)

test('an open invitation from Clerk’s own settings has a seat although no webhook came, the first one sent first', async () => {
  const { team } = await teamWithSeat()
  const emails = [(await signUp(clerk)).email, (await signUp(clerk)).email, (await signUp(clerk)).email]
  await clerk.client.organizations.updateOrganization(team.organization.id, { maxAllowedMemberships: 9 })
  for (const emailAddress of emails) {
    await clerk.client.organizations.createOrganizationInvitation({
      organizationId: team.organization.id,
      emailAddress,
      role: 'org:member',
    })
  }
  expect(await compare()).toBe(2)
  const { seats } = await readTeam(database, team)
  expect(seats.map(({ email, status }) => [email, status])).toEqual([
    [expect.any(String), 'active'],
    [emails[0], 'pending'],
    [emails[1], 'pending'],
  ])
})

test('seats that agree cost two calls for the organization every six hours', async () => {
  const { team } = await teamWithSeat()
  await invite(product, team, (await signUp(clerk)).email)
  const listed: string[] = []
  const counting = {
    listMembers: (id: string) => {
      listed.push(id)
      return worker.deps.clerk.listMembers(id)
    },
    listInvitations: (...asked: Parameters<typeof worker.deps.clerk.listInvitations>) => {
      listed.push(`invitations of ${asked[0]}`)
      return worker.deps.clerk.listInvitations(...asked)
    },
    findMembership: () => Promise.reject(new Error('No person has to be asked about')),
    findInvitation: () => Promise.reject(new Error('No invitation has to be asked about')),
  }
  for (const hours of [0, 1, 5.9, 6.1]) {
    clock.setAhead({ minutes: hours * 60 })
    expect(await compare(counting)).toBe(0)
  }
  const { id } = team.organization
  expect(listed).toEqual([id, `invitations of ${id}`, id, `invitations of ${id}`])
})

test('when Clerk becomes unavailable in the middle, the next run goes on there', async () => {
  const teams = [await teamWithSeat(), await teamWithSeat(), await teamWithSeat()]
  for (const { team, ada } of teams) await removeMember(clerk, team, ada)
  let calls = 0
  const breaking = {
    listMembers: (id: string) => {
      calls += 1
      if (calls > 1) throw new ClerkUnavailableError('Away')
      return worker.deps.clerk.listMembers(id)
    },
  }
  await expect(compare(breaking)).rejects.toThrow('Away')
  expect(await compare()).toBe(2)
  for (const { team } of teams) expect(await statusesOf(team)).toEqual(['revoked'])
})

test('the seats of an organization that was deleted end', async () => {
  const { team } = await teamWithSeat()
  await clerk.client.organizations.deleteOrganization(team.organization.id)
  expect(await compare()).toBe(1)
  expect(await statusesOf(team)).toEqual(['revoked'])
})

test('no seat ends with the key of another application, which knows none of our users', async () => {
  const { team } = await teamWithSeat()
  const stranger = { listMembers: async () => null, listEmailAddresses: async () => [] }
  expect(await compare(stranger)).toBe(0)
  expect(await statusesOf(team)).toEqual(['active'])
})

test('Clerk’s limit of members that does not agree with the seats is repaired, at the price of no call when it does', async () => {
  const { team } = await teamWithSeat()
  const id = team.organization.id
  await clerk.client.organizations.updateOrganization(id, { maxAllowedMemberships: 9 })
  await compare()
  // Two people, one with a seat of three.
  expect(await clerk.directory.findOccupancy(id)).toEqual({ members: 2, invited: 0, limit: 4 })
  clock.setAhead({ minutes: 7 * 60 })
  expect(await compare({ findOccupancy: () => Promise.reject(new Error('Nothing has to be asked')) })).toBe(0)
})

test('a limit that Clerk does not accept keeps no seat from being compared', async () => {
  const { team, ada } = await teamWithSeat()
  await removeMember(clerk, team, ada)
  const refused = new ClerkRefusalError('feature_not_enabled', { cause: undefined })
  expect(await compare({ setMembershipLimit: () => Promise.reject(refused) })).toBe(1)
})

test('a member for whom Clerk has no address any more is compared like the others', async () => {
  const { team, ada } = await teamWithSeat()
  const { emailAddresses } = await clerk.client.users.getUser(ada.user_id)
  for (const { id } of emailAddresses) await clerk.client.emailAddresses.deleteEmailAddress(id)
  await changeRole(clerk, team, ada, 'org:admin')
  const members = await clerk.directory.listMembers(team.organization.id)
  expect(members?.find(({ user_id }) => user_id === ada.user_id)).toMatchObject({ email: null })
  expect(await compare()).toBe(1)
  expect((await readTeam(database, team)).seats).toMatchObject([{ user_id: ada.user_id, role: 'admin' }])
})
