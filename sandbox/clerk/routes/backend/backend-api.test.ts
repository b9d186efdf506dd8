import { createClerkClient } from '@clerk/backend'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { seeds } from '../../seed.ts'
import { TestBrowser } from '../../testing/browser.ts'
import { testSandbox } from '../../testing/sandbox.ts'

const sandbox = testSandbox()
let clerk: ReturnType<typeof createClerkClient>
beforeAll(() => {
  clerk = createClerkClient({ secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` })
})
beforeEach(async () => {
  await fetch(`${sandbox.url}/_sandbox/reset`, { method: 'POST' })
})

const organizationId = seeds.organization.id

test('the seeds are found by address, by id, by text, and with their role', async () => {
  const byAddress = await clerk.users.getUserList({ emailAddress: [seeds.support.email] })
  expect(byAddress.totalCount).toBe(1)
  expect(byAddress.data[0]).toMatchObject({ id: seeds.support.id, publicMetadata: { role: 'support' } })
  expect(byAddress.data[0]?.primaryEmailAddress?.emailAddress).toBe(seeds.support.email)

  const byId = await clerk.users.getUserList({ userId: [seeds.demo.id, 'user_unknown'] })
  expect(byId.data.map((row) => row.id)).toEqual([seeds.demo.id])
  expect((await clerk.users.getUserList({ query: 'dana' })).data.map((row) => row.id)).toEqual([
    seeds.demo.id,
  ])
})

test('lists respect limit and offset and start with the newest item', async () => {
  const first = await clerk.users.getUserList({ limit: 1 })
  const second = await clerk.users.getUserList({ limit: 1, offset: 1 })
  expect([first.data[0]?.id, second.data[0]?.id]).toEqual([seeds.supervisor.id, seeds.support.id])
  expect(first.totalCount).toBe(3)
})

test('a user is created, updated, given metadata, and deleted', async () => {
  const user = await clerk.users.createUser({
    emailAddress: ['New@example.test'],
    password: 'a-long-password',
    firstName: 'New',
    publicMetadata: { plan: { id: 'pro', seats: 3 } },
  })
  expect(user).toMatchObject({ firstName: 'New', lastName: null, passwordEnabled: true })
  expect(user.emailAddresses[0]).toMatchObject({
    emailAddress: 'new@example.test',
    verification: { status: 'verified' },
  })
  expect((await clerk.users.updateUser(user.id, { lastName: 'Person' })).fullName).toBe('New Person')

  const merged = await clerk.users.updateUserMetadata(user.id, {
    publicMetadata: { plan: { seats: null, trial: true } },
    privateMetadata: { note: 'x' },
  })
  expect(merged.publicMetadata).toEqual({ plan: { id: 'pro', trial: true } })
  expect(merged.privateMetadata).toEqual({ note: 'x' })

  expect(await clerk.users.deleteUser(user.id)).toMatchObject({ deleted: true })
  await expect(clerk.users.getUser(user.id)).rejects.toMatchObject({ status: 404 })
})

test('an address that is taken and a password that is short are refused', async () => {
  const taken = clerk.users.createUser({ emailAddress: [seeds.demo.email] })
  await expect(taken).rejects.toMatchObject({ status: 422, errors: [{ code: 'form_identifier_exists' }] })
  const short = clerk.users.createUser({ emailAddress: ['short@example.test'], password: 'short' })
  await expect(short).rejects.toMatchObject({ errors: [{ code: 'form_password_length_too_short' }] })
})

test('an organization is created for its admin, renamed, and deleted', async () => {
  const organization = await clerk.organizations.createOrganization({
    name: 'Acme',
    createdBy: seeds.support.id,
    maxAllowedMemberships: 2,
    publicMetadata: { seats: 2 },
  })
  expect(organization).toMatchObject({
    name: 'Acme',
    slug: 'acme',
    membersCount: 1,
    publicMetadata: { seats: 2 },
  })
  const mine = await clerk.users.getOrganizationMembershipList({ userId: seeds.support.id })
  expect(mine.data[0]).toMatchObject({ role: 'org:admin', organization: { id: organization.id } })

  await clerk.organizations.updateOrganization(organization.id, { name: 'Acme Two' })
  expect((await clerk.organizations.getOrganization({ slug: 'acme' })).name).toBe('Acme Two')
  expect((await clerk.organizations.getOrganizationList({ query: 'two' })).totalCount).toBe(1)
  await clerk.organizations.deleteOrganization(organization.id)
  expect((await clerk.users.getOrganizationMembershipList({ userId: seeds.support.id })).totalCount).toBe(0)
})

test('members are added, listed by id, promoted, and removed', async () => {
  const userId = seeds.support.id
  await clerk.organizations.createOrganizationMembership({ organizationId, userId, role: 'org:member' })
  const listed = await clerk.organizations.getOrganizationMembershipList({ organizationId, userId: [userId] })
  expect(listed.data).toHaveLength(1)
  expect(listed.data[0]?.publicUserData).toMatchObject({ userId, identifier: seeds.support.email })

  await clerk.organizations.updateOrganizationMembership({ organizationId, userId, role: 'org:admin' })
  const members = await clerk.organizations.getOrganizationMembershipList({ organizationId })
  expect(members.data.map(({ role }) => role)).toEqual(['org:admin', 'org:admin'])
  await clerk.organizations.deleteOrganizationMembership({ organizationId, userId })
  const last = clerk.organizations.deleteOrganizationMembership({ organizationId, userId: seeds.demo.id })
  await expect(last).rejects.toMatchObject({ status: 400 })
})

test('invitations are created with a link, listed by status, and revoked', async () => {
  const invitation = await clerk.organizations.createOrganizationInvitation({
    organizationId,
    emailAddress: 'Guest@example.test',
    role: 'org:member',
    inviterUserId: seeds.demo.id,
    redirectUrl: 'http://localhost:3000/invite',
    expiresInDays: 7,
    publicMetadata: { seat: 1 },
  })
  expect(invitation).toMatchObject({
    emailAddress: 'guest@example.test',
    status: 'pending',
    organizationId,
    roleName: 'Member',
    publicMetadata: { seat: 1 },
  })
  expect(invitation.url).toContain('/__clerk/v1/tickets/accept?ticket=')
  expect(invitation.expiresAt - invitation.createdAt).toBe(7 * 24 * 60 * 60 * 1000)

  const invitationId = invitation.id
  expect((await clerk.organizations.getOrganizationInvitation({ organizationId, invitationId })).id).toBe(
    invitationId,
  )
  const revoked = await clerk.organizations.revokeOrganizationInvitation({ organizationId, invitationId })
  expect(revoked).toMatchObject({ status: 'revoked', url: null })
  const pending = await clerk.organizations.getOrganizationInvitationList({
    organizationId,
    status: ['pending'],
  })
  expect(pending.totalCount).toBe(0)
})

test('sessions are listed and revoked', async () => {
  await new TestBrowser(sandbox).signIn(seeds.demo)
  const active = await clerk.sessions.getSessionList({ userId: seeds.demo.id, status: 'active' })
  const id = active.data[0]?.id ?? ''
  expect((await clerk.sessions.revokeSession(id)).status).toBe('revoked')
  expect((await clerk.sessions.getSession(id)).status).toBe('revoked')
})

test('a wrong secret key answers 401 on every path', async () => {
  const stranger = createClerkClient({ secretKey: 'sk_test_wrong', apiUrl: `${sandbox.url}/bapi` })
  await expect(stranger.users.getUser(seeds.demo.id)).rejects.toMatchObject({
    status: 401,
    errors: [{ code: 'clerk_key_invalid' }],
  })
  expect((await fetch(`${sandbox.url}/bapi/v1/jwks`)).status).toBe(401)
})

test('ordered faults fail as many calls as requested, only under their path, and say when to retry', async () => {
  const plan = (fault: object) =>
    fetch(`${sandbox.url}/_sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    })
  await plan({ status: 500, count: 2, path_prefix: '/bapi/v1/organizations' })
  await plan({ status: 429, retry_after_s: 3, path_prefix: '/bapi/v1/users' })
  await expect(clerk.users.getUser(seeds.demo.id)).rejects.toMatchObject({
    status: 429,
    retryAfter: 3,
    errors: [{ code: 'too_many_requests' }],
  })
  expect((await clerk.users.getUser(seeds.demo.id)).id).toBe(seeds.demo.id)
  for (const _ of [1, 2]) {
    await expect(clerk.organizations.getOrganization({ organizationId })).rejects.toMatchObject({
      status: 500,
    })
  }
  expect((await clerk.organizations.getOrganization({ organizationId })).id).toBe(organizationId)
})

test('a body over the limit, one that is not JSON, and an unknown path are errors in the same format', async () => {
  const send = (path: string, body: string) =>
    fetch(`${sandbox.url}/bapi/v1${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer sk_test_sandbox', 'content-type': 'application/json' },
      body,
    })
  const answers = await Promise.all([
    send('/users', JSON.stringify({ first_name: 'x'.repeat(300_000) })),
    send('/users', '{"first_name":'),
    send('/nothing', '{}'),
  ])
  expect(answers.map((row) => row.status)).toEqual([413, 400, 404])
  for (const answer of answers) {
    expect(await answer.json()).toMatchObject({
      errors: [{ code: expect.any(String), message: expect.any(String) }],
    })
  }
})
