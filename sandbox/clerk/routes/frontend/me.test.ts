import { expect, test } from 'vitest'
import { seeds } from '../../seed.ts'
import { TestBrowser } from '../../testing/browser.ts'
import { testSandbox } from '../../testing/sandbox.ts'

const sandbox = testSandbox()

async function signedUp(email: string): Promise<TestBrowser> {
  const browser = new TestBrowser(sandbox)
  await browser.signUp({ email })
  return browser
}

test('the password changes only with the current one', async () => {
  const browser = await signedUp('password@example.test')
  const elsewhere = new TestBrowser(sandbox)
  await elsewhere.signIn({ email: 'password@example.test', password: 'a-long-password' })

  const wrong = await browser.post('/v1/me/change_password', {
    current_password: 'a-wrong-password',
    new_password: 'another-password',
  })
  expect(wrong.body.errors[0]).toMatchObject({ meta: { param_name: 'current_password' } })

  const right = await browser.post('/v1/me/change_password', {
    current_password: 'a-long-password',
    new_password: 'another-password',
    sign_out_of_other_sessions: 'true',
  })
  expect(right.status).toBe(200)
  expect((await browser.get('/v1/me')).status).toBe(200)
  expect((await elsewhere.get('/v1/me')).status).toBe(401)
})

test('an address is added, verified, made primary, and the old one removed', async () => {
  const browser = await signedUp('first@example.test')
  const added = await browser.post('/v1/me/email_addresses', { email_address: 'second@example.test' })
  const path = `/v1/me/email_addresses/${added.body.response.id}`
  const early = await browser.patch('/v1/me', { primary_email_address_id: added.body.response.id })
  expect(early.status).toBe(422)

  await browser.post(`${path}/prepare_verification`, { strategy: 'email_code' })
  const verified = await browser.post(`${path}/attempt_verification`, { code: '424242' })
  expect(verified.body.response.verification.status).toBe('verified')
  const changed = await browser.patch('/v1/me', { primary_email_address_id: added.body.response.id })
  expect(changed.body.response.primary_email_address_id).toBe(added.body.response.id)

  const refused = await browser.delete(path)
  expect(refused.status).toBe(403)
  const old = changed.body.response.email_addresses[0].id
  const removed = await browser.delete(`/v1/me/email_addresses/${old}`)
  expect(removed.body.response).toMatchObject({ id: old, deleted: true })
  expect(removed.body.client.sessions[0].user.email_addresses).toHaveLength(1)
})

test("another user's address cannot be added", async () => {
  const browser = await signedUp('greedy@example.test')
  const { body } = await browser.post('/v1/me/email_addresses', { email_address: seeds.demo.email })
  expect(body.errors[0].code).toBe('form_identifier_exists')
})

test('the active sessions are a bare list, and one of them can be ended from another', async () => {
  const browser = await signedUp('devices@example.test')
  const elsewhere = new TestBrowser(sandbox)
  const other = await elsewhere.signIn({ email: 'devices@example.test', password: 'a-long-password' })
  const otherId = other.body.response.created_session_id

  const { body: sessions } = await browser.get('/v1/me/sessions/active')
  expect(sessions).toHaveLength(2)
  expect(sessions[0]).toMatchObject({ id: otherId, status: 'active', user: null })
  await browser.post(`/v1/me/sessions/${otherId}/revoke`)
  expect((await elsewhere.get('/v1/me')).status).toBe(401)
  expect((await browser.get('/v1/me/sessions/active')).body).toHaveLength(1)
})

test("another user's session cannot be ended", async () => {
  const browser = await signedUp('stranger@example.test')
  const victim = new TestBrowser(sandbox)
  const { body } = await victim.signIn(seeds.demo)
  const answer = await browser.post(`/v1/me/sessions/${body.response.created_session_id}/revoke`)
  expect(answer.status).toBe(404)
  expect((await victim.get('/v1/me')).status).toBe(200)
})
