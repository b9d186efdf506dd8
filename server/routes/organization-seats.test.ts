import { afterEach, describe, expect, test } from 'vitest'
import { assignSeat, getOrganizationSeats, revokeSeat } from '../../schema/api/organization-seats.ts'
import { initializeUser } from '../../schema/api/users.ts'
import { buildMember, buildTeam, removeMember, type Team } from '../../tests/support/factories/teams.ts'
import { raceForSeats } from '../../tests/support/faults/race-for-seats.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ clerk: 'sandbox' })
const { database, server, clerk } = product
afterEach(() => clerk.clear('faults'))

const team = (seats: number) => buildTeam(product, { seats })
const assign = ({ organization, admin }: Team, email: string, more: { role?: 'admin'; by?: Person } = {}) =>
  server.api(assignSeat, {
    token: (more.by ?? admin).token,
    body: { org_id: organization.id, email, ...(more.role && { role: more.role }) },
  })
const revoke = ({ organization, admin }: Team, user_id: string, by = admin) =>
  server.api(revokeSeat, { token: by.token, body: { org_id: organization.id, user_id } })
const seatsOf = ({ organization, admin }: Team, by = admin) =>
  server.ask(getOrganizationSeats, { token: by.token, query: { org_id: organization.id } })
const noSeatsLeft = {
  status: 402,
  body: {
    code: 'no_seats_left',
    error: 'No available seats. Upgrade your subscription to add more members.',
  },
}

describe('assigning a seat', () => {
  test('assigning a seat gives it to a member at once, with the role that they have', async () => {
    const ours = await team(3)
    const ada = await buildMember(clerk, ours)
    expect(await assign(ours, ` ${ada.email.toUpperCase()} `)).toMatchObject({
      status: 200,
      body: {
        success: true,
        seat: { user_id: ada.user_id, email: ada.email, role: 'member', status: 'active' },
      },
    })
    expect(await seatsOf(ours)).toMatchObject({ seats_used: 1, seats_total: 3 })
  })

  test('assigning a seat to a non-member reserves it and invites them at Clerk', async () => {
    const ours = await team(3)
    const guest = await signUp(clerk)
    expect(await assign(ours, guest.email, { role: 'admin' })).toMatchObject({
      status: 200,
      body: { seat: { user_id: null, email: guest.email, role: 'admin', status: 'pending' } },
    })
    expect(await clerk.directory.listInvitations(ours.organization.id)).toMatchObject([
      { email: guest.email, role: 'admin', status: 'pending' },
    ])
    expect(await seatsOf(ours)).toMatchObject({ seats_used: 1 })
  })

  test('assigning a seat again with the same role changes nothing, with another is refused', async () => {
    const ours = await team(1)
    const ada = await buildMember(clerk, ours)
    const first = await assign(ours, ada.email)
    expect(await assign(ours, ada.email)).toMatchObject({ status: 200, body: first.body })
    expect(await assign(ours, ada.email, { role: 'admin' })).toMatchObject({
      status: 409,
      body: { code: 'other_seat_role' },
    })
    const theirs = await team(1)
    const guest = await signUp(clerk)
    const reserved = await assign(theirs, guest.email)
    expect(await assign(theirs, guest.email.toUpperCase())).toMatchObject({
      status: 200,
      body: reserved.body,
    })
    expect(await assign(theirs, guest.email, { role: 'admin' })).toMatchObject({
      status: 409,
      body: { code: 'other_seat_role' },
    })
    expect(await clerk.directory.listInvitations(theirs.organization.id)).toHaveLength(1)
  })

  test('assigning a seat asks for payment when there is none left', async () => {
    const ours = await team(1)
    await assign(ours, (await signUp(clerk)).email)
    expect(await assign(ours, (await signUp(clerk)).email)).toMatchObject(noSeatsLeft)
    expect(await assign(ours, (await buildMember(clerk, ours)).email)).toMatchObject(noSeatsLeft)
    expect(await seatsOf(ours)).toMatchObject({ seats_used: 1 })
  })

  test('assigning a seat without a live subscription asks for payment', async () => {
    const ours = await team(1)
    await endSubscription(ours)
    const answer = await assign(ours, (await signUp(clerk)).email)
    expect(answer).toMatchObject({ status: 402, body: { code: 'no_subscription' } })
  })

  test.each(['members', 'strangers'] as const)(
    'the last one at once by two admins, to eight %s, gives it once',
    async (who) => {
      const count = 8
      const ours = await team(2)
      // More members than seats, as in an organization that had more seats once.
      await clerk.directory.setMembershipLimit({ organization_id: ours.organization.id, limit: 12 })
      const other = await buildMember(clerk, ours, 'org:admin')
      await assign(ours, ours.admin.email, { role: 'admin' })
      const people = await Promise.all(
        Array.from({ length: count }, () => (who === 'members' ? buildMember(clerk, ours) : signUp(clerk))),
      )
      const answers = await raceForSeats(
        database,
        ours,
        people.map(
          ({ email }, index) =>
            () =>
              assign(ours, email, { by: index % 2 ? other : ours.admin }),
        ),
      )
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 402)).toHaveLength(count - 1)
      expect(await seatsOf(ours)).toMatchObject({ seats_used: 2, over_limit: false })
      const sent = await clerk.directory.listInvitations(ours.organization.id)
      expect(sent).toHaveLength(who === 'members' ? 0 : 1)
    },
  )

  test('assigning a seat to one address eight times at once uses one seat and sends one invitation', async () => {
    const ours = await team(5)
    const { email } = await signUp(clerk)
    const requests = Array.from({ length: 8 }, () => () => assign(ours, email))
    const answers = await raceForSeats(database, ours, requests)
    expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200))
    expect(await seatsOf(ours)).toMatchObject({ seats_used: 1 })
    expect(await clerk.directory.listInvitations(ours.organization.id)).toHaveLength(1)
  })

  test('continues where a request crashed after reserving the seat', async () => {
    const ours = await team(1)
    const { email } = await signUp(clerk)
    await assign(ours, email)
    const [sent] = await clerk.directory.listInvitations(ours.organization.id)
    await database.owner
      .updateTable('team_invitations')
      .set({ clerk_invitation_id: null })
      .where('organization_id', '=', ours.organization.id)
      .execute()
    expect(await assign(ours, email)).toMatchObject({ status: 200 })
    const rows = await database.rows('team_invitations', { organization_id: ours.organization.id }, [
      'clerk_invitation_id',
    ])
    expect(rows).toEqual([{ clerk_invitation_id: sent?.clerk_invitation_id }])
  })

  test('assigning a seat is reflected in the plan of a user whose first call comes later', async () => {
    const ours = await team(1)
    const ada = await buildMember(clerk, ours)
    await assign(ours, ada.email)
    const body = {
      clerkUser: { id: ada.user_id, emailAddresses: [{ emailAddress: ada.email }] },
      planType: 'starter' as const,
    }
    expect(await server.ask(initializeUser, { token: ada.token, body })).toMatchObject({
      created: true,
      user: { plan_type: 'teams' },
    })
  })
})

describe('revoking a seat', () => {
  test('revoking a seat frees it, and the person stays a member', async () => {
    const ours = await team(1)
    const ada = await buildMember(clerk, ours)
    await assign(ours, ada.email)
    expect(await revoke(ours, ada.user_id)).toMatchObject({
      status: 200,
      body: { success: true, seat: { user_id: ada.user_id, status: 'revoked' } },
    })
    expect(await seatsOf(ours)).toMatchObject({
      seats_used: 0,
      seats: [{ user_id: ada.user_id, status: 'revoked' }],
    })
    expect(await seatsOf(ours, ada)).toMatchObject({ seats_used: 0 })
    expect(await assign(ours, ada.email)).toMatchObject({ status: 200 })
  })

  test('revoking a seat that does not exist is refused, and so is that of a pending invitation', async () => {
    const ours = await team(2)
    const guest = await signUp(clerk)
    await assign(ours, guest.email)
    const refusal = { status: 404, body: { code: 'seat_not_found' } }
    expect(await revoke(ours, ours.admin.user_id)).toMatchObject(refusal)
    expect(await revoke(ours, guest.user_id)).toMatchObject(refusal)
    expect(await seatsOf(ours)).toMatchObject({ seats_used: 1 })
  })

  test('revoking a seat of another organization is not possible', async () => {
    const [ours, theirs] = [await team(1), await team(1)]
    const eve = await buildMember(clerk, theirs)
    await assign(theirs, eve.email)
    expect(await revoke(ours, eve.user_id)).toMatchObject({ status: 404, body: { code: 'seat_not_found' } })
    expect(await seatsOf(theirs)).toMatchObject({ seats_used: 1 })
  })

  test('revoking a seat works for an admin’s own, and after the subscription has ended', async () => {
    const ours = await team(1)
    await assign(ours, ours.admin.email, { role: 'admin' })
    await endSubscription(ours)
    expect(await revoke(ours, ours.admin.user_id)).toMatchObject({ status: 200 })
  })
})

describe('the list of seats', () => {
  test('the list of seats shows a member the counts and their own seat only', async () => {
    const ours = await team(3)
    const ada = await buildMember(clerk, ours)
    await assign(ours, ours.admin.email, { role: 'admin' })
    await assign(ours, ada.email)
    expect(await seatsOf(ours, ada)).toMatchObject({ seats_used: 2, seats: [{ email: ada.email }] })
    expect((await seatsOf(ours)).seats).toHaveLength(2)
  })

  test('the list of seats tells the admin when there are fewer seats than people, who all keep theirs', async () => {
    const ours = await team(3)
    const ada = await buildMember(clerk, ours)
    await assign(ours, ours.admin.email, { role: 'admin' })
    await assign(ours, ada.email)
    await database.worker
      .updateTable('subscriptions')
      .set({ seats_total: 1 })
      .where('stripe_subscription_id', '=', ours.subscription_id)
      .execute()
    expect(await seatsOf(ours)).toMatchObject({
      seats_used: 2,
      seats_total: 1,
      over_limit: true,
      notice: expect.stringContaining('2 seats are in use, but the subscription has 1'),
    })
    expect(await seatsOf(ours, ada)).toMatchObject({ over_limit: true, notice: null })
    expect(await assign(ours, (await signUp(clerk)).email)).toMatchObject(noSeatsLeft)
    await revoke(ours, ada.user_id)
    expect(await assign(ours, ada.email)).toMatchObject(noSeatsLeft)
  })
})

test('a user who is no longer an admin is refused although their token still says so', async () => {
  const ours = await team(1)
  await buildMember(clerk, ours, 'org:admin')
  const { jwt } = await clerk.knob<{ jwt: string }>('tokens', {
    user_id: ours.admin.user_id,
    organization_id: ours.organization.id,
  })
  await removeMember(clerk, ours, ours.admin)
  const body = { org_id: ours.organization.id, email: 'carol@tidemark.test' }
  expect(await server.api(assignSeat, { token: jwt, body })).toMatchObject({ status: 404 })
})

async function endSubscription(ours: Team): Promise<void> {
  await database.worker
    .updateTable('subscriptions')
    .set({ status: 'canceled', ended_at: new Date() })
    .where('stripe_subscription_id', '=', ours.subscription_id)
    .execute()
}
