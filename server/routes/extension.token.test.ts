import { afterEach, describe, expect, test } from 'vitest'
import {
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  revokeExtensionToken,
} from '../../schema/api/extension.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { startTestServer } from '../../tests/support/product/test-server.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock } = testProduct({ clerk: 'sandbox' })
afterEach(async () => {
  clock.reset()
  await clerk.clear('faults')
})

const generate = ({ token }: Person) => server.ask(generateExtensionToken, { token })
const active = ({ token }: Person) => server.ask(getActiveExtensionToken, { token })
const revoke = ({ token }: Person) => server.ask(revokeExtensionToken, { token })
const works = async (token: string) => (await server.api(getExtensionBalance, { token })).status === 200
const rowsOf = ({ user_id }: Person) =>
  database.owner.selectFrom('extension_tokens').selectAll().where('user_id', '=', user_id).execute()

describe('a long-lived token', () => {
  test('a long-lived token does not exist at first', async () => {
    expect(await active(await signUp(clerk))).toEqual({
      hasActive: false,
      created_at: null,
      expires_at: null,
      last_used_at: null,
      payer: null,
      editors: [],
    })
  })

  test('a long-lived token is created, works for the extension’s calls of its user, and is shown as active', async () => {
    const ada = await signUp(clerk)
    const { access_token } = await generate(ada)
    expect(access_token).toMatch(/^tide_[\w-]{43}$/)
    expect(await active(ada)).toMatchObject({ hasActive: true, last_used_at: null })
    expect(await works(access_token)).toBe(true)
    expect((await active(ada)).last_used_at).not.toBeNull()
  })

  test('a long-lived token also creates the account of a new user from Clerk’s profile', async () => {
    const grace = await signUp(clerk, { email: 'grace.token@tidemark.test' })
    await generate(grace)
    const user = await database.owner
      .selectFrom('users')
      .select('email')
      .where('clerk_id', '=', grace.user_id)
      .executeTakeFirstOrThrow()
    expect(user.email).toBe('grace.token@tidemark.test')
  })

  test('a long-lived token works for four months to the second', async () => {
    const ada = await signUp(clerk)
    clock.stop(new Date('2026-11-20T10:00:00Z'))
    const { access_token, expires_at } = await generate(ada)
    expect(expires_at).toBe('2027-03-20T10:00:00.000Z')
    clock.stop(new Date('2027-03-20T09:59:59.999Z'))
    expect(await works(access_token)).toBe(true)
    expect((await active(ada)).hasActive).toBe(true)
    clock.stop(new Date('2027-03-20T10:00:00Z'))
    expect(await works(access_token)).toBe(false)
    expect((await active(ada)).hasActive).toBe(false)
    // The expired one does not count.
    expect(await works((await generate(ada)).access_token)).toBe(true)
  })

  test('a long-lived token ends when another is created', async () => {
    const ada = await signUp(clerk)
    const first = await generate(ada)
    const second = await generate(ada)
    expect(await works(first.access_token)).toBe(false)
    expect(await works(second.access_token)).toBe(true)
  })

  test('created in ten tabs at once: one works and nine do not', async () => {
    const ada = await signUp(clerk)
    const made = await Promise.all(Array.from({ length: 10 }, () => generate(ada)))
    expect(new Set(made.map(({ access_token }) => access_token)).size).toBe(10)
    const working = await Promise.all(made.map(({ access_token }) => works(access_token)))
    expect(working.filter(Boolean)).toHaveLength(1)
    expect((await rowsOf(ada)).filter(({ revoked_at }) => revoked_at === null)).toHaveLength(1)
  })

  test('a long-lived token is revoked at once, and revoking again is no error', async () => {
    const ada = await signUp(clerk)
    const { access_token } = await generate(ada)
    expect(await revoke(ada)).toEqual({ success: true, revoked: true })
    expect(await works(access_token)).toBe(false)
    expect((await active(ada)).hasActive).toBe(false)
    expect(await revoke(ada)).toEqual({ success: true, revoked: false })
  })

  test('a long-lived token that is in use ends at once when its user revokes it or creates another', async () => {
    const ada = await signUp(clerk)
    const first = await generate(ada)
    expect(await works(first.access_token)).toBe(true)
    const second = await generate(ada)
    expect(await works(first.access_token)).toBe(false)
    expect(await works(second.access_token)).toBe(true)
    await revoke(ada)
    expect(await works(second.access_token)).toBe(false)
  })

  test('a long-lived token of one user is not affected by what another does', async () => {
    const [ada, eve] = [await signUp(clerk), await signUp(clerk)]
    const { access_token } = await generate(ada)
    await generate(eve)
    await revoke(eve)
    expect(await works(access_token)).toBe(true)
  })

  test('a long-lived token leaves nothing but its hash in the table', async () => {
    const ada = await signUp(clerk)
    const { access_token } = await generate(ada)
    const rows = await rowsOf(ada)
    expect(rows).toHaveLength(1)
    expect(rows[0]?.token_hash).toHaveLength(32)
    expect(JSON.stringify(rows)).not.toContain(access_token.slice(5))
  })
})

describe('with the product’s texts', () => {
  test('no token is created for a new user when Clerk does not answer', async () => {
    const ada = await signUp(clerk)
    await server.api(getActiveExtensionToken, { token: ada.token })
    await clerk.knob('faults', { status: 500, count: 10, path_prefix: '/bapi/v1/users' })
    expect(await server.api(generateExtensionToken, { token: ada.token })).toMatchObject({
      status: 503,
      body: { error: 'Failed to generate long-lived token', code: 'token_generation_failed' },
    })
    expect(await rowsOf(ada)).toEqual([])
  })

  test('nothing is created or revoked when the database is unavailable', async () => {
    const ada = await signUp(clerk)
    const broken = await startTestServer({ databaseUrl: 'postgres://postgres@127.0.0.1:1/none', clerk })
    const made = await broken.api(generateExtensionToken, { token: ada.token })
    const revoked = await broken.api(revokeExtensionToken, { token: ada.token })
    await broken.close()
    expect(made).toMatchObject({ status: 503, body: { error: 'Failed to generate long-lived token' } })
    expect(revoked).toMatchObject({ status: 503, body: { error: 'Failed to revoke token' } })
  })
})
