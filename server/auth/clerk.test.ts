import { createHmac, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createProxyServer } from 'httpxy'
import { SignJWT } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { getUser } from '../../schema/api/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { startTestServer } from '../../tests/support/product/test-server.ts'
import { signUp, tokenOf } from '../../tests/support/services/clerk.ts'
import { createRateLimits } from '../rate-limits.ts'

const { database, clerk, server } = testProduct({ clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
afterEach(() => clerk.clear('faults'))

const whoAmI = (authorization: string | undefined, on = server) =>
  on.api(getUser, {
    query: { clerkId: ada.user_id },
    ...(authorization !== undefined && { headers: { authorization } }),
  })
const refusal = { status: 401, body: { error: 'User not authenticated', code: 'unauthenticated' } }
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const headerOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

/** Ada's token with other claims, signed with another key under the real key's name. */
function forge(): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return new SignJWT({ azp: 'http://localhost:3000', sid: 'sess_forged' })
    .setProtectedHeader(headerOf(ada.token))
    .setSubject(ada.user_id)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(privateKey)
}

describe('a bearer token', () => {
  test('a bearer token from Clerk lets its owner in (who has no account yet)', async () => {
    expect(await whoAmI(`Bearer ${ada.token}`)).toMatchObject({ status: 404 })
    expect(await whoAmI(`bearer ${ada.token}`)).toMatchObject({ status: 404 })
  })

  test('a bearer token made for 127.0.0.1 is accepted where localhost is ours, in development only', async () => {
    const token = await tokenOf(clerk, { user_id: ada.user_id, azp: 'http://127.0.0.1:3000' })
    expect(await whoAmI(`Bearer ${token}`)).toMatchObject({ status: 404 })
  })

  const bearer = async (token: string | Promise<string>) => `Bearer ${await token}`
  /** Ada's token with another algorithm in its header. */
  const ofAlgorithm = (alg: string) => {
    const [, payload] = ada.token.split('.')
    const header = encode({ ...headerOf(ada.token), alg })
    const signature = createHmac('sha256', 'guess').update(`${header}.${payload}`).digest('base64url')
    return `${header}.${payload}.${signature}`
  }
  const ofAnotherUser = () => {
    const [header, payload = '', signature] = ada.token.split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return `${header}.${encode({ ...claims, sub: 'user_else' })}.${signature}`
  }

  test.for<[string, () => string | undefined | Promise<string>]>([
    ['missing', () => undefined],
    ['empty', () => 'Bearer '],
    ['of another kind', () => `Basic ${btoa('a:b')}`],
    ['no token at all', () => 'Bearer nonsense'],
    ['three dots', () => 'Bearer ...'],
    ['expired', () => bearer(tokenOf(clerk, { user_id: ada.user_id, expires_in_s: -60 }))],
    ['for another site', () => bearer(tokenOf(clerk, { user_id: ada.user_id, azp: 'https://evil.example' }))],
    ['signed with another key', () => bearer(forge())],
    ['one whose claims were changed after signing', () => bearer(ofAnotherUser())],
    ['of no algorithm', () => bearer(ofAlgorithm('none'))],
    ['of a weaker algorithm', () => bearer(ofAlgorithm('HS256'))],
  ])('a bearer token that is %s is refused', async ([, make]) => {
    expect(await whoAmI(await make())).toMatchObject(refusal)
  })

  test('a bearer token is never written to the log', async () => {
    await whoAmI(`Bearer ${ada.token}`)
    expect(JSON.stringify(server.logs)).not.toContain(ada.token.split('.')[2])
  })
})

describe('when Clerk does not answer', () => {
  // Each has an address of its own, so that no key is remembered for it.
  test.each([
    ['cannot be reached', () => ({ clerk: { port: 1 } })],
    ['answers 500', () => ({ env: { CLERK_API_URL: `http://127.0.0.1:${clerk.port}/bapi` } })],
  ])('a caller with a valid token gets a 503 and is not signed out when Clerk %s', async (_, at) => {
    await clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/jwks' })
    await using other = await startTestServer({ databaseUrl: database.url, ...at() })
    const answer = await whoAmI(`Bearer ${ada.token}`, other)
    expect(answer).toMatchObject({ status: 503, body: { code: 'sign_in_unavailable' } })
    expect(answer.headers.get('retry-after')).toBe('5')
  })
})

test('an address that sends forged tokens has to wait, and expired tokens do not count', async () => {
  await using strict = await startTestServer({
    databaseUrl: database.url,
    clerk,
    deps: { limits: createRateLimits({ perMinute: { read: 100, write: 100, checkout: 100, auth: 2 } }) },
  })
  const expired = await tokenOf(clerk, { user_id: ada.user_id, expires_in_s: -60 })
  for (let count = 0; count < 5; count++) expect((await whoAmI(`Bearer ${expired}`, strict)).status).toBe(401)
  const forged = await forge()
  expect((await whoAmI(`Bearer ${forged}`, strict)).status).toBe(401)
  expect((await whoAmI(`Bearer ${forged}`, strict)).status).toBe(401)
  const third = await whoAmI(`Bearer ${forged}`, strict)
  // Another user behind the same address must not be locked out.
  expect(await whoAmI(`Bearer ${ada.token}`, strict)).toMatchObject({ status: 404 })
  expect(third).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('tokens that name keys which do not exist make one call to Clerk a second, and a valid one is accepted meanwhile', async () => {
  const asked: string[] = []
  const counting = await startCountingProxy(clerk.port, (path) => path.endsWith('/jwks') && asked.push(path))
  await using other = await startTestServer({
    databaseUrl: database.url,
    env: { CLERK_API_URL: `http://127.0.0.1:${counting.port}/bapi` },
  })
  const unknownKey = async (kid: string) => {
    const [, payload, signature] = ada.token.split('.')
    const header = Buffer.from(JSON.stringify({ ...headerOf(ada.token), kid })).toString('base64url')
    return `Bearer ${header}.${payload}.${signature}`
  }
  expect((await whoAmI(await unknownKey('ins_first'), other)).status).toBe(401)
  const before = performance.now()
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => (await whoAmI(await unknownKey(`ins_${i}`), other)).status),
  )
  expect(await whoAmI(`Bearer ${ada.token}`, other)).toMatchObject({ status: 404 })
  const seconds = (performance.now() - before) / 1000
  await counting.close()
  expect(new Set(statuses)).toEqual(new Set([401]))
  // One for the list, one of the SDK's for the valid token, and one for each second that this took.
  expect(asked.length).toBeLessThanOrEqual(3 + Math.floor(seconds))
})

/** Forwards everything to the sandbox and reports each call. */
async function startCountingProxy(port: number, onCall: (path: string) => unknown) {
  const proxy = createProxyServer({ target: `http://127.0.0.1:${port}` })
  const listener = createServer((request, response) => {
    onCall(request.url ?? '')
    void proxy.web(request, response)
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  return {
    port: (listener.address() as AddressInfo).port,
    close: () => new Promise((resolve) => listener.close(resolve)),
  }
}
