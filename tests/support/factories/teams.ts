import { assignSeat } from '../../../schema/api/organization-seats.ts'
import { sendTeamInvitation, type TeamInvitation } from '../../../schema/api/team-invitations.ts'
import type { TestDatabase } from '../database/test-database.ts'
import type { TestProduct } from '../product/start-test-product.ts'
import { type Person, signUp, type TestClerk } from '../services/clerk.ts'
import { addMember, buildOrganization, type TestOrganization } from './organizations.ts'
import { buildSubscription } from './subscriptions.ts'
import { buildUser } from './users.ts'

export interface Team {
  readonly organization: TestOrganization
  /** An admin with an account; has no seat yet. */
  readonly admin: Person
  readonly subscription_id: string
}

/** An organization that has bought `seats`, none of which is given yet. */
export async function buildTeam(
  { database, clerk }: Pick<TestProduct, 'database' | 'clerk'>,
  { seats = 3 }: { seats?: number } = {},
): Promise<Team> {
  const admin = await signUp(clerk)
  const organization = await buildOrganization(clerk, admin)
  await buildUser(database.server, admin.user_id)
  const { id } = await buildSubscription(database, {
    owner_id: organization.id,
    user_id: admin.user_id,
    seats,
  })
  return { organization, admin, subscription_id: id }
}

/** A new member of the team's organization, without a seat. */
export async function buildMember(
  clerk: TestClerk,
  team: Team,
  role: 'org:admin' | 'org:member' = 'org:member',
): Promise<Person> {
  const person = await signUp(clerk)
  await addMember(clerk, team.organization, person, role)
  return person
}

export async function invite(
  { server }: Pick<TestProduct, 'server'>,
  { organization, admin }: Team,
  email: string,
): Promise<TeamInvitation> {
  const body = { org_id: organization.id, email }
  return (await server.ask(sendTeamInvitation, { token: admin.token, body })).invitation
}

export function giveSeat(
  { server }: Pick<TestProduct, 'server'>,
  { organization, admin }: Team,
  email: string,
): Promise<unknown> {
  return server.ask(assignSeat, { token: admin.token, body: { org_id: organization.id, email } })
}

/** Accepts the newest invitation as the invited person's browser would. */
export async function acceptInvitation(clerk: TestClerk, { email }: Person): Promise<void> {
  const mails = await fetch(`${clerk.url}/_sandbox/mails?to=${email}`)
  const { data } = (await mails.json()) as { data: { url: string }[] }
  const ticket = new URL(data[0]?.url ?? '').searchParams.get('ticket') ?? ''
  const answer = await fetch(`${clerk.url}/v1/client/sign_ins`, {
    method: 'POST',
    body: new URLSearchParams({ strategy: 'ticket', ticket }),
  })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
}

export function removeMember(clerk: TestClerk, team: Team, { user_id }: Person): Promise<unknown> {
  const organizationId = team.organization.id
  return clerk.client.organizations.deleteOrganizationMembership({ organizationId, userId: user_id })
}

export function changeRole(
  clerk: TestClerk,
  team: Team,
  { user_id }: Person,
  role: 'org:admin' | 'org:member',
): Promise<unknown> {
  const organizationId = team.organization.id
  return clerk.client.organizations.updateOrganizationMembership({ organizationId, userId: user_id, role })
}

/** An organization's seats and invitations, without timestamps. */
export async function readTeam({ owner }: TestDatabase, { organization }: Team) {
  const seats = await owner
    .selectFrom('seats')
    .select(['email', 'user_id', 'role', 'status'])
    .where('organization_id', '=', organization.id)
    .orderBy('id')
    .execute()
  const invitations = await owner
    .selectFrom('team_invitations')
    .select(['email', 'status'])
    .where('organization_id', '=', organization.id)
    .orderBy('created_at')
    .execute()
  return { seats, invitations }
}
