import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { assignSeat, getOrganizationSeats, revokeSeat } from '../../schema/api/organization-seats.ts'
import { newMember, newPerson, newTeam, type Person, type Team } from '../../tests/support/team.ts'
import { openTeamWorld, type TeamWorld } from '../../tests/support/team-world.ts'

let world: TeamWorld
beforeAll(async () => {
  world = await openTeamWorld()
})
afterAll(() => world?.close())
afterEach(() => world.clerk.clear('faults'))

const team = (seats: number) => newTeam(world, { seats })
const assign = ({ organization, admin }: Team, email: string, more: { role?: 'admin'; by?: Person } = {}) =>
  world.server.api(assignSeat, {
    token: (more.by ?? admin).token,
    body: { org_id: organization.id, email, ...(more.role && { role: more.role }) },
  })
const revoke = ({ organization, admin }: Team, user_id: string, by = admin) =>
  world.server.api(revokeSeat, { token: by.token, body: { org_id: organization.id, user_id } })
const seatsOf = ({ organization, admin }: Team, by = admin) =>
  world.server.ask(getOrganizationSeats, { token: by.token, query: { org_id: organization.id } })
const noSeatsLeft = {
  status: 402,
  body: {
    code: 'no_seats_left',
    error: 'No available seats. Upgrade your subscription to add more members.',
  },
}

describe('revoking a seat', () => {
  test('frees it, and the person stays a member', async () => {
    const ours = await team(1)
    const ada = await newMember(world.clerk, ours)
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

  test('that nobody has is refused, and so is that of a pending invitation', async () => {
    const ours = await team(2)
    const guest = await newPerson(world.clerk)
    await assign(ours, guest.email)
    const refusal = { status: 404, body: { code: 'seat_not_found' } }
    expect(await revoke(ours, ours.admin.user_id)).toMatchObject(refusal)
    expect(await revoke(ours, guest.user_id)).toMatchObject(refusal)
    expect(await seatsOf(ours)).toMatchObject({ seats_used: 1 })
  })

  test('of another organization is not possible', async () => {
    const [ours, theirs] = [await team(1), await team(1)]
    const eve = await newMember(world.clerk, theirs)
    await assign(theirs, eve.email)
    expect(await revoke(ours, eve.user_id)).toMatchObject({ status: 404, body: { code: 'seat_not_found' } })
    expect(await seatsOf(theirs)).toMatchObject({ seats_used: 1 })
  })

  test('works for an admin’s own, and after the subscription has ended', async () => {
    const ours = await team(1)
    await assign(ours, ours.admin.email, { role: 'admin' })
    await endSubscription(ours)
    expect(await revoke(ours, ours.admin.user_id)).toMatchObject({ status: 200 })
  })
})

describe('the list of seats', () => {
  test('stands at the top and under data', async () => {
    const ours = await team(2)
    await assign(ours, ours.admin.email, { role: 'admin' })
    const { data, ...top } = await seatsOf(ours)
    expect(top).toEqual(data)
    expect(top).toMatchObject({ seats_used: 1, seats_total: 2, over_limit: false, notice: null })
  })

  test('shows a member the counts and their own seat only', async () => {
    const ours = await team(3)
    const ada = await newMember(world.clerk, ours)
    await assign(ours, ours.admin.email, { role: 'admin' })
    await assign(ours, ada.email)
    expect(await seatsOf(ours, ada)).toMatchObject({ seats_used: 2, seats: [{ email: ada.email }] })
    expect((await seatsOf(ours)).seats).toHaveLength(2)
  })

  test('tells the admin when there are fewer seats than people, who keep theirs', async () => {
    const ours = await team(3)
    const ada = await newMember(world.clerk, ours)
    await assign(ours, ours.admin.email, { role: 'admin' })
    await assign(ours, ada.email)
    await world.database.worker
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
    expect(await assign(ours, (await newPerson(world.clerk)).email)).toMatchObject(noSeatsLeft)
    await revoke(ours, ada.user_id)
    expect(await assign(ours, ada.email)).toMatchObject(noSeatsLeft)
  })

  test('of an organization without a subscription is empty', async () => {
    const ours = await team(3)
    await endSubscription(ours)
    expect(await seatsOf(ours)).toMatchObject({ seats_used: 0, seats_total: 0, seats: [], notice: null })
  })
})

async function endSubscription(ours: Team): Promise<void> {
  await world.database.worker
    .updateTable('subscriptions')
    .set({ status: 'canceled', ended_at: new Date() })
    .where('stripe_subscription_id', '=', ours.subscription_id)
    .execute()
}
