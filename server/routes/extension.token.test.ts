import { afterEach, describe, expect, test } from 'vitest'
import {
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  revokeExtensionToken,
} from '../../schema/api/extension.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock } = testProduct({ clerk: 'sandbox' })
afterEach(() => clock.reset())

const generate = ({ token }: Person) => server.ask(generateExtensionToken, { token })
const active = ({ token }: Person) => server.ask(getActiveExtensionToken, { token })
const revoke = ({ token }: Person) => server.ask(revokeExtensionToken, { token })
const works = async (token: string) => (await server.api(getExtensionBalance, { token })).status === 200
const rowsOf = ({ user_id }: Person) =>
  database.owner.selectFrom('extension_tokens').selectAll().where('user_id', '=', user_id).execute()

describe('a long-lived token', () => {
  test('a long-lived token is created, works for the extension’s calls of its user, and is shown as active', async () => {
    const ada = await signUp(clerk)
    const { access_token } = await generate(ada)
    expect(access_token).toMatch(/^tide_[\w-]{43}$/)
    expect(await active(ada)).toMatchObject({ hasActive: true, last_used_at: null })
    expect(await works(access_token)).toBe(true)
    expect((await active(ada)).last_used_at).not.toBeNull()
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
})
