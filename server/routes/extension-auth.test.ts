import { randomBytes } from 'node:crypto'
import { decodeJwt, UnsecuredJWT } from 'jose'
import { afterEach, describe, expect, test } from 'vitest'
import { madeOnce } from '../../tests/support/made.ts'
import {
  bind,
  complete as completeOn,
  confirm,
  type EditorSignIn,
  editorUri,
  initiate,
  newSignIn,
  prepare,
  signedRequestOf,
} from '../../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, server, clock, startServer } = testProduct({ clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
const eve = madeOnce(() => signUp(clerk))
afterEach(async () => {
  clock.reset()
  await clerk.clear('faults')
})

const rows = () => database.owner.selectFrom('extension_sign_ins').selectAll().execute()
const complete = (signIn: EditorSignIn, person: Person, fields: object = {}) =>
  completeOn(server, signIn, person, fields)
const startAgain = /Please start again from your editor\.$/

describe('beginning a sign-in', () => {
  test('beginning a sign-in returns the address of the next page', async () => {
    const signIn = newSignIn(`${editorUri}?windowId=3`)
    const { status, body } = await initiate(server, signIn)
    expect(status).toBe(200)
    expect(body).toEqual({ success: true, auth_url: expect.any(String), expires_in: 600 })
    const url = new URL((body as { auth_url: string }).auth_url)
    expect(url.origin + url.pathname).toBe('http://localhost:3000/auth/vscode-callback')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      state: signIn.state,
      vscode_redirect_uri: `${editorUri}?windowId=3`,
      request: expect.any(String),
    })
  })

  test('beginning a sign-in accepts S256 by name, and no other method', async () => {
    expect((await initiate(server, newSignIn(), { code_challenge_method: 'S256' })).status).toBe(200)
    expect(await initiate(server, newSignIn(), { code_challenge_method: 'plain' })).toMatchObject({
      status: 400,
      body: { fields: [{ path: 'code_challenge_method' }] },
    })
  })

  test('beginning a sign-in stores nothing, however often, until its user agrees', async () => {
    const before = await rows()
    const signIn = newSignIn()
    for (let count = 0; count < 5; count++) await initiate(server, signIn)
    expect(await rows()).toEqual(before)
    await bind(server, signIn, ada)
    expect(await rows()).toHaveLength(before.length + 1)
  })

  test.each([
    ['no redirect address', { redirect_uri: undefined }, 'Missing VSCode redirect URI parameter.'],
    ['no challenge', { code_challenge: undefined }, 'Missing PKCE parameters (code_challenge or state).'],
    ['no state', { state: undefined }, 'Missing PKCE parameters (code_challenge or state).'],
  ])('beginning a sign-in with %s is refused with the product’s text', async (_, fields, text) => {
    const before = await rows()
    const { status, body } = await initiate(server, newSignIn(), fields)
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', error: text, message: text })
    expect(await rows()).toEqual(before)
  })

  test('beginning a sign-in with a challenge that cannot be of S256 is refused and names the field', async () => {
    const fields = { code_challenge: randomBytes(48).toString('base64url') }
    expect(await initiate(server, newSignIn(), fields)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', fields: [{ path: 'code_challenge' }] },
    })
  })

  test('beginning a sign-in needs no database', async () => {
    await using broken = await startServer({ databaseUrl: 'postgres://postgres@127.0.0.1:1/none' })
    const answer = await initiate(broken, newSignIn())
    expect(answer.status).toBe(200)
  })
})

describe('binding the user', () => {
  test('binding the user returns a code of ours, never the one that the page made up, and the address given at the start', async () => {
    const signIn = newSignIn()
    const { status, body } = await bind(server, signIn, ada, { authorization_code: 'guessable' })
    expect(status).toBe(200)
    expect(body).toEqual({
      success: true,
      authorization_code: expect.stringMatching(/^[\w-]{43}$/),
      redirect_uri: editorUri,
    })
  })

  test('a state to which a user has agreed is refused to another user, challenge and address, and stays as it was', async () => {
    const signIn = newSignIn()
    await bind(server, signIn, ada)
    const before = await rows()
    const { state } = signIn
    for (const [other, person] of [
      [signIn, eve],
      [{ ...signIn, redirect_uri: 'http://localhost:1234/' }, ada],
      [{ ...newSignIn(), state }, ada],
    ] as const)
      expect(await bind(server, other, person)).toMatchObject({
        status: 409,
        body: { code: 'sign_in_used', error: expect.stringMatching(startAgain) },
      })
    expect(await rows()).toEqual(before)
  })

  test.for([
    ['binding', bind],
    ['completing on the alternative page', completeOn],
  ] as const)('%s by two users at once succeeds for one of them', async ([, agree]) => {
    for (let round = 0; round < 5; round++) {
      const signIn = newSignIn()
      const answers = await Promise.all([agree(server, signIn, ada), agree(server, signIn, eve)])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    }
  })

  test('a sign-in to which its user agrees late is a 410, also when the user agreed before', async () => {
    const [late, again] = [newSignIn(), newSignIn()]
    const [request, requestAgain] = [
      await signedRequestOf(server, late),
      await signedRequestOf(server, again),
    ]
    await bind(server, again, ada, { request: requestAgain })
    clock.setAhead({ minutes: 10 })
    const expired = {
      status: 410,
      body: { code: 'sign_in_expired', error: expect.stringMatching(startAgain) },
    }
    expect(await bind(server, late, ada, { request })).toMatchObject(expired)
    expect(await bind(server, again, ada, { request: requestAgain })).toMatchObject(expired)
  })

  test('a request that was changed, or signed for another state or by another secret, is a 404', async () => {
    const [signIn, other] = [newSignIn(), newSignIn()]
    const request = await signedRequestOf(server, signIn)
    await using elsewhere = await startServer()
    const [head, , signature] = request.split('.')
    const claims = { ...decodeJwt(request), redirect_uri: 'http://localhost:6666/' }
    const forged = [
      await signedRequestOf(server, other),
      await signedRequestOf(elsewhere, signIn),
      `${request.slice(0, -4)}AAAA`,
      [head, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.'),
      new UnsecuredJWT(claims).encode(),
      'none',
    ]
    const before = await rows()
    for (const one of forged)
      expect(await bind(server, signIn, ada, { request: one })).toMatchObject({
        status: 404,
        body: { code: 'sign_in_not_found' },
      })
    expect(await rows()).toEqual(before)
    expect((await bind(server, signIn, ada, { request })).status).toBe(200)
  })

  test('a request that was signed with a secret that is being replaced is accepted', async () => {
    const [old, next] = ['an old secret of thirty-two bytes', 'the next secret of thirty-two byte']
    const signIn = newSignIn()
    const start = (secret: string) => startServer({ env: { SIGN_IN_SECRET: secret } })
    const [before, during] = [await start(old), await start(`${next}, ${old}`)]
    const after = await start(next)
    const statuses = []
    for (const [signed, by] of [
      [before, during],
      [during, after],
      [before, after],
    ] as const) {
      const request = await signedRequestOf(signed, signIn)
      statuses.push((await bind(by, signIn, ada, { request })).status)
    }
    for (const one of [before, during, after]) await one.close()
    expect(statuses).toEqual([200, 200, 404])
  })

  test('binding the user never turns a sign-in of the alternative page into one with a code', async () => {
    const signIn = newSignIn()
    await complete(signIn, ada)
    const before = await rows()
    expect((await bind(server, signIn, ada)).status).toBe(409)
    expect(await rows()).toEqual(before)
  })

  test.each([
    ['no state', { state: undefined }, 'Missing required parameters for VSCode callback.', 'state'],
    ['no request', { request: undefined }, expect.stringMatching(/^request is missing/), 'request'],
  ])('binding the user with %s is refused', async (_, fields, error, path) => {
    expect(await bind(server, newSignIn(), ada, fields)).toMatchObject({
      status: 400,
      body: { error, fields: [{ path }] },
    })
  })
})

describe('completing on the alternative page', () => {
  test('succeeds, and again for a page that was reloaded', async () => {
    const signIn = newSignIn()
    expect(await complete(signIn, ada)).toMatchObject({ status: 200, body: { success: true } })
    expect(await complete(signIn, ada)).toMatchObject({ status: 200, body: { success: true } })
  })

  test('completing on the alternative page is refused for a state that another user or another address has', async () => {
    const signIn = newSignIn()
    await complete(signIn, ada)
    const before = await rows()
    const used = { status: 409, body: { code: 'sign_in_used', error: expect.stringMatching(startAgain) } }
    expect(await complete(signIn, eve)).toMatchObject(used)
    expect(await complete(signIn, ada, { redirect_uri: 'http://localhost:4321/' })).toMatchObject(used)
    expect(await rows()).toEqual(before)
  })

  test('completing on the alternative page never removes the challenge from a sign-in that began with one', async () => {
    const signIn = newSignIn()
    await bind(server, signIn, ada)
    expect((await complete(signIn, ada)).status).toBe(409)
  })

  test('completing on the alternative page again after ten minutes is refused', async () => {
    const signIn = newSignIn()
    await complete(signIn, ada)
    clock.setAhead({ minutes: 10 })
    expect(await complete(signIn, ada)).toMatchObject({ status: 410, body: { code: 'sign_in_expired' } })
  })

  test.each([
    ['no state', { state: '' }, 'state'],
    ['no address', { redirect_uri: undefined }, 'redirect_uri'],
  ])(
    'completing on the alternative page with %s is refused with the product’s text',
    async (_, fields, path) => {
      const error = 'Missing required parameters. Please start the authentication flow from VSCode.'
      expect(await complete(newSignIn(), ada, fields)).toMatchObject({
        status: 400,
        body: { error, fields: [{ path, message: error }] },
      })
    },
  )
})

test('an extension of the earlier contract is told what has changed, and where it is documented', async () => {
  const signIn = newSignIn()
  for (const [answer, change] of [
    [await bind(server, signIn, ada, { request: undefined }), 'An authorization_code of your own is ignored'],
    [await confirm(server, signIn, ada, {}), 'call prepare-vscode-auth'],
    [await confirm(server, { ...signIn, state: 'k3x9' }, ada, { confirmation: 'x' }), '128 random bits'],
  ] as const) {
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ error: expect.stringContaining(change) })
    expect(answer.body).toMatchObject({ error: expect.stringContaining('docs/extension.md') })
  }
})

describe('approving on the alternative page', () => {
  const confirmationOf = async (signIn: EditorSignIn, person: Person) =>
    ((await prepare(server, signIn, person)).body as { confirmation: string }).confirmation
  const unconfirmed = { status: 409, body: { code: 'sign_in_unconfirmed' } }

  test('approving on the alternative page needs what this page was given, for this state, address and user', async () => {
    const [signIn, other] = [newSignIn(), newSignIn()]
    const confirmation = await confirmationOf(signIn, ada)
    const ofOther = await confirmationOf(other, ada)
    expect(await confirm(server, signIn, ada, {})).toMatchObject({
      status: 400,
      body: { fields: [{ path: 'confirmation' }] },
    })
    expect(await confirm(server, signIn, ada, { confirmation: 'made up' })).toMatchObject(unconfirmed)
    expect(await confirm(server, signIn, ada, { confirmation: ofOther })).toMatchObject(unconfirmed)
    const used = { status: 409, body: { code: 'sign_in_used' } }
    expect(await confirm(server, signIn, eve, { confirmation })).toMatchObject(used)
    const elsewhere = { redirect_uri: 'http://localhost:4321/', confirmation }
    expect(await confirm(server, signIn, ada, elsewhere)).toMatchObject(used)
    expect(await confirm(server, newSignIn(), ada, { confirmation })).toMatchObject({ status: 404 })
    // None of these used it up.
    expect((await confirm(server, signIn, ada, { confirmation })).status).toBe(200)
  })

  test('approving on the alternative page works once, and with the page that was opened last', async () => {
    const signIn = newSignIn()
    const first = await confirmationOf(signIn, ada)
    const second = await confirmationOf(signIn, ada)
    expect(await confirm(server, signIn, ada, { confirmation: first })).toMatchObject(unconfirmed)
    const both = await Promise.all([
      confirm(server, signIn, ada, { confirmation: second }),
      confirm(server, signIn, ada, { confirmation: second }),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  test('approving on the alternative page has to be in time; a page that is opened again may agree', async () => {
    const signIn = newSignIn()
    const confirmation = await confirmationOf(signIn, ada)
    clock.setAhead({ minutes: 5 })
    expect(await confirm(server, signIn, ada, { confirmation })).toMatchObject(unconfirmed)
    const again = await confirmationOf(signIn, ada)
    expect((await confirm(server, signIn, ada, { confirmation: again })).status).toBe(200)
  })
})

describe('a sign-in that ends at another extension', () => {
  test('a sign-in that ends at another extension is ours when EXTENSION_IDS names it', async () => {
    await using other = await startServer({
      env: { EXTENSION_IDS: 'acme.assistant, acme.assistant-beta' },
    })
    const statuses = []
    for (const id of ['acme.assistant', 'Acme.Assistant-Beta', 'tidemark.tidemark']) {
      statuses.push((await initiate(other, newSignIn(`vscode://${id}/auth`))).status)
    }
    expect(statuses).toEqual([200, 200, 400])
  })

  test('a sign-in of an editor that EDITORS does not name is refused, with a way on', async () => {
    await using other = await startServer({
      env: { EDITORS: 'acme-code:Acme Code, code.acme.example:Acme in a browser' },
    })
    const unknown = newSignIn('vscode://tidemark.tidemark/auth')
    const refused = {
      status: 400,
      body: {
        code: 'unknown_editor',
        error: expect.stringContaining('Generate an extension token on your dashboard'),
      },
    }
    const before = await rows()
    expect(await initiate(other, newSignIn('https://evil.example/'))).toMatchObject(refused)
    expect(await initiate(other, unknown)).toMatchObject(refused)
    expect(await prepare(other, unknown, ada)).toMatchObject(refused)
    expect(await confirm(other, unknown, ada, { confirmation: 'made up' })).toMatchObject(refused)
    expect(await rows()).toEqual(before)
    expect((await initiate(other, newSignIn('acme-code://tidemark.tidemark/auth'))).status).toBe(200)
    // It was begun while the list was longer.
    expect(await bind(other, unknown, ada)).toMatchObject(refused)
  })
})
