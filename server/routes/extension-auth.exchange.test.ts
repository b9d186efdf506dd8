import * as oauth from 'oauth4webapi'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { getExtensionBalance } from '../../schema/api/extension.ts'
import { exchangeAuthCode } from '../../schema/api/extension-auth.ts'
import { madeOnce } from '../../tests/support/made.ts'
import {
  bind,
  codeOf,
  complete,
  type EditorSignIn,
  editorUri,
  exchange,
  newSignIn,
  prepare,
  signInBoundTo,
} from '../../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import type { ApiAnswer } from '../../tests/support/product/test-server.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'
import { createEditorTokens } from '../auth/editor-tokens.ts'
import { createRateLimits } from '../rate-limits.ts'

const { database, clerk, server, clock, startServer } = testProduct({ clerk: 'sandbox' })
const ada = madeOnce(() => signUp(clerk))
const eve = madeOnce(() => signUp(clerk))
afterEach(async () => {
  clock.reset()
  // A person may have ten editors.
  await database.owner.updateTable('extension_tokens').set({ revoked_at: new Date() }).execute()
})

const tokenOf = ({ body }: ApiAnswer) => (body as { access_token: string }).access_token
const works = async (token: string) => (await server.api(getExtensionBalance, { token })).status === 200
const tokenRows = (user_id: string) =>
  database.owner.selectFrom('extension_tokens').selectAll().where('user_id', '=', user_id).execute()
const invalidGrant = {
  status: 400,
  body: {
    error: 'invalid_grant',
    code: 'invalid_grant',
    error_description: expect.any(String),
    message: expect.any(String),
    request_id: expect.any(String),
  },
}
/** A sign-in of the alternative page, finished. */
async function completedBy(person: Person): Promise<EditorSignIn & { code: string }> {
  const signIn = newSignIn()
  return { ...signIn, code: codeOf(await complete(server, signIn, person)) }
}
const withoutVerifier = { code_verifier: undefined }

describe('a standard OAuth client', () => {
  const client: oauth.Client = { client_id: 'tidemark-vscode' }
  const authorizationServer = (): oauth.AuthorizationServer => ({
    issuer: server.url,
    token_endpoint: `${server.url}${exchangeAuthCode.path}`,
  })
  const insecure = { [oauth.allowInsecureRequests]: true }

  /** The library checks the editor's redirect and exchanges the code. */
  async function requestToken(back: URL, state: string, code_verifier: string, redirect_uri = editorUri) {
    const as = authorizationServer()
    const parameters = oauth.validateAuthResponse(as, client, back, state)
    const response = await oauth.authorizationCodeGrantRequest(
      as,
      client,
      oauth.None(),
      parameters,
      redirect_uri,
      code_verifier,
      { ...insecure, additionalParameters: { state } },
    )
    return oauth.processAuthorizationCodeResponse(as, client, response)
  }

  async function signIn() {
    const code_verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const made = {
      state,
      code_verifier,
      code_challenge: await oauth.calculatePKCECodeChallenge(code_verifier),
      redirect_uri: editorUri,
    }
    const { body } = await bind(server, made, ada)
    const { authorization_code, redirect_uri } = body as { authorization_code: string; redirect_uri: string }
    const back = new URL(`${redirect_uri}?${new URLSearchParams({ code: authorization_code, state })}`)
    return { state, code_verifier, back }
  }

  test('a standard OAuth client gets the token, and makes calls with it', async () => {
    const { state, code_verifier, back } = await signIn()
    const token = await requestToken(back, state, code_verifier)
    expect(token).toMatchObject({ access_token: expect.stringMatching(/^tide_/), token_type: 'bearer' })
    // Four months are 120 to 123 days.
    expect((token.expires_in ?? 0) / 86_400).toBeGreaterThan(119.9)
    expect((token.expires_in ?? 0) / 86_400).toBeLessThan(123.1)
    const url = new URL(getExtensionBalance.path, server.url)
    const { access_token } = token
    const answer = await oauth.protectedResourceRequest(
      access_token,
      'GET',
      url,
      new Headers(),
      null,
      insecure,
    )
    expect(await answer.json()).toMatchObject({ payer: 'personal', available: 0 })
  })

  test('a standard OAuth client understands every error', async () => {
    const { state, code_verifier, back } = await signIn()
    const refused = (promise: Promise<unknown>) =>
      promise.then(
        () => 'granted',
        (error: unknown) => (error instanceof oauth.ResponseBodyError ? error.error : error),
      )
    expect(await refused(requestToken(back, state, oauth.generateRandomCodeVerifier()))).toBe('invalid_grant')
    expect(await refused(requestToken(back, state, code_verifier, `${editorUri}2`))).toBe('invalid_grant')
    expect(await refused(requestToken(back, state, 'short'))).toBe('invalid_request')
    expect(await refused(requestToken(back, state, code_verifier))).toBe('granted')
    expect(await refused(requestToken(back, state, code_verifier))).toBe('invalid_grant')
    const as = authorizationServer()
    const refresh = oauth
      .refreshTokenGrantRequest(as, client, oauth.None(), 'none', insecure)
      .then((response) => oauth.processRefreshTokenResponse(as, client, response))
    expect(await refused(refresh)).toBe('unsupported_grant_type')
  })
})

describe('an exchange', () => {
  test('an exchange is possible in JSON, and with a client id and other fields that OAuth clients send', async () => {
    const { code, state, redirect_uri, code_verifier } = await signInBoundTo(server, ada)
    const body = { grant_type: 'authorization_code', code, state, redirect_uri, code_verifier }
    const answer = await server.api(exchangeAuthCode, {
      body: { ...body, client_id: 'tidemark', resource: 'x' },
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('pragma')).toBe('no-cache')
  })

  test('an exchange is possible until the last moment of ten minutes, on both pages', async () => {
    const [signIn, late] = [await signInBoundTo(server, ada), await signInBoundTo(server, ada)]
    const other = await completedBy(ada)
    clock.setAhead({ minutes: 9.9 })
    expect((await exchange(server, signIn)).status).toBe(200)
    clock.setAhead({ minutes: 10 })
    expect(await exchange(server, late)).toMatchObject(invalidGrant)
    expect(await exchange(server, other, withoutVerifier)).toMatchObject(invalidGrant)
  })

  test('an exchange accepts the latest code of a page that was reloaded, and not the previous one', async () => {
    const first = await signInBoundTo(server, ada)
    const { body } = await bind(server, first, ada)
    expect(await exchange(server, first)).toMatchObject(invalidGrant)
    const { authorization_code } = body as { authorization_code: string }
    expect((await exchange(server, { ...first, code: authorization_code })).status).toBe(200)
  })
})

describe('an exchange is refused', () => {
  test.each([
    ['another verifier', () => ({ code_verifier: newSignIn().code_verifier })],
    ['no verifier', () => ({ code_verifier: undefined })],
    ['another redirect address', () => ({ redirect_uri: 'vscode://tidemark.tidemark/other' })],
    ['the same address written otherwise', () => ({ redirect_uri: editorUri.replace('auth', '%61uth') })],
    ['another state', () => ({ state: newSignIn().state })],
    ['another code', () => ({ code: newSignIn().state })],
    ['the user’s id for a code', () => ({ code: ada.user_id })],
    ['the user’s id for a code and no verifier', () => ({ code: ada.user_id, code_verifier: undefined })],
  ])('an exchange is refused with %s, and the right one still works after that', async (_, wrong) => {
    const signIn = await signInBoundTo(server, ada)
    expect(await exchange(server, signIn, wrong())).toMatchObject(invalidGrant)
    expect((await exchange(server, signIn)).status).toBe(200)
  })

  test('an exchange is refused with the challenge instead of the verifier, as the method `plain` would allow', async () => {
    const signIn = await signInBoundTo(server, ada)
    expect(await exchange(server, signIn, { code_verifier: signIn.code_challenge })).toMatchObject(
      invalidGrant,
    )
    // Begun as plain: the challenge is the verifier itself.
    const plain = newSignIn()
    const bound = await signInBoundTo(server, ada, { ...plain, code_challenge: plain.code_verifier })
    expect(await exchange(server, bound)).toMatchObject(invalidGrant)
  })

  test('an exchange is refused with the code of another sign-in, of the same user or of another', async () => {
    const mine = await signInBoundTo(server, ada)
    const myOther = await signInBoundTo(server, ada)
    const theirs = await signInBoundTo(server, eve)
    expect(await exchange(server, mine, { code: myOther.code })).toMatchObject(invalidGrant)
    expect(await exchange(server, mine, { code: theirs.code })).toMatchObject(invalidGrant)
    expect(await exchange(server, { ...theirs, state: mine.state })).toMatchObject(invalidGrant)
    expect(await exchange(server, { ...mine, state: theirs.state })).toMatchObject(invalidGrant)
  })

  test('an exchange is refused with the same text for every mistake, while the log says which one it was', async () => {
    const signIn = await signInBoundTo(server, ada)
    const words = new Set()
    for (const wrong of [{ state: newSignIn().state }, { code: 'no' }, withoutVerifier]) {
      const { body } = await exchange(server, signIn, wrong)
      const { request_id, ...rest } = body as { request_id: string }
      words.add(JSON.stringify(rest))
    }
    expect(words.size).toBe(1)
    for (const refusal of ['unknown_state', 'other_code', 'other_verifier']) {
      expect(server.logs).toContainEqual(expect.objectContaining({ refusal, route: exchangeAuthCode.path }))
    }
  })
})

describe('a code that is used twice', () => {
  test('a code that is used twice, also long after, gives nothing and revokes the token it gave', async () => {
    const signIn = await signInBoundTo(server, ada)
    const token = tokenOf(await exchange(server, signIn))
    expect(await works(token)).toBe(true)
    clock.setAhead({ minutes: 60 })
    expect(await exchange(server, signIn)).toMatchObject(invalidGrant)
    expect(await works(token)).toBe(false)
  })

  test('a code that is used twice cannot be replaced by a new one of the same sign-in', async () => {
    const signIn = await signInBoundTo(server, ada)
    await exchange(server, signIn)
    expect(await bind(server, signIn, ada)).toMatchObject({ status: 409, body: { code: 'sign_in_used' } })
  })

  test('a code that is reused by a caller without the verifier revokes nothing', async () => {
    const signIn = await signInBoundTo(server, ada)
    const token = tokenOf(await exchange(server, signIn))
    expect(await exchange(server, signIn, { code_verifier: newSignIn().code_verifier })).toMatchObject(
      invalidGrant,
    )
    expect(await works(token)).toBe(true)
  })

  test('a code that is used twice does not revoke a later token', async () => {
    const signIn = await signInBoundTo(server, ada)
    await exchange(server, signIn)
    const later = tokenOf(await exchange(server, await signInBoundTo(server, ada)))
    expect(await exchange(server, signIn)).toMatchObject(invalidGrant)
    expect(await works(later)).toBe(true)
  })

  test('ten times at once gives one token', async () => {
    for (let round = 0; round < 3; round++) {
      const grace = await signUp(clerk)
      const signIn = await signInBoundTo(server, grace)
      const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(server, signIn)))
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(9)
      const rows = await tokenRows(grace.user_id)
      expect(rows).toHaveLength(1)
      // Several callers had the code, and it is unknown which one has the token.
      expect(rows[0]?.revoked_at).not.toBeNull()
    }
  })
})

test('the server reloads all tokens only after an exchange that may have revoked one', async () => {
  const editorTokens = createEditorTokens(database.server)
  let forgotten = 0
  const counting = await startServer({
    deps: {
      editorTokens: {
        ...editorTokens,
        forgetAll() {
          forgotten += 1
          editorTokens.forgetAll()
        },
      },
    },
  })
  onTestFinished(() => counting.close())
  const signIn = await completedBy(ada)
  expect((await exchange(counting, { ...signIn, code: 'guessed' }, withoutVerifier)).status).toBe(400)
  expect((await exchange(counting, { ...newSignIn(), code: 'guessed' })).status).toBe(400)
  expect(forgotten).toBe(0)
  expect((await exchange(counting, signIn, withoutVerifier)).status).toBe(200)
  expect(forgotten).toBe(0)
  expect((await exchange(counting, signIn, withoutVerifier)).status).toBe(400)
  expect(forgotten).toBe(1)
})

describe('a sign-in of the alternative page', () => {
  test('a sign-in of the alternative page is exchanged with what the editor was sent, the state and no verifier, once', async () => {
    const signIn = await completedBy(ada)
    expect(signIn.code).toMatch(new RegExp(`^${ada.user_id}\\.[\\w-]{43}$`))
    const answer = await exchange(server, signIn, withoutVerifier)
    expect(answer.status).toBe(200)
    expect(await works(tokenOf(answer))).toBe(true)
    expect(await exchange(server, signIn, withoutVerifier)).toMatchObject(invalidGrant)
    expect(await works(tokenOf(answer))).toBe(false)
  })

  test('a sign-in of the alternative page cannot be completed again after its exchange', async () => {
    const signIn = await completedBy(ada)
    await exchange(server, signIn, withoutVerifier)
    const again = await complete(server, signIn, ada)
    expect(again).toMatchObject({ status: 409, body: { code: 'sign_in_used' } })
  })

  test.each([
    ['another state', () => ({ state: newSignIn().state })],
    ['another user’s id', () => ({ code: eve.user_id })],
    ['the user’s id, which is no secret', () => ({ code: ada.user_id })],
    ['the user’s id and a proof that was made up', () => ({ code: `${ada.user_id}.${newSignIn().state}` })],
    ['the proof of another sign-in', async () => ({ code: (await completedBy(ada)).code })],
    ['another redirect address', () => ({ redirect_uri: 'http://localhost:4000/' })],
    ['a verifier that protects nothing', () => ({ code_verifier: newSignIn().code_verifier })],
  ])('a sign-in of the alternative page is refused with %s', async (_, wrong) => {
    const signIn = await completedBy(ada)
    const fields = { ...withoutVerifier, ...(await wrong()) }
    expect(await exchange(server, signIn, fields)).toMatchObject(invalidGrant)
    // A stranger who tries ends nothing.
    expect((await exchange(server, signIn, withoutVerifier)).status).toBe(200)
  })

  test('a sign-in of the alternative page gives nothing before its user has agreed', async () => {
    const signIn = newSignIn()
    expect((await prepare(server, signIn, ada)).status).toBe(200)
    const unconfirmed = { ...signIn, code: ada.user_id }
    expect(await exchange(server, unconfirmed, withoutVerifier)).toMatchObject(invalidGrant)
    expect(server.logs).toContainEqual(expect.objectContaining({ refusal: 'not_confirmed' }))
  })
})

describe('an invalid request', () => {
  const post = async (body: string, type: string) => {
    const headers = { 'content-type': type }
    const response = await fetch(`${server.url}${exchangeAuthCode.path}`, { method: 'POST', headers, body })
    return { status: response.status, body: await response.json() }
  }
  const form = 'application/x-www-form-urlencoded'
  const whole = 'grant_type=authorization_code&code=c&state=s&redirect_uri=r'

  test.each([
    ['without a grant type', 'code=c&state=s&redirect_uri=r', 'invalid_request', 'grant_type is required'],
    ['with two codes', `${whole}&code=d`, 'invalid_request', 'code may be given only once'],
  ])('an invalid request with %s is refused as OAuth requires', async (_, body, error, text) => {
    expect(await post(body, form)).toMatchObject({
      status: 400,
      body: { error, error_description: expect.stringMatching(text), message: expect.stringMatching(text) },
    })
  })

  test('an invalid request is refused in the same form for its content type, its size and its JSON', async () => {
    expect(await post(whole, 'text/plain')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', code: 'invalid_content_type' },
    })
    expect(await post('{', 'application/json')).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', code: 'invalid_json' },
    })
    expect(await post(`${whole}&x=${'x'.repeat(70_000)}`, form)).toMatchObject({
      status: 413,
      body: { error: 'invalid_request', code: 'body_too_large' },
    })
  })
})

test('an address that guesses has to wait, and is told in a form that an OAuth client reads', async () => {
  await using strict = await startServer({
    deps: { limits: createRateLimits({ perMinute: { sign_in: 2 } }) },
  })
  const answers = []
  for (let count = 0; count < 3; count++)
    answers.push(await exchange(strict, { ...newSignIn(), code: 'guess' }))
  expect(answers.map(({ status }) => status)).toEqual([400, 400, 429])
  expect(answers[2]?.body).toMatchObject({ error: 'temporarily_unavailable', code: 'too_many_requests' })
  expect(Number(answers[2]?.headers.get('retry-after'))).toBeGreaterThan(0)
})
