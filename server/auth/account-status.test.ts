import { afterEach, describe, expect, test } from 'vitest'
import { generateExtensionToken, getExtensionBalance } from '../../schema/api/extension.ts'
import {
  bind,
  codeOf,
  complete,
  confirm,
  exchange,
  newSignIn,
  prepare,
  signInBoundTo,
} from '../../tests/support/product/editor-sign-in.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { type Person, signUp } from '../../tests/support/services/clerk.ts'

const { database, clerk, clock, server, worker } = testProduct({ clerk: 'sandbox' })
afterEach(() => clerk.clear('faults'))

const works = async (token: string) => (await server.api(getExtensionBalance, { token })).status === 200
const generate = ({ token }: Person) => server.api(generateExtensionToken, { token })
const generated = async (person: Person) =>
  ((await generate(person)).body as { access_token: string }).access_token
const signedIn = async (person: Person) =>
  ((await exchange(server, await signInBoundTo(server, person))).body as { access_token: string })
    .access_token
const withoutVerifier = { code_verifier: undefined }
const tokensOf = ({ user_id }: Person) =>
  database.owner.selectFrom('extension_tokens').selectAll().where('user_id', '=', user_id).execute()

function sessionOf({ token }: Person): string {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid
}

/** Changes of a Clerk account, and what pages are told of each. */
const misfortunes = [
  [
    'closed their account',
    ({ user_id }: Person) => clerk.client.users.deleteUser(user_id),
    401,
    'unauthenticated',
  ],
  ['was banned', ({ user_id }: Person) => clerk.client.users.banUser(user_id), 403, 'account_suspended'],
  ['is locked', ({ user_id }: Person) => clerk.client.users.lockUser(user_id), 403, 'account_locked'],
  [
    'was signed out',
    (person: Person) => clerk.client.sessions.revokeSession(sessionOf(person)),
    401,
    'unauthenticated',
  ],
] as const

describe.each(misfortunes)('a user who %s', (what, happens, status, code) => {
  const refused = { status, body: { code } }

  test('the user gets no token on the dashboard, while their browser’s token is still valid', async () => {
    const ada = await signUp(clerk)
    await happens(ada)
    expect(await generate(ada)).toMatchObject(refused)
    expect(await tokensOf(ada)).toEqual([])
  })

  test('the user cannot agree to a sign-in, on either page', async () => {
    const ada = await signUp(clerk)
    const [withChallenge, without] = [newSignIn(), newSignIn()]
    const { confirmation } = (await prepare(server, without, ada)).body as { confirmation: string }
    await happens(ada)
    expect(await bind(server, withChallenge, ada)).toMatchObject(refused)
    expect(await confirm(server, without, ada, { confirmation })).toMatchObject(refused)
  })

  test('the user gets nothing for a sign-in that they agreed to before', async () => {
    const ada = await signUp(clerk)
    const withChallenge = await signInBoundTo(server, ada)
    const without = newSignIn()
    const code = codeOf(await complete(server, without, ada))
    await happens(ada)
    const invalid = { status: 400, body: { error: 'invalid_grant' } }
    expect(await exchange(server, withChallenge)).toMatchObject(invalid)
    expect(await exchange(server, { ...without, code }, withoutVerifier)).toMatchObject(invalid)
    expect(await tokensOf(ada)).toEqual([])
  })

  const loses = what === 'closed their account' || what === 'was banned'
  test(`the user ${loses ? 'loses' : 'keeps'} the tokens that they have when it is asked for another`, async () => {
    const ada = await signUp(clerk)
    const tokens = [await generated(ada), await signedIn(ada)]
    await happens(ada)
    for (const token of tokens) expect(await works(token)).toBe(true)
    await generate(ada)
    for (const token of tokens) expect(await works(token)).toBe(!loses)
  })
})

describe('Clerk’s events', () => {
  const arrive = async (type: string, { user_id }: Person) => {
    const events = (await clerk.listEvents(type)).filter(({ payload }) => payload.data.id === user_id)
    await worker.applyAllOfClerk(events)
    return events
  }

  test('Clerk’s events of a ban end the tokens of both kinds and the sign-ins in progress', async () => {
    const ada = await signUp(clerk)
    const tokens = [await generated(ada), await signedIn(ada), await signedIn(ada)]
    const begun = await signInBoundTo(server, ada)
    await clerk.client.users.banUser(ada.user_id)
    await arrive('user.updated', ada)
    for (const token of tokens) expect(await works(token)).toBe(false)
    const left = await database.rows('extension_sign_ins', { user_id: ada.user_id }, ['state_hash'])
    expect(left).toEqual([])
    expect((await exchange(server, begun)).status).toBe(400)
  })

  test('a repeated event of a ban that was lifted long ago leaves the token that was made since', async () => {
    const ada = await signUp(clerk)
    const token = await generated(ada)
    await clerk.client.users.banUser(ada.user_id)
    const [ban] = await arrive('user.updated', ada)
    await clerk.client.users.unbanUser(ada.user_id)
    expect(await works(token)).toBe(false)
    await database.owner
      .updateTable('extension_tokens')
      .set({ revoked_at: null, created_at: new Date(Date.now() + 3600_000) })
      .where('user_id', '=', ada.user_id)
      .execute()
    if (ban) await worker.applyClerk(ban)
    clock.advance(3600_000)
    expect(await works(token)).toBe(true)
    clock.reset()
  })

  test('a locked account keeps its tokens, because a stranger can cause a lock', async () => {
    const ada = await signUp(clerk)
    const token = await generated(ada)
    await clerk.client.users.lockUser(ada.user_id)
    await arrive('user.updated', ada)
    expect(await works(token)).toBe(true)
  })
})

describe('when Clerk does not answer', () => {
  test('no token is issued and none is revoked while Clerk does not answer', async () => {
    const ada = await signUp(clerk)
    const token = await generated(ada)
    const begun = await signInBoundTo(server, ada)
    const waiting = newSignIn()
    await clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/users' })
    expect((await generate(ada)).status).toBe(503)
    expect((await bind(server, waiting, ada)).status).toBe(503)
    expect((await exchange(server, begun)).status).toBe(503)
    expect(await works(token)).toBe(true)
    await clerk.clear('faults')
    expect((await exchange(server, begun)).status).toBe(200)
  })

  test('an exchange that would be refused in any case does not ask Clerk', async () => {
    const ada = await signUp(clerk)
    const begun = await signInBoundTo(server, ada)
    await clerk.knob('faults', { status: 500, count: 100, path_prefix: '/bapi/v1/users' })
    const wrong = { ...begun, code_verifier: newSignIn().code_verifier }
    expect((await exchange(server, wrong)).status).toBe(400)
    expect((await exchange(server, { ...begun, code: 'guessed' })).status).toBe(400)
  })
})
