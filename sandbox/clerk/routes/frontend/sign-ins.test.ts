import { expect, test } from 'vitest'
import { seeds } from '../../seed.ts'
import { TestBrowser } from '../../testing/browser.ts'
import { testSandbox } from '../../testing/sandbox.ts'

const sandbox = testSandbox()

test('an unknown account and a wrong password are refused at their fields', async () => {
  const browser = new TestBrowser(sandbox)
  const unknown = await browser.post('/v1/client/sign_ins', { identifier: 'unknown@example.test' })
  expect(unknown.status).toBe(422)
  expect(unknown.body.errors[0]).toMatchObject({
    code: 'form_identifier_not_found',
    meta: { param_name: 'identifier' },
  })
  const wrong = await browser.signIn({ email: seeds.demo.email, password: 'not-the-password' })
  expect(wrong.body.errors[0]).toMatchObject({
    code: 'form_password_incorrect',
    meta: { param_name: 'password' },
  })
  expect((await browser.get('/v1/client')).body.client.sessions).toEqual([])
})

test('a forgotten password is replaced, and other sessions end on request', async () => {
  const elsewhere = new TestBrowser(sandbox)
  const email = 'forgetful@example.test'
  await elsewhere.signUp({ email, password: 'the-old-password' })

  const browser = new TestBrowser(sandbox)
  const started = await browser.post('/v1/client/sign_ins', { identifier: email })
  const path = `/v1/client/sign_ins/${started.body.response.id}`
  const strategy = 'reset_password_email_code'
  const early = await browser.post(`${path}/reset_password`, { password: 'the-new-password' })
  expect(early.status).toBe(422)
  await browser.post(`${path}/prepare_first_factor`, { strategy })
  const attempted = await browser.post(`${path}/attempt_first_factor`, { strategy, code: '424242' })
  expect(attempted.body.response.status).toBe('needs_new_password')
  expect(attempted.body.client.sessions).toEqual([])
  const { body } = await browser.post(`${path}/reset_password`, {
    password: 'the-new-password',
    sign_out_of_other_sessions: 'true',
  })
  expect(body.response.status).toBe('complete')
  expect((await elsewhere.get('/v1/me')).status).toBe(401)

  const next = new TestBrowser(sandbox)
  expect((await next.signIn({ email, password: 'the-old-password' })).status).toBe(422)
  expect((await next.signIn({ email, password: 'the-new-password' })).body.response.status).toBe('complete')
})

test('a code for one purpose does not serve another', async () => {
  const browser = new TestBrowser(sandbox)
  const started = await browser.post('/v1/client/sign_ins', { identifier: seeds.demo.email })
  const path = `/v1/client/sign_ins/${started.body.response.id}`
  await browser.post(`${path}/prepare_first_factor`, { strategy: 'email_code' })
  const { body } = await browser.post(`${path}/attempt_first_factor`, {
    strategy: 'reset_password_email_code',
    code: '424242',
  })
  expect(body.errors[0].code).toBe('form_code_incorrect')
})
