import { createClerkClient, verifyToken } from '@clerk/backend'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Sandbox } from '../kit/serve.ts'
import { seeds } from './seed.ts'
import { startClerkSandbox } from './start.ts'
import { TestBrowser } from './testing/browser.ts'

/**
 * An instance as Clerk hands it out. Sources, read on 2026-11-22:
 * https://clerk.com/docs/guides/organizations/configure,
 * https://clerk.com/docs/guides/configure/session-tasks,
 * https://clerk.com/docs/guides/how-clerk-works/system-limits,
 * https://clerk.com/docs/guides/development/errors/backend-api.
 */
let sandbox: Sandbox
let clerk: ReturnType<typeof createClerkClient>
beforeEach(async () => {
  sandbox = await startClerkSandbox({ port: 0, stateFile: null, webhookUrl: null })
  clerk = createClerkClient({ secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` })
})
afterEach(() => sandbox.close())

const dashboard = (settings: object) =>
  fetch(`${sandbox.url}/_sandbox/instance`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(settings),
  })
const environment = async () =>
  (await (await fetch(`${sandbox.url}/v1/environment`)).json()) as { organization_settings: object }
const createOrganization = () =>
  clerk.organizations.createOrganization({ name: 'Acme', createdBy: seeds.demo.id })

describe('organizations', () => {
  const notEnabled = {
    status: 403,
    errors: [
      {
        code: 'organization_not_enabled_in_instance',
        longMessage: 'The organizations feature is not enabled for this instance.',
      },
    ],
  }

  test('organizations are off until they are enabled, for servers and for browsers', async () => {
    await expect(createOrganization()).rejects.toMatchObject(notEnabled)
    await expect(clerk.users.getOrganizationMembershipList({ userId: seeds.demo.id })).rejects.toMatchObject(
      notEnabled,
    )
    const browser = new TestBrowser(sandbox)
    await browser.signIn(seeds.demo)
    expect((await browser.get('/v1/me/organization_memberships')).status).toBe(403)
    expect((await environment()).organization_settings).toMatchObject({ enabled: false })
    expect(await clerk.instance.getOrganizationSettings()).toMatchObject({ enabled: false })
  })

  test('enabled organizations leave no place for personal accounts by default', async () => {
    await dashboard({ organizations_enabled: true })
    expect((await environment()).organization_settings).toMatchObject({ force_organization_selection: true })
    const browser = new TestBrowser(sandbox)
    const { body } = await browser.signIn(seeds.demo)
    const [session] = body.client.sessions
    expect(session).toMatchObject({ status: 'pending', tasks: [{ key: 'choose-organization' }] })
    const { jwt } = (await browser.post(`/v1/client/sessions/${session.id}/tokens`)).body
    const verify = (token: string) =>
      verifyToken(token, { secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` })
    expect((await verify(jwt)).sts).toBe('pending')

    const { id } = await createOrganization()
    const chosen = await browser.post(`/v1/client/sessions/${session.id}/touch`, {
      active_organization_id: id,
    })
    expect(chosen.body.response).toMatchObject({ status: 'active', tasks: null })
    const token = (await browser.post(`/v1/client/sessions/${session.id}/tokens`)).body.jwt
    expect((await verify(token)).sts).toBe('active')
  })

  test('organizations have room for five people, those with an open invitation included, and 0 is no limit', async () => {
    await dashboard({ organizations_enabled: true, personal_accounts_allowed: true })
    const { id: organizationId, maxAllowedMemberships } = await createOrganization()
    expect(maxAllowedMemberships).toBe(5)
    const invite = (name: string) =>
      clerk.organizations.createOrganizationInvitation({
        organizationId,
        emailAddress: `${name}@example.test`,
        role: 'org:member',
      })
    const invited = await Promise.all(['ada', 'bob', 'cem', 'dan'].map(invite))
    const full = {
      status: 403,
      errors: [
        {
          code: 'organization_membership_quota_exceeded',
          longMessage:
            'You have reached your limit of 5 organization memberships, including outstanding invitations.',
        },
      ],
    }
    await expect(invite('eve')).rejects.toMatchObject(full)
    const support = { organizationId, userId: seeds.support.id, role: 'org:member' }
    await expect(clerk.organizations.createOrganizationMembership(support)).rejects.toMatchObject(full)

    // An invited person takes the place of the invitation.
    const ticket = new URL(invited[0]?.url ?? '').searchParams.get('ticket') ?? ''
    const browser = new TestBrowser(sandbox)
    const joined = await browser.post('/v1/client/sign_ups', {
      strategy: 'ticket',
      ticket,
      password: 'a-long-password',
    })
    expect(joined.body.response.status).toBe('complete')

    await clerk.organizations.updateOrganization(organizationId, { maxAllowedMemberships: 0 })
    await invite('eve')
    await clerk.organizations.createOrganizationMembership(support)
  })
})

test('251 invitations in an hour are one too many, and the answer says when the next one may be sent', async () => {
  await dashboard({ organizations_enabled: true, max_allowed_memberships: 0 })
  const { id: organizationId } = await createOrganization()
  const invite = (number: number) =>
    clerk.organizations.createOrganizationInvitation({
      organizationId,
      emailAddress: `person.${number}@example.test`,
      role: 'org:member',
    })
  for (let number = 0; number < 250; number++) await invite(number)
  const refused = await invite(250).catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 429, errors: [{ code: 'too_many_requests' }] })
  const { retryAfter } = refused as { retryAfter: number }
  expect(retryAfter).toBeGreaterThan(3000)
  expect(retryAfter).toBeLessThanOrEqual(3600)
})
