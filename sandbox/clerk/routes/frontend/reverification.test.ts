import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { TestBrowser } from '../../testing/browser.ts'
import { testSandbox } from '../../testing/sandbox.ts'

const sandbox = testSandbox()
const password = 'a-long-password'

/** A person who signed in two hours ago. */
async function buildPerson(email: string) {
  const browser = new TestBrowser(sandbox)
  const { response } = (await browser.signUp({ email, password })).body
  const path = `/v1/client/sessions/${response.created_session_id}`
  await fetch(`${sandbox.url}/_sandbox/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, factor_age_min: 120 }),
  })
  const ages = async () => decodeJwt((await browser.post(`${path}/tokens`)).body.jwt).fva
  return { browser, ages, path: `${path}/verify` }
}

test('a right password makes the first factor of the session fresh, and a wrong one does not', async () => {
  const { browser, ages, path } = await buildPerson('ada@example.test')
  expect(await ages()).toEqual([120, -1])
  const begun = await browser.post(path, { level: 'second_factor' })
  expect(begun.body.response).toMatchObject({
    object: 'session_reverification',
    status: 'needs_first_factor',
    supported_first_factors: [{ strategy: 'password' }, { strategy: 'email_code', primary: true }],
    supported_second_factors: null,
  })
  const attempt = (given: string) =>
    browser.post(`${path}/attempt_first_factor`, { strategy: 'password', password: given })
  expect(await attempt('not-the-password')).toMatchObject({
    status: 422,
    body: { errors: [{ code: 'form_password_incorrect', meta: { param_name: 'password' } }] },
  })
  expect(await ages()).toEqual([120, -1])
  const { body } = await attempt(password)
  expect(body.response).toMatchObject({ status: 'complete', session: { factor_verification_age: [0, -1] } })
  expect(await ages()).toEqual([0, -1])
  expect((await attempt(password)).status).toBe(422)
})

test('a code counts only after it was sent, and only the right one', async () => {
  const { browser, ages, path } = await buildPerson('eve@example.test')
  const strategy = 'email_code'
  const attempt = (code: string) => browser.post(`${path}/attempt_first_factor`, { strategy, code })
  expect((await attempt('424242')).status).toBe(422)
  await browser.post(path, { level: 'first_factor' })
  expect((await attempt('424242')).status).toBe(422)
  await browser.post(`${path}/prepare_first_factor`, { strategy })
  expect((await attempt('000000')).status).toBe(422)
  expect(await ages()).toEqual([120, -1])
  expect((await attempt('424242')).body.response.status).toBe('complete')
  expect(await ages()).toEqual([0, -1])
})
