import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { decideExchange } from '../../schema/extension/decide-exchange.ts'
import { createToken, hashSecret } from '../../schema/extension/secrets.ts'
import type { SignIn } from '../../schema/extension/sign-ins.ts'
import { isActive, revokeTokens } from '../../schema/extension/tokens.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { createEditorTokens } from './editor-tokens.ts'

const database = testDatabase()

/** A token cache with a stopped clock; `asked` counts its queries. */
function startServer({ during = async () => {} }: { during?: () => Promise<void> } = {}) {
  let passedMs = 0
  let asked = 0
  const db = database.server.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      asked += 1
      await during()
      return result
    },
  })
  const tokens = createEditorTokens(db, () => passedMs)
  return {
    tokens,
    async takes(access_token: string) {
      const token = await tokens.find(access_token)
      return token !== undefined && isActive(token, new Date())
    },
    pass: (milliseconds: number) => {
      passedMs += milliseconds
    },
    asked: () => asked,
  }
}
async function lastUses(users: readonly string[]): Promise<(Date | null | undefined)[]> {
  const rows = await database.server
    .selectFrom('extension_tokens')
    .select(['user_id', 'last_used_at'])
    .where('user_id', 'in', users)
    .execute()
  return users.map((user) => rows.find(({ user_id }) => user_id === user)?.last_used_at)
}
const revoke = (user_id: string) => revokeTokens(database.server, { user_id, now: new Date() })

test('a token that was verified is not asked for again for five seconds', async () => {
  const server = startServer()
  const token = await buildExtensionToken(database, await buildUser(database.server))
  for (let count = 0; count < 10; count++) expect(await server.takes(token)).toBe(true)
  expect(server.asked()).toBe(1)
  server.pass(5000)
  expect(await server.takes(token)).toBe(true)
  expect(server.asked()).toBe(2)
})

test('uses of a token are recorded once in five minutes, also by several calls and servers', async () => {
  const server = startServer()
  const user_id = await buildUser(database.server)
  const token = await buildExtensionToken(database, user_id)
  const first = new Date('2026-11-20T10:00:00.000Z')
  for (let call = 0; call < 3; call++) {
    const known = await server.tokens.find(token)
    if (known) await server.tokens.recordUse(known, first)
  }
  expect(server.asked()).toBe(2)
  expect(await lastUses([user_id])).toEqual([first])
  // Another server has an empty cache, and does not update a use of less than five minutes ago.
  const other = startServer()
  const stale = await other.tokens.find(token)
  const record = async (now: Date) => stale && other.tokens.recordUse({ ...stale, last_used_at: null }, now)
  await record(new Date('2026-11-20T10:04:59.999Z'))
  expect(await lastUses([user_id])).toEqual([first])
  await record(new Date('2026-11-20T10:05:00.000Z'))
  expect(await lastUses([user_id])).toEqual([new Date('2026-11-20T10:05:00.000Z')])
})

test('recording a use of a token does not wait while the token is being revoked', async () => {
  const server = startServer()
  const [revoked, other] = [await buildUser(database.server), await buildUser(database.server)]
  const tokens = [await buildExtensionToken(database, revoked), await buildExtensionToken(database, other)]
  const known = await Promise.all(tokens.map((token) => server.tokens.find(token)))
  const now = new Date('2026-11-20T10:00:00.000Z')
  await database.server.transaction().execute(async (trx) => {
    await revokeTokens(trx, { user_id: revoked, now })
    await Promise.all(known.map((token) => token && server.tokens.recordUse(token, now)))
  })
  expect(await lastUses([revoked, other])).toEqual([null, now])
})

test('a token that is revoked elsewhere is refused after five seconds at most', async () => {
  const server = startServer()
  const user_id = await buildUser(database.server)
  const token = await buildExtensionToken(database, user_id)
  expect(await server.takes(token)).toBe(true)
  await revoke(user_id)
  server.pass(4999)
  expect(await server.takes(token)).toBe(true)
  server.pass(1)
  expect(await server.takes(token)).toBe(false)
})

test('a token that is revoked here is refused at once', async () => {
  const server = startServer()
  const user_id = await buildUser(database.server)
  const token = await buildExtensionToken(database, user_id)
  expect(await server.takes(token)).toBe(true)
  await revoke(user_id)
  server.tokens.forgetAll()
  expect(await server.takes(token)).toBe(false)
})

test('a token that was read while it was being revoked is not cached', async () => {
  const user_id = await buildUser(database.server)
  const token = await buildExtensionToken(database, user_id)
  const server = startServer({
    async during() {
      await revoke(user_id)
      server.tokens.forgetAll()
    },
  })
  await server.takes(token)
  expect(await server.takes(token)).toBe(false)
})

test('neither an unknown token nor a revoked one is remembered', async () => {
  const server = startServer()
  const user_id = await buildUser(database.server)
  const revoked = await buildExtensionToken(database, user_id)
  await revoke(user_id)
  for (const token of [createToken(), revoked]) {
    const before = server.asked()
    expect([await server.takes(token), await server.takes(token)]).toEqual([false, false])
    expect(server.asked() - before).toBe(2)
  }
})

test.each([
  [
    'ends a second later than four months after its beginning',
    '2026-10-31T12:00:00Z',
    '2027-02-28T12:00:01Z',
  ],
  ['ends in a hundred years', '2026-10-31T12:00:00Z', '2126-10-31T12:00:00Z'],
  ['has no end', '2026-10-31T12:00:00Z', 'infinity'],
])('the login of a server cannot write a token that %s', async (_, created_at, expires_at) => {
  const user_id = await buildUser(database.server)
  const write = sql`INSERT INTO extension_tokens (id, user_id, token_hash, created_at, expires_at)
    VALUES (gen_random_uuid(), ${user_id}, sha256('x'), ${created_at}, ${expires_at})`
  await expect(write.execute(database.server)).rejects.toThrow(/extension_tokens_lifetime/)
})

test('the login of a server cannot write a sign-in for a day that comes', async () => {
  const user_id = await buildUser(database.server)
  const write = sql`INSERT INTO extension_sign_ins (state_hash, redirect_uri, user_id, created_at, expires_at)
    VALUES (sha256('later'), 'vscode://tidemark', ${user_id}, now(), now() + interval '25 hours')`
  await expect(write.execute(database.server)).rejects.toThrow(/extension_sign_ins_lifetime/)
})

test('a token and a sign-in that begin on a later day give nothing until then', async () => {
  const [now, later] = [new Date(), new Date('2126-01-01')]
  const row = { created_at: later, expires_at: new Date('2126-01-02'), user_id: 'user_ada' }
  expect(isActive({ ...row, id: '', last_used_at: null, revoked_at: null }, now)).toBe(false)
  const code_hash = hashSecret('user_ada.proof')
  const sign_in = { ...row, redirect_uri: 'x', code_challenge: null, code_hash, exchanged_at: null }
  const confirmed = sign_in as unknown as SignIn
  const exchange = { code: 'user_ada.proof', redirect_uri: 'x' }
  expect(decideExchange(confirmed, exchange, now)).toEqual({ refusal: 'expired' })
  expect(decideExchange(confirmed, exchange, later)).toEqual({ user_id: 'user_ada' })
})
