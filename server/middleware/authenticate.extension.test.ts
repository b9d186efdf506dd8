import { beforeEach, describe, expect, test } from 'vitest'
import type { EndpointAuth } from '../../schema/api/endpoint.ts'
import { getActiveExtensionToken, getExtensionBalance } from '../../schema/api/extension.ts'
import { createToken } from '../../schema/extension/secrets.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { startTestServer } from '../../tests/support/product/test-server.ts'
import { signUp } from '../../tests/support/services/clerk.ts'
import { createRateLimits } from '../rate-limits.ts'
import { routes } from '../routes.ts'

const { database, clerk, server, clock } = testProduct({ clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
/** Ada's, in her editor. */
const editor = madeOnce(async () => {
  await buildUser(database.server, ada.user_id)
  return { token: await buildExtensionToken(database, ada.user_id) }
})
beforeEach(() => clock.stop(new Date()))

const balance = (authorization: string | undefined, on = server) =>
  on.api(getExtensionBalance, { ...(authorization !== undefined && { headers: { authorization } }) })
const refusal = { status: 401, body: { code: 'invalid_token', error: expect.any(String) } }

describe('the extension’s calls', () => {
  test.each([
    ['nothing', undefined],
    ['a token that was never ours', `Bearer ${createToken()}`],
    ['the prefix alone', 'Bearer tide_'],
  ])('the extension’s calls refuse %s', async (_, authorization) => {
    const answer = await balance(authorization)
    expect(answer).toMatchObject(refusal)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('the extension’s calls refuse a token with one character changed, or in capitals', async () => {
    const changed = editor.token.slice(0, -1) + (editor.token.endsWith('A') ? 'B' : 'A')
    expect(await balance(`Bearer ${changed}`)).toMatchObject(refusal)
    expect(await balance(`Bearer ${editor.token.toUpperCase()}`)).toMatchObject(refusal)
  })
})

test('two kinds of token never work for each other’s calls', async () => {
  const callsFor = (...kinds: readonly EndpointAuth[]) =>
    routes.filter(({ endpoint }) => endpoint && kinds.includes(endpoint.auth))
  const forBrowsers = callsFor('user', 'support')
  const forEditors = callsFor('extension')
  expect(Math.min(forBrowsers.length, forEditors.length)).toBeGreaterThan(5)
  const statusOf = async (call: { path: string; method: string }, shown: string) => {
    const headers = { authorization: `Bearer ${shown}` }
    const { status } = await fetch(`${server.url}${call.path}`, { method: call.method, headers })
    return [call.path, status]
  }
  // Support's calls answer 404 to callers who are not support staff.
  const refused = (path: string) => (path.startsWith('/api/support/') ? 404 : 401)
  for (const call of forBrowsers) {
    expect(await statusOf(call, editor.token)).toEqual([call.path, refused(call.path)])
  }
  for (const call of forEditors) expect(await statusOf(call, ada.token)).toEqual([call.path, 401])
})

test('an editor that calls an endpoint for browsers is refused without asking Clerk, and does not count as a forged token', async () => {
  await using strict = await startTestServer({
    databaseUrl: database.url,
    deps: { limits: createRateLimits({ perMinute: { auth: 2 } }) },
  })
  const statuses = []
  for (let count = 0; count < 4; count++) {
    statuses.push((await strict.api(getActiveExtensionToken, { token: editor.token })).status)
  }
  // Clerk is unavailable there: a call to it would end in a 503.
  expect(statuses).toEqual([401, 401, 401, 401])
})

test('an address that guesses tokens has to wait; expired and revoked ones do not count, and a valid one is never refused', async () => {
  await using strict = await startTestServer({
    databaseUrl: database.url,
    clerk,
    deps: { limits: createRateLimits({ perMinute: { auth: 2, extension: 100 } }) },
  })
  const grace = await buildUser(database.server)
  const old = await buildExtensionToken(database, grace, new Date('2025-01-01T00:00:00Z'))
  for (let count = 0; count < 5; count++) expect((await balance(`Bearer ${old}`, strict)).status).toBe(401)
  expect((await balance(`Bearer ${createToken()}`, strict)).status).toBe(401)
  expect((await balance(`Bearer ${editor.token}`, strict)).status).toBe(200)
  expect((await balance(`Bearer ${createToken()}`, strict)).status).toBe(401)
  const guess = await balance(`Bearer ${createToken()}`, strict)
  const good = await balance(`Bearer ${editor.token}`, strict)
  expect(guess).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
  expect(good.status).toBe(200)
  expect(Number(guess.headers.get('retry-after'))).toBeGreaterThan(0)
})

test('the budget of requests is the user’s, not the address’s', async () => {
  await using strict = await startTestServer({
    databaseUrl: database.url,
    deps: { limits: createRateLimits({ perMinute: { extension: 2 } }) },
  })
  const other = await buildExtensionToken(database, await buildUser(database.server))
  const statuses = []
  for (const shown of [editor.token, editor.token, editor.token, other]) {
    statuses.push((await balance(`Bearer ${shown}`, strict)).status)
  }
  expect(statuses).toEqual([200, 200, 429, 200])
})
