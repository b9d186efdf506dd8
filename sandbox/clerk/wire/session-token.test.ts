import { createClerkClient, verifyToken } from '@clerk/backend'
import { expect, test } from 'vitest'
import { seeds } from '../seed.ts'
import { TestBrowser } from '../testing/browser.ts'
import { testSandbox } from '../testing/sandbox.ts'

const sandbox = testSandbox()

const verify = (jwt: string) =>
  verifyToken(jwt, { secretKey: 'sk_test_sandbox', apiUrl: `${sandbox.url}/bapi` })

async function token(wanted: object): Promise<string> {
  const response = await fetch(`${sandbox.url}/_sandbox/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wanted),
  })
  const { jwt } = (await response.json()) as { jwt: string }
  return jwt
}

test('a token of a browser session verifies against the published keys and lives a minute', async () => {
  const browser = new TestBrowser(sandbox, { origin: 'http://app.example.test:8080' })
  const { body } = await browser.signIn(seeds.demo)
  const sessionId = body.response.created_session_id
  const { body: answer } = await browser.post(`/v1/client/sessions/${sessionId}/tokens`)
  expect(answer.object).toBe('token')
  const claims = await verify(answer.jwt)
  expect(claims).toMatchObject({
    sub: seeds.demo.id,
    sid: sessionId,
    azp: 'http://app.example.test:8080',
    iss: 'http://localhost:3000/__clerk',
    sts: 'active',
    v: 2,
  })
  expect(claims.exp - claims.iat).toBe(60)
  expect(claims.o).toBeUndefined()
})

test('the active organization and the role in it are in the token, unless the personal account is requested', async () => {
  const browser = new TestBrowser(sandbox)
  const { body } = await browser.signIn(seeds.demo)
  const path = `/v1/client/sessions/${body.response.created_session_id}`
  const touched = await browser.post(`${path}/touch`, { active_organization_id: seeds.organization.id })
  const claims = await verify(touched.body.response.last_active_token.jwt)
  expect(claims.o).toEqual({ id: seeds.organization.id, rol: 'admin', slg: seeds.organization.slug })
  const personal = await browser.post(`${path}/tokens`, { organization_id: '' })
  expect((await verify(personal.body.jwt)).o).toBeUndefined()
})

test('authenticateRequest finds user, organization and role from the bearer token', async () => {
  const client = createClerkClient({
    secretKey: 'sk_test_sandbox',
    publishableKey: sandbox.service.settings.publishableKey,
    apiUrl: `${sandbox.url}/bapi`,
  })
  const jwt = await token({ email: seeds.demo.email, organization_id: seeds.organization.id })
  const request = new Request('http://localhost:3000/api', { headers: { authorization: `Bearer ${jwt}` } })
  const state = await client.authenticateRequest(request, { authorizedParties: ['http://localhost:3000'] })
  const auth = state.toAuth()
  expect(auth).toMatchObject({ userId: seeds.demo.id, orgId: seeds.organization.id, orgRole: 'org:admin' })
  expect(auth && 'has' in auth && auth.has({ role: 'org:admin' })).toBe(true)
})
