import { expect, test } from 'vitest'
import { createToken } from '../../schema/extension/secrets.ts'
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
