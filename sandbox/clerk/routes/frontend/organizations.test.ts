import { expect, test } from 'vitest'
import { TestBrowser } from '../../testing/browser.ts'
import { testSandbox } from '../../testing/sandbox.ts'

const sandbox = testSandbox()

let count = 0
async function person() {
  count += 1
  const browser = new TestBrowser(sandbox)
  const email = `person${count}@example.test`
  const { body } = await browser.signUp({ email })
  return {
    browser,
    email,
    userId: body.response.created_user_id,
    sessionId: body.response.created_session_id,
  }
}

async function organizationOf(owner: Awaited<ReturnType<typeof person>>) {
  const { body } = await owner.browser.post('/v1/organizations', { name: 'Analytical Engines' })
  return { id: body.response.id as string, path: `/v1/organizations/${body.response.id}` }
}

async function join(
  owner: Awaited<ReturnType<typeof person>>,
  guest: Awaited<ReturnType<typeof person>>,
  path: string,
) {
  await owner.browser.post(`${path}/invitations/bulk`, { email_address: guest.email, role: 'org:member' })
  const { body } = await guest.browser.get('/v1/me/organization_invitations?status=pending')
  await guest.browser.post(`/v1/me/organization_invitations/${body.response.data[0].id}/accept`)
}

test('a slug that is taken is refused at its field, and derived ones are made different', async () => {
  const ada = await person()
  await ada.browser.post('/v1/organizations', { name: 'Taken', slug: 'taken' })
  const again = await ada.browser.post('/v1/organizations', { name: 'Taken', slug: 'taken' })
  expect(again.body.errors[0]).toMatchObject({ code: 'form_identifier_exists', meta: { param_name: 'slug' } })
  const derived = await ada.browser.post('/v1/organizations', { name: 'Taken' })
  expect(derived.body.response.slug).toMatch(/^taken-\w+$/)
})

test('inviting twice, inviting a member, and an invitation without an address are refused', async () => {
  const ada = await person()
  const { path } = await organizationOf(ada)
  const invite = (email_address: string) =>
    ada.browser.post(`${path}/invitations/bulk`, { email_address, role: 'org:member' })
  expect((await invite('dave@example.test')).status).toBe(200)
  const again = await invite('Dave@example.test')
  expect(again.body.errors[0]).toMatchObject({
    code: 'duplicate_record',
    meta: { email_addresses: ['dave@example.test'] },
  })
  expect((await invite(ada.email)).body.errors[0].code).toBe('already_a_member_in_organization')
  expect((await invite('')).status).toBe(422)
})

test('a revoked invitation cannot be accepted', async () => {
  const ada = await person()
  const bob = await person()
  const { path } = await organizationOf(ada)
  const { body } = await ada.browser.post(`${path}/invitations/bulk`, {
    email_address: bob.email,
    role: 'org:admin',
  })
  const id = body.response[0].id
  const revoked = await ada.browser.post(`${path}/invitations/${id}/revoke`)
  expect(revoked.body.response.status).toBe('revoked')
  expect((await bob.browser.post(`/v1/me/organization_invitations/${id}/accept`)).status).toBe(400)
  expect(
    (await bob.browser.get('/v1/me/organization_invitations?status=pending')).body.response.data,
  ).toEqual([])
})

test('roles change, members are removed, and the last admin can neither leave nor step down', async () => {
  const ada = await person()
  const bob = await person()
  const { path, id } = await organizationOf(ada)
  await join(ada, bob, path)

  expect((await ada.browser.delete(`/v1/me/organization_memberships/${id}`)).status).toBe(400)
  expect((await ada.browser.patch(`${path}/memberships/${ada.userId}`, { role: 'org:member' })).status).toBe(
    400,
  )

  const promoted = await ada.browser.patch(`${path}/memberships/${bob.userId}`, { role: 'org:admin' })
  expect(promoted.body.response.permissions).toContain('org:sys_memberships:manage')
  expect((await ada.browser.delete(`/v1/me/organization_memberships/${id}`)).status).toBe(200)
  expect((await ada.browser.get(path)).status).toBe(404)

  await join(bob, ada, path)
  const removed = await bob.browser.delete(`${path}/memberships/${ada.userId}`)
  expect(removed.body.response.public_user_data.user_id).toBe(ada.userId)
})

test('members may read but not change anything, and others see nothing', async () => {
  const ada = await person()
  const bob = await person()
  const eve = await person()
  const { path, id } = await organizationOf(ada)
  await join(ada, bob, path)

  expect((await bob.browser.get(`${path}/memberships`)).status).toBe(200)
  const forbidden = [
    bob.browser.patch(path, { name: 'Mine' }),
    bob.browser.delete(path),
    bob.browser.post(`${path}/invitations/bulk`, { email_address: eve.email, role: 'org:member' }),
    bob.browser.get(`${path}/invitations`),
    bob.browser.patch(`${path}/memberships/${bob.userId}`, { role: 'org:admin' }),
    bob.browser.delete(`${path}/memberships/${ada.userId}`),
  ]
  expect((await Promise.all(forbidden)).map((row) => row.status)).toEqual([403, 403, 403, 403, 403, 403])

  const hidden = [
    eve.browser.get(path),
    eve.browser.get(`${path}/memberships`),
    eve.browser.delete(path),
    eve.browser.post(`/v1/client/sessions/${eve.sessionId}/touch`, { active_organization_id: id }),
    eve.browser.post(`/v1/client/sessions/${eve.sessionId}/tokens`, { organization_id: id }),
    eve.browser.post(`/v1/client/sessions/${ada.sessionId}/tokens`),
  ]
  expect((await Promise.all(hidden)).map((row) => row.status)).toEqual([404, 404, 404, 404, 404, 404])
})
