import { afterEach, beforeEach, expect, test } from 'vitest'
import { revokeTeamInvitation } from '../../schema/api/team-invitations.ts'
import {
  acceptInvitation,
  buildTeam,
  invite,
  readTeam,
  type Team,
} from '../../tests/support/factories/teams.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { createTestDependencies } from '../../tests/support/product/test-worker.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { syncDueInvitations } from './sync-invitations.ts'

const product = testProduct({ clerk: 'sandbox' })
const { database, clerk } = product
const newTeam = (seats = 3) => buildTeam(product, { seats })
beforeEach(async () => {
  await database.change('team_invitations', {}, { next_try_at: new Date('2099-01-01') })
})
afterEach(() => clerk.clear('faults'))

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** A claim `laterMs` from now. Clerk's own clock goes on as it does. */
const claimIn = (laterMs: number) =>
  syncDueInvitations(
    createTestDependencies(database, {
      clerk: clerk.directory,
      now: () => new Date(Date.now() + laterMs),
    }),
  )
const stranger = async () => (await signUp(clerk)).email
const statesOf = async (team: Team) => {
  const { seats, invitations } = await readTeam(database, team)
  return [seats.map(({ status }) => status), invitations.map(({ status }) => status)]
}
const atClerk = async ({ organization }: Team) =>
  (await clerk.directory.listInvitations(organization.id)).map(({ status }) => status)
const change = (team: Team, fields: { clerk_invitation_id?: null; next_try_at?: Date; status?: 'revoked' }) =>
  database.change('team_invitations', { organization_id: team.organization.id }, fields)

/** An organization with an invitation that Clerk has revoked, and that is due. */
async function withRevoked(): Promise<Team> {
  const team = await newTeam()
  const email = await stranger()
  const { id } = await invite(product, team, email)
  const [sent] = await clerk.directory.listInvitations(team.organization.id)
  if (sent) await clerk.directory.revokeInvitation(sent)
  await database.change('team_invitations', { id }, { next_try_at: new Date() })
  return team
}

test('an invitation that ran out expires, and its seat with it', async () => {
  const team = await newTeam()
  await invite(product, team, await stranger())
  expect(await claimIn(29 * dayMs)).toBe(0)
  const directory = {
    ...clerk.directory,
    // Clerk's clock cannot be put forward; what it says then can.
    findInvitation: async (key: Parameters<typeof clerk.directory.findInvitation>[0]) => {
      const found = await clerk.directory.findInvitation(key)
      return found && ({ ...found, status: 'expired' } as const)
    },
  }
  const deps = createTestDependencies(database, {
    clerk: directory,
    now: () => new Date(Date.now() + 31 * dayMs),
  })
  expect(await syncDueInvitations(deps)).toBe(1)
  expect(await statesOf(team)).toEqual([['expired'], ['expired']])
  expect(await syncDueInvitations(deps)).toBe(0)
})

test('one that was accepted at the last moment brings its seat, although its event is lost', async () => {
  const team = await newTeam()
  const ada = await signUp(clerk)
  await invite(product, team, ada.email)
  await acceptInvitation(clerk, ada)
  expect(await claimIn(31 * dayMs)).toBe(1)
  expect((await readTeam(database, team)).seats).toMatchObject([{ user_id: ada.user_id, status: 'active' }])
  expect(await statesOf(team)).toEqual([['active'], ['accepted']])
})

test('one that Clerk still keeps open stays pending, and is asked for again after some minutes, not by every claim', async () => {
  const team = await newTeam()
  await invite(product, team, await stranger())
  expect(await claimIn(31 * dayMs)).toBe(1)
  expect(await statesOf(team)).toEqual([['pending'], ['pending']])
  expect(await claimIn(31 * dayMs + minuteMs)).toBe(0)
  expect(await claimIn(31 * dayMs + 11 * minuteMs)).toBe(1)
})

test('a sender that crashed before Clerk heard of it leaves no seat behind', async () => {
  const team = await withRevoked()
  // As if nothing had ever been sent: no invitation of Clerk's carries its id.
  await clerk.client.organizations.deleteOrganization(team.organization.id)
  await change(team, { clerk_invitation_id: null })
  expect(await claimIn(0)).toBe(1)
  expect(await statesOf(team)).toEqual([['revoked'], ['revoked']])
  await claimIn(dayMs)
  expect(await claimIn(2 * dayMs)).toBe(0)
})

test('a sender that crashed after Clerk had sent it loses nothing', async () => {
  const team = await newTeam()
  await invite(product, team, await stranger())
  await change(team, { clerk_invitation_id: null, next_try_at: new Date() })
  expect(await claimIn(minuteMs)).toBe(1)
  const rows = await database.owner
    .selectFrom('team_invitations')
    .select(['status', 'clerk_invitation_id'])
    .where('organization_id', '=', team.organization.id)
    .execute()
  const [sent] = await clerk.directory.listInvitations(team.organization.id)
  expect(rows).toEqual([{ status: 'pending', clerk_invitation_id: sent?.clerk_invitation_id }])
})

test('what Clerk sent although its answer was lost is revoked there', async () => {
  const team = await newTeam()
  await invite(product, team, await stranger())
  await change(team, { clerk_invitation_id: null, status: 'revoked', next_try_at: new Date() })
  expect(await atClerk(team)).toEqual(['pending'])
  expect(await claimIn(minuteMs)).toBe(1)
  expect(await atClerk(team)).toEqual(['revoked'])
  expect(await claimIn(2 * dayMs)).toBe(0)
})

test('what another invitation took over in the meantime is left alone', async () => {
  const team = await newTeam()
  const email = await stranger()
  await invite(product, team, email)
  const ours = database.owner
  await change(team, { clerk_invitation_id: null, status: 'revoked', next_try_at: new Date() })
  await ours
    .updateTable('seats')
    .set({ status: 'revoked' })
    .where('organization_id', '=', team.organization.id)
    .execute()
  await invite(product, team, email)
  expect(await claimIn(minuteMs)).toBe(1)
  expect(await atClerk(team)).toEqual(['pending'])
  expect(await statesOf(team)).toEqual([
    ['revoked', 'pending'],
    ['revoked', 'pending'],
  ])
})

/** Clerk asks for the same patience at every call. */
const wait = (count: number) =>
  clerk.knob('faults', { status: 429, method: 'POST', retry_after_s: 1800, count })
const waitingTeam = async () => {
  const team = await newTeam()
  const email = await stranger()
  await wait(1)
  await invite(product, team, email)
  return { team, email }
}

test('an invitation that Clerk asked to send later is sent when that time has come, not before, and once', async () => {
  const { team, email } = await waitingTeam()
  expect(await claimIn(29 * minuteMs)).toBe(0)
  expect(await atClerk(team)).toEqual([])
  expect(await claimIn(31 * minuteMs)).toBe(1)
  expect(await atClerk(team)).toEqual(['pending'])
  const [sent] = await clerk.directory.listInvitations(team.organization.id)
  expect(await rowsOf(team)).toEqual([
    { clerk_invitation_id: sent?.clerk_invitation_id, send_at: null, status: 'pending' },
  ])
  expect(sent).toMatchObject({ email })
  expect(await claimIn(60 * minuteMs)).toBe(0)
})

test('an invitation that Clerk asked to send later waits as long as Clerk says when it is still too early', async () => {
  const { team } = await waitingTeam()
  await wait(1)
  expect(await claimIn(31 * minuteMs)).toBe(1)
  expect(await claimIn(60 * minuteMs)).toBe(0)
  expect(await claimIn(62 * minuteMs)).toBe(1)
  expect(await atClerk(team)).toEqual(['pending'])
})

test('an invitation that Clerk asked to send later frees its seat when Clerk refuses it', async () => {
  const { team } = await waitingTeam()
  await clerk.knob('faults', { status: 422, method: 'POST' })
  expect(await claimIn(31 * minuteMs)).toBe(1)
  expect(await statesOf(team)).toEqual([['revoked'], ['revoked']])
})

test('an invitation that Clerk asked to send later is not sent when it was revoked meanwhile', async () => {
  const { team } = await waitingTeam()
  const [{ id } = { id: '' }] = await database.owner
    .selectFrom('team_invitations')
    .select('id')
    .where('organization_id', '=', team.organization.id)
    .execute()
  await product.server.ask(revokeTeamInvitation, { token: team.admin.token, body: { id } })
  await claimIn(dayMs)
  expect(await atClerk(team)).toEqual([])
  expect(await statesOf(team)).toEqual([['revoked'], ['revoked']])
})

const rowsOf = (team: Team) =>
  database.owner
    .selectFrom('team_invitations')
    .select(['status', 'clerk_invitation_id', 'send_at'])
    .where('organization_id', '=', team.organization.id)
    .execute()
