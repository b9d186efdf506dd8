import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { askForMore, getBudgets, raiseBudget, setBudget } from '../../schema/api/budgets.ts'
import type { BodyInputOf } from '../../schema/api/endpoint.ts'
import { getExtensionBalance } from '../../schema/api/extension.ts'
import { reserveCredits, settleHold } from '../../schema/api/holds.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { buildSeat } from '../../tests/support/factories/seats.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { madeForEachTest, madeOnce } from '../../tests/support/made.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock } = testProduct({ stripe: 'empty', clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
const bob = madeOnce(() => signUp(clerk))
const eve = madeOnce(() => signUp(clerk))

/** Ada's organization with 1,000 bought credits, in which she and Bob have a seat. */
const org = madeForEachTest(async () => {
  clock.stop(new Date('2026-11-20T12:00:00Z'))
  const made = await buildOrganization(clerk, ada)
  await addMember(clerk, made, bob)
  await giveCredits(database, made.id, { purchased: 1000 })
  for (const { user_id } of [ada, bob])
    await buildSeat(database, {
      organization_id: made.id,
      user_id,
      email: `${user_id.toLowerCase()}@tidemark.test`,
    })
  return made
})

const payer = () => ({ payer: org.id })
const limit = (body: BodyInputOf<typeof setBudget>, token = ada.token) =>
  server.api(setBudget, { token, query: payer(), body })
const list = (token: string) => server.ask(getBudgets, { token, query: payer() })
async function editorOf(user_id: string): Promise<string> {
  await buildUser(database.owner, user_id)
  return buildExtensionToken(database, user_id, clock.now(), org.id)
}
const use = (token: string, credits: number) =>
  server.api(reportUsage, { token, body: { credits, idempotency_key: randomUUID(), ...payer() } })

test('an editor is told which limit has too little left, when it is reset and where to ask', async () => {
  await limit({ scope: 'member_default', limit: 100, period: 'day' })
  const editor = await editorOf(bob.user_id)
  expect(await use(editor, 60)).toMatchObject({ status: 200, body: { charged: 60 } })
  const refused = await use(editor, 41)
  expect(refused).toMatchObject({
    status: 403,
    body: {
      code: 'budget_exceeded',
      error:
        'This passes the limit that your organization sets each member: 100 credits, of which 60 spent. It is reset on 2026-11-21, 00:00 UTC.',
      budget: {
        scope: 'member_default',
        limit: 100,
        spent: 60,
        held: 0,
        resets_at: '2026-11-21T00:00:00.000Z',
      },
      ask: expect.stringMatching(new RegExp(`/billing\\?tab=credits&payer=${org.id}&ask=[\\da-f-]{36}$`)),
    },
  })
  expect((await use(editor, 41)).body).toEqual({
    ...(refused.body as object),
    request_id: expect.any(String),
  })
  expect(await server.ask(getExtensionBalance, { token: editor, query: payer() })).toMatchObject({
    available: 940,
    budget: { scope: 'member_default', limit: 100, spent: 60 },
  })
})

test('an admin sees the limit of everyone and of each person, and a member those that apply to them', async () => {
  await limit({ scope: 'organization', limit: 500 })
  await limit({ scope: 'member_default', limit: 100, period: 'day' })
  await limit({ scope: 'member', user_id: bob.user_id, limit: 20, period: 'month' })
  const ofBob = { user_id: bob.user_id, budget: { scope: 'member', limit: 20, period: 'month' } }
  const all = await list(ada.token)
  expect(all).toMatchObject({
    everyone: { scope: 'organization', limit: 500, period: 'billing_month' },
    member_default: { limit: 100, period: 'day' },
  })
  expect(all.people).toHaveLength(2)
  expect(all.people).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ user_id: bob.user_id }),
      expect.objectContaining({ user_id: ada.user_id }),
    ]),
  )
  expect((await list(bob.token)).people).toMatchObject([ofBob])
})

test('a limit is set by admins of the organization alone', async () => {
  const body = { scope: 'organization', limit: 0 } as const
  expect(await limit(body, bob.token)).toMatchObject({ status: 403, body: { code: 'not_admin' } })
  expect(await limit(body, eve.token)).toMatchObject({ status: 404 })
  const raise = { budget_id: randomUUID(), limit: 5 }
  const asBob = { token: bob.token, query: payer() }
  expect(await server.api(raiseBudget, { ...asBob, body: raise })).toMatchObject({ status: 403 })
  expect(await server.api(askForMore, { ...asBob, body: { budget_id: randomUUID() } })).toMatchObject({
    status: 404,
    body: { code: 'budget_not_found' },
  })
})

test.each([
  ['one of a person for an organization', { scope: 'own', limit: 5 }, 400],
  ['one of a member without the member', { scope: 'member', limit: 5 }, 400],
  ['one of everyone with a member', { scope: 'organization', user_id: 'user_x', limit: 5 }, 400],
  ['one of a person without a seat', { scope: 'member', user_id: 'user_x', limit: 5 }, 404],
  ['one below zero', { scope: 'organization', limit: -1 }, 400],
] as const)('a limit that is %s is refused', async (_, body, status) => {
  expect(await limit(body)).toMatchObject({ status })
})

test('a limit below what is spent is set only when that is confirmed, and blocks the next call', async () => {
  const editor = await editorOf(bob.user_id)
  await use(editor, 60)
  expect(await limit({ scope: 'organization', limit: 50 })).toMatchObject({
    status: 409,
    body: { code: 'limit_below_spent', spent: 60, held: 0, people: null },
  })
  expect(await limit({ scope: 'member_default', limit: 50 })).toMatchObject({
    status: 409,
    body: { people: 1 },
  })
  expect(await list(ada.token)).toMatchObject({ everyone: null, member_default: null })
  expect(await limit({ scope: 'organization', limit: 50, confirmed: true })).toMatchObject({ status: 200 })
  expect(await use(editor, 1)).toMatchObject({ status: 403 })
  expect(await limit({ scope: 'organization', limit: null })).toMatchObject({ status: 200 })
  expect(await use(editor, 1)).toMatchObject({ status: 200 })
})

test('a member asks once, and the next call passes when an admin has raised the limit for this period', async () => {
  await limit({ scope: 'member_default', limit: 10, period: 'day' })
  const editor = await editorOf(bob.user_id)
  await use(editor, 10)
  const refused = (await use(editor, 5)).body as { ask: string }
  const budget_id = new URL(refused.ask).searchParams.get('ask') ?? ''
  const ask = () => server.ask(askForMore, { token: bob.token, query: payer(), body: { budget_id } })
  expect(await ask()).toMatchObject({ asked: true })
  expect(await ask()).toMatchObject({ asked: false })
  const bobs = async () =>
    (await list(ada.token)).people.find(({ user_id }) => user_id === bob.user_id)?.budget
  expect(await bobs()).toMatchObject({ asked_at: '2026-11-20T12:00:00.000Z', refused: 1 })
  const raise = ({ user_id }: { user_id: string }) =>
    server.api(raiseBudget, { token: ada.token, query: payer(), body: { budget_id, user_id, limit: 15 } })
  expect(await raise(eve)).toMatchObject({ status: 404, body: { code: 'budget_not_found' } })
  expect(await raise(bob)).toMatchObject({ body: { raised: true } })
  expect(await raise(bob)).toMatchObject({ body: { raised: false } })
  expect(await bobs()).toMatchObject({ asked_at: null, limit: 15, extra: 5 })
  expect(await use(editor, 5)).toMatchObject({ status: 200 })
  clock.stop(new Date('2026-11-21T00:00:00Z'))
  expect(await bobs()).toMatchObject({ limit: 10, extra: 0, spent: 0 })
})

test('a person limits their own balance, and one run with its hold', async () => {
  await giveCredits(database, ada.user_id, { purchased: 500 })
  const token = await editorOf(ada.user_id)
  const personal = { payer: 'personal' }
  const own = { scope: 'own', limit: 100, period: 'month' } as const
  expect(await server.api(setBudget, { token: ada.token, query: personal, body: own })).toMatchObject({
    status: 200,
  })
  const reserve = (credits: number, run: unknown) =>
    server.api(reserveCredits, {
      token,
      body: { credits, idempotency_key: randomUUID(), ...personal, run } as never,
    })
  const first = await reserve(30, { id: 'agent-7', limit: 50 })
  expect(await reserve(30, { id: 'agent-7', limit: 50 })).toMatchObject({
    status: 403,
    body: { budget: { scope: 'run', limit: 50, held: 30, resets_at: null }, ask: null },
  })
  const { hold } = first.body as { hold: { id: string } }
  const settled = await server.ask(settleHold, { token, params: { id: hold.id }, body: { credits: 70 } })
  expect(settled).toMatchObject({ charged: 50, uncollected: 20 })
  expect(await reserve(51, 'another')).toMatchObject({
    status: 403,
    body: {
      budget: { scope: 'own', spent: 50 },
      ask: expect.stringContaining('/billing?tab=credits&payer=personal'),
    },
  })
})
