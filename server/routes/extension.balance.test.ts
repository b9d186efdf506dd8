import { describe, expect, test } from 'vitest'
import { getExtensionBalance } from '../../schema/api/extension.ts'
import { buildEditor } from '../../tests/support/factories/editors.ts'
import { buildHold } from '../../tests/support/factories/holds.ts'
import { giveCredits, spendNow } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { database, server } = testProduct()

const editor = () => buildEditor(database)
const give = (owner_id: string, account: 'plan' | 'purchased', amount: number) =>
  giveCredits(database, owner_id, { [account]: amount })
const spend = (user_id: string, credits: number) => spendNow(database.server, user_id, credits)
const balance = (token: string, payer?: string) =>
  server.ask(getExtensionBalance, { token, ...(payer && { query: { payer } }) })
/** As `curl -H 'If-None-Match: …'` asks; fetch adds a Cache-Control, which must change nothing. */
async function revalidate(token: string, ifNoneMatch: string, payer = 'personal') {
  const headers = { authorization: `Bearer ${token}`, 'if-none-match': ifNoneMatch }
  const response = await fetch(`${server.url}${getExtensionBalance.path}?payer=${payer}`, { headers })
  return { status: response.status, etag: response.headers.get('etag') ?? '', text: await response.text() }
}

describe('the balance of a person', () => {
  test('the balance of a person is zero, and low, at first', async () => {
    const { token } = await editor()
    expect(await balance(token)).toEqual({
      payer: 'personal',
      available: 0,
      held: 0,
      plan: 0,
      purchased: 0,
      low: true,
      plan_type: 'starter',
      version: 0,
      as_of: expect.any(String),
      budget: null,
    })
  })

  test('the balance of a person is the sum of both accounts, with a version that grows', async () => {
    const { user_id, token } = await editor()
    await give(user_id, 'plan', 70)
    await give(user_id, 'purchased', 500)
    expect(await balance(token, 'personal')).toMatchObject({
      available: 570,
      plan: 70,
      purchased: 500,
      low: false,
      version: 2,
    })
    await spend(user_id, 100)
    expect(await balance(token)).toMatchObject({ available: 470, plan: 0, purchased: 470, version: 4 })
  })

  test.each([
    [100, false],
    [99, true],
  ])('the low flag of a balance of %i is %s', async (credits, low) => {
    const { user_id, token } = await editor()
    await give(user_id, 'purchased', credits)
    expect((await balance(token)).low).toBe(low)
  })

  test('a balance that was taken back while it was reserved is low', async () => {
    const { user_id, token } = await editor()
    await give(user_id, 'purchased', 200)
    await buildHold(database.server, user_id, { credits: 150 })
    expect(await balance(token)).toMatchObject({ available: 50, held: 150, low: false })
    await give(user_id, 'purchased', -200)
    expect(await balance(token)).toMatchObject({ available: 0, held: 150, low: true })
  })

  test('the balance of a person counts a debt on one account against the other, and nothing is available below zero', async () => {
    const { user_id, token } = await editor()
    await give(user_id, 'plan', 500)
    await give(user_id, 'purchased', -20)
    expect(await balance(token)).toMatchObject({ available: 480, plan: 500, purchased: -20, low: false })
    await give(user_id, 'purchased', -600)
    expect(await balance(token)).toMatchObject({ available: 0, plan: 500, purchased: -620, low: true })
  })
})

describe('an ETag', () => {
  test('an ETag is answered with an empty 304 until something changes', async () => {
    const { user_id, token } = await editor()
    await give(user_id, 'purchased', 500)
    const first = await revalidate(token, '"something-else"')
    expect(first.status).toBe(200)
    expect(await revalidate(token, first.etag)).toEqual({ status: 304, etag: first.etag, text: '' })
    await spend(user_id, 1)
    const moved = await revalidate(token, first.etag)
    expect(moved.status).toBe(200)
    expect(moved.etag).not.toBe(first.etag)
    expect(JSON.parse(moved.text)).toMatchObject({ available: 499 })
  })

  test('an ETag may be one of several, strong or weak, or `*`', async () => {
    const { token } = await editor()
    const { etag } = await revalidate(token, '')
    const strong = etag.replace('W/', '')
    for (const named of [`"a", ${etag}`, strong, `${strong}, "b"`, '*']) {
      expect([named, (await revalidate(token, named)).status]).toEqual([named, 304])
    }
    for (const named of [strong.replaceAll('"', ''), `${strong}x`, '""']) {
      expect([named, (await revalidate(token, named)).status]).toEqual([named, 200])
    }
  })

  test('an ETag changes with the plan, even without a ledger entry', async () => {
    const { user_id, token } = await editor()
    const { etag } = await revalidate(token, '')
    await database.change('users', { clerk_id: user_id }, { plan_type: 'pro' })
    const changed = await revalidate(token, etag)
    expect(JSON.parse(changed.text)).toMatchObject({ plan_type: 'pro', version: 0 })
  })

  test('an ETag changes with what is held', async () => {
    const { user_id, token } = await editor()
    await give(user_id, 'plan', 500)
    const { etag } = await revalidate(token, '')
    await buildHold(database.server, user_id, { credits: 75 })
    const held = await revalidate(token, etag)
    expect(JSON.parse(held.text)).toMatchObject({ available: 425, held: 75, plan: 500, version: 1 })
  })

  test('an ETag of one user does not match another’s balance of the same version', async () => {
    const [ada, eve] = [await editor(), await editor()]
    await give(ada.user_id, 'purchased', 500)
    await give(eve.user_id, 'purchased', 100)
    const { etag } = await revalidate(ada.token, '')
    expect((await revalidate(eve.token, etag)).status).toBe(200)
  })

  test('an ETag is for the editor only: caches in between must revalidate', async () => {
    const { token } = await editor()
    const { headers } = await server.api(getExtensionBalance, { token })
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('vary')?.toLowerCase()).toContain('authorization')
  })
})
