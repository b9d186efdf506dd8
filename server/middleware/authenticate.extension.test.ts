import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getActiveExtensionToken, getExtensionBalance } from '../../schema/api/extension.ts'
import { createToken } from '../../schema/extension/secrets.ts'
import { createTestDatabase, type TestDatabase } from '../../tests/support/database.ts'
import { insertToken } from '../../tests/support/extension.ts'
import { insertUser } from '../../tests/support/records.ts'
import { type Sandbox, type SignedInPerson, signUp, startSandbox } from '../../tests/support/sandbox.ts'
import { startTestServer, type TestServer } from '../../tests/support/server.ts'
import { createRateLimits } from '../rate-limits.ts'

let database: TestDatabase
let clerk: Sandbox
let server: TestServer
let ada: SignedInPerson
let token: string
let now: Date

beforeAll(async () => {
  ;[database, clerk] = await Promise.all([createTestDatabase(), startSandbox('clerk')])
  server = await startTestServer({ databaseUrl: database.url, clerk, deps: { now: () => now } })
  ada = await signUp(clerk)
  await insertUser(database.server, ada.user_id)
  token = await insertToken(database, ada.user_id)
})
afterAll(async () => {
  await server?.close()
  await Promise.all([clerk?.stop(), database?.close()])
})
beforeEach(() => {
  now = new Date()
})

const balance = (authorization: string | undefined, on = server) =>
  on.api(getExtensionBalance, { ...(authorization !== undefined && { headers: { authorization } }) })
const refusal = { status: 401, body: { code: 'invalid_token', error: expect.any(String) } }

describe('the extension’s calls', () => {
  test('open for a token of ours, whose user is in the log', async () => {
    expect((await balance(`Bearer ${token}`)).status).toBe(200)
    expect(server.logs).toContainEqual(
      expect.objectContaining({ route: getExtensionBalance.path, user_id: ada.user_id, status: 200 }),
    )
  })

  test.each([
    ['nothing', undefined],
    ['an empty token', 'Bearer '],
    ['a token that was never ours', `Bearer ${createToken()}`],
    ['the prefix alone', 'Bearer tide_'],
    ['another kind', `Basic ${Buffer.from('a:b').toString('base64')}`],
  ])('stay closed for %s', async (_, authorization) => {
    const answer = await balance(authorization)
    expect(answer).toMatchObject(refusal)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  test('stay closed for a token with one character changed, or in capitals', async () => {
    const changed = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')
    expect(await balance(`Bearer ${changed}`)).toMatchObject(refusal)
    expect(await balance(`Bearer ${token.toUpperCase()}`)).toMatchObject(refusal)
  })
})

describe('two kinds of token', () => {
  test('never open each other’s calls', async () => {
    const document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as OpenapiDocument
    const calls = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, { security }]) => ({ path, method, kind: kindOf(security) })),
    )
    const forBrowsers = calls.filter(({ kind }) => kind === 'bearer')
    const forEditors = calls.filter(({ kind }) => kind === 'extension')
    expect(forBrowsers.map(({ path }) => path)).toContain('/api/extension-token/generate')
    expect(forEditors.map(({ path }) => path)).toEqual(['/api/extension/balance', '/api/extension/usage'])
    const statusOf = async (call: { path: string; method: string }, shown: string) => {
      const headers = { authorization: `Bearer ${shown}` }
      const { status } = await fetch(`${server.url}${call.path}`, { method: call.method, headers })
      return [call.path, status]
    }
    for (const call of forBrowsers) expect(await statusOf(call, token)).toEqual([call.path, 401])
    for (const call of forEditors) expect(await statusOf(call, ada.token)).toEqual([call.path, 401])
  })
})

describe('an editor that calls what is for browsers', () => {
  test('is refused without asking Clerk, and its address need not wait for that', async () => {
    const strict = await startTestServer({
      databaseUrl: database.url,
      deps: { limits: createRateLimits({ perMinute: { auth: 2 } }) },
    })
    const statuses = []
    for (let count = 0; count < 4; count++) {
      statuses.push((await strict.api(getActiveExtensionToken, { token })).status)
    }
    await strict.close()
    // Clerk is away there: whoever asked it would get a 503.
    expect(statuses).toEqual([401, 401, 401, 401])
  })
})

describe('the time of last use', () => {
  const lastUse = async () => {
    const row = await database.owner
      .selectFrom('extension_tokens')
      .select('last_used_at')
      .where('user_id', '=', ada.user_id)
      .executeTakeFirstOrThrow()
    return row.last_used_at?.toISOString()
  }

  test('is written once a minute at most', async () => {
    // Later than every use above.
    const start = Date.now() + 3600_000
    const lookAfter = (seconds: number) => {
      now = new Date(start + seconds * 1000)
      return balance(`Bearer ${token}`)
    }
    await lookAfter(0)
    expect(await lastUse()).toBe(new Date(start).toISOString())
    await Promise.all([lookAfter(59), lookAfter(59), lookAfter(59)])
    expect(await lastUse()).toBe(new Date(start).toISOString())
    await lookAfter(60)
    expect(await lastUse()).toBe(new Date(start + 60_000).toISOString())
  })
})

describe('an address that guesses tokens', () => {
  test('has to wait, with a good one too; expired and revoked ones do not count', async () => {
    const strict = await startTestServer({
      databaseUrl: database.url,
      clerk,
      deps: { limits: createRateLimits({ perMinute: { auth: 2, extension: 100 } }) },
    })
    const grace = await insertUser(database.server)
    const old = await insertToken(database, grace, new Date('2025-01-01T00:00:00Z'))
    for (let count = 0; count < 5; count++) expect((await balance(`Bearer ${old}`, strict)).status).toBe(401)
    expect((await balance(`Bearer ${createToken()}`, strict)).status).toBe(401)
    expect((await balance(`Bearer ${token}`, strict)).status).toBe(200)
    expect((await balance(`Bearer ${createToken()}`, strict)).status).toBe(401)
    const guess = await balance(`Bearer ${createToken()}`, strict)
    const good = await balance(`Bearer ${token}`, strict)
    await strict.close()
    expect(guess).toMatchObject({ status: 429, body: { code: 'too_many_requests' } })
    expect(good.status).toBe(429)
    expect(Number(guess.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('the budget of requests', () => {
  test('is the user’s, not the address’s', async () => {
    const strict = await startTestServer({
      databaseUrl: database.url,
      deps: { limits: createRateLimits({ perMinute: { extension: 2 } }) },
    })
    const other = await insertToken(database, await insertUser(database.server))
    const statuses = []
    for (const shown of [token, token, token, other]) {
      statuses.push((await balance(`Bearer ${shown}`, strict)).status)
    }
    await strict.close()
    expect(statuses).toEqual([200, 200, 429, 200])
  })
})

const kindOf = (security: readonly object[] | undefined) => Object.keys(security?.[0] ?? {})[0]
type OpenapiDocument = { paths: Record<string, Record<string, { security?: readonly object[] }>> }
