import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../schema/api/endpoint.ts'
import {
  choosePayer,
  choosePayerOfEditor,
  generateExtensionToken,
  getActiveExtensionToken,
  getExtensionBalance,
  listOwnPayers,
  listPayers,
  revokeAllExtensionTokens,
} from '../../schema/api/extension.ts'
import { getHold, reserveCredits, settleHold } from '../../schema/api/holds.ts'
import { reportUsage } from '../../schema/api/spending.ts'
import { booksEndRight } from '../../tests/support/database/right-books.ts'
import { buildExtensionToken } from '../../tests/support/factories/extension-tokens.ts'
import { addMember, buildOrganization } from '../../tests/support/factories/organizations.ts'
import { buildSeat } from '../../tests/support/factories/seats.ts'
import { buildSubscription } from '../../tests/support/factories/subscriptions.ts'
import { buildTeam, invite } from '../../tests/support/factories/teams.ts'
import { giveCredits } from '../../tests/support/factories/transfers.ts'
import { buildAccount, buildUser } from '../../tests/support/factories/users.ts'
import {
  bind,
  codeOf,
  confirm,
  exchange,
  newSignIn,
  prepare,
  signInBoundTo,
} from '../../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, startServer } = testProduct({ clerk: 'sandbox' })
booksEndRight(database)

/** A person with a seat in another person’s organization, and the credits of both. */
async function colleague(credits: { own?: number; pool?: number } = {}) {
  const boss = await signUp(clerk)
  const org = await buildOrganization(clerk, boss)
  const person = await buildAccount({ database, clerk })
  await addMember(clerk, org, person)
  await buildSeat(database, { organization_id: org.id, ...seatOf(person) })
  await giveCredits(database, person.user_id, { purchased: credits.own ?? 0 })
  await giveCredits(database, org.id, { purchased: credits.pool ?? 0 })
  return { person, org, boss }
}
const seatOf = ({ user_id, email }: Person) => ({ user_id, email: email.toLowerCase() })
const editorOf = ({ user_id }: Person, payer = 'personal') =>
  buildExtensionToken(database, user_id, new Date(), payer)
const endSeat = ({ user_id }: Person) =>
  database.worker.updateTable('seats').set({ status: 'revoked' }).where('user_id', '=', user_id).execute()
const call = (endpoint: Endpoint, token: string, request: object = {}) =>
  server.api(endpoint, { token, ...request })
const balance = (token: string, payer?: string) =>
  call(getExtensionBalance, token, payer ? { query: { payer } } : {})
const report = (token: string, fields: object = {}) =>
  call(reportUsage, token, { body: { credits: 1, idempotency_key: randomUUID(), ...fields } })
const choose = (token: string, payer: string, on = server) => on.api(choosePayer, { token, body: { payer } })
const payersOf = async (token: string) => (await server.ask(listPayers, { token })).payers
const notFound = { status: 404, body: { code: 'payer_not_found' } }
const paidBy = (payer: string, available: number) => ({
  status: 200,
  body: { balance: { payer, available } },
})

describe('the list of payers', () => {
  test('the list of payers has the person and each organization, and says why one cannot pay', async () => {
    const { person, org } = await colleague({ own: 40, pool: 1500 })
    const without = await buildOrganization(clerk, await signUp(clerk))
    await addMember(clerk, without, person)
    await giveCredits(database, without.id, { purchased: 900 })
    const token = await editorOf(person, org.id)
    const [own, ...others] = await payersOf(token)
    const found = { held: 0, low: false, is_default: false, cannot_pay: null }
    expect(own).toEqual({ ...found, id: 'personal', name: 'Personal account', available: 40, low: true })
    expect(new Set(others)).toEqual(
      new Set([
        { ...found, id: org.id, name: org.name, available: 1500, is_default: true },
        { ...found, id: without.id, name: without.name, available: 0, cannot_pay: 'no_seat' },
      ]),
    )
  })

  test('a payer without credits has none, and one whose plan is not paid has a payment that failed', async () => {
    const { person, org, boss } = await colleague()

    await buildUser(database.server, boss.user_id)
    await buildSubscription(database, {
      owner_id: org.id,
      user_id: boss.user_id,
      fields: { status: 'past_due' },
    })
    expect(await payersOf(await editorOf(person))).toMatchObject([
      { id: 'personal', cannot_pay: 'no_credits', is_default: true },
      { id: org.id, cannot_pay: 'payment_failed', is_default: false },
    ])
    await giveCredits(database, org.id, { purchased: 1 })
    expect(await payersOf(await editorOf(person))).toMatchObject([{}, { id: org.id, cannot_pay: null }])
  })

  test('the payer that is suggested is the selected organization with a seat, else who has credits', async () => {
    const { person, org } = await colleague({ pool: 7 })
    const suggested = async (selected?: string) => {
      const query = selected ? { query: { payer: selected } } : {}
      const { payers } = await server.ask(listOwnPayers, { token: person.token, ...query })
      return payers.filter(({ is_default }) => is_default).map(({ id }) => id)
    }
    expect(await suggested()).toEqual([org.id])
    await giveCredits(database, person.user_id, { purchased: 1 })
    expect(await suggested()).toEqual(['personal'])
    expect(await suggested(org.id)).toEqual([org.id])
    expect(await suggested('org_unknown')).toEqual(['personal'])
    await endSeat(person)
    expect(await suggested(org.id)).toEqual(['personal'])
  })
})

describe('the payer of a token', () => {
  test('the payer of a token pays for every call that names none, and a payer in the call wins', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const token = await editorOf(person, org.id)
    expect(await balance(token)).toMatchObject({ status: 200, body: { payer: org.id, available: 500 } })
    expect(await report(token)).toMatchObject(paidBy(org.id, 499))
    expect(await report(token, { payer: 'personal' })).toMatchObject(paidBy('personal', 49))
    expect(await balance(token, 'personal')).toMatchObject({ body: { payer: 'personal', available: 49 } })
    const { body } = await report(token, { credits: 5000 })
    expect(body).toMatchObject({
      code: 'insufficient_credits',
      payer: org.id,
      buy_url: `http://localhost:3000/organizations?tab=billing&payer=${org.id}`,
      other_payers: [],
    })
  })

  test('the payer of a token is changed by its editor, for the next call of every server', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    await using other = await startServer()
    const token = await editorOf(person)
    const { headers } = await server.api(getExtensionBalance, { token })
    const etag = headers.get('etag') ?? ''
    expect(await choose(token, org.id, other)).toMatchObject({ status: 200, body: { payer: org.id } })
    expect(await report(token)).toMatchObject(paidBy(org.id, 499))
    const answer = await fetch(`${server.url}${getExtensionBalance.path}`, {
      headers: { authorization: `Bearer ${token}`, 'if-none-match': etag },
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ payer: org.id })
  })

  test('an organization without an active seat cannot be chosen, and the payer stays', async () => {
    const { person } = await colleague({ own: 50 })
    const { org: theirs } = await colleague({ pool: 500 })
    const token = await editorOf(person)
    const team = await buildTeam({ database, clerk })
    await invite({ server }, team, person.email)
    for (const payer of [theirs.id, team.organization.id, 'org_unknown']) {
      expect(await choose(token, payer)).toMatchObject(notFound)
      expect(
        await call(choosePayerOfEditor, person.token, { body: { payer } }),
        'the generated token',
      ).toMatchObject(notFound)
      expect(
        await call(generateExtensionToken, person.token, { query: { payer } }),
        'a new token',
      ).toMatchObject(notFound)
    }
    expect(await report(token)).toMatchObject(paidBy('personal', 49))
  })

  test('a token that was revoked chooses no payer, also on a server that remembers it', async () => {
    const { person, org } = await colleague({ pool: 500 })
    await using other = await startServer()
    const token = await editorOf(person)
    expect((await other.api(getExtensionBalance, { token })).status).toBe(200)
    await call(revokeAllExtensionTokens, person.token)
    for (const on of [server, other]) {
      expect(await choose(token, org.id, on)).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    }
  })

  test('a seat that was revoked after the choice is a refusal with its ways on, and no payer is charged', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const token = await editorOf(person, org.id)
    await endSeat(person)
    const refusal = {
      status: 404,
      body: {
        code: 'payer_not_found',
        error:
          'You have no seat any more in the organization that pays for this editor. Please choose who pays for it. Your personal balance could pay for this instead.',
        payer: org.id,
        other_payers: [{ id: 'personal', available: 50 }],
      },
    }
    expect(await balance(token)).toMatchObject(refusal)
    expect(await report(token)).toMatchObject(refusal)
    expect(await call(reserveCredits, token, { body: { credits: 5, idempotency_key: 'one' } })).toMatchObject(
      refusal,
    )
    expect(await report(token, { credits: 51 })).toMatchObject({ status: 404, body: { other_payers: [] } })
    expect(await payersOf(token)).toMatchObject([
      { id: 'personal', available: 50, is_default: false },
      { id: org.id, cannot_pay: 'no_seat', is_default: true },
    ])
    await clerk.client.organizations.deleteOrganization(org.id)
    expect(await payersOf(token)).toMatchObject([{ id: 'personal', is_default: false }])
    expect(await report(token)).toMatchObject(refusal)
    expect((await choose(token, 'personal')).status).toBe(200)
    expect(await report(token)).toMatchObject(paidBy('personal', 49))
  })

  test('a token whose person was erased pays for nothing, also while a server remembers it', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const token = await editorOf(person, org.id)
    expect((await balance(token)).status).toBe(200)
    await database.worker.deleteFrom('extension_tokens').where('user_id', '=', person.user_id).execute()
    for (const answer of [await balance(token), await report(token), await choose(token, 'personal')]) {
      expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_token' } })
    }
  })

  test('a hold is settled at the payer that it was opened with, also after the token’s payer changed', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const token = await editorOf(person, org.id)
    const reserved = await server.ask(reserveCredits, {
      token,
      body: { credits: 75, idempotency_key: 'agent-1' },
    })
    expect(reserved.balance).toMatchObject({ payer: org.id, available: 425, held: 75 })
    await choose(token, 'personal')
    const params = { id: reserved.hold.id }
    expect(await call(getHold, token, { params })).toMatchObject({ body: { hold: { state: 'open' } } })
    expect(await call(settleHold, token, { params, body: { credits: 60 } })).toMatchObject({
      status: 200,
      body: { charged: 60, balance: { payer: org.id, available: 440, held: 0 } },
    })
    expect(await balance(token)).toMatchObject({ body: { payer: 'personal', available: 50 } })
  })

  test('a report that is repeated after the payer was changed is another report, unless it names its payer', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const token = await editorOf(person, org.id)
    const usage = { credits: 5, idempotency_key: 'request-1' }
    expect(await report(token, usage)).toMatchObject(paidBy(org.id, 495))
    await choose(token, 'personal')
    expect(await report(token, { ...usage, payer: org.id })).toMatchObject({
      body: { charged: 5, replayed: true, balance: { payer: org.id, available: 495 } },
    })
    expect(await report(token, usage)).toMatchObject({
      body: { replayed: false, balance: { payer: 'personal', available: 45 } },
    })
  })
})

test('a refusal for too few credits names those who could pay, and says so', async () => {
  const { person, org } = await colleague({ own: 50, pool: 500 })
  const own = await editorOf(person)
  expect(await report(own, { credits: 60 })).toMatchObject({
    status: 402,
    body: {
      error:
        'Not enough credits. This takes 60 credits, and your personal balance has 50. Please buy more credits. An organization in which you have a seat could pay for this instead.',
      other_payers: [{ id: org.id, available: 500 }],
    },
  })
  const second = await buildOrganization(clerk, await signUp(clerk))
  await buildSeat(database, { organization_id: second.id, ...seatOf(person) })
  await giveCredits(database, second.id, { plan: 600 })
  await giveCredits(database, person.user_id, { purchased: 950 })
  const { body } = await report(own, { credits: 550, payer: org.id })
  expect(body).toMatchObject({
    error: expect.stringMatching(
      /Your personal balance or an organization in which you have a seat could pay for this instead\.$/,
    ),
    other_payers: [
      { id: 'personal', available: 1000 },
      { id: second.id, available: 600 },
    ],
  })
})

describe('the consent', () => {
  const granted = async (answer: { body: unknown }) => (answer.body as { access_token: string }).access_token

  test('the consent decides who pays, and of two pages the one that agreed last', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const signIn = newSignIn()
    const first = await signInBoundTo(server, person, signIn, { payer: org.id })
    const second = await signInBoundTo(server, person, signIn, { payer: 'personal' })
    expect((await exchange(server, first)).status).toBe(400)
    const token = await granted(await exchange(server, second))
    expect(await report(token)).toMatchObject(paidBy('personal', 49))
    const { editors } = await server.ask(getActiveExtensionToken, { token: person.token })
    const [editor] = editors
    expect(editor).toMatchObject({ payer: 'personal' })
    const change = { body: { id: editor?.id, payer: org.id } }
    expect(await call(choosePayerOfEditor, (await signUp(clerk)).token, change)).toMatchObject(notFound)
    expect(await call(choosePayerOfEditor, person.token, change)).toMatchObject({ status: 200 })
    expect(await report(token)).toMatchObject(paidBy(org.id, 499))
  })

  test('the consent of the page without a challenge decides who pays, and of two pages the one that agreed last', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const signIn = newSignIn()
    const confirmationOf = async () =>
      ((await prepare(server, signIn, person)).body as { confirmation: string }).confirmation
    let code = ''
    for (const payer of ['personal', org.id]) {
      const confirmation = await confirmationOf()
      code = codeOf(await confirm(server, signIn, person, { confirmation, payer }))
    }
    const { state, redirect_uri } = signIn
    const token = await granted(await exchange(server, { code, state, redirect_uri }))
    expect(await report(token)).toMatchObject(paidBy(org.id, 499))
  })

  test('an organization of others cannot be agreed to, and the sign-in goes on with another payer', async () => {
    const { person } = await colleague({ own: 50 })
    const { org: theirs } = await colleague({ pool: 500 })
    const signIn = newSignIn()
    expect(await bind(server, signIn, person, { payer: theirs.id })).toMatchObject(notFound)
    const { confirmation } = (await prepare(server, newSignIn(), person)).body as { confirmation: string }
    expect(await confirm(server, signIn, person, { confirmation, payer: theirs.id })).toMatchObject(notFound)
    expect((await bind(server, signIn, person, { payer: 'personal' })).status).toBe(200)
  })

  test('a token that is generated has the payer that was chosen for it', async () => {
    const { person, org } = await colleague({ own: 50, pool: 500 })
    const made = { token: person.token, query: { payer: org.id } }
    const { access_token } = await server.ask(generateExtensionToken, made)
    expect(await report(access_token)).toMatchObject(paidBy(org.id, 499))
    const active = () => server.ask(getActiveExtensionToken, { token: person.token })
    expect(await active()).toMatchObject({ hasActive: true, payer: org.id })
    await server.ask(choosePayerOfEditor, { token: person.token, body: { payer: 'personal' } })
    expect(await active()).toMatchObject({ payer: 'personal' })
  })
})
