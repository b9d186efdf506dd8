import { afterEach, describe, expect, test } from 'vitest'
import { getOrganizationPeople } from '../../schema/api/organization-people.ts'
import { assignSeat, getOrganizationSeats } from '../../schema/api/organization-seats.ts'
import {
  listTeamInvitations,
  revokeTeamInvitation,
  sendTeamInvitation,
  type TeamInvitation,
} from '../../schema/api/team-invitations.ts'
import { addMember } from '../../tests/support/factories/organizations.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildMember, buildTeam, removeMember, type Team } from '../../tests/support/factories/teams.ts'
import { buildAccount } from '../../tests/support/factories/users.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { testAppUrl } from '../../tests/support/services/sandbox.ts'

const product = testProduct({ clerk: 'sandbox' })
const { database, server, clerk, worker } = product
afterEach(() => clerk.clear('faults'))

const stranger = async () => (await signUp(clerk)).email

/** A team whose buyer has the first seat, as after a purchase. */
async function team(seats: number): Promise<Team> {
  const ours = await buildTeam(product, { seats })
  await server.ask(assignSeat, {
    token: ours.admin.token,
    body: { org_id: ours.organization.id, email: ours.admin.email, role: 'admin' },
  })
  return ours
}

const send = ({ admin, subscription_id }: Team, email: string, token = admin.token) =>
  server.api(sendTeamInvitation, { token, body: { subscription_id, email } })
const revoke = ({ admin }: Team, id: string, token = admin.token) =>
  server.api(revokeTeamInvitation, { token, body: { id } })
const list = ({ admin, subscription_id }: Team) =>
  server.ask(listTeamInvitations, { token: admin.token, query: { subscription_id } })
const seatsUsed = async ({ admin, organization }: Team) =>
  (await server.ask(getOrganizationSeats, { token: admin.token, query: { org_id: organization.id } }))
    .seats_used
const invitationOf = (answer: { body: unknown }) => (answer.body as { invitation: TeamInvitation }).invitation

describe('sending an invitation', () => {
  test('sending an invitation holds a seat and is sent by Clerk, with a link to copy that grants nothing by itself', async () => {
    const ours = await team(3)
    const email = await stranger()
    const answer = await send(ours, `  ${email.toUpperCase()}`)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: `Invitation sent to ${email}`,
        invitation: { email, status: 'pending' },
      },
    })
    const [sent] = await clerk.directory.listInvitations(ours.organization.id)
    expect(sent).toMatchObject({ email, role: 'member', status: 'pending' })
    const invitation = invitationOf(answer)
    expect(invitation).toMatchObject({
      subscription_id: ours.subscription_id,
      inviter_id: ours.admin.user_id,
      clerk_invitation_id: sent?.clerk_invitation_id,
      expires_at: sent?.expires_at.toISOString(),
      url: `${testAppUrl}/invite/${ours.organization.id}/${sent?.clerk_invitation_id}`,
    })
    expect(await seatsUsed(ours)).toBe(2)
    const mails = await fetch(`${clerk.url}/_sandbox/mails?to=${email}`).then((response) => response.json())
    expect((mails as { data: unknown[] }).data).toHaveLength(1)
  })

  test('sending an invitation is limited to one less than there are seats, because the buyer has one', async () => {
    const ours = await team(3)
    expect((await list(ours)).remaining).toBe(2)
    expect((await send(ours, await stranger())).status).toBe(200)
    expect((await send(ours, await stranger())).status).toBe(200)
    expect((await list(ours)).remaining).toBe(0)
    expect(await send(ours, await stranger())).toMatchObject({
      status: 402,
      body: { error: 'Maximum of 3 team members allowed', code: 'no_seats_left' },
    })
  })

  test('sending an invitation keeps the buyer’s seat free when the buyer has given it up', async () => {
    const ours = await buildTeam(product, { seats: 2 })
    expect((await send(ours, await stranger())).status).toBe(200)
    expect((await send(ours, await stranger())).status).toBe(402)
  })

  test('sending an invitation is not possible with one seat, nor without a subscription', async () => {
    expect((await send(await team(1), await stranger())).status).toBe(402)
    const ours = await team(2)
    await database.worker
      .updateTable('subscriptions')
      .set({ status: 'canceled', ended_at: new Date() })
      .where('stripe_subscription_id', '=', ours.subscription_id)
      .execute()
    expect(await send(ours, await stranger())).toMatchObject({
      status: 402,
      body: { code: 'no_subscription' },
    })
  })

  test('sending an invitation to a member is refused', async () => {
    const ours = await team(3)
    const ada = await buildMember(clerk, ours)
    expect(await send(ours, ada.email)).toMatchObject({ status: 409, body: { code: 'already_member' } })
    expect(await send(ours, ours.admin.email)).toMatchObject({
      status: 409,
      body: { code: 'already_member' },
    })
  })

  test.each([
    ['no answer', 500, 503],
    ['a refusal', 403, 502],
  ])(
    'sending an invitation that ends in %s from Clerk leaves no seat and no row, and is an error',
    async (_, status, answered) => {
      const ours = await team(2)
      const path_prefix = `/bapi/v1/organizations/${ours.organization.id}/invitations`
      await clerk.knob('faults', { status, count: 10, path_prefix })
      expect(await send(ours, await stranger())).toMatchObject({
        status: answered,
        body: { error: 'Failed to send invitation', code: 'organization_change_failed' },
      })
      expect(await seatsUsed(ours)).toBe(1)
      expect((await list(ours)).invitations).toEqual([])
    },
  )

  test.each(['', '   ', 'a', 'a@b', 'a @b.cd', '@b.cd', 'a@b.'])(
    'sending an invitation to "%s" is refused',
    async (email) => {
      const ours = await team(2)
      expect(await send(ours, email)).toMatchObject({
        status: 400,
        body: {
          error: 'Please enter a valid email address',
          fields: [{ path: 'email', message: 'Please enter a valid email address' }],
        },
      })
    },
  )

  test('sending an invitation to an address that only Clerk refuses is refused with the same text, and is neither among the seats nor in the list of people', async () => {
    const ours = await team(2)
    expect(await send(ours, 'unknown@tidemark.t')).toMatchObject({
      status: 400,
      body: { error: 'Please enter a valid email address', fields: [{ path: 'email' }] },
    })
    const query = { org_id: ours.organization.id }
    const { token } = ours.admin
    const { people } = await server.ask(getOrganizationPeople, { token, query })
    const { seats, seats_used } = await server.ask(getOrganizationSeats, { token, query })
    expect(seats_used).toBe(1)
    expect([...people, ...seats].map(({ email }) => email)).not.toContain('unknown@tidemark.t')
  })

  test('a person who is added at Clerk and removed there can be invited again, each time', async () => {
    const ours = await team(5)
    const person = await signUp(clerk)
    const hear = async (type: 'created' | 'deleted') => {
      const [event] = await clerk.listEvents(`organizationMembership.${type}`)
      if (!event) expect.fail('Clerk sent no event')
      await worker.applyClerk(event)
    }
    for (let time = 1; time <= 2; time++) {
      expect(await send(ours, person.email)).toMatchObject({ status: 200 })
      await clerk.forgetEvents()
      await addMember(clerk, ours.organization, person)
      await hear('created')
      await removeMember(clerk, ours, person)
      await hear('deleted')
    }
    const answer = await send(ours, person.email)
    expect(answer).toMatchObject({ status: 200 })
    const open = await clerk.directory.listInvitations(ours.organization.id, 'pending')
    expect(open.map((one) => one.clerk_invitation_id)).toEqual([invitationOf(answer).clerk_invitation_id])
    expect(await seatsUsed(ours)).toBe(2)
  })
})

test('the list of invitations is newest first, by organization as by subscription', async () => {
  const ours = await team(5)
  const emails = [await stranger(), await stranger(), await stranger()]
  for (const email of emails) await send(ours, email)
  const { invitations } = await list(ours)
  expect(invitations.map(({ email }) => email)).toEqual(emails.toReversed())
  const byOrganization = await server.ask(listTeamInvitations, {
    token: ours.admin.token,
    query: { org_id: ours.organization.id },
  })
  expect(byOrganization.invitations).toEqual(invitations)
})

describe('revoking an invitation', () => {
  test('revoking an invitation revokes it at Clerk and frees its seat; a repetition has the same result', async () => {
    const ours = await team(2)
    const email = await stranger()
    const { id } = invitationOf(await send(ours, email))
    const revoked = await revoke(ours, id)
    expect(revoked).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: `Invitation to ${email} has been revoked`,
        invitation: { id, status: 'revoked', url: null },
      },
    })
    expect(await clerk.directory.listInvitations(ours.organization.id)).toMatchObject([{ status: 'revoked' }])
    expect(await seatsUsed(ours)).toBe(1)
    expect(await revoke(ours, id)).toMatchObject({ status: 200, body: revoked.body })
    expect((await send(ours, email)).status).toBe(200)
    expect((await list(ours)).invitations.map(({ status }) => status)).toEqual(['pending', 'revoked'])
  })

  test('revoking an invitation that Clerk has already revoked works too', async () => {
    const ours = await team(2)
    const { id, clerk_invitation_id } = invitationOf(await send(ours, await stranger()))
    await clerk.directory.revokeInvitation({
      organization_id: ours.organization.id,
      clerk_invitation_id: clerk_invitation_id ?? '',
    })
    expect(await revoke(ours, id)).toMatchObject({ status: 200 })
    expect(await seatsUsed(ours)).toBe(1)
  })

  test('revoking an invitation changes nothing when Clerk does not answer', async () => {
    const ours = await team(2)
    const { id } = invitationOf(await send(ours, await stranger()))
    const path_prefix = `/bapi/v1/organizations/${ours.organization.id}/invitations`
    await clerk.knob('faults', { status: 500, count: 10, path_prefix })
    expect(await revoke(ours, id)).toMatchObject({
      status: 503,
      body: { error: 'Failed to revoke invitation' },
    })
    expect(await seatsUsed(ours)).toBe(2)
    await clerk.clear('faults')
    expect(await revoke(ours, id)).toMatchObject({ status: 200 })
  })

  test.each(['accepted', 'expired'] as const)(
    'revoking an invitation that is %s is refused',
    async (status) => {
      const ours = await team(2)
      const { id } = invitationOf(await send(ours, await stranger()))
      await database.owner.updateTable('team_invitations').set({ status }).where('id', '=', id).execute()
      expect(await revoke(ours, id)).toMatchObject({ status: 409, body: { code: 'invitation_not_pending' } })
      expect(await clerk.directory.listInvitations(ours.organization.id)).toMatchObject([
        { status: 'pending' },
      ])
    },
  )
})

describe('the rights of the invitation calls', () => {
  test('a subscription of others is the same to an outsider as one that does not exist', async () => {
    const [ours, theirs] = [await team(3), await team(3)]
    const { token } = theirs.admin
    const email = 'carol@tidemark.test'
    for (const ask of [
      (subscription_id: string) => server.api(listTeamInvitations, { token, query: { subscription_id } }),
      (subscription_id: string) =>
        server.api(sendTeamInvitation, { token, body: { subscription_id, email } }),
    ]) {
      const [refused, unknown] = [await ask(ours.subscription_id), await ask('sub_unknown')]
      expect(refused.status).toBe(404)
      expect({ ...(refused.body as object), request_id: '' }).toEqual({
        ...(unknown.body as object),
        request_id: '',
      })
    }
  })

  test('a personal subscription has no team', async () => {
    const grace = await buildAccount(product)
    const { id } = await buildSubscription(database, {
      owner_id: grace.user_id,
      user_id: grace.user_id,
    })
    expect(
      await server.api(listTeamInvitations, { token: grace.token, query: { subscription_id: id } }),
    ).toMatchObject({ status: 404, body: { error: 'Organization not initialized' } })
  })
})

describe('the membership limit of an organization at Clerk', () => {
  const limitOf = async ({ organization }: Team) =>
    (await clerk.directory.findOccupancy(organization.id))?.limit

  test('the membership limit at Clerk grows with the seats: six people are invited, where Clerk begins with five', async () => {
    const ours = await team(10)
    for (let count = 0; count < 6; count++) {
      expect(await send(ours, await stranger())).toMatchObject({ status: 200 })
    }
    expect(await clerk.directory.listInvitations(ours.organization.id)).toHaveLength(6)
    expect(await limitOf(ours)).toBe(10)
  })

  test('the membership limit at Clerk counts members without a seat in addition', async () => {
    const ours = await team(3)
    for (let count = 0; count < 4; count++) await buildMember(clerk, ours)
    for (let count = 0; count < 2; count++) expect((await send(ours, await stranger())).status).toBe(200)
    expect((await send(ours, await stranger())).status).toBe(402)
    expect(await limitOf(ours)).toBe(4 + 3)
  })

  test('an invitation that Clerk’s limit refuses is a clear error, and the seat is free again', async () => {
    const ours = await team(10)
    for (let count = 0; count < 4; count++) await send(ours, await stranger())
    const path_prefix = `/bapi/v1/organizations/${ours.organization.id}`
    await clerk.knob('faults', { status: 403, method: 'PATCH', path_prefix })
    const refused = await send(ours, await stranger())
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'organization_full',
        error:
          'The sign-in service has no room for another member of this organization, although a seat is free. Please contact support.',
      },
    })
    expect(await seatsUsed(ours)).toBe(5)
    expect((await send(ours, await stranger())).status).toBe(200)
  })
})

describe('when Clerk asks to wait, because too many invitations were sent in an hour', () => {
  const wait = (retry_after_s: number | null, count = 1) =>
    clerk.knob('faults', { status: 429, method: 'POST', retry_after_s, count })

  test('an invitation that Clerk delays keeps its seat, says when it will be sent, and is not sent twice', async () => {
    const ours = await team(3)
    const email = await stranger()
    await wait(1500)
    const answer = await send(ours, email)
    expect(answer).toMatchObject({
      status: 200,
      body: {
        success: true,
        message: `Too many invitations were sent in a short time. The one to ${email} will be sent in about 25 minutes.`,
        invitation: { status: 'pending', clerk_invitation_id: null, url: null },
      },
    })
    const sendsAt = new Date(invitationOf(answer).sends_at ?? 0).getTime()
    expect(sendsAt).toBeGreaterThan(Date.now() + 1_400_000)
    expect(await seatsUsed(ours)).toBe(2)
    expect(await list(ours)).toMatchObject({
      remaining: 1,
      invitations: [{ email, sends_at: new Date(sendsAt).toISOString() }],
    })
    expect(await send(ours, email)).toMatchObject({ status: 409, body: { code: 'already_invited' } })
    expect(await clerk.directory.listInvitations(ours.organization.id)).toEqual([])
  })

  test('a seat that is assigned says when the invitation will be sent, and assigning it again asks Clerk for nothing', async () => {
    const ours = await team(3)
    const email = await stranger()
    await wait(60, 1)
    for (const _ of ['first', 'again']) {
      const answer = await server.api(assignSeat, {
        token: ours.admin.token,
        body: { org_id: ours.organization.id, email },
      })
      expect(answer).toMatchObject({
        status: 200,
        body: {
          seat: { status: 'pending' },
          message: `Too many invitations were sent in a short time. The one to ${email} will be sent in about a minute.`,
        },
      })
    }
    expect(await clerk.directory.listInvitations(ours.organization.id)).toEqual([])
  })
})
