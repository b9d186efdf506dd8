import { expect, test } from 'vitest'
import { createToken } from '../../schema/extension/secrets.ts'
import { isActive, revokeTokens } from '../../schema/extension/tokens.ts'
import { testDatabase } from '../../tests/support/database/test-database.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { createEditorTokens } from './editor-tokens.ts'

const database = testDatabase()

/** What a server remembers, whose clock stands still, and whether it takes a token; `asked` counts what it asked the database. */
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
  const tokens = createEditorTokens(() => passedMs)
  return {
    tokens,
    async takes(access_token: string) {
      const token = await tokens.find(db, access_token)
      return token !== undefined && isActive(token, new Date())
    },
    pass: (milliseconds: number) => {
      passedMs += milliseconds
    },
    asked: () => asked,
  }
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

test('what was read while a token was being revoked is not remembered', async () => {
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
