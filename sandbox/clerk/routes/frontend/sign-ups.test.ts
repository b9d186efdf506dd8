import { expect, test } from 'vitest'
import { TestBrowser } from '../../testing/browser.ts'
import { testSandbox } from '../../testing/sandbox.ts'

const sandbox = testSandbox()

test('scripts cannot read the client cookie, and the other cookies say when the state changed', async () => {
  const browser = new TestBrowser(sandbox)
  const started = await browser.post('/v1/client/sign_ups', {})
  const cookie = started.headers.getSetCookie().find((row) => row.startsWith('__client='))
  expect(cookie).toMatch(/path=\/.*samesite=lax.*httponly/i)

  expect(browser.cookies.get('__client_uat')).toBe('0')
  await browser.signUp({ email: 'cookies@example.test' })
  expect(Number(browser.cookies.get('__client_uat'))).toBeGreaterThan(0)
  const suffixed = [...browser.cookies.keys()].filter((name) => /^__client_uat_.{8}$/.test(name))
  expect(suffixed).toHaveLength(1)
})

test.each([
  [
    { email_address: 'no-address', password: 'a-long-password' },
    'form_param_format_invalid',
    'email_address',
  ],
  [{ email_address: 'ok@example.test', password: 'short' }, 'form_password_length_too_short', 'password'],
  [
    { email_address: 'demo@tidemark.test', password: 'a-long-password' },
    'form_identifier_exists',
    'email_address',
  ],
])('a sign-up with %o is refused at its field', async (form, code, paramName) => {
  const { status, body } = await new TestBrowser(sandbox).post('/v1/client/sign_ups', form)
  expect(status).toBe(422)
  expect(body.errors[0]).toMatchObject({ code, meta: { param_name: paramName } })
  expect(body.errors[0].long_message).not.toBe('')
})

test('a wrong code, and a code that was never requested, create no user', async () => {
  const browser = new TestBrowser(sandbox)
  const { body } = await browser.post('/v1/client/sign_ups', {
    email_address: 'code@example.test',
    password: 'a-long-password',
  })
  const path = `/v1/client/sign_ups/${body.response.id}`
  const early = await browser.post(`${path}/attempt_verification`, { strategy: 'email_code', code: '424242' })
  expect(early.body.errors[0].code).toBe('form_code_incorrect')

  await browser.post(`${path}/prepare_verification`, { strategy: 'email_code' })
  const wrong = await browser.post(`${path}/attempt_verification`, { strategy: 'email_code', code: '000000' })
  expect(wrong.body.errors[0]).toMatchObject({ code: 'form_code_incorrect', meta: { param_name: 'code' } })
  expect((await browser.get('/v1/client')).body.client.sessions).toEqual([])
})

test('a sign-up belongs to the browser that started it', async () => {
  const browser = new TestBrowser(sandbox)
  const { body } = await browser.post('/v1/client/sign_ups', { email_address: 'own@example.test' })
  const stranger = new TestBrowser(sandbox)
  await stranger.post('/v1/client/sign_ups', {})
  expect((await stranger.get(`/v1/client/sign_ups/${body.response.id}`)).status).toBe(404)
})
