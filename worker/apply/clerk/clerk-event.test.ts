import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { assignSeat } from '../../../schema/api/organization-seats.ts'
import { insertUser } from '../../../tests/support/records.ts'
import { startTestServer } from '../../../tests/support/server.ts'
import { newMember, newPerson, type Person, type Team } from '../../../tests/support/team.ts'
import { openTeamWorld, type TeamWorld } from '../../../tests/support/team-world.ts'

let world: TeamWorld
beforeAll(async () => {
  world = await openTeamWorld()
})
afterAll(() => world?.close())
beforeEach(() => world.forgetEvents())

const person = () => newPerson(world.clerk)
const member = (team: Team) => newMember(world.clerk, team)

describe('joining', () => {
  test('with an invitation takes the seat that it holds, also when all are taken', async () => {
    const ours = await world.team(2)
    await world.giveSeat(ours, (await member(ours)).email)
    const ada = await person()
    await insertUser(world.database.server, ada.user_id)
    await world.server.ask(assignSeat, {
      token: ours.admin.token,
      body: { org_id: ours.organization.id, email: ada.email, role: 'admin' },
    })
    await world.accept(ada)
    await world.applyAll(await world.told('organization'))
    const { seats, invitations } = await world.books(ours)
    expect(seats.filter(({ status }) => status === 'active')).toHaveLength(2)
    expect(seats).toContainEqual({ email: ada.email, user_id: ada.user_id, role: 'admin', status: 'active' })
    expect(invitations).toMatchObject([{ email: ada.email, status: 'accepted' }])
    expect(await world.planOf(ada)).toBe('teams')
  })

  test('with an invitation works when seats have been taken away meanwhile', async () => {
    const ours = await world.team(3)
    const ada = await person()
    await world.giveSeat(ours, (await member(ours)).email)
    await world.invite(ours, ada.email)
    await world.database.worker
      .updateTable('subscriptions')
      .set({ seats_total: 1 })
      .where('stripe_subscription_id', '=', ours.subscription_id)
      .execute()
    await world.accept(ada)
    await world.applyAll(await world.told('organization'))
    expect((await world.books(ours)).seats.map(({ status }) => status)).toEqual(['active', 'active'])
  })

  test('without having been promised a seat gives none', async () => {
    const ours = await world.team()
    await member(ours)
    await world.applyAll(await world.told('organizationMembership'))
    expect((await world.books(ours)).seats).toEqual([])
  })

  test('with another address of one’s own takes the seat that was promised to it, if it is verified', async () => {
    const ours = await world.team()
    const [ada, eve] = [await person(), await person()]
    const [promised, wanted] = ['second.address@tidemark.test', 'not.verified@tidemark.test']
    await world.invite(ours, promised)
    await world.invite(ours, wanted)
    const addressOf = (person: Person, emailAddress: string, verified: boolean) =>
      world.backend.emailAddresses.createEmailAddress({ userId: person.user_id, emailAddress, verified })
    await addressOf(ada, promised, true)
    await addressOf(eve, wanted, false)
    for (const person of [ada, eve]) {
      await world.backend.organizations.createOrganizationMembership({
        organizationId: ours.organization.id,
        userId: person.user_id,
        role: 'org:member',
      })
    }
    await world.applyAll(await world.told('organizationMembership'))
    expect((await world.books(ours)).seats).toEqual([
      { email: promised, user_id: ada.user_id, role: 'member', status: 'active' },
      { email: wanted, user_id: null, role: 'member', status: 'pending' },
    ])
  })

  test('by an invitation of Clerk’s own settings is none of ours', async () => {
    const ours = await world.team()
    const ada = await person()
    await world.backend.organizations.createOrganizationInvitation({
      organizationId: ours.organization.id,
      emailAddress: ada.email,
      role: 'org:member',
      inviterUserId: ours.admin.user_id,
    })
    await world.accept(ada)
    for (const event of await world.told('organizationInvitation')) {
      expect(await world.apply(event)).toMatchObject({
        state: 'ignored',
        reason: 'The invitation was not sent by us',
      })
    }
    expect(await world.books(ours)).toEqual({ seats: [], invitations: [] })
  })
})

describe('a member', () => {
  test('whose role changes has it on their seat', async () => {
    const ours = await world.team()
    const ada = await member(ours)
    await world.giveSeat(ours, ada.email)
    await world.become(ours, ada, 'org:admin')
    await world.applyAll(await world.told('organizationMembership.updated'))
    expect((await world.books(ours)).seats).toMatchObject([{ user_id: ada.user_id, role: 'admin' }])
  })

  test('who leaves loses their seat and the plan that came with it', async () => {
    const ours = await world.team()
    const ada = await member(ours)
    await insertUser(world.database.server, ada.user_id)
    await world.giveSeat(ours, ada.email)
    expect(await world.planOf(ada)).toBe('teams')
    await world.leave(ours, ada)
    await world.applyAll(await world.told('organizationMembership.deleted'))
    expect((await world.books(ours)).seats).toMatchObject([{ user_id: ada.user_id, status: 'revoked' }])
    expect(await world.planOf(ada)).toBe('starter')
  })

  test('who leaves while an admin gives them a seat does not keep it', async () => {
    const ours = await world.team()
    const ada = await member(ours)
    const { clerk } = world.server.deps
    // The admin's request asks Clerk while Ada is still a member, and writes after the worker has seen her leave.
    const slow = await startTestServer({
      databaseUrl: world.database.url,
      clerk: world.clerk,
      deps: {
        clerk: {
          ...clerk,
          async findMemberByEmail(key) {
            const seen = await clerk.findMemberByEmail(key)
            await world.leave(ours, ada)
            await world.applyAll(await world.told('organizationMembership.deleted'))
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
    expect((await world.books(ours)).seats).toEqual([])
  })
})

describe('an end', () => {
  test('of an account ends seats, tokens and plan; the row stays for the books', async () => {
    const [ours, theirs] = [await world.team(), await world.team()]
    const ada = await member(ours)
    await world.backend.organizations.createOrganizationMembership({
      organizationId: theirs.organization.id,
      userId: ada.user_id,
      role: 'org:member',
    })
    await insertUser(world.database.server, ada.user_id)
    await world.giveSeat(ours, ada.email)
    await world.giveSeat(theirs, ada.email)
    await world.database.owner
      .insertInto('extension_tokens')
      .values({
        id: randomUUID(),
        user_id: ada.user_id,
        token_hash: Buffer.alloc(32, ada.user_id),
        created_at: new Date(),
        expires_at: new Date(Date.now() + 60_000),
      })
      .execute()
    await world.database.owner
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
    await world.backend.users.deleteUser(ada.user_id)
    const [event] = await world.told('user.deleted')
    if (!event) throw new Error('Clerk said nothing')
    expect(await world.apply(event)).toMatchObject({ state: 'applied' })
    expect(await world.database.owner.selectFrom('extension_sign_ins').select('user_id').execute()).toEqual(
      [],
    )
    for (const either of [ours, theirs]) {
      expect((await world.books(either)).seats).toMatchObject([{ user_id: ada.user_id, status: 'revoked' }])
    }
    const tokens = await world.database.owner
      .selectFrom('extension_tokens')
      .select('revoked_at')
      .where('user_id', '=', ada.user_id)
      .execute()
    expect(tokens).toEqual([{ revoked_at: expect.any(Date) }])
    expect(await world.planOf(ada)).toBe('starter')
  })

  test('of an organization ends all its seats and invitations, and leaves the money to support', async () => {
    const ours = await world.team()
    const ada = await member(ours)
    await insertUser(world.database.server, ada.user_id)
    await world.giveSeat(ours, ada.email)
    await world.invite(ours, (await person()).email)
    await world.backend.organizations.deleteOrganization(ours.organization.id)
    const [event] = await world.told('organization.deleted')
    if (!event) throw new Error('Clerk said nothing')
    expect(await world.apply(event)).toMatchObject({
      state: 'applied',
      reason: expect.stringContaining('support'),
    })
    expect(await world.books(ours)).toMatchObject({
      seats: [{ status: 'revoked' }, { status: 'revoked' }],
      invitations: [{ status: 'revoked' }],
    })
    expect(await world.planOf(ada)).toBe('starter')
    const { status } = await world.database.owner
      .selectFrom('subscriptions')
      .select('status')
      .where('stripe_subscription_id', '=', ours.subscription_id)
      .executeTakeFirstOrThrow()
    expect(status).toBe('active')
  })
})
