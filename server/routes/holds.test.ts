import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { getExtensionBalance } from '../../schema/api/extension.ts'
import { extendHold, getHold, releaseHold, reserveCredits, settleHold } from '../../schema/api/holds.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildEditor, buildMemberEditor, type Editor } from '../../tests/support/factories/editors.ts'
import { buildSignedInEditor } from '../../tests/support/factories/extension-tokens.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { database, server, clock } = testProduct({ clerk: 'trusting' })
beforeEach(() => clock.reset())
booksEndRight(database)

const minute = 60_000
const newOrganization = () => `org_${randomUUID().slice(0, 8)}`
const editor = (credits?: { plan?: number; purchased?: number }) => buildEditor(database, credits)
const member = (org: string, role?: 'admin' | 'member') => buildMemberEditor(database, org, role)
async function organization(credits: { plan?: number; purchased?: number }): Promise<string> {
  const org = newOrganization()
  await giveCredits(database, org, credits)
  return org
}
const endSeatsOf = (org: string) =>
  database.worker.updateTable('seats').set({ status: 'revoked' }).where('organization_id', '=', org).execute()

const reserve = ({ token }: Editor, fields: object = {}) =>
  server.api(reserveCredits, { token, body: { credits: 75, idempotency_key: randomUUID(), ...fields } })
async function reserved(by: Editor, fields: object = {}): Promise<string> {
  const body = { credits: 75, idempotency_key: randomUUID(), ...fields }
  return (await server.ask(reserveCredits, { token: by.token, body })).hold.id
}
const settle = ({ token }: Editor, id: string, credits: number, fields: object = {}) =>
  server.api(settleHold, { token, params: { id }, body: { credits, ...fields } })
const extend = ({ token }: Editor, id: string, expires_in: unknown = 15) =>
  server.api(extendHold, { token, params: { id }, body: { expires_in } })
const release = ({ token }: Editor, id: string) => server.api(releaseHold, { token, params: { id } })
const read = ({ token }: Editor, id: string) => server.api(getHold, { token, params: { id } })
const use = ({ token }: Editor, credits: number, fields: object = {}) =>
  server.api(reportUsage, { token, body: { credits, idempotency_key: randomUUID(), ...fields } })
const balanceOf = ({ token }: Editor, payer = 'personal') =>
  server.ask(getExtensionBalance, { token, query: { payer } })

describe('a reservation', () => {
  test('a reservation holds credits for fifteen minutes, and charges nothing', async () => {
    const ada = await editor({ plan: 300, purchased: 200 })
    const before = clock.now().getTime()
    const { status, body } = await reserve(ada)
    expect(status).toBe(200)
    expect(body).toMatchObject({ balance: { available: 425, held: 75, plan: 300, purchased: 200 } })
    const { hold } = body as { hold: { id: string; expires_at: string } }
    const lasts = new Date(hold.expires_at).getTime() - before
    expect(lasts).toBeGreaterThanOrEqual(15 * minute)
    expect(lasts).toBeLessThan(16 * minute)
    expect((await read(ada, hold.id)).body).toEqual({ success: true, hold })
  })

  test('a reservation whose answer was lost is answered the same, and reserves once', async () => {
    const ada = await editor({ purchased: 100 })
    const first = await reserve(ada, { idempotency_key: 'request-1' })
    const again = await reserve(ada, { idempotency_key: 'request-1' })
    expect(again.body).toEqual({ ...(first.body as object), replayed: true })
    const { hold } = first.body as { hold: { id: string } }
    await settle(ada, hold.id, 60)
    expect(await reserve(ada, { idempotency_key: 'request-1' })).toMatchObject({
      status: 200,
      body: { hold: { id: hold.id, state: 'settled' }, replayed: true, balance: { held: 0, available: 40 } },
    })
  })

  test('a reservation with a key that was used for another one is a 409', async () => {
    const ada = await editor({ purchased: 100 })
    await reserve(ada, { idempotency_key: 'request-1' })
    for (const fields of [{ credits: 76 }, { at_least: 75 }]) {
      expect(await reserve(ada, { idempotency_key: 'request-1', ...fields })).toMatchObject({
        status: 409,
        body: {
          code: 'idempotency_conflict',
          error: 'This idempotency_key was used before for a different request',
          fields: [{ path: 'idempotency_key' }],
        },
      })
    }
    expect(await balanceOf(ada)).toMatchObject({ held: 75 })
  })

  test('a reservation and a report of usage may have the same key', async () => {
    const ada = await editor({ purchased: 100 })
    await reserve(ada, { idempotency_key: 'request-1' })
    expect(await use(ada, 25, { idempotency_key: 'request-1' })).toMatchObject({
      status: 200,
      body: { charged: 25, replayed: false, balance: { available: 0, held: 75 } },
    })
  })

  test('a reservation keeps its labels and the token of its editor for the usage', async () => {
    const ada = await editor({ purchased: 100 })
    const labels = { model: 'sonnet 🚀', project: 'größer', run: 'r'.repeat(64) }
    await settle(ada, await reserved(ada, { ...labels, description: 'Chat: explain' }), 5)
    const usage = await database.server
      .selectFrom('ledger_transfers')
      .select(['model', 'project', 'run', 'reason', 'token_id'])
      .where('actor', '=', ada.user_id)
      .where('kind', '=', 'usage')
      .execute()
    expect(usage).toEqual([{ ...labels, reason: 'Chat: explain', token_id: expect.any(String) }])
  })

  test('the fifty-first open hold of a person and payer is a 429, until one ends', async () => {
    const ada = await editor({ purchased: 1000 })
    const ids = await Promise.all(Array.from({ length: 50 }, () => reserved(ada, { credits: 1 })))
    const refused = await reserve(ada, { credits: 1 })
    expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_holds' } })
    expect(refused.headers.get('retry-after')).toBe('60')
    await release(ada, ids[0] ?? '')
    expect((await reserve(ada, { credits: 1 })).status).toBe(200)
  })
})

describe('a refusal beside holds', () => {
  test('a refusal for which the held credits would be enough says when to ask again', async () => {
    const ada = await editor({ purchased: 100 })
    await reserve(ada)
    const refused = await use(ada, 26)
    const text =
      'Not enough credits. This takes 26 credits, and your personal balance has 25 available and 75 reserved. ' +
      'Please try again when other requests have finished.'
    expect(refused.status).toBe(402)
    expect(refused.headers.get('retry-after')).toBe('60')
    const said = { error: text, code: 'credits_held', required: 26, available: 25, held: 75 }
    expect(refused.body).toMatchObject(said)
    clock.advance(14 * minute + 20_000)
    const later = await use(ada, 26)
    expect(Number(later.headers.get('retry-after'))).toBeGreaterThan(1)
    expect(Number(later.headers.get('retry-after'))).toBeLessThanOrEqual(40)
    clock.advance(minute)
    expect(await use(ada, 26)).toMatchObject({ status: 200, body: { balance: { held: 0, available: 74 } } })
  })

  test('a refusal for which the held credits would not be enough says to buy more', async () => {
    const ada = await editor({ purchased: 100 })
    await reserve(ada)
    const refused = await reserve(ada, { credits: 101 })
    expect(refused.headers.get('retry-after')).toBeNull()
    expect(refused).toMatchObject({
      status: 402,
      body: {
        code: 'insufficient_credits',
        error: expect.stringContaining('has 25 available and 75 reserved. Please buy more credits.'),
        available: 25,
        held: 75,
      },
    })
  })
})

describe('a settlement', () => {
  test('a settlement whose answer was lost is answered the same, and one of another number is a 409', async () => {
    const ada = await editor({ purchased: 100 })
    const id = await reserved(ada)
    const first = await settle(ada, id, 60)
    expect((await settle(ada, id, 60)).body).toEqual({ ...(first.body as object), replayed: true })
    for (const credits of [0, 61]) {
      expect(await settle(ada, id, credits)).toMatchObject({ status: 409, body: { code: 'hold_settled' } })
    }
    expect(await release(ada, id)).toMatchObject({ status: 409, body: { code: 'hold_settled' } })
    expect(await extend(ada, id)).toMatchObject({ status: 409, body: { code: 'hold_settled' } })
    expect(await balanceOf(ada)).toMatchObject({ available: 40, held: 0 })
  })

  test('twenty settlements of one hold at once charge once', async () => {
    const ada = await editor({ purchased: 100 })
    const id = await reserved(ada)
    const answers = await Promise.all(Array.from({ length: 20 }, () => settle(ada, id, 60)))
    expect(answers.filter(({ body }) => (body as { replayed: boolean }).replayed === false)).toHaveLength(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await balanceOf(ada)).toMatchObject({ available: 40, held: 0 })
  })

  test('a settlement after a release is a 409', async () => {
    const ada = await editor({ purchased: 100 })
    const id = await reserved(ada)
    expect(await release(ada, id)).toMatchObject({
      status: 200,
      body: { success: true, released: 75, replayed: false, balance: { available: 100, held: 0 } },
    })
    expect(await release(ada, id)).toMatchObject({ status: 200, body: { released: 75, replayed: true } })
    expect(await settle(ada, id, 5)).toMatchObject({ status: 409, body: { code: 'hold_released' } })
    expect(await extend(ada, id)).toMatchObject({ status: 409, body: { code: 'hold_released' } })
    expect(await balanceOf(ada)).toMatchObject({ available: 100, held: 0 })
  })

  test('a hold that has expired is settled late once, from what is available', async () => {
    const ada = await editor({ purchased: 100 })
    const id = await reserved(ada)
    clock.advance(15 * minute)
    expect(await read(ada, id)).toMatchObject({ body: { hold: { state: 'expired' } } })
    expect(await extend(ada, id)).toMatchObject({ status: 409, body: { code: 'hold_expired' } })
    expect(await release(ada, id)).toMatchObject({ status: 409, body: { code: 'hold_expired' } })
    await use(ada, 90)
    const late = { charged: 10, released: 65, uncollected: 65, late: true }
    expect(await settle(ada, id, 75)).toMatchObject({ status: 200, body: { ...late, replayed: false } })
    expect(await settle(ada, id, 75)).toMatchObject({ status: 200, body: { ...late, replayed: true } })
    expect(await settle(ada, id, 10)).toMatchObject({ status: 409, body: { code: 'hold_settled' } })
    expect(await read(ada, id)).toMatchObject({ body: { hold: { state: 'settled_late' } } })
  })
})

describe('a hold belongs to a person', () => {
  test('two editors of one person each settle, extend and read what the other has reserved', async () => {
    const ada = await editor({ purchased: 200 })
    const issued = await buildSignedInEditor(database.server, {
      user_id: ada.user_id,
      scheme: 'cursor',
      editor_name: 'Cursor',
    })
    const other = { ...ada, token: issued?.access_token ?? '' }
    const [mine, theirs] = [await reserved(ada), await reserved(other)]
    expect((await extend(other, mine)).status).toBe(200)
    expect((await read(ada, theirs)).status).toBe(200)
    expect(await settle(other, mine, 60)).toMatchObject({ status: 200, body: { charged: 60 } })
    expect(await settle(ada, theirs, 60)).toMatchObject({ status: 200, body: { charged: 60 } })
    expect(await settle(other, theirs, 60)).toMatchObject({ body: { replayed: true } })
  })

  test('a hold of another person is a 404 on every call, like one that does not exist', async () => {
    const org = await organization({ plan: 500 })
    const [ada, eve, admin] = [await member(org), await member(org), await member(org, 'admin')]
    for (const id of [await reserved(ada, { payer: org }), randomUUID()]) {
      for (const by of [eve, admin]) {
        for (const answer of [
          await read(by, id),
          await extend(by, id),
          await settle(by, id, 5),
          await release(by, id),
        ]) {
          expect(answer).toMatchObject({ status: 404, body: { code: 'hold_not_found' } })
        }
      }
    }
    expect(await balanceOf(ada, org)).toMatchObject({ held: 75, available: 425 })
  })

  test('a member who loses the seat settles, releases and reads, and neither reserves nor extends', async () => {
    const org = await organization({ plan: 500 })
    const ada = await member(org)
    const [first, second] = [await reserved(ada, { payer: org }), await reserved(ada, { payer: org })]
    await endSeatsOf(org)
    for (const answer of [await reserve(ada, { payer: org }), await extend(ada, first)]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'payer_not_found' } })
    }
    expect((await read(ada, first)).status).toBe(200)
    expect(await settle(ada, first, 60)).toMatchObject({
      status: 200,
      body: { charged: 60, balance: { payer: org, available: 365, held: 75 } },
    })
    expect(await release(ada, second)).toMatchObject({
      status: 200,
      body: { released: 75, balance: { payer: org, available: 440, held: 0 } },
    })
  })

  test.each([
    { what: 'above what was reserved', late_min: 0, credits: 500, charged: 75 },
    { what: 'late', late_min: 20, credits: 60, charged: 0 },
    { what: 'late and above what was reserved', late_min: 20, credits: 5000, charged: 0 },
  ])('a member who has lost the seat takes no more of the pool by settling $what', async (given) => {
    const org = await organization({ plan: 500 })
    const ada = await member(org)
    const id = await reserved(ada, { payer: org })
    await endSeatsOf(org)
    clock.advance(given.late_min * minute)
    const answer = { charged: given.charged, uncollected: given.credits - given.charged }
    expect(await settle(ada, id, given.credits)).toMatchObject({ status: 200, body: answer })
    const body = { ...answer, balance: { available: 500 - given.charged, held: 0 } }
    expect(await settle(ada, id, given.credits)).toMatchObject({ status: 200, body })
  })
})

test('a call about a hold is logged and counted by its path, without the id', async () => {
  const ada = await editor({ purchased: 100 })
  await release(ada, await reserved(ada))
  expect(server.logs.filter(({ user_id }) => user_id === ada.user_id)).toContainEqual(
    expect.objectContaining({ route: releaseHold.path, status: 200 }),
  )
})

describe('an invalid call about a hold is refused and names the field', () => {
  test.each([
    ['more that is enough than is asked for', { at_least: 76 }, 'at_least'],
    ['an outcome', { outcome: 'failed' }, 'outcome'],
  ])('a reservation with %s is refused', async (_, fields, path) => {
    const ada = await editor({ purchased: 20_000 })
    expect(await reserve(ada, fields)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', fields: [{ path }] },
    })
    expect(await balanceOf(ada)).toMatchObject({ held: 0 })
  })

  test.each([
    ['a failure that costs something', { credits: 1, outcome: 'failed', reason: 'timeout' }, 'credits'],
    ['a payer', { credits: 1, payer: 'personal' }, 'payer'],
  ])('a settlement with %s is refused', async (_, body, path) => {
    const ada = await editor({ purchased: 100 })
    const id = await reserved(ada)
    expect(await server.api(settleHold, { token: ada.token, params: { id }, body })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', fields: [{ path }] },
    })
    expect(await read(ada, id)).toMatchObject({ body: { hold: { state: 'open' } } })
  })
})
