import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { getExtensionBalance } from '../../schema/api/extension.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import { listTokens } from '../../schema/extension/tokens.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildEditor, buildMemberEditor, type Editor } from '../../tests/support/factories/editors.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { database, server } = testProduct({ clerk: 'trusting' })
booksEndRight(database)

const newOrganization = () => `org_${randomUUID().slice(0, 8)}`
const editor = (credits?: { plan?: number; purchased?: number }) => buildEditor(database, credits)
const member = (org: string, role?: 'admin' | 'member') => buildMemberEditor(database, org, role)
const report = (by: Editor, fields: object = {}, on = server) =>
  on.api(reportUsage, {
    token: by.token,
    body: { credits: 1, payer: 'personal', idempotency_key: randomUUID(), description: 'Chat', ...fields },
  })
const availableTo = async ({ token }: Editor, payer = 'personal') =>
  (await server.ask(getExtensionBalance, { token, query: { payer } })).available

describe('a report of usage', () => {
  test('a report of usage that is repeated is charged once and answered the same, even when nothing is left', async () => {
    const ada = await editor({ purchased: 5 })
    const usage = { credits: 5, idempotency_key: 'request-1' }
    const first = await report(ada, usage)
    const again = await report(ada, usage)
    expect(first).toMatchObject({ status: 200, body: { charged: 5, replayed: false } })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({ ...(first.body as object), replayed: true })
    expect(await availableTo(ada)).toBe(0)
  })

  test('a report of usage that was refused can be repeated with the same key once there are credits', async () => {
    const ada = await editor({ purchased: 1 })
    const usage = { credits: 5, idempotency_key: 'request-1' }
    expect((await report(ada, usage)).status).toBe(402)
    await giveCredits(database, ada.user_id, { purchased: 10 })
    expect(await report(ada, usage)).toMatchObject({ status: 200, body: { balance: { available: 6 } } })
  })

  test('a report of usage has a key per user and payer: the same key of another user or payer is another report', async () => {
    const org = newOrganization()
    await giveCredits(database, org, { plan: 100 })
    const [ada, eve] = [await member(org), await member(org)]
    await giveCredits(database, ada.user_id, { purchased: 10 })
    const usage = { credits: 2, idempotency_key: 'request-1' }
    for (const [by, payer] of [
      [ada, org],
      [eve, org],
      [ada, 'personal'],
    ] as const) {
      expect(await report(by, { ...usage, payer })).toMatchObject({ status: 200, body: { replayed: false } })
    }
    expect(await availableTo(ada, org)).toBe(96)
    expect(await availableTo(ada)).toBe(8)
  })
})

describe('a report with labels', () => {
  test('a report with labels keeps them and the token of its editor', async () => {
    const ada = await editor({ purchased: 5 })
    await report(ada, { model: ' sonnet 🚀 ', project: 'm'.repeat(64), run: 'größer' })
    const [token] = await listTokens(database.owner, { user_id: ada.user_id, limit: 1 })
    const kept = await database.server
      .selectFrom('ledger_transfers')
      .select(['token_id', 'model', 'project', 'run'])
      .where('actor', '=', ada.user_id)
      .where('kind', '=', 'usage')
      .execute()
    expect(kept).toEqual([
      { token_id: token?.id, model: 'sonnet 🚀', project: 'm'.repeat(64), run: 'größer' },
    ])
  })

  test('a report that is repeated with other labels is the same report', async () => {
    const ada = await editor({ purchased: 5 })
    await report(ada, { idempotency_key: 'one', model: 'a' })
    expect(await report(ada, { idempotency_key: 'one', model: 'b' })).toMatchObject({
      status: 200,
      body: { charged: 1, replayed: true },
    })
  })
})

describe('a report of a failure', () => {
  const failed = { credits: 0, outcome: 'failed', reason: 'provider_error', idempotency_key: 'request-1' }

  test('a report of a failure costs nothing, also when nothing is left, and is counted', async () => {
    const ada = await editor()
    const { status, body } = await report(ada, { ...failed, model: 'sonnet' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ charged: 0, replayed: false, balance: { available: 0 } })
    const failures = await database.server
      .selectFrom('ledger_failures')
      .select(['failure', 'model', 'reason'])
      .where('owner_id', '=', ada.user_id)
      .execute()
    expect(failures).toEqual([{ failure: 'provider_error', model: 'sonnet', reason: 'Chat' }])
  })

  test('a report of a failure takes its key: the same key with credits is a 409, and the other way round', async () => {
    const ada = await editor({ purchased: 5 })
    await report(ada, failed)
    await report(ada, { idempotency_key: 'request-2' })
    for (const usage of [{ idempotency_key: 'request-1' }, { ...failed, idempotency_key: 'request-2' }]) {
      expect(await report(ada, usage)).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
    }
    expect(await availableTo(ada)).toBe(4)
  })
})

describe('a report for an organization', () => {
  test('a report for an organization does not fall back on the person when the organization has too little', async () => {
    const org = newOrganization()
    const ada = await member(org)
    await giveCredits(database, ada.user_id, { purchased: 100 })
    expect((await report(ada, { payer: org })).status).toBe(402)
    expect(await availableTo(ada)).toBe(100)
  })
})

describe('a refusal of a report says which payer lacks what, and where to buy', () => {
  test('a person whose debt is larger than the rest of the balance is told what they lack', async () => {
    const ada = await editor({ plan: 15, purchased: -20 })
    expect(await report(ada)).toMatchObject({
      status: 402,
      body: {
        error: expect.stringContaining('There is a debt of 5 credits on your personal balance'),
        required: 1,
        available: 0,
        plan: 15,
        purchased: -20,
        debt: 5,
      },
    })
  })

  test.each([
    ['admin', 'Please buy more credits.'],
    ['member', 'Please ask an administrator of your organization to buy more credits.'],
  ] as const)(
    'a member of an organization with too few credits is told so as its %s',
    async (role, remedy) => {
      const org = newOrganization()
      const { status, body } = await report(await member(org, role), { payer: org })
      expect(status).toBe(402)
      expect(body).toMatchObject({
        error: `Not enough credits. This takes 1 credit, and the balance of your organization has 0. ${remedy}`,
        payer: org,
        available: 0,
        buy_url: `http://localhost:3000/organizations?tab=billing&payer=${org}`,
      })
    },
  )
})

describe('an invalid report is refused, names the field and charges nothing', () => {
  test.each([
    ['a NUL in the description', { description: 'one\0two' }, 'description'],
    ['an escape in the description', { description: '\u001b[31mred' }, 'description'],
    ['a description that turns its direction', { description: 'safe\u202etxt' }, 'description'],
    ['half a character', { description: 'a\ud800' }, 'description'],
    ['a description of which nothing is seen', { description: '\u3164' }, 'description'],
    ['a model of which nothing is seen', { model: '\u200b\u{e0001}' }, 'model'],
    ['zero credits that completed', { credits: 0, outcome: 'completed' }, 'credits'],
    ['a failure that costs something', { credits: 1, outcome: 'failed', reason: 'timeout' }, 'credits'],
    ['a failure without a reason', { credits: 0, outcome: 'failed' }, 'reason'],
    ['a reason without a failure', { reason: 'timeout' }, 'reason'],
  ])('a report with %s is refused, names the field and charges nothing', async (_, fields, path) => {
    const ada = await editor({ purchased: 20_000 })
    expect(await report(ada, fields)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', fields: [{ path }] },
    })
    expect(await availableTo(ada)).toBe(20_000)
  })

  test.each([1, 10_000])(
    'a report of %i credits with a key of 100 characters is accepted',
    async (credits) => {
      const ada = await editor({ purchased: 10_000 })
      expect((await report(ada, { credits, idempotency_key: '~'.repeat(100) })).status).toBe(200)
    },
  )
})
