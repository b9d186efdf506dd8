import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { addressOf } from '../../schema/api/endpoint.ts'
import { type Cause, describeCause, explainBalance } from '../../schema/api/explanation.ts'
import { getExtensionBalance } from '../../schema/api/extension.ts'
import { extendHold, getHold, releaseHold, reserveCredits, settleHold } from '../../schema/api/holds.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import { listOperatorKeys, revokeOperatorKeys } from '../../schema/extension/operator-keys.ts'
import { createToken, operatorKeyPrefix } from '../../schema/extension/secrets.ts'
import { revokeTokens } from '../../schema/extension/tokens.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildEditor, buildMemberEditor } from '../../tests/support/factories/editors.ts'
import { buildOperatorKey } from '../../tests/support/factories/operator-keys.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { applyProfile } from '../../worker/events/clerk/apply-profile.ts'
import { createRateLimits } from '../rate-limits.ts'
import { routes } from '../routes.ts'

const { database, server, startServer } = testProduct({
  clerk: 'trusting',
  server: { settings: { metered_by: 'gateway' } },
})
booksEndRight(database)

const gateway = madeOnce(() => buildOperatorKey(database))
const other = madeOnce(() => buildOperatorKey(database, 'other'))
/** Its editors meter themselves: what an editor may do there, it may do to a gateway's hold. */
const open = madeOnce(() => startServer({ settings: { metered_by: 'editor' } }))
const person = (purchased = 500) => buildEditor(database, { purchased })
const newOrganization = () => `org_${randomUUID().slice(0, 8)}`

const asked = (on_behalf_of: unknown, fields: object = {}) => ({
  credits: 75,
  idempotency_key: randomUUID(),
  on_behalf_of,
  ...fields,
})
const reserve = (on_behalf_of: unknown, fields: object = {}, token = gateway.key) =>
  server.api(reserveCredits, { token, body: asked(on_behalf_of, fields) })
const use = (on_behalf_of: unknown, fields: object = {}, token = gateway.key) =>
  server.api(reportUsage, { token, body: asked(on_behalf_of, fields) })
async function reserved(on_behalf_of: unknown, fields: object = {}, token = gateway.key): Promise<string> {
  const { status, body } = await reserve(on_behalf_of, fields, token)
  expect(status, JSON.stringify(body)).toBe(200)
  return (body as { hold: { id: string } }).hold.id
}
const settle = (id: string, credits: number, token = gateway.key) =>
  server.api(settleHold, { token, params: { id }, body: { credits } })
const unknownModel = { status: 422, body: { code: 'unknown_model' } }
/** As the history shows it. */
const format = { day: String, credits: String, money: String }
const balanceOf = (token: string) => server.ask(getExtensionBalance, { token })
const transfersOf = (owner_id: string) => database.rows('ledger_transfers', { owner_id, kind: 'usage' })

describe('with an operator key', () => {
  test('a service reserves and settles for the person of a token, whose editor pays and whose transfer names the key', async () => {
    const { token, user_id } = await person()
    const id = await reserved({ token }, { model: 'large' })
    expect(await balanceOf(token)).toMatchObject({ available: 425, held: 75 })
    expect((await settle(id, 60)).body).toMatchObject({
      charged: 60,
      released: 15,
      balance: { available: 440 },
    })
    expect((await use({ token }, { credits: 5 })).body).toMatchObject({
      charged: 5,
      balance: { payer: 'personal' },
    })
    expect(await transfersOf(user_id)).toMatchObject([
      { actor: user_id, operator_key_id: gateway.id, token_id: expect.any(String), model: 'large' },
      { actor: user_id, operator_key_id: gateway.id, token_id: expect.any(String) },
    ])
    expect(
      (await listOperatorKeys(database.server)).find(({ id }) => id === gateway.id)?.last_used_at,
    ).not.toBeNull()
  })

  const large = { credits: undefined, model: 'sample-large' }

  test('a request is reserved and settled by its tokens, and the history shows what it cost exactly', async () => {
    const { token, user_id } = await person()
    // 6 x 0.02 + 190 x 0.1 = 19.12 credits; 6 x 0.02 + 119 x 0.1 = 12.02.
    const id = await reserved({ token }, { ...large, tokens: { input: 6, output: 190 } })
    expect(await balanceOf(token)).toMatchObject({ available: 480, held: 20 })
    const cost = { tokens: { input: 6, output: 119 } }
    for (const replayed of [false, true]) {
      const { body } = await server.api(settleHold, { token: gateway.key, params: { id }, body: cost })
      expect(body).toMatchObject({ charged: 12, released: 8, uncollected: 0, replayed })
    }
    // With the rest of 0.02: 0.52, then 9.52, then 1.02.
    for (const [output, charged] of [
      [5, 0],
      [90, 9],
      [5, 1],
    ] as const)
      expect((await use({ token }, { ...large, tokens: { output } })).body).toMatchObject({ charged })
    const { data } = await server.ask(explainBalance, { token: user_id, query: { limit: '4' } })
    expect(data.items.map(({ change, cause }) => [change.total, cause.cost_thousandths])).toEqual([
      [-1, 500],
      [-9, 9_000],
      [0, 500],
      [-12, 12_020],
    ])
    expect(describeCause(data.items[2]?.cause as Cause, format, '').why).toBe(
      'Used in an editor · costs exactly 0.5 credits · sample-large',
    )
  })

  test('the prices of the moment at which a hold was opened count when it is settled', async () => {
    const { token } = await person()
    const id = await reserved({ token }, { model: 'sample-large', credits: 50 })
    await database.owner
      .updateTable('ledger_holds')
      .set({ rates: JSON.stringify({ input: 0, output: 200_000, cache_read: 0, cache_write: 0 }) })
      .where('id', '=', id)
      .execute()
    const body = { tokens: { input: 1_000, output: 119 } }
    expect((await server.api(settleHold, { token: gateway.key, params: { id }, body })).body).toMatchObject({
      charged: 23,
    })
  })

  test('tokens without a price are refused, and cost nothing', async () => {
    const { token } = await person()
    const tokens = { output: 10 }
    for (const model of ['unknown', undefined, 'toString']) {
      expect(await use({ token }, { ...large, model, tokens })).toMatchObject(unknownModel)
      expect(await reserve({ token }, { ...large, model, tokens })).toMatchObject(unknownModel)
    }
    const id = await reserved({ token })
    const settled = await server.api(settleHold, { token: gateway.key, params: { id }, body: { tokens } })
    expect(settled).toMatchObject(unknownModel)
    expect(await balanceOf(token)).toMatchObject({ available: 425, held: 75 })
  })

  test('tokens that cost more than is there are refused with what they cost, and no hold is waited for', async () => {
    const refused = await use({ token: (await person(10)).token }, { ...large, tokens: { output: 500 } })
    expect(refused).toMatchObject({ status: 402, body: { code: 'insufficient_credits', required: 50 } })
  })

  test.each([
    ['credits and tokens together', { credits: 1, tokens: { output: 1 } }],
    ['neither credits nor tokens', {}],
    ['tokens of no sort', { tokens: {} }],
    ['fewer than no tokens', { tokens: { output: -1 } }],
    ['a sort of tokens that has no price', { tokens: { thought: 1 } }],
    ['tokens for more credits than one call may spend', { tokens: { output: 100_001 } }],
    ['tokens of a request that failed', { tokens: { output: 1 }, outcome: 'failed', reason: 'timeout' }],
  ])('%s are refused', async (_, fields) => {
    const { token } = await person()
    const { status, body } = await use({ token }, { ...large, ...fields })
    expect([status, body]).toMatchObject([400, { code: 'invalid_request' }])
  })

  test('an editor that meters itself knows no prices, and reports credits', async () => {
    const { token } = await person()
    const body = { idempotency_key: 'a', model: 'sample-large', tokens: { output: 10 } }
    expect((await open.api(reportUsage, { token, body })).status).toBe(400)
  })

  test('a service names a person and a payer in place of a token', async () => {
    const org = newOrganization()
    await giveCredits(database, org, { purchased: 100 })
    const { user_id } = await buildMemberEditor(database, org)
    expect((await use({ user_id, payer: org })).body).toMatchObject({
      charged: 75,
      balance: { payer: org, available: 25 },
    })
    expect(await transfersOf(org)).toMatchObject([
      { actor: user_id, operator_key_id: gateway.id, token_id: null },
    ])
  })

  test.for<[number, string, () => unknown, object?]>([
    [400, 'invalid_request', () => undefined],
    [400, 'invalid_request', () => ({})],
    [400, 'invalid_request', () => ({ user_id: 'user_a' })],
    [
      400,
      'invalid_request',
      async () => ({ user_id: (await person()).user_id, payer: 'personal' }),
      { payer: 'org_other' },
    ],
    [401, 'invalid_user_token', () => ({ token: createToken() })],
    [401, 'invalid_user_token', () => ({ token: gateway.key })],
    [401, 'invalid_user_token', () => ({ token: '' })],
    [404, 'user_not_found', () => ({ user_id: 'user_nobody', payer: 'personal' })],
    [404, 'payer_not_found', async () => ({ token: (await person()).token }), { payer: 'org_other' }],
    [404, 'payer_not_found', async () => ({ user_id: (await person()).user_id, payer: 'org_other' })],
  ])(
    'a service is answered %i %s when it may not spend for whom it names',
    async ([status, code, who, fields = {}]) => {
      const on_behalf_of = await who()
      expect(await reserve(on_behalf_of, fields)).toMatchObject({ status, body: { code } })
      expect(await use(on_behalf_of, fields)).toMatchObject({ status, body: { code } })
    },
  )

  test('a token that was revoked, and a person who was deleted, are not spent for', async () => {
    const [gone, deleted] = [await person(), await person()]
    await revokeTokens(database.server, { user_id: gone.user_id, now: new Date() })
    await database.worker.insertInto('deleted_owners').values({ owner_id: deleted.user_id }).execute()
    expect(await use({ token: gone.token })).toMatchObject({
      status: 401,
      body: { code: 'invalid_user_token' },
    })
    expect(await use({ user_id: deleted.user_id, payer: 'personal' })).toMatchObject({ status: 404 })
  })

  test('a person whom Clerk has banned is not spent for, until the ban is lifted', async () => {
    const { user_id } = await person()
    const since = Date.now() + 1000
    const statusAfter = async (is_banned: boolean, later_ms: number) => {
      const profile_updated_at = new Date(since + later_ms)
      const profile = { clerk_id: user_id, email: '', first_name: null, last_name: null, profile_updated_at }
      await database.worker
        .transaction()
        .execute((trx) => applyProfile(trx, { profile, is_banned, reason: null }, new Date()))
      return (await use({ user_id, payer: 'personal' })).status
    }
    expect(await statusAfter(true, 1)).toBe(404)
    // An older event that comes late lifts nothing.
    expect(await statusAfter(false, 0)).toBe(404)
    expect(await statusAfter(false, 2)).toBe(200)
  })

  test('an operator key is refused where nothing is metered, and a key that was never made everywhere', async () => {
    expect(await server.api(getExtensionBalance, { token: gateway.key })).toMatchObject({ status: 401 })
    const unknown = createToken(operatorKeyPrefix)
    expect(await use({ token: (await person()).token }, {}, unknown)).toMatchObject({
      status: 401,
      body: { code: 'invalid_operator_key' },
    })
  })
})

describe('a hold of an operator key', () => {
  const changes = [extendHold, settleHold, releaseHold, getHold] as const
  const bodies = new Map<unknown, object>([
    [extendHold, { expires_in: 15 }],
    [settleHold, { credits: 0, outcome: 'failed', reason: 'cancelled' }],
  ])

  test('only the key that opened a hold can read, extend, settle or release it', async () => {
    const { token, user_id } = await person()
    const id = await reserved({ token })
    for (const endpoint of changes) {
      const body = bodies.get(endpoint)
      const request = { params: { id }, ...(body && { body }) }
      for (const [by, at] of [
        [token, open],
        [other.key, server],
        [other.key, open],
      ] as const) {
        expect(await at.api(endpoint, { ...request, token: by })).toMatchObject({
          status: 404,
          body: { code: 'hold_not_found' },
        })
      }
    }
    // Nor does a request to the ledger itself, in the person's name.
    const mine = { owner_id: user_id, actor: user_id, occurred_at: new Date(), hold_id: id }
    expect(await server.deps.editorCalls.spend({ ...mine, action: 'release' })).toMatchObject({
      outcome: 'not_found',
    })
    expect((await settle(id, 75)).status).toBe(200)
  })

  test('a hold that an editor opened for itself is no operator key’s', async () => {
    const { token } = await person()
    const { hold } = await open.ask(reserveCredits, { token, body: { credits: 10, idempotency_key: 'own' } })
    expect(await settle(hold.id, 10)).toMatchObject({ status: 404 })
    expect(await open.api(releaseHold, { token, params: { id: hold.id } })).toMatchObject({ status: 200 })
  })

  test('a hold is settled after its person has signed out, and extended only while they have a seat', async () => {
    const org = newOrganization()
    await giveCredits(database, org, { purchased: 100 })
    const { token, user_id } = await buildMemberEditor(database, org)
    const id = await reserved({ token }, { payer: org })
    await revokeTokens(database.server, { user_id, now: new Date() })
    server.deps.editorTokens.forgetAll()
    const extended = () =>
      server.api(extendHold, { token: gateway.key, params: { id }, body: { expires_in: 30 } })
    expect((await extended()).status).toBe(200)
    await database.change('seats', { organization_id: org }, { status: 'revoked' })
    expect(await extended()).toMatchObject({ status: 404, body: { code: 'payer_not_found' } })
    // Up to what was reserved; what is above needs the seat.
    expect((await settle(id, 80)).body).toMatchObject({ charged: 75, uncollected: 5 })
    expect((await settle(id, 80)).body).toMatchObject({ charged: 75, replayed: true })
    expect(await settle(id, 1)).toMatchObject({ status: 409, body: { code: 'hold_settled' } })
  })

  test('a key that is revoked in the middle of a hold settles nothing after five seconds, and the hold expires', async () => {
    const { token } = await person()
    const doomed = await buildOperatorKey(database)
    const id = await reserved({ token }, {}, doomed.key)
    await revokeOperatorKeys(database.owner, { id: doomed.id, actor: 'cli:test', now: new Date() })
    // Another server has not seen the key before.
    expect(
      await open.api(settleHold, { token: doomed.key, params: { id }, body: { credits: 1 } }),
    ).toMatchObject({
      status: 401,
      body: { code: 'invalid_operator_key' },
    })
    server.deps.operatorKeys.forgetAll()
    expect(await settle(id, 1, doomed.key)).toMatchObject({ status: 401 })
    expect(await settle(id, 1)).toMatchObject({ status: 404 })
    expect(await balanceOf(token)).toMatchObject({ held: 75 })
  })

  test('an idempotency key counts once for all keys of the operator, and never gives away another key’s hold', async () => {
    const { token } = await person()
    const same = { idempotency_key: 'request-1' }
    const id = await reserved({ token }, same)
    expect(await reserved({ token }, same)).toBe(id)
    expect(await reserve({ token }, same, other.key)).toMatchObject({ status: 409 })
    const spent = { ...same, idempotency_key: 'request-2' }
    expect((await use({ token }, spent)).body).toMatchObject({ replayed: false })
    expect((await use({ token }, spent, other.key)).body).toMatchObject({ charged: 75, replayed: true })
    // What the person's own editor has used before is no answer to the gateway.
    await open.ask(reportUsage, { token, body: { credits: 1, idempotency_key: 'request-3' } })
    expect((await use({ token }, { idempotency_key: 'request-3' })).body).toMatchObject({
      charged: 75,
      replayed: false,
    })
  })
})

describe('limits', () => {
  test('an operator key has a budget of its own, and each person theirs', async () => {
    const limits = createRateLimits({ perMinute: { operator: 4, extension: 2 } })
    await using strict = await startServer({ settings: { metered_by: 'gateway' }, deps: { limits } })
    const [ada, eve] = [await person(), await person()]
    const call = (token: string) =>
      strict.api(reportUsage, { token: gateway.key, body: asked({ token }, { credits: 1 }) })
    const answers = [
      await call(ada.token),
      await call(ada.token),
      await call(ada.token),
      await call(eve.token),
      await call(eve.token),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 200, 429])
    expect(answers[3]?.headers.get('ratelimit-policy')).toBe('"operator";q=4;w=60')
  })
})

describe('where the gateway meters', () => {
  test('an editor’s token is accepted to read and to choose who pays, and by no call that meters', async () => {
    const accepted: string[] = []
    for (const route of routes.filter(({ endpoint }) => endpoint && endpoint.auth !== 'public')) {
      // A token of its own: one of the calls ends it.
      const { token } = await person()
      const address = `${server.url}${addressOf(route, { id: randomUUID() })}`
      const answer = await fetch(address, {
        method: route.method,
        headers: { authorization: `Bearer ${token}` },
      })
      const { code } = (await answer.json()) as { code?: string }
      if (route.endpoint?.meters) expect([route.path, code]).toEqual([route.path, 'metered_by_gateway'])
      if (answer.status !== 401 && answer.status !== 404 && code !== 'metered_by_gateway')
        accepted.push(`${route.method} ${route.path}`)
    }
    expect(accepted.toSorted()).toEqual([
      'GET /api/extension/balance',
      'GET /api/extension/payers',
      'POST /api/extension/sign-out',
      'PUT /api/extension/payer',
    ])
  })

  test('an editor that meters itself may not name another person', async () => {
    const [{ token }, victim] = [await person(), await person()]
    for (const who of [{ token: victim.token }, { user_id: victim.user_id, payer: 'personal' }]) {
      expect(await open.api(reportUsage, { token, body: asked(who) })).toMatchObject({
        status: 400,
        body: { code: 'invalid_request' },
      })
    }
    expect(await balanceOf(victim.token)).toMatchObject({ available: 500 })
  })
})

test('an operator key stands in no line of the log, not even of a library that quotes it', async () => {
  const { token } = await person()
  await use({ token })
  await use({ token: gateway.key })
  await fetch(`${server.url}/api/extension/usage/${gateway.key}?key=${token}`, {
    headers: { authorization: `Bearer ${gateway.key}` },
  })
  server.deps.log.error(
    { err: new Error(`No such key: ${gateway.key}`), where: [{ token }] },
    `Key ${gateway.key}`,
  )
  const logged = JSON.stringify(server.logs)
  expect(logged).toContain('No such key: [removed]')
  expect(logged).toContain(gateway.id)
  for (const secret of [gateway.key, token]) expect(logged).not.toContain(secret)
})
