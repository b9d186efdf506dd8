import { afterEach, describe, expect, test } from 'vitest'
import { getAccountSummary } from '../../schema/api/account.ts'
import { explainBalance, exportExplanation } from '../../schema/api/explanation.ts'
import { generateExtensionToken } from '../../schema/api/extension.ts'
import { getOrganizationPeople } from '../../schema/api/organization-people.ts'
import { getOrganizationSeats, revokeSeat } from '../../schema/api/organization-seats.ts'
import { getOrganizationCredits } from '../../schema/api/organizations.ts'
import { buildMember, buildTeam, giveSeat, invite, type Team } from '../../tests/support/factories/teams.ts'
import { giveCredits, spendNow } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const product = testProduct({ clerk: 'sandbox' })
const { database, server, clerk } = product
afterEach(() => clerk.clear('faults'))

const peopleOf = ({ organization, admin }: Team, by: Person = admin) =>
  server.ask(getOrganizationPeople, { token: by.token, query: { org_id: organization.id } })

async function use({ organization }: Team, { user_id }: Person, credits: number, daysAgo = 0): Promise<void> {
  const occurred_at = new Date(Date.now() - daysAgo * 24 * 3600 * 1000)
  await spendNow(database.server, organization.id, credits, { occurred_at, actor: user_id })
}

async function teamWithCredits(seats = 5): Promise<Team> {
  const team = await buildTeam(product, { seats })
  await giveCredits(database, team.organization.id, { purchased: 100 })
  return team
}

describe('the people of an organization', () => {
  test('the people of an organization are its members by name with their seats and their own usage, the invited, and who had a seat', async () => {
    const ours = await teamWithCredits()
    const [bob, eve, gone] = [
      await buildMember(clerk, ours),
      await buildMember(clerk, ours),
      await buildMember(clerk, ours),
    ]
    await clerk.client.users.updateUser(bob.user_id, { firstName: 'Bob', lastName: 'Ray' })
    for (const { email } of [bob, gone]) await giveSeat(product, ours, email)
    const guest = await signUp(clerk)
    await invite(product, ours, guest.email)
    await use(ours, bob, 7)
    await use(ours, bob, 5)
    await use(ours, bob, 9, 70)
    await use(ours, gone, 2)
    await server.ask(revokeSeat, {
      token: ours.admin.token,
      body: { org_id: ours.organization.id, user_id: gone.user_id },
    })
    await clerk.client.organizations.deleteOrganizationMembership({
      organizationId: ours.organization.id,
      userId: gone.user_id,
    })
    const { people } = await peopleOf(ours)
    const rowOf = (email: string) => people.find((person) => person.email === email)
    expect(people).toHaveLength(5)
    expect(rowOf(bob.email)).toMatchObject({
      user_id: bob.user_id,
      name: 'Bob Ray',
      role: 'member',
      is_member: true,
      seat: 'active',
      used_credits: 12,
    })
    expect(rowOf(eve.email)).toMatchObject({ is_member: true, seat: null, used_credits: 0 })
    expect(rowOf(ours.admin.email)).toMatchObject({ role: 'admin', is_member: true, seat: null })
    expect(people.slice(3)).toMatchObject([
      { user_id: null, email: guest.email, is_member: false, seat: 'pending' },
      { user_id: gone.user_id, email: gone.email, is_member: false, seat: 'revoked', used_credits: 2 },
    ])
    expect(people[3]?.invitation).toMatchObject({
      status: 'pending',
      url: expect.stringContaining('/invite/'),
    })
    const { used_credits } = await server.ask(getOrganizationCredits, {
      token: ours.admin.token,
      query: { org_id: ours.organization.id },
    })
    expect(people.reduce((sum, person) => sum + person.used_credits, 0)).toBe(used_credits)
  })

  test('the people of an organization include an invitation from Clerk’s own settings that has no seat', async () => {
    const ours = await teamWithCredits()
    const { email } = await signUp(clerk)
    await clerk.client.organizations.createOrganizationInvitation({
      organizationId: ours.organization.id,
      emailAddress: email,
      role: 'org:member',
    })
    const { people } = await peopleOf(ours)
    expect(people.at(-1)).toMatchObject({ email, is_member: false, seat: null, invitation: null })
    await giveSeat(product, ours, email)
    expect((await peopleOf(ours)).people.at(-1)).toMatchObject({ email, seat: 'pending' })
    expect(await clerk.directory.listInvitations(ours.organization.id, 'pending')).toHaveLength(1)
  })

  test('a member sees their own seat and usage, and no one else of the people of an organization', async () => {
    const ours = await teamWithCredits()
    const [bob, eve] = [await buildMember(clerk, ours), await buildMember(clerk, ours)]
    await giveSeat(product, ours, bob.email)
    await use(ours, bob, 3)
    expect((await peopleOf(ours, bob)).people).toMatchObject([
      { user_id: bob.user_id, email: bob.email, seat: 'active', used_credits: 3 },
    ])
    expect((await peopleOf(ours, eve)).people).toMatchObject([{ user_id: eve.user_id, seat: null }])
    const query = { payer: ours.organization.id }
    for (const [person, has_seat] of [
      [bob, true],
      [eve, false],
    ] as const) {
      const summary = await server.ask(getAccountSummary, { token: person.token, query })
      expect(summary).toMatchObject({ organization_name: ours.organization.name, has_seat })
    }
  })

  test('the people of an organization are named in the explanation of its balance, also in the file', async () => {
    const ours = await teamWithCredits()
    const bob = await buildMember(clerk, ours)
    await clerk.client.users.updateUser(bob.user_id, { firstName: 'Bob', lastName: 'Ray' })
    await server.ask(generateExtensionToken, { token: bob.token })
    await use(ours, bob, 7)
    const { token } = ours.admin
    const query = { payer: ours.organization.id }
    const { items } = (await server.ask(explainBalance, { token, query })).data
    expect(items.map(({ cause }) => [cause.kind, cause.by])).toEqual([
      ['usage', 'Bob Ray'],
      ['correction', null],
    ])
    expect(await server.ask(exportExplanation, { token, query })).toContain('Used by Bob Ray')
    const own = await server.ask(explainBalance, { token: bob.token, query: { payer: 'personal' } })
    expect(own.data.items).toEqual([])
  })

  test('the people of an organization are unknown while Clerk is away, and its seats are not', async () => {
    const ours = await teamWithCredits()
    const path_prefix = `/bapi/v1/organizations/${ours.organization.id}/invitations`
    await clerk.knob('faults', { status: 500, count: 100, path_prefix, method: 'GET' })
    const query = { org_id: ours.organization.id }
    const { token } = ours.admin
    expect((await server.api(getOrganizationPeople, { token, query })).status).toBe(503)
    expect((await server.api(getOrganizationSeats, { token, query })).status).toBe(200)
  })
})
